"""The findings on the other data of a release: incidents, rollbacks, crashes, coverage, blockers, issues, and what no rule reads."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sentinel_agent.risk.facts import (
    AT_OR_ABOVE,
    TIMES,
    Fact,
    RiskThresholds,
    as_count,
    as_number,
    clipped,
    listed,
    percent,
    shown,
)

__all__ = ["data_facts"]

_MAX_NAMED = 8


@attrs.frozen
class _Count:
    """Things whose number is compared with ``<rule>_high`` and ``<rule>_medium``: a count, a list of them, or an object with a count."""

    rule: str
    keys: tuple[str, ...]
    told: str


_COUNTS = (
    _Count("incidents", ("incidents", "incident_count", "open_incidents"), "incidents"),
    _Count("rollbacks", ("rollbacks", "rollback_count"), "rollbacks"),
    _Count("known_issues", ("known_issues",), "known issues"),
    _Count("open_blockers", ("open_blockers", "blockers", "release_blockers"), "open blockers"),
)
_TOTALS = ("count", "total", "open")
_CRASH, _COVERAGE = ("crash_rate",), ("coverage_change", "coverage_delta")
_OF_METRICS = "deployment_metrics"
_READ: Mapping[str, frozenset[str]] = {
    "": frozenset(
        [
            "version",
            "changes",
            "tests",
            "deployment_metrics",
            "commits",
            "authors",
            "files",
            "diff",
            "name",
            "service",
            "environment",
            "date",
            "released",
            "released_at",
            "release_date",
            "created_at",
            "url",
            "id",
            "schema",
            "schema_version",
        ]
    ),
    "tests": frozenset(
        ["passed", "failed", "skipped", "failures", "claimed", "total", "duration", "duration_s", "duration_ms"]
    ),
    _OF_METRICS: frozenset(["error_rate", "response_time_p95"]),
}
_GROUPS = ("", _OF_METRICS, "tests")
_KNOWN = frozenset((*(key for row in _COUNTS for key in row.keys), *_CRASH, *_COVERAGE))
# A number of the history, and the number of the summary with its units that it is compared with.
_USUAL = (
    ("error_rate", "the error rate", 1.0, {"%": 0.01}, percent),
    ("response_time_p95", "the 95th percentile of response times", 1e9, TIMES, lambda time: f"{time:g} ms"),
)
_FEWEST_RELEASES = 3


def data_facts(
    summary: Mapping[str, Any], settings: RiskThresholds, history: Mapping[str, Any] | None = None
) -> Iterator[Fact]:
    """The findings, and at the end what was not read."""
    for row in _COUNTS:
        for place, value in _found(summary, row.keys):
            yield from _counted(row, place, value, settings)
    for place, value in _found(summary, _CRASH):
        rate = as_number(value, 1.0)
        yield (
            _malformed(place, value, "a rate from 0 to 1")
            if rate is None
            else _limited("crash_rate", rate, f"the crash rate is {percent(rate)}", settings, percent)
        )
    for place, value in _found(summary, _COVERAGE):
        points = _points(value)
        if points is None:
            yield _malformed(place, value, "a change in percentage points")
        elif points < 0:
            told = f"test coverage falls by {-points:g} points"
            yield _limited("coverage_drop", -points, told, settings, lambda limit: f"{limit:g}")
    yield from _beside_history(summary, settings, history)
    yield from _unread(summary, settings)


def _group(summary: Mapping[str, Any], group: str) -> Mapping[str, Any]:
    """The object under a key, or the summary itself for none; empty for what is no object."""
    values = summary.get(group) if group else summary
    return values if isinstance(values, Mapping) else {}


def _found(summary: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Where the keys stand, at the top or among the metrics, with what they hold."""
    for group in _GROUPS[:2]:
        values = _group(summary, group)
        for key in keys:
            if values.get(key) is not None:
                yield f"{group}.{key}".lstrip("."), values[key]


def _counted(row: _Count, place: str, value: object, settings: RiskThresholds) -> Iterator[Fact]:
    if isinstance(value, dict):
        inner = next((value[key] for key in _TOTALS if key in value), None)
        count = len(inner) if isinstance(inner, list) else as_count(inner)
    else:
        count = len(value) if isinstance(value, list) else as_count(value)
    if count is None:
        yield _malformed(place, value, "a count or a list")
    elif count:
        first = next((item for item in listed(value)), None)
        title = first.get("title", first.get("id")) if isinstance(first, dict) else first
        example = f', such as "{clipped(title)}"' if isinstance(title, str) else ""
        yield _limited(row.rule, count, f"{row.told}: {count}{example}", settings, lambda limit: f"{limit:g}")


def _limited(rule: str, value: float, told: str, settings: RiskThresholds, unit: Any) -> Fact:
    for severity in AT_OR_ABOVE:
        limit = getattr(settings, f"{rule}_{severity}")
        if value >= limit:
            return Fact(f"{rule}_{severity}", severity, f"{told}; {unit(limit)} or more is {severity}")
    return Fact(f"{rule}_few", "low", told)


def _points(value: object) -> float | None:
    """A change in percentage points, also as text: ``-2.5``, ``"-2.5%"``, ``"+1 pp"``."""
    if isinstance(value, str):
        text = value.strip().removesuffix("%").removesuffix("pp").strip().replace("\u2212", "-")
        try:
            value = float(text)
        except ValueError:
            return None
    return value if type(value) in (int, float) and isinstance(value, int | float) and abs(value) <= 100 else None  # noqa: PLR2004 - percent


def _malformed(place: str, value: object, wanted: str) -> Fact:
    return Fact("data_malformed", "medium", f"{place} is {shown(value)}, not {wanted}")


def _beside_history(
    summary: Mapping[str, Any], settings: RiskThresholds, history: Mapping[str, Any] | None
) -> Iterator[Fact]:
    """Numbers that are much worse than in the service's earlier releases, whatever the fixed thresholds say."""
    metrics = summary.get(_OF_METRICS)
    rows = [row for row in listed((history or {}).get("comparison")) if isinstance(row, dict)]
    for name, told, most, units, unit in _USUAL:
        now = as_number(metrics.get(name), most, units) if isinstance(metrics, dict) else None
        row = next((row for row in rows if row.get("number") == name), {})
        usual, releases = as_number(row.get("baseline"), most), as_count(row.get("releases")) or 0
        if now is None or not usual or releases < _FEWEST_RELEASES:
            continue
        ratio = now / usual
        text = f"{told} is {ratio:.2g} times its median in {releases} earlier releases ({unit(usual)})"
        is_worse = ratio >= settings.worse_than_usual
        yield Fact("worse_than_usual" if is_worse else "as_usual", "medium" if is_worse else "low", text)


def _unread(summary: Mapping[str, Any], settings: RiskThresholds) -> Iterator[Fact]:
    unread = []
    for group in _GROUPS:
        values = _group(summary, group)
        known = _READ[group] | (_KNOWN if group != "tests" else frozenset())
        for key, value in values.items():
            if key not in known and value not in (None, [], {}, ""):
                unread.append(clipped(f"{group}.{key}".lstrip(".")))
    if unread:
        more = f", and {len(unread) - _MAX_NAMED} more" if len(unread) > _MAX_NAMED else ""
        text = f"not fully read; no rule reads {', '.join(unread[:_MAX_NAMED])}{more}"
        yield Fact("not_fully_read", "low" if settings.allow_unread else "medium", text)
