"""The release summary from a file, a folder, a server or a range of commits, with test results and metrics."""

from pathlib import Path
from typing import Any

from sentinel_core.trace import to_json
from sentinel_tools_release.commits import Commit, authors_of, commits_of, count_of, files_of, plain, size_of
from sentinel_tools_release.files import json_file
from sentinel_tools_release.git import Range, Repository, resolve
from sentinel_tools_release.junit import TestCase, read_junit
from sentinel_tools_release.settings import SourceSettings, SummarySettings
from sentinel_tools_release.sources import release_document

__all__ = ["beside", "get_release_summary", "repository_of"]

_CHANGES_BYTES = 20_000  # a summary must fit into one tool result
_GIT_SHARE = 16  # git's lists are cut before they are returned, so they may be longer than an answer
_MOST_FAILURES = 20
_FAILURE_LENGTH = 200
_MOST_FILES = 20
_MOST_AUTHORS = 20


def get_release_summary(settings: SummarySettings, release_id: str) -> dict[str, Any]:
    """``version``, ``changes``, ``tests``, ``deployment_metrics``, and any other key of the source.

    With ``repo`` the changes are the commits of the range, newest first, and ``commits``, ``authors`` and ``files`` give its
    size. ``junit`` replaces ``tests`` and ``metrics`` replaces ``deployment_metrics``. Missing data is left out, and the
    detective counts it as missing.

    Raises ``InputError`` if there is no such release, or a file or the repository cannot be read, ``NetworkError`` if the
    server gives no summary.
    """
    summary = _of_range(settings, release_id) if settings.repo else release_document(settings, release_id)
    return {**summary, **beside(settings)}


def beside(settings: SourceSettings) -> dict[str, Any]:
    """The data of the test report and the metrics file, under the summary's keys."""
    found: dict[str, Any] = {}
    if settings.junit:
        run = read_junit(settings.junit, settings.max_junit_bytes)
        failed = [_failure(case) for case in run.with_status("failed")[:_MOST_FAILURES]]
        found["tests"] = {**run.counts(), **({"failures": failed} if failed else {})}
    if settings.metrics:
        document = json_file(Path(settings.metrics), settings.max_bytes, "--metrics")
        found["deployment_metrics"] = document.get("deployment_metrics", document)
    return found


def repository_of(settings: SourceSettings) -> Repository:
    """The configured repository with its limits."""
    return Repository(settings.repo, settings.timeout, _GIT_SHARE * settings.max_bytes)


def _failure(case: TestCase) -> dict[str, str]:
    return {"name": plain(case.name, _FAILURE_LENGTH), "message": plain(case.message, _FAILURE_LENGTH)}


def _of_range(settings: SummarySettings, release_id: str) -> dict[str, Any]:
    repository = repository_of(settings)
    found = resolve(repository, release_id)
    total = count_of(repository, found.commits)
    commits = commits_of(repository, found, limit=settings.max_changes)
    return {
        "version": release_id,
        "changes": _listed(commits, total),
        "commits": {"count": total, "since": found.since, "to": found.to},
        "authors": authors_of(repository, found)[:_MOST_AUTHORS],
        "files": _files(repository, found),
    }


def _listed(commits: list[Commit], total: int) -> list[str]:
    lines, room = [], _CHANGES_BYTES
    for commit in commits:
        room -= len(to_json(commit.line))
        if room < 0:
            break
        lines.append(commit.line)
    left_out = total - len(lines)
    return [*lines, f"{left_out} older commits are not listed here; get_code_changes lists them"] if left_out else lines


def _files(repository: Repository, found: Range) -> dict[str, Any]:
    files = files_of(repository, found.base, found.to)
    return {**size_of(files), "most_changed": [change.as_dict() for change in files[:_MOST_FILES]]}
