"""The risk rules: a release summary in, findings with a severity each out; the release has the worst severity.

Missing or malformed data are a finding of medium severity, because what they would have shown is unknown.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from sentinel_agent.risk.changes import change_facts, touched_areas
from sentinel_agent.risk.diff import diff_facts
from sentinel_agent.risk.facts import (
    AT_OR_ABOVE,
    TIMES,
    Assessment,
    Fact,
    Risk,
    RiskThresholds,
    as_count,
    as_number,
    clipped,
    listed,
    percent,
    shown,
)
from sentinel_agent.risk.release_data import data_facts

__all__ = ["assess"]

_MAX_NAMED = 3


@attrs.frozen
class _Metric:
    """A number that is compared with the thresholds ``<rule>_high`` and ``<rule>_medium``.

    ``most`` is the largest plausible value, ``sentence`` formats a value, ``unit`` a threshold with its unit.
    """

    key: str
    rule: str
    most: float
    units: Mapping[str, float]
    wanted: str
    sentence: Callable[[float], str]
    unit: Callable[[float], str]


_METRICS = (
    _Metric(
        key="error_rate",
        rule="error_rate",
        most=1.0,
        units={"%": 0.01, "percent": 0.01},
        wanted="a rate from 0 to 1",
        sentence=lambda rate: f"the error rate is {rate:.6g} ({percent(rate)})",
        unit=percent,
    ),
    _Metric(
        key="response_time_p95",
        rule="p95",
        most=1e9,
        units=TIMES,
        wanted="a time in milliseconds",
        sentence=lambda time: f"the 95th percentile of response times is {time:.10g} ms",
        unit=lambda time: f"{time:g} ms",
    ),
)


def assess(
    summary: Mapping[str, Any], settings: RiskThresholds, history: Mapping[str, Any] | None = None
) -> Assessment:
    """Judge a release by its summary, and beside ``history`` if it is known. Never raises, whatever they hold."""
    areas = touched_areas(summary)
    return Assessment(
        (
            *_test_facts(summary.get("tests"), areas, settings),
            *_metric_facts(summary.get("deployment_metrics"), settings),
            *change_facts(summary),
            *diff_facts(summary, settings),
            *data_facts(summary, settings, history),
        )
    )


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
        yield from _notlisted(tests, listed)


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
    named = [test for test in listed(failures) if isinstance(test, dict) and isinstance(test.get("name"), str)]
    quoted = ", ".join(f'"{clipped(test["name"])}"' for test in named[:_MAX_NAMED])
    return f", such as {quoted}" if quoted else ""


def _no_failures(passed: int, skipped: int) -> Fact:
    if passed == 0:
        return Fact("tests_not_run", "medium", f"no test ran: 0 passed, 0 failed, {skipped} skipped")
    return Fact("tests_passed", "low", f"0 of {passed} tests that ran failed")


def _skipped(skipped: int, total: int, settings: RiskThresholds) -> Iterator[Fact]:
    if skipped and skipped / total >= settings.skipped_share_medium:
        yield Fact("tests_skipped", "medium", f"{skipped} of {total} tests were skipped ({percent(skipped / total)})")


def _notlisted(tests: Mapping[str, Any], listed: Mapping[str, int]) -> Iterator[Fact]:
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
    value = as_number(metrics.get(metric.key), metric.most, metric.units)
    if value is None:
        return _unusable("deployment_metrics", metric.key, metrics, metric.wanted)
    limits: dict[Risk, float] = {severity: getattr(settings, f"{metric.rule}_{severity}") for severity in AT_OR_ABOVE}
    for severity, limit in limits.items():
        if value >= limit:
            text = f"{metric.sentence(value)}; {metric.unit(limit)} or more is {severity}"
            return Fact(f"{metric.rule}_{severity}", severity, text)
    return Fact(f"{metric.rule}_clean", "low", f"{metric.sentence(value)}, below {metric.unit(limits['medium'])}")


def _unusable(group: str, name: str, values: Mapping[str, Any], wanted: str) -> Fact:
    where = f"{group}.{name}"
    if values.get(name) is None:
        return Fact(f"{name}_missing", "medium", f"there is no {where} in the summary")
    return Fact(f"{name}_malformed", "medium", f"{where} is {shown(values[name])}, not {wanted}")
