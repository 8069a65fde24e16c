"""The evidence for a finding in the trace: its call, the result that contradicts a claim, or the calls before the claim."""

import re
from collections.abc import Iterable, Iterator

import attrs

from sentinel_core.evaluate.index import Call, TraceIndex
from sentinel_core.report import Finding
from sentinel_core.runtime.printable import counted
from sentinel_core.trace import to_json

__all__ = ["Evidence", "evidence_of", "index_at", "said_and_record"]

_QUOTED = re.compile('"([^"\n]{4,400})"')
_MOST_BEFORE = 6


@attrs.frozen(kw_only=True)
class Evidence:
    """``call``: the call that the finding is about, or whose result contradicts it; ``shown``: the words of that result.

    If a claim has no such call, ``before`` holds the last of the ``number`` calls up to its message, oldest first; None if the
    finding is not a claim.
    """

    call: Call | None = None
    shown: str | None = None
    before: tuple[Call, ...] | None = None
    number: int = 0


def index_at(index: TraceIndex, finding: Finding) -> TraceIndex | None:
    """The index of the finding's agent; None if its path does not exist."""
    for position in finding.trace_path:
        if not 0 <= position < len(index.children):
            return None
        index = index.children[position]
    return index


def evidence_of(finding: Finding, index: TraceIndex) -> Evidence:
    """The evidence in ``index``, the index of the finding's own agent."""
    if finding.message_index is None:
        return Evidence()
    if finding.call_id is not None:
        return Evidence(call=_of_id(finding, index))
    before = [call for call in index.calls if call.message_index <= finding.message_index]
    for words in (" ".join(quoted.split()) for quoted in _QUOTED.findall(finding.text)):
        for call in _answered(reversed(before)):
            if words in _folded(call):
                return Evidence(call=call, shown=words)
        if (failed := _failed(words, before)) is not None:
            return Evidence(call=failed, shown=failed.outcome.words)
    if finding.quote is None or not _is_claim(index, finding):
        return Evidence()
    return Evidence(before=tuple(before[-_MOST_BEFORE:]), number=len(before))


def said_and_record(finding: Finding, trace: TraceIndex) -> tuple[bool, str]:
    """Whether the quote is the agent's own words, and what the record has there: the call, or those before a claim.

    ``trace`` is the index of the whole trace; the record is empty if nothing belongs to the finding.
    """
    index = index_at(trace, finding)
    if index is None or finding.message_index is None:
        return False, ""
    found = evidence_of(finding, index)
    said = index.messages[finding.message_index].role == "assistant" and finding.call_id is None
    if found.call is not None:
        return said, f"{found.call.call.name}{f': {found.shown}' if found.shown else ''}"
    if found.before is None:
        return said, ""
    names = ", ".join(call.call.name for call in found.before)
    return said, f"{counted(found.number, 'tool call')} before it: {names}" if names else "no tool call before it"


def _of_id(finding: Finding, index: TraceIndex) -> Call | None:
    """The call; if several have its id, the one of the finding's message."""
    named = [call for call in index.calls if call.call.id == finding.call_id]
    exact = [call for call in named if finding.message_index in (call.message_index, call.result_message_index)]
    return next(iter((*exact, *named)), None)


def _answered(calls: Iterator[Call]) -> Iterator[Call]:
    return (call for call in calls if call.result is not None)


def _failed(words: str, before: Iterable[Call]) -> Call | None:
    """The last call that failed and whose arguments have the words, where its result says how."""
    named = to_json(words).decode().strip('"')
    calls = [call for call in before if named in to_json(call.call.arguments).decode()]
    last = calls[-1] if calls else None
    return last if last is not None and last.outcome.state == "failed" and last.outcome.words else None


def _folded(call: Call) -> str:
    assert call.result is not None
    return " ".join(call.result.content.split())


def _is_claim(index: TraceIndex, finding: Finding) -> bool:
    """Whether the finding is about the agent's own words."""
    number = finding.message_index
    return number is not None and 0 <= number < len(index.messages) and index.messages[number].role == "assistant"
