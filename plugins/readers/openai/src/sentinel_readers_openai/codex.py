"""Reads Codex CLI rollouts, old and new, with compacted, copied and delegated parts, and the stream of ``codex exec --json``.

Formats: envelopes ``{timestamp, type, payload}``; older files have bare items after a header ``{id, timestamp, instructions}``.
Response items hold the conversation; screen events repeat them, and are used only for what items lack.
"""

import re
from collections.abc import Iterator

from sentinel_core import ExecutionTrace, ReadError, Source
from sentinel_core.traces.readers import BadRecord, TraceBuilder, add_usage, gaps_at, json_lines, refusals
from sentinel_readers_openai.drafts import fill
from sentinel_readers_openai.rollout import Rollout
from sentinel_readers_openai.values import gaps_metadata, lines_not_json

__all__ = ["read"]

SOURCE = "codex"

_thread_id = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOST_NESTED = 8


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The session as one trace; sub-agents with a rollout beside the file are its children. A stream's threads.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    if _is_stream(source):
        from sentinel_readers_openai.exec_stream import read as read_stream

        yield from read_stream(source)
    else:
        yield _session(source, frozenset(), None)


def _is_stream(source: Source) -> bool:
    """Whether the first record is an event of ``codex exec --json``."""
    from sentinel_readers_openai.exec_stream import is_event

    return next((is_event(one.value) for one in json_lines(source) if not isinstance(one, BadRecord)), False)


def _session(source: Source, above: frozenset[str], parent_call_id: str | None) -> ExecutionTrace | ReadError:
    rollout = Rollout()
    unread: list[ReadError] = []
    for record in json_lines(source):
        if isinstance(record, BadRecord):
            unread.append(record.error())
        else:
            rollout.add(record.value, f"line {record.line}")
    if rollout.is_empty or refusals(unread, strict=source.strict):
        return unread[0] if unread else ReadError(message="contains no session")
    builder = TraceBuilder(rollout.session_id or source.name, SOURCE)
    drafts = rollout.messages()
    fill(builder, drafts)
    children, missing = _children(source, rollout, above | {builder.trace_id})
    gaps = lines_not_json(unread) + rollout.gaps()
    gaps += gaps_at(
        "sub-agent has no session file next to this one", "sub-agents have no session file next to this one", missing
    )
    return builder.build(
        token_usage=add_usage([*rollout.loose_usage, *(draft.usage for draft in drafts)]),
        outcome=rollout.outcome,
        parent_call_id=parent_call_id,
        children=children,
        metadata=gaps_metadata(gaps, **rollout.known),
    )


def _children(source: Source, rollout: Rollout, above: frozenset[str]) -> tuple[list[ExecutionTrace], list[str]]:
    """Each sub-agent's trace, and the ids of missing ones. Only well-formed ids are looked up as file names."""
    children, missing = [], []
    for thread, call_id in rollout.spawned.items():
        if thread in above or _thread_id.fullmatch(thread) is None:
            continue
        found = source.siblings(f"*{thread}.jsonl") if len(above) <= _MOST_NESTED else ()
        child = _session(found[0], above, call_id) if found else None
        if isinstance(child, ExecutionTrace):
            children.append(child)
        else:
            missing.append(thread)
    return children, missing
