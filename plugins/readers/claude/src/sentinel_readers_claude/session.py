"""One file of Claude Code: its lines, and the conversation in them."""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, Source
from sentinel_core.traces.readers import BadRecord, TraceBuilder, gaps_at, json_lines
from sentinel_readers_claude.chain import Entry, entry_of
from sentinel_readers_claude.turns import Line, Turn, add_turns, blocks_of, merged_turns_of, outcome_of

__all__ = ["Session", "Spoken", "read_session", "spoken_in", "trace_of"]

_TASKS = ("Agent", "Task")


@attrs.define(kw_only=True)
class Session:
    """A file's lines: entries of the chain, and lines that are not."""

    name: str
    entries: list[Entry] = attrs.field(factory=list)
    bad: list[BadRecord] = attrs.field(factory=list)
    strange: list[int] = attrs.field(factory=list)

    @property
    def stem(self) -> str:
        """The file's name without its endings."""
        return self.name.partition(".jsonl")[0]

    @property
    def last_lost(self) -> int:
        """The last line that could not be used, 0 if there is none."""
        return max((*(record.line for record in self.bad), *self.strange), default=0)

    def gaps(self) -> list[str]:
        """The lines that could not be used."""
        lines = [record.line for record in self.bad]
        return gaps_at("line is not JSON", "lines are not JSON", lines) + gaps_at(
            "line is not a session line", "lines are not session lines", self.strange
        )


@attrs.define(kw_only=True)
class Spoken:
    """One conversation of a session, and the sub-agents that it names."""

    turns: list[Turn]
    gaps: list[str]
    notes: list[str]
    entries: Sequence[Entry]
    last_lost: int = 0

    def started(self) -> dict[str, str | None]:
        """Each sub-agent that a result names, and the call of that result."""
        found: dict[str, str | None] = {}
        for entry in self.entries:
            result = entry.raw.get("toolUseResult")
            agent = result.get("agentId") if isinstance(result, dict) else None
            if isinstance(agent, str) and agent:
                found.setdefault(agent, entry.answers[0] if entry.answers else None)
        return found

    def prompts(self) -> dict[str, list[str]]:
        """The calls that started a sub-agent, by its prompt, the newest first."""
        found: dict[str, list[str]] = {}
        for turn in reversed(self.turns):
            for block in reversed(turn.blocks):
                arguments = block.get("input") if isinstance(block, dict) and block.get("name") in _TASKS else None
                prompt = arguments.get("prompt") if isinstance(arguments, dict) else None
                if isinstance(prompt, str) and isinstance(block.get("id"), str):
                    found.setdefault(prompt, []).append(block["id"].strip())
        return found


def read_session(source: Source) -> Session:
    """Every line of the file. Raises ``OSError`` or ``EOFError`` if the bytes cannot be read."""
    session = Session(name=source.name)
    for record in json_lines(source):
        if isinstance(record, BadRecord):
            session.bad.append(record)
            continue
        raw = record.value
        entry = entry_of(raw, record.line) if isinstance(raw, dict) else None
        if entry is not None:
            session.entries.append(entry)
        elif _is_strange(raw):
            session.strange.append(record.line)
    return session


def _is_strange(raw: object) -> bool:
    """False for a line of Claude Code's own bookkeeping, such as a copy of a request; one of an unknown type may be the agent's.

    That has a message and, as all of a conversation, an id of its own.
    """
    if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
        return True
    return raw["type"] in ("assistant", "user") or (isinstance(raw.get("message"), dict) and "uuid" in raw)


def spoken_in(chains: Iterable[Sequence[Entry]], entries: Sequence[Entry]) -> Spoken:
    """The visible turns of the chains, with gaps and notes on the other lines."""
    chain = [entry for links in chains for entry in links]
    kept = {entry.uuid: entry for entry in chain}
    visible = [entry for entry in chain if not entry.is_hidden]
    left = [entry for entry in entries if not entry.is_hidden and kept.get(entry.uuid) is not entry]
    empty = [entry for entry in visible if not _has_content(entry)]
    replaced = [entry for entry in left if entry.uuid in kept and kept[entry.uuid].message != entry.message]
    given_up = [entry for entry in left if entry.uuid not in kept]
    mates = [entry for entry in entries if entry.is_spoken and entry.has("teamName")]
    gaps = _at("message has no content", "messages have no content", empty)
    gaps += _at("line was replaced by a later one", "lines were replaced by later ones", replaced)
    notes = _at("line is on an abandoned branch", "lines are on abandoned branches", given_up)
    notes += _at("line belongs to a teammate", "lines belong to teammates", mates)
    turns = merged_turns_of(_line(entry) for entry in visible if _has_content(entry))
    last_lost = max((entry.line for entry in (*empty, *replaced)), default=0)
    return Spoken(turns=turns, gaps=gaps, notes=notes, entries=chain, last_lost=last_lost)


def _at(one: str, many: str, entries: Iterable[Entry]) -> list[str]:
    return gaps_at(one, many, (entry.line for entry in entries))


def _has_content(entry: Entry) -> bool:
    return blocks_of(entry.message) is not None


def _line(entry: Entry) -> Line:
    timestamp = entry.raw.get("timestamp")
    return Line(
        role="assistant" if entry.kind == "assistant" else "user",
        message=entry.message,
        origin=f"line {entry.line}",
        number=entry.line,
        uuid=entry.uuid,
        timestamp=timestamp if isinstance(timestamp, str) and timestamp else None,
        is_copied=entry.has("isCompactSummary"),
        is_error=entry.has("isApiErrorMessage"),
    )


def trace_of(
    spoken: Spoken,
    trace_id: str,
    session: Session | None = None,
    *,
    children: Iterable[ExecutionTrace] = (),
    parent_call_id: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> ExecutionTrace:
    """The conversation as a trace. ``session`` is its own file, if it has one; unusable lines there become gaps."""
    builder = TraceBuilder(trace_id, "claude-code")
    gaps = [*(session.gaps() if session is not None else ()), *spoken.gaps]
    notes = {"reading_gaps": gaps, "reading_notes": spoken.notes}
    last_lost = max(spoken.last_lost, session.last_lost if session is not None else 0)
    # Claude Code marks every failed result, but few successful ones.
    add_turns(builder, spoken.turns, unmarked=True, last_lost=last_lost)
    return builder.build(
        outcome=outcome_of(spoken.turns),
        parent_call_id=parent_call_id,
        children=children,
        metadata={**(metadata or {}), **{key: lines for key, lines in notes.items() if lines}},
    )
