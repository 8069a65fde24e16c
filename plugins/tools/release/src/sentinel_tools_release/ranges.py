"""A release as a range of commits: ``v2.0..v2.1``, ``HEAD~20..HEAD``, or one tag, which reaches back to the tag before it."""

import re

import attrs

from sentinel_core.errors import InputError
from sentinel_tools_release.git import Repository

__all__ = ["Range", "between", "resolve"]

# Git's names for revisions, without what searches messages (":/text", "^{/text}"), names files ("rev:path") or is an option.
_REVISION = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_./@+~^-]{0,199}")


@attrs.frozen
class Range:
    """The commits that are in ``to`` and not in ``since``; both are whole commit hashes.

    ``base`` is what the files are compared with: where ``since`` and ``to`` parted.
    """

    since: str
    to: str
    base: str

    @property
    def commits(self) -> str:
        """As git's commands take it."""
        return f"{self.since}..{self.to}"


def resolve(repository: Repository, release_id: str) -> Range:
    """Find the commits that a release id names.

    Raises ``InputError`` where it is no range, names what the repository does not have, or holds no commit.
    """
    repository.check()
    start, dots, end = release_id.partition("..")
    if end.startswith("."):
        raise InputError(f'"{release_id}" has three dots; give a range as OLD..NEW')
    to = _commit(repository, (end or "HEAD") if dots else start)
    since = _commit(repository, start or "HEAD") if dots else _tag_before(repository, release_id, to)
    found = between(repository, since, to)
    if repository.ask("rev-list", "--count", found.commits).strip() == "0":
        raise InputError(f'"{release_id}" in "{repository.path}" holds no commit; give the older end first, OLD..NEW')
    return found


def between(repository: Repository, since: str, to: str) -> Range:
    """The range between two commits, by their hashes. Raises ``InputError`` where they have no history in common."""
    base = repository.find("merge-base", since, to)
    if base is None:
        raise InputError(f'{since[:12]} and {to[:12]} in "{repository.path}" have no history in common')
    return Range(since=since, to=to, base=base)


def _commit(repository: Repository, name: str) -> str:
    if not _REVISION.fullmatch(name):
        raise InputError(f'"{name}" is no name of a commit; give a tag, a branch, a hash, or one with ~N')
    found = repository.find("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if not found:
        raise InputError(f'"{repository.path}" has no commit "{name}"; in a shallow clone, fetch more of the history')
    return found


def _tag_before(repository: Repository, name: str, commit: str) -> str:
    tag = repository.find("describe", "--tags", "--abbrev=0", f"{commit}^")
    if tag is None:
        raise InputError(f'no tag comes before "{name}" in "{repository.path}"; give a range as OLD..NEW')
    return _commit(repository, f"refs/tags/{tag}")
