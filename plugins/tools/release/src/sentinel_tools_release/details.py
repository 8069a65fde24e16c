"""The single tests and commits of a release."""

from typing import TYPE_CHECKING, Any

from sentinel_tools_release.settings import SourceSettings
from sentinel_tools_release.sources import part_of, without_part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sentinel_tools_release.junit import TestCase

__all__ = ["get_code_changes", "get_test_details", "no_code_changes", "no_test_details"]


def get_test_details(
    settings: SourceSettings, release_id: str, status: str = "failed", name: str = "", limit: int = 20
) -> dict[str, Any]:
    """Tests with this ``status`` (or ``all``) whose name contains ``name``: ``counts``, ``tests``, ``left_out``.

    Reads ``junit`` if it is set, in the order of the report; otherwise returns the source's ``test_details`` unchanged. Raises
    as the summary does, and ``InputError`` if there is no source of single tests.
    """
    if not settings.junit:
        return {"test_details": part_of(settings, release_id, "test_details", {"status": status, "limit": limit})}
    from sentinel_tools_release.junit import read_junit

    run = read_junit(settings.junit, settings.max_junit_bytes)
    found = [case for case in run.cases if status in ("all", case.status) and name in case.name]
    return {"counts": run.counts(), "tests": _shown(found[:limit]), "left_out": max(len(found) - limit, 0)}


def get_code_changes(
    settings: SourceSettings, release_id: str, path: str | None = None, limit: int = 20, skip: int = 0
) -> dict[str, Any]:
    """Commits, newest first, each with author, date and files: ``total``, ``files``, ``commits``, ``left_out``.

    ``path`` limits them to a file or folder. Without ``repo`` returns the source's ``code_changes`` unchanged. Raises as the
    summary does, and ``InputError`` if there is no source of single changes.
    """
    if not settings.repo:
        return {
            "code_changes": part_of(settings, release_id, "code_changes", {"path": path, "limit": limit, "skip": skip})
        }
    from sentinel_tools_release.ranges import range_changes

    return range_changes(settings, release_id, path, limit=limit, skip=skip)


def no_test_details(settings: SourceSettings, release_id: str) -> str | None:
    """Why there is no data on single tests; None if there is."""
    return None if settings.junit else without_part(settings, release_id, "test_details", {"limit": 1})


def no_code_changes(settings: SourceSettings, release_id: str) -> str | None:
    """Why there is no data on single commits; None if there is."""
    return None if settings.repo else without_part(settings, release_id, "code_changes", {"limit": 1})


def _shown(cases: "Iterable[TestCase]") -> list[dict[str, Any]]:
    return [case.as_dict() for case in cases]
