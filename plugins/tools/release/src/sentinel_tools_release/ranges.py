"""A release as a range of commits: its summary, its changes, and its size beside that of the tags before it.

Imported where a repository is set.
"""

import itertools
from typing import Any

from sentinel_core.errors import InputError
from sentinel_core.trace import to_json
from sentinel_tools_release.commits import (
    Commit,
    FileChange,
    authors_of,
    commits_of,
    count_of,
    files_of,
    patch_of,
    patches_of,
    size_of,
    touched_by,
)
from sentinel_tools_release.diff import diff_facts
from sentinel_tools_release.git import Range, Repository, between, resolve
from sentinel_tools_release.patches import read_patch
from sentinel_tools_release.settings import HistorySettings, SourceSettings, SummarySettings

__all__ = ["range_changes", "range_sizes", "range_summary"]

_CHANGES_BYTES = 20_000  # a summary must fit into one tool result
_GIT_SHARE = 16  # git's lists are cut before they are returned, so they may be longer than an answer
_MOST_FILES = 20
_MOST_AUTHORS = 20


def range_summary(settings: SummarySettings, release_id: str) -> dict[str, Any]:
    """The summary: commits, newest first, and how many, by whom, and in which files."""
    repository = _repository(settings)
    found = resolve(repository, release_id)
    total = count_of(repository, found.commits)
    commits = commits_of(repository, found, limit=settings.max_changes)
    return {
        "version": release_id,
        "changes": _listed(commits, total),
        "commits": {"count": total, "since": found.since, "to": found.to},
        "authors": authors_of(repository, found)[:_MOST_AUTHORS],
        "files": _files(repository, found),
        "diff": _diff(repository, found, settings.max_changes),
    }


def _diff(repository: Repository, found: Range, most: int) -> dict[str, Any]:
    """What the diff touches; what it cannot be read for is listed under ``not_read``."""
    try:
        files = read_patch(patch_of(repository, found))
        commits = {commit: read_patch(patch) for commit, patch in patches_of(repository, found, most).items()}
    except InputError as error:
        return {"not_read": [str(error)]}
    return diff_facts(files, commits)


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


def range_changes(
    settings: SourceSettings, release_id: str, path: str | None, *, limit: int, skip: int
) -> dict[str, Any]:
    """Commits, newest first, each with author, date and files: ``total``, ``files``, ``commits``, ``left_out``."""
    repository = _repository(settings)
    found = resolve(repository, release_id)
    total = count_of(repository, found.commits, path)
    commits = commits_of(repository, found, limit=limit, skip=skip, path=path)
    files = touched_by(repository, commits)
    return {
        "total": total,
        "files": size_of(files_of(repository, found.base, found.to, path)),
        "commits": [_commit(commit, files[commit.id]) for commit in commits],
        "left_out": max(total - skip - len(commits), 0),
    }


def _commit(commit: Commit, files: list[FileChange]) -> dict[str, Any]:
    return {
        "id": commit.short_id,
        "subject": commit.subject,
        "author": commit.author,
        "date": commit.date,
        "breaking": commit.is_breaking,
        "files": [change.as_dict() for change in files[:_MOST_FILES]],
        "files_left_out": max(len(files) - _MOST_FILES, 0),
    }


def range_sizes(
    settings: HistorySettings, release_id: str, limit: int
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """The numbers of the range, and those of at most ``limit`` tags before it, newest first."""
    repository = _repository(settings)
    found = resolve(repository, release_id)
    tags = _tags_of(repository, found.base)[: limit + 1]
    earlier = {
        name: _size(repository, between(repository, older, newer))
        for (name, newer), (_, older) in itertools.pairwise(tags)
    }
    return _size(repository, found), earlier


def _tags_of(repository: Repository, commit: str) -> list[tuple[str, str]]:
    """Tags that a commit contains, with their commits, newest first; two tags of one commit count once."""
    text = repository.ask(
        "for-each-ref",
        f"--merged={commit}",
        "--sort=-version:refname",
        "--sort=-creatordate",  # git sorts by the last key first
        "--format=%(refname:strip=2)%00%(objectname)%00%(*objectname)",
        "refs/tags",
    )
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, target, peeled = line.split("\0")
        found.setdefault(peeled or target, name)
    return [(name, commit) for commit, name in found.items()]


def _size(repository: Repository, found: Range) -> dict[str, float]:
    size = size_of(files_of(repository, found.base, found.to))
    return {
        "commits": count_of(repository, found.commits),
        "authors": len(authors_of(repository, found)),
        "files_changed": size["changed"],
        "lines_added": size["lines_added"],
        "lines_deleted": size["lines_deleted"],
    }


def _repository(settings: SourceSettings) -> Repository:
    """The configured repository with its limits."""
    return Repository(settings.repo, settings.timeout, _GIT_SHARE * settings.max_bytes)
