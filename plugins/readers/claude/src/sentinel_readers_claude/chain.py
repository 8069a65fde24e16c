"""Selects the lines of a session that make up its conversation: a session file is a forest, with one live branch per tree.

The rules are those of Claude Code's own readers, with one exception: they show only the tree of the last leaf, this module
returns every tree. The conversation before a compaction is a separate tree of the same agent.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

__all__ = ["Entry", "conversations", "entry_of"]

_LINKS = frozenset({"assistant", "attachment", "progress", "system", "user"})
_SPOKEN = ("assistant", "user")


# Not frozen: a session has one per line, and a frozen object takes three times as long to create.
@attrs.define(kw_only=True, eq=False)
class Entry:
    """One line that is a link of a session's chain. ``uuid`` is its own id, ``line`` counts from 1.

    ``message`` is in the API's format, empty if there is none; ``response`` is the id of the model's response that an
    assistant's line belongs to; ``calls`` (made) and ``answers`` (results) hold ids of calls; ``agent`` is the sub-agent that
    wrote it; ``is_hidden`` is set for the client's own notes and for team mates.
    """

    raw: Mapping[str, Any]
    line: int
    uuid: str
    parent: str | None
    kind: str
    message: Mapping[str, Any]
    response: str | None
    agent: str | None
    is_hidden: bool
    calls: Sequence[str]
    answers: Sequence[str]

    def has(self, flag: str) -> bool:
        """Whether a flag of the line is set."""
        return bool(self.raw.get(flag))

    @property
    def is_spoken(self) -> bool:
        """True for a message of a user, a tool or the model."""
        return self.kind in _SPOKEN


def entry_of(raw: Mapping[str, Any], line: int) -> Entry | None:
    """The entry for a line; None if the line is not part of a chain."""
    kind, uuid, message = raw.get("type"), raw.get("uuid"), raw.get("message")
    if not isinstance(uuid, str) or not isinstance(kind, str) or kind not in _LINKS:
        return None
    message = message if isinstance(message, dict) else {}
    content = message.get("content")
    blocks = content if isinstance(content, list) else ()
    return Entry(
        raw=raw,
        line=line,
        uuid=uuid,
        parent=_text(raw.get("parentUuid")),
        kind=kind,
        message=message,
        response=_text(message.get("id")) if kind == "assistant" else None,
        agent=_text(raw.get("agentId")),
        is_hidden=kind not in _SPOKEN or bool(raw.get("isMeta") or raw.get("teamName")),
        calls=_ids(blocks, "tool_use", "id") if kind == "assistant" else (),
        answers=_ids(blocks, "tool_result", "tool_use_id") if kind == "user" else (),
    )


def _ids(blocks: Iterable[object], kind: str, key: str) -> list[str]:
    ids = (block.get(key) for block in blocks if isinstance(block, dict) and block.get("type") == kind)
    return [call.strip() for call in ids if isinstance(call, str)]


def conversations(entries: Sequence[Entry]) -> list[list[Entry]]:
    """One list of entries per tree, from its root to its newest leaf, in the order in which the trees begin.

    Abandoned branches are left out. Other lines of a response on the chain, and results of its calls, are put back even if
    they are beside the chain.
    """
    by_uuid = {entry.uuid: entry for entry in entries}
    roots = _roots(by_uuid)
    best: dict[str, Entry] = {}
    for leaf in _leaves(entries, by_uuid):
        root = roots[leaf.uuid]
        if root not in best or _rank(leaf) > _rank(best[root]):
            best[root] = leaf
    chains = sorted((_chain(leaf, by_uuid) for leaf in best.values()), key=lambda chain: chain[0].line)
    return _completed(chains, list(by_uuid.values()))


def _rank(leaf: Entry) -> tuple[bool, int]:
    return not leaf.is_hidden, leaf.line


def _roots(by_uuid: Mapping[str, Entry]) -> dict[str, str]:
    """The root of each entry's tree; in a cycle of parents, the entry at which it was found."""
    roots: dict[str, str] = {}
    for uuid in by_uuid:
        path: dict[str, None] = {}
        at = uuid
        while at not in roots and at not in path:
            path[at] = None
            parent = by_uuid[at].parent
            if parent is None or parent not in by_uuid:
                break
            at = parent
        root = roots.get(at, at)
        roots.update(dict.fromkeys(path, root))
    return roots


def _leaves(entries: Sequence[Entry], by_uuid: Mapping[str, Entry]) -> Iterator[Entry]:
    """For each end of a chain, the nearest line that is a message."""
    parents = {entry.parent for entry in entries}
    passed: set[str] = set()
    for uuid, entry in by_uuid.items():
        at: Entry | None = None if uuid in parents else entry
        while at is not None and at.uuid not in passed:
            passed.add(at.uuid)
            if at.is_spoken:
                yield at
                break
            at = by_uuid.get(at.parent or "")


def _chain(leaf: Entry, by_uuid: Mapping[str, Entry]) -> list[Entry]:
    chain: dict[str, Entry] = {}
    at: Entry | None = leaf
    while at is not None and at.uuid not in chain:
        chain[at.uuid] = at
        at = by_uuid.get(at.parent or "")
    return list(reversed(chain.values()))


def _completed(chains: Iterable[list[Entry]], entries: Iterable[Entry]) -> list[list[Entry]]:
    """The chains, with the lines that parallel calls leave beside them put back."""
    chains = list(chains)
    beside = _Beside(entries)
    kept = {entry.uuid for chain in chains for entry in chain}
    answered = {call for chain in chains for entry in chain for call in entry.answers}
    return [list(_with_strays(chain, beside, kept, answered)) for chain in chains]


class _Beside:
    """Lines that may be beside a chain: those of each response and the results of each call, by agent."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._responses: dict[tuple[str | None, str], list[Entry]] = {}
        self._answers: dict[tuple[str | None, str], list[Entry]] = {}
        for entry in entries:
            if entry.response is not None:
                self._responses.setdefault((entry.agent, entry.response), []).append(entry)
            for link in _answered(entry):
                self._answers.setdefault((entry.agent, link), []).append(entry)

    def take(self, entry: Entry) -> list[Entry]:
        """All lines of the entry's response and all results of its calls, in the file's order; empty the second time."""
        group = self._responses.pop((entry.agent, entry.response or ""), [])
        links = dict.fromkeys(link for member in group for link in (member.uuid, *member.calls))
        found = group + [answer for link in links for answer in self._answers.pop((entry.agent, link), ())]
        return sorted(found, key=lambda stray: stray.line)


def _with_strays(chain: Sequence[Entry], beside: _Beside, kept: set[str], answered: set[str]) -> Iterator[Entry]:
    """The chain; each response is followed by its other lines and by the results of its calls that are still missing."""
    last = {entry.response: entry.uuid for entry in chain if entry.response is not None}
    for entry in chain:
        yield entry
        if entry.response is None or last[entry.response] != entry.uuid:
            continue
        for stray in beside.take(entry):
            if stray.uuid not in kept and not (stray.answers and answered.issuperset(stray.answers)):
                kept.add(stray.uuid)
                answered.update(stray.answers)
                yield stray


def _answered(entry: Entry) -> Iterator[str]:
    """The links of a line with results: the ids of its calls, or of the lines that made them."""
    if entry.answers:
        yield from entry.answers
        yield from filter(None, (entry.parent, _text(entry.raw.get("sourceToolAssistantUUID"))))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
