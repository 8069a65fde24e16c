"""A trace and a panel of signals in, a report out."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import attrs

from sentinel_core._fast import collected, declared, field
from sentinel_core.evaluate.attribution import attribute
from sentinel_core.evaluate.claims import ledger_of
from sentinel_core.evaluate.foreign import Snapshot, checked_detection, describe_in_place, refuse_astray
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.evaluate.policy import (
    TRIAGE_WEIGHTS,
    Reason,
    combine,
    explain,
    judge,
    share,
    triage_score,
    worst_severity,
)
from sentinel_core.offers import Rule
from sentinel_core.profile import Profile
from sentinel_core.report import (
    Coverage,
    Detection,
    Finding,
    LedgerEntry,
    ReliabilityReport,
    ReportMetadata,
    Severity,
    SignalFailure,
    SignalScore,
    Verdict,
)
from sentinel_core.trace import GAPS, NOTES, reading_remarks

__all__ = ["BoundSignal", "Panel", "answer_of", "evaluate"]

_NOT_INSTALLED = "is not installed"
_ATTRIBUTED = ("WARN", "FAIL")
_REMARKS = frozenset((GAPS, NOTES))
_UNMEASURED = "No verdict: no weighted signal could be measured."
_SILENT = "Nothing to check: no assistant text and no tool call."

_Answers = list[tuple[str, Detection | SignalFailure]]
_Scores = tuple[tuple[str, float | None], ...]
_Worst = tuple[tuple[str, Severity], ...]
_Measured = tuple[tuple[str, bool], ...]
_Rows = tuple[SignalScore, Coverage, tuple[str, float | None], tuple[str, bool], float, float]


class _Judged(NamedTuple):
    """What the deciding signals' scores and the severities of their findings give."""

    verdict: Verdict | None
    overall: float | None
    reasons: tuple[Reason, ...]


@collected
@declared(kw_only=True)
class BoundSignal:
    """A signal ready to run: its settings are filled in, so ``detect`` takes the index alone."""

    name: str
    detect: Callable[[TraceIndex], object]
    distribution: str | None = None
    version: str | None = None
    settings: Mapping[str, Any] = field(factory=dict)
    rules: Sequence[Rule] = ()
    ledger: Callable[[TraceIndex, Sequence[Finding]], Iterable[LedgerEntry]] | None = None


@attrs.frozen(kw_only=True)
class Panel:
    """Who judges, and by which profile.

    ``failures`` are signals that could not be loaded; ``left_out`` names those that the user did not want, ``lowered`` those
    with rules that the user switched off or made milder; ``attributes_all`` asks for the step that broke in a PASS, too,
    and ``has_ledger`` for the claims beside the record.
    """

    signals: tuple[BoundSignal, ...]
    profile: Profile
    failures: tuple[SignalFailure, ...] = ()
    left_out: frozenset[str] = frozenset()
    lowered: frozenset[str] = frozenset()
    attributes_all: bool = False
    has_ledger: bool = False

    def __attrs_post_init__(self) -> None:
        ordered = tuple(sorted(self.signals, key=lambda signal: signal.name))
        object.__setattr__(self, "signals", ordered)

    @functools.cached_property
    def printed_profile(self) -> dict[str, Any]:
        """The profile as it stands in each report; its settings of signals stand among theirs."""
        return attrs.asdict(self.profile, filter=lambda field, _: field.name != "settings")

    @functools.cached_property
    def printed_settings(self) -> dict[str, Any]:
        """The settings as they stand in each report."""
        return {signal.name: dict(signal.settings) for signal in self.signals if signal.settings}

    @functools.cached_property
    def rules(self) -> dict[str, Rule]:
        """All that the signals declare, by the id that stands in reports."""
        return {f"{signal.name}.{rule.id}": rule for signal in self.signals for rule in signal.rules}

    @functools.cached_property
    def judged(self) -> Callable[[_Scores, _Worst], _Judged]:
        """What the profile makes of the scores and findings of deciding signals; kept, because most traces of a batch have the same few."""
        return functools.lru_cache(maxsize=1024)(functools.partial(_judged, self.profile, self.lowered))

    @functools.cached_property
    def row(self) -> Callable[[str, float | None, str, Sequence[str]], _Rows]:
        """What the report says of a signal's detection; kept, because most of a batch's say the same of most signals."""
        return functools.lru_cache(maxsize=256)(functools.partial(_rows, self))

    @functools.cached_property
    def scope(self) -> Callable[[_Measured, tuple[str, ...]], str]:
        """What a verdict rests on where these signals were measured or not, and those failed; kept as ``judged`` is."""
        return functools.lru_cache(maxsize=1024)(functools.partial(_scope, self))

    @functools.cached_property
    def deciding(self) -> frozenset[str]:
        """The signals that can decide the verdict."""
        return self.profile.deciding

    @functools.cached_property
    def standing_failures(self) -> tuple[SignalFailure, ...]:
        """Signals that fail for every trace: not loaded, or deciding and neither there nor left out."""
        present = {signal.name for signal in self.signals} | {failure.signal_name for failure in self.failures}
        absent = sorted(self.profile.deciding - present - self.left_out)
        return (*self.failures, *(SignalFailure(signal_name=name, error=_NOT_INSTALLED) for name in absent))


def evaluate(index: TraceIndex, panel: Panel) -> ReliabilityReport:
    """Judge one trace.

    Raises ``ValueError`` where the trace has no id. A signal that raises, answers nonsense or changes the trace is a
    ``SignalFailure`` in the report and costs the others nothing.
    """
    if not index.trace.trace_id:
        raise ValueError("Cannot evaluate: trace_id is required")
    index, answers = _answers(index, panel.signals)
    failed: list[SignalFailure] = []
    rows: list[_Rows] = []
    findings: list[Finding] = []
    worst: list[tuple[str, Severity]] = []
    row = panel.row
    for name, answer in answers:
        if isinstance(answer, SignalFailure):
            failed.append(answer)
            continue
        rows.append(row(name, answer.score, answer.details, answer.gaps))
        if answer.findings:
            findings += [finding.of(name, _origin(index, finding)) for finding in answer.findings]
            worst.append((name, worst_severity(answer.findings)))
    scores, covered, deciding, measured, parts, weights = zip(*rows, strict=True) if rows else ((),) * 6
    failures = _in_order((*failed, *panel.standing_failures), panel)
    judged = panel.judged(deciding, tuple(worst))
    verdict, overall, reasoning = _verdict(index, judged, findings, failures)
    ledger, unlisted = ledger_of(index, panel.signals, answers) if panel.has_ledger else (None, ())
    return ReliabilityReport(
        trace_id=index.trace.trace_id,
        verdict=verdict,
        overall_score=overall,
        signal_scores=scores,
        reasoning=reasoning,
        metadata=_metadata(index),
        findings=tuple(findings),
        failures=tuple(failures),
        coverage=_coverage(panel, covered, failures),
        unread=(*_unread(index), *unlisted),
        profile=panel.printed_profile,
        settings=panel.printed_settings,
        triage_score=triage_score(parts, weights),
        scope=panel.scope(measured, tuple([one.signal_name for one in failures if not one.advisory])),
        attribution=attribute(index, findings) if panel.attributes_all or verdict in _ATTRIBUTED else None,
        ledger=ledger,
    )


def _origin(index: TraceIndex, finding: Finding) -> str | None:
    """Where the source has the finding's message, as far as the reader told."""
    for child in finding.trace_path:
        index = index.children[child]
    details = None if finding.message_index is None else index.messages[finding.message_index].details
    return None if details is None else details.origin


def _in_order(failures: Sequence[SignalFailure], panel: Panel) -> list[SignalFailure]:
    if not failures:
        return []
    marked = [attrs.evolve(failure, advisory=failure.signal_name not in panel.deciding) for failure in failures]
    return sorted(marked, key=lambda failure: failure.signal_name)


def _answers(index: TraceIndex, signals: Sequence[BoundSignal]) -> tuple[TraceIndex, _Answers]:
    """All signals on one index; only where one of them changed it, each again on its own, to find out who.

    The index comes back as it was.
    """
    before = Snapshot(index)
    answers = [(signal.name, _ask(signal, index)) for signal in signals]
    if not before.holds():
        answers = [(signal.name, _ask_alone(signal, before)) for signal in signals]
        index = before.restored()
    return index, answers


def _ask_alone(signal: BoundSignal, before: Snapshot) -> Detection | SignalFailure:
    return answer_of(signal, before.restored())[1]


def answer_of(signal: BoundSignal, index: TraceIndex) -> tuple[TraceIndex, Detection | SignalFailure]:
    """One signal's answer, and the index as it was before: a signal that changes the trace has failed."""
    before = Snapshot(index)
    answer = _ask(signal, index)
    if before.holds():
        return index, answer
    return before.restored(), _failure(signal, "changed the trace; a signal may only read it")


def _ask(signal: BoundSignal, index: TraceIndex) -> Detection | SignalFailure:
    try:
        found = signal.detect(index)
        if isinstance(found, SignalFailure):  # it ran in another process, which was lost or says what went wrong there
            return found
        answer = checked_detection(found)
        for finding in answer.findings:
            refuse_astray(index, finding)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a stranger's code raises is a failure of that signal alone
        return _failure(signal, describe_in_place(error))
    return answer


def _failure(signal: BoundSignal, error: str) -> SignalFailure:
    return SignalFailure(signal_name=signal.name, error=error, distribution=signal.distribution, version=signal.version)


def _verdict(
    index: TraceIndex, judged: _Judged, findings: Sequence[Finding], failures: Sequence[SignalFailure]
) -> tuple[Verdict | None, float | None, str]:
    """Verdict, overall score and reasoning.

    A failed signal counts 0, so what the others show is a lower bound: WARN and FAIL stand, a PASS would be a guess. So
    it is where the agent did nothing: a call that never reached the model must not look like a good agent.
    """
    if not index.messages:
        return None, None, "Nothing to check: the trace has no messages."
    verdict, overall, reasons = judged
    if verdict in (None, "PASS") and not (index.texts or index.calls) and index.is_silent:
        return None, None, _SILENT
    if verdict is None:
        return None, None, _UNMEASURED
    text = explain(reasons, findings)
    broken = [failure.signal_name for failure in failures if not failure.advisory] if failures else ()
    if not broken:
        return verdict, overall, f"{verdict}: {text}."
    names = ", ".join(broken)
    if verdict == "PASS":
        return None, overall, f"No verdict: {names} gave no answer; without it, {text}."
    return verdict, overall, f"At least {verdict}: {text}; {names} gave no answer."


def _judged(profile: Profile, lowered: frozenset[str], scores: _Scores, worst: _Worst) -> _Judged:
    """Verdict, overall score and reasons."""
    measured = {name: score for name, score in scores if score is not None}
    weighted = {name: score for name, score in measured.items() if name in profile.weights}
    if not weighted:
        return _Judged(None, None, ())
    overall = combine(weighted, profile.weights)
    verdict, reasons = judge(overall, measured, profile, dict(worst), lowered)
    return _Judged(verdict, overall, reasons)


def _scope(panel: Panel, measured: _Measured, failed: tuple[str, ...]) -> str:
    """One line: which signals could see something and which could not. The outcome itself nobody has checked."""
    groups = (
        ("checked by", [name for name, is_measured in measured if is_measured]),
        ("not measured:", [name for name, is_measured in measured if not is_measured]),
        ("left out:", sorted(panel.left_out & panel.deciding)),
        ("no answer from", failed),
    )
    told = "; ".join(f"{says} {', '.join(names)}" for says, names in groups if names)
    return f"{told[:1].upper()}{told[1:]}. Whether the outcome is right was not checked." if told else ""


def _rows(panel: Panel, name: str, score: float | None, details: str, gaps: Sequence[str]) -> _Rows:
    """The signal's rows among the scores and in the coverage, and what the verdict, the scope and the triage score ask of it."""
    signal = next(signal for signal in panel.signals if signal.name == name)
    weights = panel.profile.weights
    weight = weights.get(name, 0.0)
    row = SignalScore(
        signal_name=name,
        score=score,
        details=details,
        weight=weight,
        contribution=share([weight * score], weights) if weight and score else 0.0,
        distribution=signal.distribution,
        version=signal.version,
        advisory=name not in panel.deciding,
    )
    coverage = Coverage(
        signal_name=name,
        state="checked" if score is not None else "unmeasured",
        reason=details if score is None else "",
        gaps=gaps,
    )
    triage = TRIAGE_WEIGHTS.get(name, 0.0) if score is not None else 0.0
    deciding = (name, None if row.advisory else score)
    return row, coverage, deciding, (name, score is not None), triage * (score or 0.0), triage


def _coverage(panel: Panel, covered: tuple[Coverage, ...], failures: Sequence[SignalFailure]) -> tuple[Coverage, ...]:
    if not (failures or panel.left_out):
        return covered
    failed = [
        Coverage(
            signal_name=failure.signal_name,
            state="not_installed" if failure.error == _NOT_INSTALLED else "failed",
            reason=failure.error,
        )
        for failure in failures
    ]
    left_out = [Coverage(signal_name=name, state="left_out", reason="left out by the user") for name in panel.left_out]
    return tuple(sorted([*covered, *failed, *left_out], key=_signal_name))


def _signal_name(row: Coverage) -> str:
    return row.signal_name


def _metadata(index: TraceIndex) -> ReportMetadata:
    """Counts over the trace and its sub-agents."""
    if not index.children and index.trace.token_usage is None:
        return ReportMetadata(total_messages=len(index.messages), total_tool_calls=len(index.calls), total_tokens=None)
    messages, calls, tokens = 0, 0, None
    family = [index]
    for one in family:
        family.extend(one.children)
        messages += len(one.messages)
        calls += len(one.calls)
        if one.trace.token_usage is not None:
            tokens = (tokens or 0) + one.trace.token_usage.total
    return ReportMetadata(total_messages=messages, total_tool_calls=calls, total_tokens=tokens)


def _unread(index: TraceIndex) -> tuple[str, ...]:
    """What the reader noted that it could not use, and what it left out."""
    trace = index.trace
    if _REMARKS.isdisjoint(trace.metadata) and (trace.details is None or not trace.details.children):
        return ()
    return tuple(reading_remarks(trace, GAPS, NOTES))
