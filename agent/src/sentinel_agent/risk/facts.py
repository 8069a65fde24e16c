"""What the risk rules share: severities, findings, thresholds, and how numbers of a release are read."""

import math
import re
from collections.abc import Mapping
from typing import Any, Literal

import attrs

__all__ = [
    "AT_OR_ABOVE",
    "RISKS",
    "TIMES",
    "Assessment",
    "Fact",
    "Risk",
    "RiskThresholds",
    "as_count",
    "as_number",
    "clipped",
    "listed",
    "percent",
    "shown",
]

_MAX_COUNT = 10**12
_MAX_SHOWN = 10**15
_WHOLE = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,13}")
_TEXT = re.compile(r"\s*(\d[\d,]{0,14}(?:\.\d{1,12})?)\s*(%|percent|ms|s|seconds|)\s*", re.IGNORECASE)
_SHARES: Mapping[str, float] = {"%": 0.01, "percent": 0.01}
TIMES: Mapping[str, float] = {"ms": 1.0, "s": 1000.0, "seconds": 1000.0}
"""Units of a time, in milliseconds."""
_KIND = {str: "a string", list: "a list", dict: "an object", bool: "true or false"}


def as_count(value: object) -> int | None:
    """A whole number of things, 0 or more, also as text (``"1,204"``); None for anything else."""
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        value = int(value.strip().replace(",", ""))
    return value if type(value) is int and 0 <= value <= _MAX_COUNT else None


def as_number(value: object, most: float, units: Mapping[str, float] = _SHARES) -> float | None:
    """A number from 0 to ``most``, also as text with one of the units; None for anything else, NaN and true or false included."""
    if isinstance(value, str):
        match = _TEXT.fullmatch(value)
        if match is None or (match[2] and match[2].lower() not in units):
            return None
        value = float(match[1].replace(",", "")) * units.get(match[2].lower(), 1.0)
    return value if type(value) in (int, float) and isinstance(value, int | float) and 0 <= value <= most else None


def percent(share: float) -> str:
    """A share of 1 in percent, three digits: ``1.39%``."""
    return f"{100 * share:.3g}%"


def shown(value: object) -> str:
    """An invalid value in words: a small number as it is, anything else by its kind."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _KIND.get(type(value), "of an unknown kind")
    small = math.isfinite(value) if isinstance(value, float) else abs(value) <= _MAX_SHOWN
    return f"{value}" if small else "not a usable number"


_share = [attrs.validators.ge(0.0), attrs.validators.le(1.0)]
_positive = attrs.validators.gt(0)
_points = attrs.validators.gt(0.0)
_PAIRS = ("error_rate", "p95", "crash_rate", "incidents", "rollbacks", "known_issues", "open_blockers", "coverage_drop")
_milliseconds = attrs.validators.gt(0.0)


@attrs.frozen(kw_only=True)
class RiskThresholds:
    """A rule applies at or above its value. Rates and shares are fractions of 1, response times milliseconds.

    Raises ``ValueError`` for a value out of range, and if a medium threshold is above its high one.
    """

    failure_rate_high: float = attrs.field(default=0.05, validator=_share)
    """Share of failed tests at which the risk is high."""
    skipped_share_medium: float = attrs.field(default=0.10, validator=_share)
    """Share of skipped tests at which the risk is medium."""
    error_rate_medium: float = attrs.field(default=0.01, validator=_share)
    """Share of failed requests at which the risk is medium."""
    error_rate_high: float = attrs.field(default=0.02, validator=_share)
    """Share of failed requests at which the risk is high."""
    p95_medium: float = attrs.field(default=500.0, validator=_milliseconds)
    """95th percentile of response times, in milliseconds, at which the risk is medium."""
    p95_high: float = attrs.field(default=1000.0, validator=_milliseconds)
    """95th percentile of response times, in milliseconds, at which the risk is high."""
    crash_rate_medium: float = attrs.field(default=0.005, validator=_share)
    """Share of sessions that crash at which the risk is medium."""
    crash_rate_high: float = attrs.field(default=0.02, validator=_share)
    """Share of sessions that crash at which the risk is high."""
    incidents_medium: int = attrs.field(default=1, validator=_positive)
    """Number of incidents at which the risk is medium."""
    incidents_high: int = attrs.field(default=3, validator=_positive)
    """Number of incidents at which the risk is high."""
    rollbacks_medium: int = attrs.field(default=1, validator=_positive)
    """Number of rollbacks at which the risk is medium."""
    rollbacks_high: int = attrs.field(default=3, validator=_positive)
    """Number of rollbacks at which the risk is high."""
    known_issues_medium: int = attrs.field(default=1, validator=_positive)
    """Number of known issues at which the risk is medium."""
    known_issues_high: int = attrs.field(default=10, validator=_positive)
    """Number of known issues at which the risk is high."""
    open_blockers_medium: int = attrs.field(default=1, validator=_positive)
    """Number of open blockers at which the risk is medium."""
    open_blockers_high: int = attrs.field(default=1, validator=_positive)
    """Number of open blockers at which the risk is high."""
    coverage_drop_medium: float = attrs.field(default=1.0, validator=_points)
    """Loss of test coverage, in percentage points, at which the risk is medium."""
    coverage_drop_high: float = attrs.field(default=5.0, validator=_points)
    """Loss of test coverage, in percentage points, at which the risk is high."""
    code_files_medium: int = attrs.field(default=100, validator=_positive)
    """Number of changed files of code at which the risk is medium."""
    code_lines_medium: int = attrs.field(default=3000, validator=_positive)
    """Number of changed lines of code at which the risk is medium."""
    worse_than_usual: float = attrs.field(default=2.0, validator=attrs.validators.gt(1.0))
    """Ratio of a number to its median in earlier releases at which the risk is medium, if the earlier releases were fetched."""
    use_history: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    """Whether the offline rules also fetch the earlier releases and compare the release with them."""
    allow_unread: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    """Whether a release may be of low risk although its data have keys that no rule reads."""

    def __attrs_post_init__(self) -> None:
        for name in _PAIRS:
            if getattr(self, f"{name}_medium") > getattr(self, f"{name}_high"):
                raise ValueError(f"'{name}_medium' must not be above '{name}_high'")


Risk = Literal["high", "medium", "low"]

RISKS: tuple[Risk, ...] = ("low", "medium", "high")
_QUOTE_LENGTH = 80
AT_OR_ABOVE: tuple[Risk, ...] = ("high", "medium")  # the severities that have a threshold


@attrs.frozen
class Fact:
    """One finding: its rule, its severity, and its evidence in words."""

    rule: str
    severity: Risk
    text: str


@attrs.frozen
class Assessment:
    """All findings about a release, in the order of the rules; there is always at least one."""

    facts: tuple[Fact, ...]

    @property
    def severity(self) -> Risk:
        """The worst of the findings."""
        return max((fact.severity for fact in self.facts), key=RISKS.index)

    @property
    def deciding(self) -> tuple[Fact, ...]:
        """The findings that have the release's severity."""
        return tuple(fact for fact in self.facts if fact.severity == self.severity)


def clipped(text: str) -> str:
    """The start of a text of others, on one line."""
    plain = " ".join(text[: _QUOTE_LENGTH * 4].split())
    return plain if len(plain) <= _QUOTE_LENGTH else f"{plain[:_QUOTE_LENGTH]}..."


def listed(value: object) -> list[Any]:
    """The list; empty for anything else."""
    return value if isinstance(value, list) else []
