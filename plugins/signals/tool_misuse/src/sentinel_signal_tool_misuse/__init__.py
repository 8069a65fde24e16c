"""Sentinel signal: tool errors, bad arguments, unknown tools.

The score is the worst of the trace's and its sub-agents'; the README has the rules and the formula.
"""

import functools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

import attrs

from sentinel_core import Call, Detection, Explanation, Finding, Signal, TraceIndex, hookimpl
from sentinel_signal_tool_misuse.arguments import Offered
from sentinel_signal_tool_misuse.checks import Checked, check_all
from sentinel_signal_tool_misuse.declared import RULES
from sentinel_signal_tool_misuse.weighing import error_rate, kept_shares, score

if TYPE_CHECKING:
    from sentinel_core.report import Severity

__all__ = ["ToolMisuseSettings", "detect", "sentinel_signals"]

_share = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True)
class ToolMisuseSettings:
    """Weights in [0, 1] for a single faulty call, depending on what is wrong with the call and on what follows it.

    Raises ``ValueError`` for a value out of its range.
    """

    formula: Literal["weighed", "error_rate"] = attrs.field(
        default="weighed", validator=attrs.validators.in_(("weighed", "error_rate"))
    )
    """How calls become the score: ``weighed`` by what followed each faulty call, or RS-1's plain ``error_rate``, the share of faulty calls, which the profile ``rs1`` uses."""
    repaired_weight: float = attrs.field(default=0.1, validator=_share)
    """Fraction of its weight that a faulty call keeps if a later call achieved its purpose."""
    moved_on_weight: float = attrs.field(default=0.5, validator=_share)
    """Fraction of its weight that a faulty call keeps if no later call achieved its purpose, but a later call for another purpose succeeded."""
    ending_weight: float = attrs.field(default=0.5, validator=_share)
    """Score for one failed call after which no call succeeded; each further such call adds this fraction of
    the remaining distance to 1."""
    half_at: float = attrs.field(default=1.0, validator=attrs.validators.gt(0.0))
    """The score is 0.5 if the number of faulty calls times their share of all calls equals this value."""
    failed_weight: float = attrs.field(default=1.0, validator=_share)
    """Weight of a call that failed."""
    no_match_weight: float = attrs.field(default=0.3, validator=_share)
    """Weight of a lookup whose result says that nothing was found."""
    unknown_tool_weight: float = attrs.field(default=1.0, validator=_share)
    """Weight of a call to a tool that does not exist."""
    not_json_weight: float = attrs.field(default=0.8, validator=_share)
    """Weight of arguments that are not valid JSON."""
    schema_weight: float = attrs.field(default=0.8, validator=_share)
    """Weight of arguments that the tool's schema rejects, such as a missing argument or an argument of the wrong type."""
    placeholder_weight: float = attrs.field(default=0.6, validator=_share)
    """Weight of an argument that is still a placeholder."""
    empty_weight: float = attrs.field(default=0.3, validator=_share)
    """Weight of an empty argument if other calls to the tool pass a value, or the schema requires a value."""
    suspicious_weight: float = attrs.field(default=1.0, validator=_share)
    """Weight of an argument that no honest call would contain; later successes do not reduce it. One that honest runs have too, or that nobody has measured, keeps ``repaired_weight`` of it."""


_DIGITS = 6
_SHOWN = 20
_QUOTED = 160
_ERROR_AT, _WARNING_AT = 0.8, 0.3
_UNLISTED = "The trace does not list the available tools: names and arguments were not checked against schemas."


def detect(index: TraceIndex, settings: ToolMisuseSettings) -> Detection:
    """The worst misuse of tools in the trace and its sub-agents; not measured where no agent said or called anything."""
    detection = _detect(index, settings)
    for position, child in enumerate(index.children):
        detection = _worse(detection, _below(detect(child, settings), position))
    return detection


def _detect(index: TraceIndex, settings: ToolMisuseSettings) -> Detection:
    if not index.calls:
        return _NO_MESSAGES if not index.messages else _NO_CALLS if not index.is_silent else _SILENT
    details = index.trace.details
    offered = Offered(details.available_tools) if details is not None and details.available_tools else None
    # Context copied after compaction repeats calls that were judged where they were made.
    calls = index.calls if details is None else [call for call in index.calls if not call.is_copied]
    checked = check_all(calls, offered, settings)
    gaps = (_UNLISTED,) if offered is None else offered.gaps()
    if not checked.faults:
        return _nothing_wrong(len(calls), gaps)
    from sentinel_signal_tool_misuse.settled import mark_settled  # few runs have faults
    from sentinel_signal_tool_misuse.wanted import wanted_failures

    checked.wanted = wanted_failures(index, checked)
    mark_settled(index, checked)
    shares = kept_shares(checked, settings)
    return Detection(
        score=error_rate(checked)
        if settings.formula == "error_rate"
        else round(score(checked, shares, settings), _DIGITS),
        findings=_findings(checked, shares),
        details=_told(checked, shares),
        gaps=gaps,
    )


_NO_MESSAGES = Detection(score=None, details="The trace has no messages.")
_SILENT = Detection(score=None, details="The agent said nothing and called no tool.")
_NO_CALLS = Detection(score=0.0, details="No tool was called.")


@functools.lru_cache(maxsize=1024)
def _nothing_wrong(calls: int, gaps: tuple[str, ...]) -> Detection:
    # Kept, because making it anew takes as long as looking at some calls.
    return Detection(score=0.0, details=f"{calls} {'call' if calls == 1 else 'calls'}, nothing wrong.", gaps=gaps)


_DEEDS = {"failed_call": "failed", "unknown_tool": "failed", "no_match": "found nothing"}


def _told(checked: Checked, shares: dict[int, float]) -> str:
    """How many calls went wrong, and whether the agent recovered: later calls achieved what all of them were for."""
    counts: dict[str, int] = {}
    for fault in checked.faults.values():
        deed = _DEEDS.get(fault.rule, "had bad arguments")
        counts[deed] = counts.get(deed, 0) + 1
    calls, (first, *others) = len(checked.calls), counts
    if calls == 1:
        return f"The only call {first}."
    told = ", ".join([f"{counts[first]} of {calls} calls {first}", *(f"{counts[deed]} {deed}" for deed in others)])
    mendable = {at for at, fault in checked.faults.items() if fault.measured is None}
    if not mendable:
        return f"{told}."
    if mendable <= checked.repaired | checked.wanted:
        return f"{told}; the agent recovered."
    lasting = sum(shares[at] == 1 for at in mendable)
    if not lasting:
        return f"{told}; other calls worked afterwards."
    after = "that" if lasting == len(shares) else "the last one" if lasting == 1 else f"the last {lasting}"
    return f"{told}; no call worked after {after}."


def _findings(checked: Checked, shares: dict[int, float]) -> list[Finding]:
    """The worst bad calls, worst first, and equally bad ones in order."""
    weights = {position: fault.weight * shares[position] for position, fault in checked.faults.items()}
    worst = sorted(weights, key=weights.__getitem__, reverse=True)[:_SHOWN]
    return [_finding(checked, position, weights[position]) for position in worst]


def _finding(checked: Checked, position: int, weight: float) -> Finding:
    call, fault = checked.calls[position], checked.faults[position]
    failed = checked.worked[position] is False
    shown = _evidence(call) if failed else call.key[1].decode()
    reason = f"{fault.reason} as the agent intended" if position in checked.wanted else fault.reason
    return Finding(
        rule=fault.rule,
        branch=fault.branch,
        severity=fault.measured or _severity(fault.rule, weight, is_settled=position in checked.settled),
        text=f'"{call.call.name[:_QUOTED]}" {reason}.',
        message_index=call.message_index,
        call_id=call.call.id,
        quote=shown[:_QUOTED],
    )


def _severity(rule: str, weight: float, *, is_settled: bool) -> "Severity":
    if is_settled:
        return "note"
    if weight >= _ERROR_AT and rule != "failed_call":
        return "error"
    return "warning" if weight >= _WARNING_AT else "note"


def _evidence(call: "Call") -> str:
    """The beginning of the result, or the words that tell the failure where they stand further down."""
    content, words = call.result.content if call.result is not None else "", call.outcome.words
    return content if words in content[:_QUOTED] else words


def _below(detection: Detection, position: int) -> Detection:
    """A sub-agent's detection, as its parent tells it."""
    findings = [attrs.evolve(found, trace_path=(position, *found.trace_path)) for found in detection.findings]
    return attrs.evolve(detection, findings=findings)


def _worse(one: Detection, other: Detection) -> Detection:
    """The worse of two detections, with the findings and gaps of both."""
    first, second = (other, one) if _comparable(other) > _comparable(one) else (one, other)
    return Detection(
        score=first.score,
        findings=(*first.findings, *second.findings),
        details=first.details,
        gaps=tuple(dict.fromkeys((*first.gaps, *second.gaps))),
    )


def _comparable(detection: Detection) -> float:
    return -1.0 if detection.score is None else detection.score


def _explain() -> Mapping[str, Explanation]:
    from sentinel_signal_tool_misuse.explained import explain

    return explain()


@hookimpl
def sentinel_signals() -> Iterable[Signal]:
    """Offer the tool misuse signal."""
    return [
        Signal(
            name="tool_misuse",
            summary="tool errors, bad arguments, unknown tools",
            detect=detect,
            settings=ToolMisuseSettings,
            rules=RULES,
            explain=_explain,
        )
    ]
