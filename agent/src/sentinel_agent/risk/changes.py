"""What the commits and entries of a release say of it; beside a diff, only as far as the diff bears it out."""

from collections.abc import Container, Iterator, Mapping
from typing import Any

from sentinel_agent.risk.facts import Fact, clipped, listed, shown
from sentinel_core.evaluate.facts.areas import CRITICAL_AREAS, RISKY_CHANGES, kinds_in

__all__ = ["change_facts", "changes_in", "id_of", "touched_areas"]

_TITLES = ("title", "subject", "summary", "message", "name", "description")
_MOST_NAMED = 3


def changes_in(given: object) -> tuple[list[str], list[str]]:
    """The changes as texts, and the paths of those that are none: an object counts by its title, subject or message."""
    texts, unread = [], []
    for place, change in enumerate(listed(given)):
        title = change
        if isinstance(change, dict):
            title = next((change[key] for key in _TITLES if isinstance(change.get(key), str)), None)
        if isinstance(title, str):
            texts.append(title)
        else:
            unread.append(f"changes[{place}]")
    return texts, unread


def id_of(change: str) -> str:
    """The short hash that a change of a range of commits begins with; the first word of any other."""
    return change.partition(" ")[0]


def touched_areas(summary: Mapping[str, Any]) -> list[str]:
    """The critical areas that the changes touch: by the diff if it is known, and by what its commits of code say."""
    changes, _ = changes_in(summary.get("changes"))
    told = {kind for change in _borne_out(changes, summary) for kind in kinds_in(change, CRITICAL_AREAS)}
    diff = summary.get("diff")
    rows = listed(diff.get("areas")) if isinstance(diff, dict) else []
    seen = {area for row in rows if isinstance(row, dict) for area in CRITICAL_AREAS if row.get("area") == area}
    return sorted(told | seen)


def change_facts(summary: Mapping[str, Any]) -> Iterator[Fact]:
    """Findings on the changes in words."""
    given = summary.get("changes")
    if given is None or given == []:
        yield Fact("changes_missing", "medium", "the summary lists no changes")
        return
    if not isinstance(given, list):
        yield Fact("changes_malformed", "medium", f'"changes" in the summary is {shown(given)}, not a list of strings')
        return
    changes, unread = changes_in(given)
    if unread:
        named = ", ".join(unread[:_MOST_NAMED])
        text = f"{len(unread)} of {len(given)} changes are neither strings nor objects with a title: {named}"
        yield Fact("changes_malformed", "medium", text)
    yield from _said(changes, _borne_out(changes, summary))


def _said(changes: list[str], counted: list[str]) -> Iterator[Fact]:
    """What all changes say; only those that are ``counted`` decide."""
    risky, critical = _examples(counted, RISKY_CHANGES), _examples(counted, CRITICAL_AREAS)
    rest = [change for change in changes if change not in counted]
    alone = _examples(rest, {**RISKY_CHANGES, **CRITICAL_AREAS})
    if risky:
        yield Fact("risky_change", "high", f"risky in itself: {_quoted(risky)}")
    if critical:
        yield Fact("critical_area", "medium", f"critical areas are touched: {_quoted(critical)}")
    if alone:
        text = f"only texts, tests or generated files change where a subject speaks of {_quoted(alone)}"
        yield Fact("words_alone", "low", text)
    if changes and not risky and not critical and not alone:
        text = f"changes: {len(changes)}, none of which says that it is risky or touches a critical area"
        yield Fact("low_impact", "low", f'{text}; the first is "{clipped(changes[0])}"')


def _borne_out(changes: list[str], summary: Mapping[str, Any]) -> list[str]:
    """The changes whose words count: all, or with a diff those that change code."""
    diff = summary.get("diff")
    without: Container[object] = listed(diff.get("without_code")) if isinstance(diff, dict) else ()
    return [change for change in changes if id_of(change) not in without]


def _examples(changes: list[str], table: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The first change of each kind."""
    found: dict[str, str] = {}
    for change in changes:
        for kind in kinds_in(change, table):
            found.setdefault(kind, change)
    return dict(sorted(found.items()))


def _quoted(examples: Mapping[str, str]) -> str:
    return ", ".join(f'{kind} ("{clipped(change)}")' for kind, change in examples.items())
