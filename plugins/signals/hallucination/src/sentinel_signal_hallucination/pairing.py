"""Calls and results that do not go together: unanswered calls, results of no call, and either of them written as text."""

import re
from collections.abc import Iterable, Iterator

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.tools import is_ending as is_terminal
from sentinel_core.report import Finding, Severity
from sentinel_core.trace import ToolResult
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.marks import MARKS, Mark

__all__ = ["imitated", "orphaned", "unanswered"]

_UNFINISHED = frozenset(("interrupted", "cancelled", "canceled", "aborted", "timeout", "running"))


def _is_due(call: Call, last_spoken: int) -> bool:
    details = call.call.details
    if details is not None and not details.result_expected:
        return False
    return call.message_index < last_spoken and not is_terminal(call.call.name)


def _last_spoken(index: TraceIndex) -> int:
    """The last message in which somebody acts: a call that nothing follows was cut off, not left unanswered."""
    messages = index.messages
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if message.content or message.tool_calls:
            return position
    return -1


def unanswered(index: TraceIndex, settings: Settings, gaps: list[str]) -> Iterable[Evidence]:
    """Calls without a result although the run went on. Where none of several calls has one, that is a gap and no finding."""
    missing = [call for call in index.calls if call.result is None]
    if not missing:
        return ()
    if len(missing) == len(index.calls) and (len(missing) > 1 or index.orphans):
        if not all(is_terminal(call.call.name) for call in missing):
            gaps.append("The trace records no tool results: whether calls were answered was not checked.")
        return ()
    return _left_open(index, settings, missing)


def _left_open(index: TraceIndex, settings: Settings, missing: list[Call]) -> Iterator[Evidence]:
    outcome = index.trace.details.outcome if index.trace.details is not None else None
    cut_off = outcome in _UNFINISHED
    last_message = missing[-1].message_index if cut_off else _last_spoken(index)
    for call in missing:
        if _is_due(call, last_message):
            yield Evidence(
                Finding(
                    rule="call_without_result",
                    severity="note" if len(index.calls) == 1 else "warning",  # nothing shows that results are recorded
                    text=f'The call to "{call.call.name}" has no result, but the run continued.',
                    message_index=call.message_index,
                    call_id=call.call.id,
                ),
                settings.unanswered_weight,
            )


def orphaned(index: TraceIndex, settings: Settings, gaps: list[str]) -> Iterable[Evidence]:
    """Results whose id no call has. Where they are more than the answered calls, the recording is at fault."""
    if not index.orphans:
        return ()
    answered = sum(call.result is not None for call in index.calls)
    first_call = index.calls[0].message_index if index.calls else len(index.messages)
    stray = [(at, result) for at, result in index.orphans if at >= first_call and result.tool_call_id]
    if len(stray) < len(index.orphans):
        gaps.append("Results without an id, or before the first call, could not be matched to calls.")
    if len(stray) > answered:
        gaps.append(
            "Most results belong to no recorded call: calls are missing from the recording, so none was judged."
        )
        return ()
    severity: Severity = "note" if len(stray) == answered else "warning"
    return [_orphan(at, result, severity, settings) for at, result in stray]


def _orphan(at: int, result: ToolResult, severity: Severity, settings: Settings) -> Evidence:
    return Evidence(
        Finding(
            rule="orphan_result",
            severity=severity,
            text=f'A result answers the call "{result.tool_call_id}", which was never made.',
            message_index=at,
            call_id=result.tool_call_id,
            quote=result.content[:200] or None,
        ),
        settings.orphan_weight,
    )


_QUOTE = 200


_BY_SIGN = {sign: [mark for mark in MARKS if mark.sign == sign] for sign in sorted({mark.sign for mark in MARKS})}


def _known_tools(index: TraceIndex) -> frozenset[str]:
    details = index.trace.details
    offered = details.available_tools if details is not None and details.available_tools else ()
    return frozenset(call.call.name for call in index.calls) | frozenset(tool.name for tool in offered)


def _is_answered(index: TraceIndex, position: int) -> bool:
    """True where the next message brings a result: then the text was a call that the harness understood."""
    following = index.messages[position + 1 : position + 2]
    return any(message.role == "tool" or message.tool_results for message in following)


class _Imitations:
    """What the rule needs to know of the trace, found out when a first mark asks for it."""

    def __init__(self, index: TraceIndex) -> None:
        self.index = index
        self.tools = _known_tools(index)
        self.by_message: dict[int, list[Call]] = {}
        for call in index.calls:
            self.by_message.setdefault(call.message_index, []).append(call)

    def find(self, text: Text, mark: Mark) -> re.Match[str] | None:
        """The mark's first place in the text, None where it may be a real call or speaks of something else."""
        match = mark.pattern.search(text.content)
        if match is None:
            return None
        is_call = mark.rule == "imitated_call"
        if is_call and (text.message_index in self.by_message or _is_answered(self.index, text.message_index)):
            return None
        tool = match.groupdict().get("tool")
        is_known = tool is None or tool in self.tools or text.content.lstrip().startswith(("{", "<"))
        return match if is_known else None

    def all_of(self, marks: list[Mark], settings: Settings) -> Iterator[Evidence]:
        """Every text with one of the marks, until one is beyond doubt."""
        for text in self.index.texts:
            for mark in marks:
                match = self.find(text, mark) if mark.gate in text.content else None
                if match is None or self._came_true(text, match):
                    continue
                doubtful = mark.rule == "imitated_output" and self._is_unrecorded(text)
                yield _evidence(text, mark, match, settings, doubtful=doubtful)
                if not doubtful:
                    return

    def _is_unrecorded(self, text: Text) -> bool:
        """True where the text's own message makes calls whose results are not on record: they may be in the text."""
        calls = self.by_message.get(text.message_index, [])
        return bool(calls) and all(call.result is None for call in calls)

    def _came_true(self, text: Text, match: re.Match[str]) -> bool:
        """True where the output that the agent wrote is what its call then gave."""
        calls = self.by_message.get(text.message_index, [])
        written = _written(text.content, match)
        return any(call.result is not None and _has_line(call.result.content, written) for call in calls)


def imitated(index: TraceIndex, settings: Settings, gaps: list[str], spoken: str) -> Iterable[Evidence]:
    """At most one finding for calls and one for output: each the gravest, the first among equals.

    ``spoken`` is all assistant texts. Where the trace shows no tools at all, its calls may be text by design: a gap.
    """
    signs = [sign for sign in _BY_SIGN if sign in spoken]
    near = [mark for sign in signs for mark in _BY_SIGN[sign] if mark.gate in spoken]
    if not near:
        return ()
    # In the order of the table again: of equals, the first counts.
    marks = [mark for mark in MARKS if mark in near and mark.pattern.search(spoken) and not _is_quoted(index, mark)]
    if not marks:
        return ()
    imitations = _Imitations(index)
    if not imitations.tools:
        gaps.append(
            "The text contains calls or their output, but the trace records none: they cannot be distinguished from imitations."
        )
        return ()
    return _gravest(imitations, marks, settings)


def _gravest(imitations: _Imitations, marks: list[Mark], settings: Settings) -> Iterator[Evidence]:
    for rule in ("imitated_call", "imitated_output"):
        found = imitations.all_of([mark for mark in marks if mark.rule == rule], settings)
        worst = max(found, key=lambda row: row.weight, default=None)
        if worst is not None:
            yield worst


def _is_quoted(index: TraceIndex, mark: Mark) -> bool:
    """True where the user writes so: then the agent may speak of it."""
    return any(mark.pattern.search(message.content or "") for message in index.messages if message.role == "user")


def _written(content: str, match: re.Match[str]) -> str:
    """The first line of the output that the agent wrote, or its beginning."""
    rest = content[match.end() : match.end() + 2 * _QUOTE].strip()
    return rest.partition("\n")[0][:_QUOTE].strip()


def _has_line(content: str, written: str) -> bool:
    """True where one of the lines is what was written, or goes on from there where that was cut; "1" is not in "1 of 4"."""
    if len(written) >= _QUOTE:
        return written in content
    return not written or any(line.strip() == written for line in content.splitlines())


def _evidence(text: Text, mark: Mark, match: re.Match[str], settings: Settings, *, doubtful: bool) -> Evidence:
    begin = text.content.rfind("\n", 0, match.start()) + 1
    what = "a tool call as text but made no call" if mark.rule == "imitated_call" else "a tool's output itself"
    finding = Finding(
        rule=mark.rule,
        severity="note" if doubtful else "warning",
        text=f"The agent wrote {what}{'; the real output is not recorded' if doubtful else ''}.",
        message_index=text.message_index,
        quote=text.content[begin : begin + _QUOTE],
    )
    return Evidence(finding, settings.unproven_imitation_weight if doubtful else settings.imitation_weight)
