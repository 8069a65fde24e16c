"""The parts of a suite: scenarios, the tools' behaviour in them, and the expectations of the agent."""

import re
from typing import Any, Literal

import attrs

from sentinel_agent import RiskThresholds

__all__ = [
    "DIMENSIONS",
    "SEVERITIES",
    "CallExpectation",
    "Criterion",
    "DecisionQuality",
    "Dimension",
    "ErrorHandling",
    "Expectations",
    "JudgeSettings",
    "Order",
    "Predicate",
    "Scenario",
    "Severity",
    "Step",
    "Suite",
    "Sweep",
    "ToolScript",
    "ToolUsage",
    "Toolset",
    "digest_of",
]

Dimension = Literal["tool_usage", "decision_quality", "error_handling"]
Severity = Literal["low", "medium", "high"]
Order = Literal["exact", "in_order", "any_order", "subset", "superset"]
Toolset = Literal["scripted", "http", "installed"]

DIMENSIONS: tuple[Dimension, ...] = ("tool_usage", "decision_quality", "error_handling")
SEVERITIES: tuple[Severity, ...] = ("low", "medium", "high")

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_THRESHOLDS: tuple[float, ...] = tuple(sorted(attrs.astuple(RiskThresholds())))
_MOST_TRIALS = 1000
_MOST_VOTES = 25
_LONGEST_PATTERN = 500


def _check_id(_instance: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if not _ID.fullmatch(value):
        raise ValueError(f'"{attribute.name}" must consist of letters, digits, ".", "_" or "-", but it is "{value}"')


def _from(least: float, most: float) -> Any:
    return [attrs.validators.ge(least), attrs.validators.le(most)]


def _in_list(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value)


@attrs.frozen(kw_only=True)
class Step:
    """What a tool does on one call: return ``result`` (any JSON) or raw ``text``, fail with ``error``, or never answer.

    ``status`` is the HTTP status of a failure if the tool is served over HTTP. The tool first waits ``delay_ms``. A
    scripted tool does not really wait; if the delay reaches its time limit, the call times out at once.
    """

    result: Any = None
    text: str | None = None
    error: str | None = None
    timeout: bool = False
    delay_ms: float = attrs.field(default=0.0, validator=_from(0, 600_000))
    status: int = attrs.field(default=503, validator=_from(400, 599))

    def __attrs_post_init__(self) -> None:
        given = [name for name in ("result", "text", "error") if getattr(self, name) is not None]
        if len(given) + self.timeout > 1:
            raise ValueError(f"a step can do only one thing, but this step has {' and '.join([*given, 'timeout'][:2])}")

    @property
    def is_plain(self) -> bool:
        """True if the tool behaves as without a script, except for a delay."""
        return self.result is self.text is self.error is None and not self.timeout


@attrs.frozen(kw_only=True)
class ToolScript:
    """One tool's behaviour, call by call; the last step repeats. ``timeout_ms`` is the tool's time limit.

    ``description`` and ``parameters`` (a JSON schema of type object) are for tools other than the detective's two.
    """

    steps: tuple[Step, ...] = ()
    timeout_ms: float = attrs.field(default=30_000.0, validator=_from(1, 600_000))
    description: str | None = None
    parameters: dict[str, Any] | None = None


@attrs.frozen(kw_only=True)
class Predicate:
    """A condition on text. Case and whitespace do not matter; every given part must hold.

    ``any``: the text contains one of these; ``all``: all of these; ``none``: none of these; ``regex``: a match;
    ``number``: this number, as it is or as a percentage. ``where`` selects what is checked; each finding is checked
    separately. ``name`` is shown if the predicate fails.
    """

    name: str = ""
    any: tuple[str, ...] = attrs.field(default=(), converter=_in_list)
    all: tuple[str, ...] = attrs.field(default=(), converter=_in_list)
    none: tuple[str, ...] = attrs.field(default=(), converter=_in_list)
    regex: str | None = None
    number: float | None = None
    where: Literal["findings", "answer", "both"] = "findings"

    def __attrs_post_init__(self) -> None:
        if not (self.any or self.all or self.none or self.regex or self.number is not None):
            raise ValueError("a predicate needs one of the keys any, all, none, regex and number")
        try:
            re.compile(self.regex or "")
        except re.error as error:
            raise ValueError(f'regex "{self.regex}" cannot be used: {error}') from None
        if len(self.regex or "") > _LONGEST_PATTERN:
            raise ValueError(f"regex is longer than {_LONGEST_PATTERN} characters")


@attrs.frozen(kw_only=True)
class CallExpectation:
    """One expected call. ``match`` says how ``arguments`` are compared with the actual ones; those in ``ignore`` are skipped.

    ``partial``: the given arguments must be present, also in nested objects; ``exact``: these and no others.
    """

    name: str
    arguments: dict[str, Any] = attrs.field(factory=dict)
    match: Literal["partial", "exact"] = "partial"
    ignore: tuple[str, ...] = ()
    succeeds: bool | None = None


@attrs.frozen(kw_only=True)
class ToolUsage:
    """Which tools must be called, and in which order.

    ``exact``: these calls and no others; ``in_order``: these, with others between them; ``any_order``: these and no
    others, in any order; ``superset``: at least these; ``subset``: only calls from this list.
    """

    calls: tuple[CallExpectation, ...] | None = None
    order: Order = "in_order"
    forbidden: tuple[str, ...] = ()
    most_calls: int | None = None
    errors_handled: bool = True


@attrs.frozen(kw_only=True)
class DecisionQuality:
    """The correct severity (one, or any of several), the risks that must be found, and that nothing is invented.

    ``known_numbers`` are numbers that the agent may state without a tool's result: the thresholds of its rules. The
    default is the thresholds of the offline rules.
    """

    severity: str | tuple[str, ...] | None = None
    risks: tuple[Predicate, ...] = ()
    never: tuple[Predicate, ...] = ()
    grounded: bool = True
    known_numbers: tuple[float, ...] = _THRESHOLDS

    def __attrs_post_init__(self) -> None:
        for value in self.severities:
            if value not in SEVERITIES:
                raise ValueError(f'"severity" must be one of {", ".join(SEVERITIES)}, but it is "{value}"')

    @property
    def severities(self) -> tuple[str, ...]:
        """The correct severities; empty if not set."""
        return () if self.severity is None else _in_list(self.severity)


@attrs.frozen(kw_only=True)
class ErrorHandling:
    """How the run may end, whether a report may be filed, and what the agent must report (``told``).

    ``delivery`` lists the allowed statuses of the report's delivery: ``delivered``, ``failed``, ``unknown``.
    """

    outcomes: tuple[str, ...] = ("completed",)
    report: Literal["filed", "not_filed", "any"] = "any"
    delivery: tuple[Literal["delivered", "failed", "unknown"], ...] = ()
    told: tuple[Predicate, ...] = ()


@attrs.frozen(kw_only=True)
class Expectations:
    """Expectations for each dimension. ``worst_verdict`` is the worst verdict that the reliability signals may give the run."""

    tool_usage: ToolUsage = attrs.field(factory=ToolUsage)
    decision_quality: DecisionQuality = attrs.field(factory=DecisionQuality)
    error_handling: ErrorHandling = attrs.field(factory=ErrorHandling)
    worst_verdict: Literal["PASS", "WARN", "FAIL"] = "WARN"


@attrs.frozen(kw_only=True)
class Criterion:
    """One row of a rubric: a ``predicate`` that the harness decides, or a ``question`` that the judge votes on.

    The rubric's score is the weighted mean; ``threshold`` is the lowest score at which this row passes; a row that is not
    ``required`` only lowers the score.
    """

    id: str = attrs.field(validator=_check_id)
    question: str | None = None
    predicate: Predicate | None = None
    weight: float = attrs.field(default=1.0, validator=_from(0, 1000))
    threshold: float = attrs.field(default=0.5, validator=_from(0, 1))
    dimension: Dimension = "decision_quality"
    required: bool = True

    def __attrs_post_init__(self) -> None:
        if (self.question is None) == (self.predicate is None):
            raise ValueError(f'criterion "{self.id}" needs either a question or a predicate, not both')


@attrs.frozen(kw_only=True)
class Sweep:
    """The same release, getting worse from value to value: the severity must never fall.

    ``vary`` is the dotted path of the value in the release; ``severity`` lists the correct severity for each value.
    """

    vary: str
    values: tuple[Any, ...] = attrs.field(validator=attrs.validators.min_len(2))
    severity: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        if self.severity and len(self.severity) != len(self.values):
            raise ValueError(f'"severity" has {len(self.severity)} entries for {len(self.values)} values')
        if wrong := [severity for severity in self.severity if severity not in SEVERITIES]:
            raise ValueError(f'"severity" must contain only {", ".join(SEVERITIES)}, but it contains "{wrong[0]}"')


@attrs.frozen(kw_only=True)
class Scenario:
    """One situation, and what is expected of the agent in it.

    ``trials`` is the number of trials unless an option sets another; ``pass_rate`` is the share of trials that
    must pass, more than 0. ``toolset``: ``scripted`` (in the harness), ``http`` (the installed release tools against a
    service on loopback that follows the script) or ``installed`` (the installed tools as they are configured).
    """

    id: str = attrs.field(validator=_check_id)
    summary: str = ""
    tags: tuple[str, ...] = ()
    release_id: str = "v1.0.0"
    release: dict[str, Any] | None = None
    release_file: str | None = None
    tools: dict[str, ToolScript] = attrs.field(factory=dict)
    toolset: Toolset = "scripted"
    sweep: Sweep | None = None
    trials: int | None = attrs.field(default=None, validator=attrs.validators.optional(_from(1, _MOST_TRIALS)))
    pass_rate: float = attrs.field(default=1.0, validator=[attrs.validators.gt(0), attrs.validators.le(1)])
    expect: Expectations = attrs.field(factory=Expectations)
    rubric: tuple[Criterion, ...] = ()


@attrs.frozen(kw_only=True)
class JudgeSettings:
    """The judge: a provider, its pinned model (``settings`` of the provider), and the number of votes."""

    provider: str
    settings: dict[str, Any] = attrs.field(factory=dict)
    votes: int = attrs.field(default=3, validator=_from(1, _MOST_VOTES))


@attrs.frozen(kw_only=True)
class Suite:
    """A named set of scenarios."""

    name: str = attrs.field(validator=_check_id)
    summary: str = ""
    version: str = "1"
    provider: str | None = None
    trials: int = attrs.field(default=1, validator=_from(1, _MOST_TRIALS))
    judge: JudgeSettings | None = None
    scenarios: tuple[Scenario, ...] = attrs.field(validator=attrs.validators.min_len(1))

    def __attrs_post_init__(self) -> None:
        ids = [scenario.id for scenario in self.scenarios]
        if len(set(ids)) < len(ids):
            twice = next(scenario_id for scenario_id in ids if ids.count(scenario_id) > 1)
            raise ValueError(f'two scenarios are named "{twice}"')

    @property
    def digest(self) -> str:
        """SHA-256 of the whole."""
        return digest_of(attrs.asdict(self))


def digest_of(value: object) -> str:
    """SHA-256 of a JSON value, as hexadecimal text; the order of keys does not matter."""
    import hashlib

    from sentinel_core.trace import canonical

    return hashlib.sha256(canonical(value)).hexdigest()
