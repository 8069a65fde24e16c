"""The findings on a release's diff, as the summary of a range of commits holds it, and on commits that say less than they do."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel_agent.risk.changes import changes_in, id_of
from sentinel_agent.risk.facts import Fact, Risk, RiskThresholds, as_count, clipped, listed, shown
from sentinel_core.evaluate.facts.areas import CRITICAL_AREAS, kinds_in

__all__ = ["diff_facts"]

# A kind of dangerous line: its severity, and the finding's words.
_DANGERS: dict[str, tuple[Risk, str]] = {
    "destructive_sql": ("high", "data are destroyed"),
    "protection_removed": ("high", "a protection is weakened or removed"),
    "secret": ("high", "a secret is committed"),
    "tests_removed": ("medium", "tests are removed"),
    "tests_skipped": ("medium", "tests are skipped"),
}
_HARMLESS = {
    "harmless": (
        *("chore", "clean up", "cleanup", "comment", "comments", "cosmetic", "doc", "docs", "documentation", "format"),
        *("formatting", "lint", "minor", "nit", "readme", "refactor", "rename", "small fix", "spelling", "style"),
        *("tidy", "tidy up", "trivial", "tweak", "typo", "typos", "update readme", "whitespace", "wip", "wording"),
    )
}
_MOST_NAMED = 3


def diff_facts(summary: Mapping[str, Any], settings: RiskThresholds) -> Iterator[Fact]:
    """The findings on ``diff`` in a summary; nothing without one."""
    diff = summary.get("diff")
    if diff is None:
        return
    if not isinstance(diff, dict):
        yield Fact("diff_malformed", "medium", f'"diff" in the summary is {shown(diff)}, not an object')
        return
    areas = [row for row in _rows(diff, "areas") if isinstance(row.get("area"), str)]
    dangers = [row for row in _rows(diff, "dangers") if row.get("kind") in _DANGERS]
    yield from _dangerous(dangers)
    if areas:
        told = ", ".join(f"{row['area']} ({_first(row.get('paths'))})" for row in areas)
        yield Fact("diff_area", "medium", f"the diff touches {told}")
    yield from _understated(summary, areas)
    yield from _size(diff, settings)
    if unread := [path for path in listed(diff.get("not_read")) if isinstance(path, str)]:
        named = ", ".join(clipped(path) for path in unread[:_MOST_NAMED])
        yield Fact("diff_unread", "medium", f"the diff is not fully read: {named}")
    elif not areas and not dangers:
        yield Fact("diff_clean", "low", "the diff touches no critical area and has no dangerous line")


def _rows(diff: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    return [row for row in listed(diff.get(key)) if isinstance(row, dict)]


def _dangerous(dangers: list[dict[str, Any]]) -> Iterator[Fact]:
    for kind, (severity, told) in _DANGERS.items():
        rows = [row for row in dangers if row["kind"] == kind]
        if rows:
            text = rows[0].get("text")
            quote = f' "{clipped(text)}"' if isinstance(text, str) else ""
            more = f", and {len(rows) - 1} more" if len(rows) > 1 else ""
            place = f"{_named(rows[0].get('path'))}:{as_count(rows[0].get('line')) or '?'}"
            yield Fact(f"diff_{kind}", severity, f"{told}: {place}{quote}{more}")


def _named(path: object) -> str:
    return clipped(path) if isinstance(path, str) else "?"


def _first(paths: object) -> str:
    return _named(next(iter(listed(paths)), None))


def _understated(summary: Mapping[str, Any], areas: list[dict[str, Any]]) -> Iterator[Fact]:
    """Commits whose subject says that they are harmless, although their diff touches an area that it does not name."""
    changes, _ = changes_in(summary.get("changes"))
    for row in areas:
        commits = listed(row.get("commits"))
        for change in changes:
            subject = change.partition(" ")[2]
            if (
                id_of(change) in commits
                and kinds_in(subject, _HARMLESS)
                and row["area"] not in kinds_in(subject, CRITICAL_AREAS)
            ):
                text = f'the subject says "{clipped(subject)}", the diff touches {row["area"]} ({_first(row.get("paths"))})'
                yield Fact("subject_understates", "medium", text)
                break


def _size(diff: Mapping[str, Any], settings: RiskThresholds) -> Iterator[Fact]:
    """The size of what changes in code; tests, texts and generated files do not count."""
    files = diff.get("files")
    counts = (
        (as_count(files.get("code") if isinstance(files, dict) else None), settings.code_files_medium, "files"),
        (as_count(diff.get("code_lines")), settings.code_lines_medium, "lines"),
    )
    for count, limit, unit in counts:
        if count is not None and count >= limit:
            text = f"{count} {unit} of code change; {limit} or more is medium"
            yield Fact(f"diff_{unit}_many", "medium", text)
