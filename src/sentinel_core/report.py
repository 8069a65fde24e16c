"""What Sentinel says about a trace: findings, detections, and the report that carries the verdict."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

import sentinel_core  # its names are looked up on first use: how a report is shown is none of this module's matters
from sentinel_core._fast import declared, fast, field
from sentinel_core.errors import VerdictError

__all__ = [
    "Attribution",
    "Coverage",
    "Detection",
    "Finding",
    "LedgerEntry",
    "ReliabilityReport",
    "ReportMetadata",
    "Severity",
    "SignalFailure",
    "SignalScore",
    "Verdict",
]

Severity = Literal["note", "warning", "error"]
Verdict = Literal["PASS", "WARN", "FAIL"]

_SEVERITIES = ("note", "warning", "error")
_TEXT, _NUMBER = frozenset((str, type(None))), frozenset((int, type(None)))
_NONE = type(None)

# Checks are plain code, because attrs' own validators and converters take as long as a signal that finds nothing.


def _check(owner: object, name: str, *kinds: type) -> None:
    value = getattr(owner, name)
    if not isinstance(value, kinds):
        expected = " or ".join("None" if kind is _NONE else kind.__name__ for kind in kinds)
        raise TypeError(f"{name}: expected {expected}, got {type(value).__name__}")


def _make_tuple(owner: object, name: str, kind: type) -> None:
    """A list becomes a tuple; a bare string is refused, for it would fall apart into letters."""
    values = getattr(owner, name)
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{name}: expected a list or a tuple, got {type(values).__name__}")
    for value in values:
        if not isinstance(value, kind):
            raise TypeError(f"{name}: expected {kind.__name__}, got {type(value).__name__}")
    msgspec.structs.force_setattr(owner, name, tuple(values))  # type: ignore[arg-type]


@fast
@declared(kw_only=True)
class Finding:
    """One thing that a signal found, with its evidence.

    ``rule`` is the rule's short id (``claim_without_call``), which a report prefixes with the signal's name. ``quote``
    is the evidence, word for word. ``message_index`` counts from 0; ``trace_path`` identifies a sub-agent: indices of
    children, outermost first. ``origin`` is where the source has that message (a line, a span); the host fills it in. ``branch`` names the way in
    which the rule was reached, such as ``ordered``, if the signal knows how often each way is right.
    Raises ``TypeError`` or ``ValueError`` for an invalid value.
    """

    rule: str
    """The rule's id; in a report, it is prefixed with the signal's name."""
    severity: Severity
    """How bad it is; where findings decide the verdict, an error is FAIL and a warning is WARN, if the signal has a weight."""
    text: str
    """What is wrong, in a sentence."""
    message_index: int | None = None
    """Index of the message, counted from 0."""
    call_id: str | None = None
    """Id of the call."""
    quote: str | None = None
    """The evidence, word for word."""
    trace_path: Sequence[int] = ()
    """Which sub-agent: indices of children, outermost first."""
    origin: str | None = None
    """Where the source has that message: a line, a span."""
    branch: str | None = None
    """The way in which the rule was reached, where a rule has several; each has odds of its own."""

    def __attrs_post_init__(self) -> None:
        if type(self.rule) is type(self.text) is str and self.severity in _SEVERITIES and self.trace_path == ():
            fits = _TEXT.issuperset((type(self.quote), type(self.call_id), type(self.branch)))
            if fits and type(self.message_index) in _NUMBER:
                return
        self._check_slowly()

    def _check_slowly(self) -> None:
        _check(self, "rule", str)
        _check(self, "text", str)
        _check(self, "message_index", int, _NONE)
        _check(self, "call_id", str, _NONE)
        _check(self, "quote", str, _NONE)
        _check(self, "branch", str, _NONE)
        _make_tuple(self, "trace_path", int)
        if self.severity not in _SEVERITIES:
            raise ValueError(f"severity: expected one of {', '.join(_SEVERITIES)}, got {self.severity!r}")

    def of(self, signal_name: str, origin: str | None) -> "Finding":
        """The same finding as a report shows it, with the signal's name before the rule, and where the source has it."""
        return Finding(
            rule=f"{signal_name}.{self.rule}",
            severity=self.severity,
            text=self.text,
            message_index=self.message_index,
            call_id=self.call_id,
            quote=self.quote,
            trace_path=self.trace_path,
            origin=origin,
            branch=self.branch,
        )


@fast
@declared(kw_only=True)
class Detection:
    """A signal's answer for one trace.

    ``score`` is a risk from 0 (none seen) to 1 (certain), or None if it could not be measured. ``gaps`` say what
    could not be checked, and why. Raises ``TypeError`` for a value of the wrong type.
    """

    score: float | None
    findings: Sequence[Finding] = ()
    details: str = ""
    gaps: Sequence[str] = ()

    def __attrs_post_init__(self) -> None:
        if self.findings != ():
            _make_tuple(self, "findings", Finding)
        if self.gaps != ():
            _make_tuple(self, "gaps", str)
        if type(self.details) is not str:
            _check(self, "details", str)


@fast
@declared(kw_only=True)
class SignalFailure:
    """A signal that gave no answer: it is not installed, is broken, or returned an invalid answer. This is never a defect of the agent."""

    signal_name: str
    """Name of the signal that gave no answer."""
    error: str
    """Why it gave none; this is never the agent's fault."""
    distribution: str | None = None
    """The package it comes from."""
    version: str | None = None
    """That package's version."""
    advisory: bool = False
    """True if the signal is advisory, so its failure does not affect the verdict."""


@fast
@declared(kw_only=True)
class SignalScore:
    """One signal's part in the verdict. ``contribution`` is its share of the overall score; 0 if advisory or unmeasured."""

    signal_name: str
    """Name of the signal."""
    score: float | None
    """The risk in [0, 1]; null if it was not measured."""
    details: str
    """What it found, in a sentence."""
    weight: float
    """Its weight in the profile."""
    contribution: float
    """Its share of the overall score."""
    distribution: str | None = None
    """The package it comes from."""
    version: str | None = None
    """That package's version."""
    advisory: bool = False
    """True if the score does not count towards the verdict."""


@fast
@declared(kw_only=True)
class Coverage:
    """Whether one signal was checked.

    ``state`` is ``checked``, ``unmeasured`` (it ran and had nothing to measure), ``left_out`` (by the user), ``failed``
    or ``not_installed``; ``reason`` says why; ``gaps`` name what a checked signal could not see.
    """

    signal_name: str
    """Name of the signal."""
    state: Literal["checked", "unmeasured", "left_out", "failed", "not_installed"]
    """Whether it was checked, and if not, why."""
    reason: str = ""
    """Why it is in this state."""
    gaps: Sequence[str] = ()
    """What a checked signal could not see."""


@fast
@declared(kw_only=True)
class ReportMetadata:
    """Counts over the trace and its sub-agents; ``total_tokens`` is None if the source recorded none."""

    total_messages: int
    """Messages, including those of sub-agents."""
    total_tool_calls: int
    """Tool calls, including those of sub-agents."""
    total_tokens: int | None
    """Tokens; null if the source recorded none."""


@fast
@declared(kw_only=True)
class Attribution:
    """The step at which a run went wrong, as far as its record shows.

    ``message_index`` counts from 0 in the messages of ``agent``: a speaker, or a sub-agent's trace id; None if the
    trace names nobody. ``basis`` is the rule of the finding that shows it, or describes the step.
    """

    message_index: int
    """Index of the message among the agent's, counted from 0."""
    agent: str | None
    """A speaker, or a sub-agent's trace id; null if the trace names nobody."""
    basis: str
    """The rule of the finding that shows it, or a description of the step."""


@fast
@declared(kw_only=True)
class LedgerEntry:
    """A claim of the agent beside the fact that answers it.

    ``answer`` is ``backed`` (the record shows it), ``contradicted`` (the record shows otherwise), ``absent`` (nothing of
    its kind is on record), or ``not_checkable`` (this record cannot answer it). Only ``contradicted`` and ``absent`` have a
    finding, named by ``rule``. ``message_index`` and ``trace_path`` are as in a finding.
    """

    claim: str
    """What the agent says, word for word."""
    message_index: int
    """Index of the message that says it, counted from 0."""
    kind: str
    """What the claim is about: action, check or value; in a session that writes code also commit, push, edit and the like."""
    answer: Literal["backed", "contradicted", "absent", "not_checkable"]
    """What the record says about it."""
    record: str
    """The fact, or why the claim is not checkable."""
    record_index: int | None = None
    """Index of the message that holds the fact."""
    call_id: str | None = None
    """Id of the call that is the fact."""
    working_tree: str | None = None
    """What the working tree shows of it, where it was looked at."""
    rule: str | None = None
    """The rule of the finding about this claim."""
    trace_path: Sequence[int] = ()
    """Which sub-agent: indices of children, outermost first."""

    def of(self, signal_name: str) -> "LedgerEntry":
        """The same entry as a report shows it, with the signal's name before the rule."""
        if self.rule is None:
            return self
        return msgspec.structs.replace(self, rule=f"{signal_name}.{self.rule}")  # type: ignore[type-var] # a Struct underneath


@fast
@declared(kw_only=True)
class ReliabilityReport:
    """The verdict on one trace, with everything needed to check it by hand.

    ``verdict`` is None if nothing weighted could be measured, or if a weighted signal failed and the rest would pass.
    Such a report never counts as a pass. ``unread`` lists the parts of the source that the reader could not use.
    ``triage_score``, in [0, 1], sorts runs by how likely they are to have failed and does not affect the verdict; it is
    None if nothing could be measured. ``attribution`` is given for WARN and FAIL, and on request for other verdicts.
    ``scope`` says what the verdict is based on, and what was not checked.
    """

    trace_id: str
    """The trace's id."""
    verdict: Verdict | None
    """PASS, WARN or FAIL; null if there is no verdict."""
    overall_score: float | None
    """The risk from 0 to 1, to sort runs; it seldom decides the verdict. Null if nothing weighted was measured."""
    signal_scores: tuple[SignalScore, ...]
    """The score of each signal."""
    reasoning: str
    """Why this verdict, in a sentence."""
    metadata: ReportMetadata
    """Counts."""
    findings: tuple[Finding, ...] = ()
    """The evidence."""
    failures: tuple[SignalFailure, ...] = ()
    """Signals that gave no answer."""
    coverage: tuple[Coverage, ...] = ()
    """Whether each signal was checked."""
    unread: tuple[str, ...] = ()
    """Parts of the source that the reader could not use, or left out on purpose."""
    profile: dict[str, Any] = field(factory=dict)
    """The profile used for the verdict."""
    settings: dict[str, Any] = field(factory=dict)
    """The settings of the signals."""
    triage_score: float | None = None
    """From 0 to 1, to sort runs by how likely they are to have failed; it does not affect the verdict."""
    attribution: Attribution | None = None
    """The step to look at first; given for WARN and FAIL, and on request."""
    scope: str = ""
    """What the verdict is based on, and what was not checked."""
    ledger: tuple[LedgerEntry, ...] | None = None
    """Every claim of the agent beside the record; null unless it was asked for."""

    @property
    def is_complete(self) -> bool:
        """True if there is a verdict and no weighted signal failed."""
        return self.verdict is not None and all(failure.advisory for failure in self.failures)

    @property
    def ok(self) -> bool:
        """True only for a PASS; a report without a verdict is not a PASS."""
        return self.verdict == "PASS" and self.is_complete

    def raise_for_verdict(self, fail_on: Literal["warn", "fail"] = "warn") -> "ReliabilityReport":
        """The report itself. Raises ``VerdictError`` for FAIL, with ``"warn"`` also for WARN, and if the verdict is missing or incomplete.

        Raises ``ValueError`` for another ``fail_on``.
        """
        if fail_on not in ("warn", "fail"):
            raise ValueError(f'fail_on is {fail_on!r}; expected "warn" or "fail"')
        if self.ok or (self.verdict == "WARN" and fail_on == "fail" and self.is_complete):
            return self
        raise VerdictError(str(self))

    def __str__(self) -> str:
        return sentinel_core.report_text(self)

    def _repr_html_(self) -> str:
        return sentinel_core.notebook_frame(self)
