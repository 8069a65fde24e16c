"""The releases before one, and how its numbers compare with them."""

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentinel_core.errors import InputError, NetworkError
from sentinel_tools_release.files import json_file
from sentinel_tools_release.settings import HistorySettings, is_url
from sentinel_tools_release.sources import NO_SUCH_PLACE, beside, from_server, json_files, release_document

__all__ = ["compare", "get_release_history", "no_release_history", "numbers_of"]

_HIGHER_IS_WORSE = ("error_rate", "failure_rate", "response_time", "latency", "tests_failed", "tests_skipped")
_HIGHER_IS_BETTER = ("tests_passed", "throughput", "uptime", "availability")
_NOTABLE = 0.05  # a change of 5% or more counts as better or worse


def numbers_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a summary: tests by outcome with their failure rate, and every deployment metric that is a number."""
    tests, metrics = summary.get("tests"), summary.get("deployment_metrics")
    found = {f"tests_{name}": value for name, value in _usable(tests, ("passed", "failed", "skipped"))}
    if "tests_passed" in found and "tests_failed" in found and (ran := found["tests_passed"] + found["tests_failed"]):
        found["test_failure_rate"] = round(found["tests_failed"] / ran, 6)
    return {**found, **dict(_usable(metrics, None))}


def compare(current: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> list[dict[str, Any]]:
    """One row for each number that both sides have: now, the baseline's median, the change, and what it means.

    ``change_percent`` is None if the baseline is 0. ``trend`` is ``same`` below 5%, else ``better`` or ``worse``, or
    ``changed`` if it is not known which direction is better.
    """
    rows = []
    for name, now in current.items():
        known = [numbers[name] for numbers in earlier if name in numbers]
        if known:
            rows.append(_row(name, now, statistics.median(known), len(known)))
    return rows


def _row(name: str, now: float, before: float, known: int) -> dict[str, Any]:
    change = now - before
    share = change / abs(before) if before else None
    return {
        "number": name,
        "now": now,
        "baseline": round(before, 6),
        "change": round(change, 6),
        "change_percent": None if share is None else round(100 * share, 2),
        "trend": _trend(name, change, share),
        "releases": known,
    }


def _trend(name: str, change: float, share: float | None) -> str:
    if not change or (share is not None and abs(share) < _NOTABLE):
        return "same"
    if any(word in name for word in _HIGHER_IS_WORSE):
        return "worse" if change > 0 else "better"
    if any(word in name for word in _HIGHER_IS_BETTER):
        return "better" if change > 0 else "worse"
    return "changed"


def _usable(values: object, names: tuple[str, ...] | None) -> list[tuple[str, float]]:
    if not isinstance(values, dict):
        return []
    return [
        (name, value)
        for name, value in values.items()
        if (names is None or name in names) and type(value) in (int, float) and math.isfinite(value)
    ]


_DIGITS = re.compile(r"(\d+)")
Numbers = dict[str, float]


def get_release_history(
    settings: HistorySettings, release_id: str, baseline: str | None = None, limit: int = 10
) -> dict[str, Any]:
    """``release`` and its numbers, ``earlier`` releases with theirs (newest first), and the ``comparison``.

    The baseline is the named release, else the median of all listed releases. Earlier releases are the files of the folder,
    the list ``releases`` from ``GET <base>/release-history``, or the tags before a range of commits; a tag's numbers are
    commits, authors, files and lines, plus the tests and metrics that ``history`` has for it.

    Raises as the summary does, and ``InputError`` if the baseline is not among the earlier releases.
    """
    if settings.repo:
        current, earlier = _of_repository(settings, release_id, limit if baseline is None else 50)
    else:
        current, earlier = _of_summaries(settings, release_id)
    if baseline is not None and baseline not in earlier:
        known = ", ".join(f'"{version}"' for version in list(earlier)[:10]) or "none"
        raise InputError(f'there is no earlier release "{baseline}" to compare with; known releases: {known}')
    listed = dict(list(earlier.items())[:limit])
    against = [earlier[baseline]] if baseline is not None else list(listed.values())
    return {
        "release": {"version": release_id, **current},
        "earlier": [{"version": version, **numbers} for version, numbers in listed.items()],
        "left_out": max(len(earlier) - limit, 0),
        "baseline": baseline if baseline is not None else f"median of {len(against)} earlier releases",
        "comparison": compare(current, against),
    }


def no_release_history(settings: HistorySettings, release_id: str) -> str | None:
    """Why there is nothing to compare a release with; None if there is, or if a server does not say for certain."""
    if settings.repo:
        return None
    try:
        _, earlier = _of_summaries(settings, release_id)
    except InputError as error:
        return str(error)
    except NetworkError as error:
        return str(error) if error.status in NO_SUCH_PLACE else None
    return None if earlier else f'no release before "{release_id}" is known'


def _of_summaries(settings: HistorySettings, release_id: str) -> tuple[Numbers, dict[str, Numbers]]:
    current = numbers_of({**release_document(settings, release_id), **beside(settings)})
    if is_url(settings.releases) and not settings.history:
        answer = from_server(settings, "release-history", {"release_id": release_id}).get("releases")
        found = {
            str(summary["version"]): summary
            for summary in answer or ()
            if isinstance(summary, dict) and "version" in summary
        }
        found.pop(release_id, None)
        return current, {version: numbers_of(summary) for version, summary in found.items()}
    before = {version: summary for version, summary in _in_folder(settings).items() if _key(version) < _key(release_id)}
    return current, {version: numbers_of(before[version]) for version in sorted(before, key=_key, reverse=True)}


def _of_repository(settings: HistorySettings, release_id: str, limit: int) -> tuple[Numbers, dict[str, Numbers]]:
    from sentinel_tools_release.ranges import range_sizes

    size, sizes = range_sizes(settings, release_id, limit)
    known = _in_folder(settings)
    earlier = {name: {**numbers, **numbers_of(known.get(name, {}))} for name, numbers in sizes.items()}
    return {**size, **numbers_of(beside(settings))}, earlier


def _in_folder(settings: HistorySettings) -> dict[str, Mapping[str, Any]]:
    """Summaries by version; other files are skipped."""
    named = settings.history or settings.releases
    folder = Path(named)
    if is_url(named) or not folder.is_dir():
        if settings.history:
            raise InputError(
                f'"{named}" is not a folder; "history" must be a folder with the summaries of earlier releases'
            )
        return {}
    found: dict[str, Mapping[str, Any]] = {}
    for path in json_files(folder):
        try:
            summary = json_file(path, settings.max_bytes, '"history"')
        except InputError:
            continue
        if isinstance(summary.get("version"), str):
            found.setdefault(summary["version"], summary)
    return found


def _key(version: str) -> list[tuple[int, int, str]]:
    """A sort key for versions: numbers by value, so ``v2.9`` comes before ``v2.10``."""
    return [
        (1, int(part), "") if part.isdecimal() and len(part) < 20 else (0, 0, part)  # noqa: PLR2004 - a number of any use
        for part in _DIGITS.split(version)
        if part
    ]
