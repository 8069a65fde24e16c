"""Sessions of Claude Code: JSON Lines that form a chain, with sub-agents in the file, beside it, or in a folder below."""

import glob
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sentinel_core import ExecutionTrace, ReadError, Source
from sentinel_core.traces.readers import json_document, refusals
from sentinel_readers_claude.chain import Entry, conversations
from sentinel_readers_claude.session import Session, Spoken, read_session, spoken_in, trace_of
from sentinel_readers_claude.turns import Turn

__all__ = ["read"]

_KEPT_METADATA = ("cwd", "gitBranch", "version")
_MOST_LEVELS = 8


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The session as one trace, or a ``ReadError`` if none of its lines is a message."""
    session = read_session(source)
    if not session.entries:
        yield session.bad[0].error() if session.bad else ReadError(message="no line is a message of a session")
        return
    if refused := refusals([record.error() for record in session.bad], strict=source.strict):
        yield from refused
        return
    trace = _Family(source).trace(session)
    yield trace if trace.messages else ReadError(message="the session contains no messages")


class _Family:
    """A session and the files of its sub-agents. Files are listed and then matched: a name inside a file is never opened."""

    def __init__(self, source: Source) -> None:
        stem = glob.escape(source.name.partition(".jsonl")[0])
        below = _found(source, f"{stem}/subagents/**/agent-*.jsonl")
        self._below = _by_agent(below)
        self._beside = {_agent(file.name): file for file in _found(source, "agent-*.jsonl")}
        self._sidecars = {
            _agent(file.name): _sidecar(file) for file in _found(source, f"{stem}/subagents/**/agent-*.meta.json")
        }
        self._read: set[str] = set()

    def trace(self, session: Session) -> ExecutionTrace:
        """The session's trace with all its sub-agents."""
        main = [entry for entry in session.entries if not entry.has("isSidechain")]
        side = [entry for entry in session.entries if entry.has("isSidechain")]
        own, inner = (main, side) if any(entry.is_spoken for entry in main) else (session.entries, [])
        spoken = spoken_in(conversations(own), own)
        trace_id = _trace_id(session, own, is_agent=own is not main)
        chains = conversations(inner)
        self._read.update(filter(None, (chain[-1].agent for chain in chains)))
        children = [
            *_inner_children(chains, spoken, trace_id),
            *self._files(spoken, None, levels=_MOST_LEVELS),
            *self._rest(spoken.gaps),
        ]
        metadata = {key: own[0].raw[key] for key in _KEPT_METADATA if isinstance(own[0].raw.get(key), str)}
        return trace_of(spoken, trace_id, session, children=children, metadata=metadata)

    def _files(self, spoken: Spoken, agent: str | None, *, levels: int) -> Iterator[ExecutionTrace]:
        """The sub-agents that a conversation started, from their files."""
        calls = spoken.started()
        named = [name for name, sidecar in self._sidecars.items() if agent and sidecar.get("parentAgentId") == agent]
        for name in dict.fromkeys((*calls, *named)):
            file = (self._below.pop(name, None) or self._beside.pop(name, None)) if levels else None
            if file is not None:
                self._read.add(name)
                yield from self._child(file, name, calls.get(name), spoken.gaps, levels=levels - 1)
            elif name in calls and name not in self._read and name not in self._below:
                spoken.gaps.append(f'sub-agent "{name}" is missing from the trace: its file was not found')

    def _rest(self, gaps: list[str]) -> Iterator[ExecutionTrace]:
        """Files in the session's own folder that no call names."""
        parents = {sidecar.get("parentAgentId") for sidecar in self._sidecars.values()}
        for name in sorted(self._below, key=lambda name: (name not in parents, name)):
            file = self._below.pop(name, None)
            if file is not None:
                yield from self._child(file, name, None, gaps, levels=_MOST_LEVELS - 1)

    def _child(
        self, file: Source, agent: str, call: str | None, gaps: list[str], *, levels: int
    ) -> Iterator[ExecutionTrace]:
        """The sub-agent's trace, or a gap if its file cannot be read."""
        try:
            session = read_session(file)
        except (OSError, EOFError, zlib.error):
            gaps.append(f'sub-agent "{agent}" is missing from the trace: its file cannot be read')
            return
        spoken = spoken_in(conversations(session.entries), session.entries)
        noted = self._sidecars.get(agent, {}).get("toolUseId")
        children = list(self._files(spoken, agent, levels=levels))
        parent = call or (noted if isinstance(noted, str) else None)
        yield trace_of(spoken, f"agent-{agent}", session, children=children, parent_call_id=parent)


def _inner_children(chains: Iterable[list[Entry]], spoken: Spoken, trace_id: str) -> Iterator[ExecutionTrace]:
    """Sub-agents in the session's own file, where older versions wrote them."""
    calls, prompts = spoken.started(), spoken.prompts()
    agents: dict[str, list[Entry]] = {}
    for position, chain in enumerate(chains, 1):
        agents.setdefault(chain[-1].agent or f"{trace_id}-sidechain-{position}", []).extend(chain)
    for agent, entries in agents.items():
        inner = spoken_in([entries], entries)
        candidates = prompts.get(_first_text(inner.turns)) if inner.turns else None
        parent = calls.get(agent) or (candidates.pop() if candidates else None)
        name = agent if agent.startswith(trace_id) else f"agent-{agent}"
        yield trace_of(inner, name, parent_call_id=parent)


def _first_text(turns: Sequence[Turn]) -> str:
    block = turns[0].blocks[0] if turns[0].blocks else None
    text = block.get("text") if isinstance(block, dict) else block
    return text if isinstance(text, str) else ""


def _trace_id(session: Session, entries: Sequence[Entry], *, is_agent: bool) -> str:
    """The sub-agent's id for its own file, else the session's last id."""
    agent = entries[-1].agent
    if is_agent and agent:
        return f"agent-{agent}"
    if is_agent and session.stem.startswith("agent-"):
        return session.stem
    named = (entry.raw.get("sessionId") for entry in reversed(entries))
    return next((name for name in named if isinstance(name, str) and name), session.stem or "session")


def _found(source: Source, pattern: str) -> Sequence[Source]:
    siblings = getattr(source, "siblings", None)
    return siblings(pattern) if siblings is not None else ()


def _by_agent(files: Iterable[Source]) -> dict[str, Source]:
    """Files by the agent's name; a name in several folders gets a number, so that each file is read."""
    found: dict[str, Source] = {}
    copies: Counter[str] = Counter()
    for file in files:
        agent = _agent(file.name)
        copies[agent] += 1
        found[agent if copies[agent] == 1 else f"{agent}/{copies[agent]}"] = file  # no name of a file has a slash
    return found


def _agent(name: str) -> str:
    return name.removeprefix("agent-").partition(".jsonl")[0].removesuffix(".meta.json")


def _sidecar(file: Source) -> Mapping[str, Any]:
    try:
        value = json_document(file)
    except (OSError, EOFError, zlib.error):
        return {}
    return value if isinstance(value, dict) else {}
