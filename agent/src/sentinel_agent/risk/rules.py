"""The risk rules: a release summary in, findings with a severity each out; the release has the worst severity.

Missing or malformed data are a finding of medium severity, because what they would have shown is unknown.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import attrs

__all__ = [
    "CRITICAL_AREAS",
    "RISKS",
    "RISKY_CHANGES",
    "Assessment",
    "Fact",
    "Risk",
    "RiskThresholds",
    "as_count",
    "as_number",
    "assess",
    "kinds_in",
    "percent",
    "shown",
]

CRITICAL_AREAS: dict[str, tuple[str, ...]] = {
    "authentication": ("auth", "authenticate", "authentication", "authorization", "credential", "credentials",
        "login", "logins", "mfa", "oauth", "password", "passwords", "permission", "permissions", "session cookie",
        "session cookies", "session expiry", "session fixation", "session hijacking", "session timeout",
        "session token", "session tokens", "sign in", "sso", "user session", "user sessions"),
    "data": ("backup", "backups", "data loss", "database", "databases", "migrate", "migrated", "migrates",
        "migration", "migrations", "personal data", "replication", "schema", "user data"),
    "payment": ("billing", "charge", "charges", "checkout", "credit card", "invoice", "invoices", "payment",
        "payments", "payout", "payouts", "pricing", "refund", "refunds", "subscription", "subscriptions",
        "transaction", "transactions"),
    "security": ("access control", "certificate", "certificates", "crypto", "cve", "encrypt", "encrypted",
        "encryption", "firewall", "secret", "secrets", "security", "tls", "vulnerabilities", "vulnerability"),
}  # fmt: skip

RISKY_CHANGES: dict[str, tuple[str, ...]] = {
    "breaking change": ("backward incompatible", "backwards incompatible", "breaking change", "breaking changes"),
    "data migration": ("data migration", "database migration", "drop column", "drop table", "migrate the database",
        "migrated the database", "schema change", "schema migration"),
    "emergency": ("emergency fix", "hot fix", "hotfix", "untested"),
    "protection removed": ("bypass", "bypassed", "bypasses", "disable authentication", "disable encryption",
        "disabled authentication", "disabled encryption", "disabled tests", "skip validation", "skipped validation"),
    "rewrite": ("complete rewrite", "major refactoring", "rewrite of", "rewritten", "rewrote"),
}  # fmt: skip

_WORD = re.compile(r"[^\W_]+")


def kinds_in(text: str, table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The rows of a table with a word or phrase that is in the text, in the table's order."""
    plain = f" {' '.join(_WORD.findall(text.casefold()))} "
    return tuple(kind for kind, phrases in table.items() if any(f" {phrase} " in plain for phrase in phrases))


_MAX_COUNT = 10**12
_MAX_SHOWN = 10**15
_KIND = {str: "a string", list: "a list", dict: "an object", bool: "true or false"}


def as_count(value: object) -> int | None:
    """A whole number of things, 0 or more; None for anything else."""
    return value if type(value) is int and 0 <= value <= _MAX_COUNT else None


def as_number(value: object, most: float) -> float | None:
    """A number from 0 to ``most``; None for anything else, NaN and true or false included."""
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

    def __attrs_post_init__(self) -> None:
        for name in ("error_rate", "p95"):
            if getattr(self, f"{name}_medium") > getattr(self, f"{name}_high"):
                raise ValueError(f"'{name}_medium' must not be above '{name}_high'")


Risk = Literal["high", "medium", "low"]

RISKS: tuple[Risk, ...] = ("low", "medium", "high")
_QUOTE_LENGTH = 80
_MAX_NAMED = 3
_AT_OR_ABOVE: tuple[Risk, ...] = ("high", "medium")  # the severities that have a threshold


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


@attrs.frozen
class _Metric:
    """A number that is compared with the thresholds ``<rule>_high`` and ``<rule>_medium``.

    ``most`` is the largest plausible value, ``sentence`` formats a value, ``unit`` a threshold with its unit.
    """

    key: str
    rule: str
    most: float
    wanted: str
    sentence: Callable[[float], str]
    unit: Callable[[float], str]


_METRICS = (
    _Metric(
        key="error_rate",
        rule="error_rate",
        most=1.0,
        wanted="a rate from 0 to 1",
        sentence=lambda rate: f"the error rate is {rate} ({percent(rate)})",
        unit=percent,
    ),
    _Metric(
        key="response_time_p95",
        rule="p95",
        most=1e9,
        wanted="a time in milliseconds",
        sentence=lambda time: f"the 95th percentile of response times is {time} ms",
        unit=lambda time: f"{time:g} ms",
    ),
)


def assess(summary: Mapping[str, Any], settings: RiskThresholds) -> Assessment:
    """Judge a release by its summary. Never raises, whatever the summary holds."""
    changes = [change for change in _listed(summary.get("changes")) if isinstance(change, str)]
    areas = sorted({kind for change in changes for kind in kinds_in(change, CRITICAL_AREAS)})
    return Assessment(
        (
            *_test_facts(summary.get("tests"), areas, settings),
            *_metric_facts(summary.get("deployment_metrics"), settings),
            *_change_facts(summary.get("changes"), changes),
        )
    )


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _test_facts(tests: object, areas: list[str], settings: RiskThresholds) -> Iterator[Fact]:
    if tests is None:
        yield Fact("tests_missing", "medium", "there are no test results in the summary")
        return
    if not isinstance(tests, dict):
        yield Fact("tests_malformed", "medium", f'"tests" in the summary is {shown(tests)}, not an object with counts')
        return
    counts = {name: as_count(tests.get(name)) for name in ("passed", "failed", "skipped")}
    for name, count in counts.items():
        if count is None and (tests.get(name) is not None or name != "skipped"):
            yield _unusable("tests", name, tests, "a count")
    passed, failed, skipped = counts["passed"], counts["failed"], counts["skipped"] or 0
    if failed:
        yield _failures(failed, passed, _named(tests.get("failures")), areas, settings)
    elif failed == 0 and passed is not None:
        yield _no_failures(passed, skipped)
    listed = {"tests": (passed or 0) + (failed or 0) + skipped, "failures": failed or 0}
    yield from _skipped(skipped, listed["tests"], settings)
    if tests.get("claimed") is not None:
        yield from _not_listed(tests, listed)


def _failures(failed: int, passed: int | None, named: str, areas: list[str], settings: RiskThresholds) -> Fact:
    if passed is None:
        rate, text = 0.0, f"{failed} tests failed; the total is unknown{named}"
    else:
        rate = failed / (failed + passed)
        text = f"{failed} of {failed + passed} tests that ran failed ({percent(rate)}){named}"
    if areas:
        return Fact("tests_failed_critical", "high", f"{text}, and the changes touch {', '.join(areas)}")
    if rate >= settings.failure_rate_high:
        return Fact("tests_failed_many", "high", f"{text}; {percent(settings.failure_rate_high)} or more is high")
    return Fact("tests_failed", "medium", text)


def _named(failures: object) -> str:
    """The names of the first failed tests, if the summary has any."""
    named = [test for test in _listed(failures) if isinstance(test, dict) and isinstance(test.get("name"), str)]
    quoted = ", ".join(f'"{_clipped(test["name"])}"' for test in named[:_MAX_NAMED])
    return f", such as {quoted}" if quoted else ""


def _no_failures(passed: int, skipped: int) -> Fact:
    if passed == 0:
        return Fact("tests_not_run", "medium", f"no test ran: 0 passed, 0 failed, {skipped} skipped")
    return Fact("tests_passed", "low", f"0 of {passed} tests that ran failed")


def _skipped(skipped: int, total: int, settings: RiskThresholds) -> Iterator[Fact]:
    if skipped and skipped / total >= settings.skipped_share_medium:
        yield Fact("tests_skipped", "medium", f"{skipped} of {total} tests were skipped ({percent(skipped / total)})")


def _not_listed(tests: Mapping[str, Any], listed: Mapping[str, int]) -> Iterator[Fact]:
    """Tests that the test report counts but does not list: their results are unknown."""
    claimed = tests["claimed"]
    if not isinstance(claimed, dict) or any(as_count(claimed.get(kind, 0)) is None for kind in listed):
        yield _unusable("tests", "claimed", tests, "an object with counts")
        return
    excess = [
        f"{claimed[kind]} {kind} but lists {count}" for kind, count in listed.items() if claimed.get(kind, 0) > count
    ]
    if excess:
        yield Fact("tests_not_listed", "medium", f"the test report claims {', and '.join(excess)}")


def _metric_facts(metrics: object, settings: RiskThresholds) -> Iterator[Fact]:
    if metrics is None:
        yield Fact("metrics_missing", "medium", "there are no deployment metrics in the summary")
        return
    if not isinstance(metrics, dict):
        yield Fact(
            "metrics_malformed",
            "medium",
            f'"deployment_metrics" in the summary is {shown(metrics)}, not an object with numbers',
        )
        return
    for metric in _METRICS:
        yield _metric_fact(metric, metrics, settings)


def _metric_fact(metric: _Metric, metrics: Mapping[str, Any], settings: RiskThresholds) -> Fact:
    value = as_number(metrics.get(metric.key), metric.most)
    if value is None:
        return _unusable("deployment_metrics", metric.key, metrics, metric.wanted)
    limits: dict[Risk, float] = {severity: getattr(settings, f"{metric.rule}_{severity}") for severity in _AT_OR_ABOVE}
    for severity, limit in limits.items():
        if value >= limit:
            text = f"{metric.sentence(value)}; {metric.unit(limit)} or more is {severity}"
            return Fact(f"{metric.rule}_{severity}", severity, text)
    return Fact(f"{metric.rule}_clean", "low", f"{metric.sentence(value)}, below {metric.unit(limits['medium'])}")


def _change_facts(given: object, changes: list[str]) -> Iterator[Fact]:
    if given is None or given == []:
        yield Fact("changes_missing", "medium", "the summary lists no changes")
        return
    if not isinstance(given, list):
        yield Fact("changes_malformed", "medium", f'"changes" in the summary is {shown(given)}, not a list of strings')
        return
    if len(changes) < len(given):
        yield Fact(
            "changes_malformed", "medium", f"{len(given) - len(changes)} of {len(given)} changes are not strings"
        )
    risky = _examples(changes, RISKY_CHANGES)
    critical = _examples(changes, CRITICAL_AREAS)
    if risky:
        yield Fact("risky_change", "high", f"risky in itself: {_quoted(risky)}")
    if critical:
        yield Fact("critical_area", "medium", f"critical areas are touched: {_quoted(critical)}")
    if changes and not risky and not critical:
        text = f"changes: {len(changes)}, none of which is risky or touches a critical area"
        yield Fact("low_impact", "low", f'{text}; the first is "{_clipped(changes[0])}"')


def _examples(changes: list[str], table: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The first change of each kind."""
    found: dict[str, str] = {}
    for change in changes:
        for kind in kinds_in(change, table):
            found.setdefault(kind, change)
    return dict(sorted(found.items()))


def _quoted(examples: Mapping[str, str]) -> str:
    return ", ".join(f'{kind} ("{_clipped(change)}")' for kind, change in examples.items())


def _clipped(text: str) -> str:
    plain = " ".join(text[: _QUOTE_LENGTH * 4].split())
    return plain if len(plain) <= _QUOTE_LENGTH else f"{plain[:_QUOTE_LENGTH]}..."


def _unusable(group: str, name: str, values: Mapping[str, Any], wanted: str) -> Fact:
    where = f"{group}.{name}"
    if values.get(name) is None:
        return Fact(f"{name}_missing", "medium", f"there is no {where} in the summary")
    return Fact(f"{name}_malformed", "medium", f"{where} is {shown(values[name])}, not {wanted}")
