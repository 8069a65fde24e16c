"""Commits, authors and changed files of a range of commits."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from sentinel_tools_release.git import Range, Repository
from sentinel_tools_release.plain_text import plain

__all__ = [
    "Commit",
    "FileChange",
    "authors_of",
    "commits_of",
    "count_of",
    "files_of",
    "patch_of",
    "patches_of",
    "size_of",
    "touched_by",
]

_FIELDS = ("%H", "%h", "%an", "%aI", "%s", "%b")
_BREAKING_SUBJECT = re.compile(r"\w+(?:\([^()]*\))?!:")
_BREAKING_BODY = re.compile(r"^BREAKING[ -]CHANGES?:", re.MULTILINE)
_DIFF = ("--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
_PATCH = (
    *(
        "-p",
        "--unified=10",
        "--inter-hunk-context=0",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--no-renames",
        "--no-color",
    ),
    *("--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--submodule=short"),
)
_LONGEST_PATH = 300


@attrs.frozen(kw_only=True)
class Commit:
    """One commit. ``date`` is ISO 8601; ``is_breaking`` if its message marks a breaking change as Conventional Commits do."""

    id: str
    short_id: str
    author: str
    date: str
    subject: str
    is_breaking: bool

    @property
    def line(self) -> str:
        """One line: hash, subject, and whether it is a breaking change."""
        return f"{self.short_id} {self.subject}{' (breaking change)' if self.is_breaking else ''}"


@attrs.frozen(kw_only=True)
class FileChange:
    """Lines added to and deleted from a file; None for a file that is not text."""

    path: str
    added: int | None
    deleted: int | None

    @property
    def lines(self) -> int:
        """Added and deleted together."""
        return (self.added or 0) + (self.deleted or 0)

    def as_dict(self) -> dict[str, Any]:
        """The change as in a tool's result."""
        return {"path": self.path, "added": self.added, "deleted": self.deleted}


def count_of(repository: Repository, commits: str, path: str | None = None) -> int:
    """The number of commits in a range, or of those that touch a path."""
    return int(repository.ask("rev-list", "--count", commits, "--", *_paths(path)))


def commits_of(
    repository: Repository, found: Range, *, limit: int, skip: int = 0, path: str | None = None
) -> list[Commit]:
    """The newest ``limit`` commits after the first ``skip``."""
    text = repository.ask(
        "log",
        "-z",
        "--no-show-signature",
        f"--max-count={limit}",
        f"--skip={skip}",
        f"--format={'%x00'.join(_FIELDS)}",
        found.commits,
        "--",
        *_paths(path),
    )
    return [_commit(*fields) for fields in _rows(text.split("\0"))]


def authors_of(repository: Repository, found: Range) -> list[dict[str, Any]]:
    """Names with their number of commits, most first; no e-mail addresses."""
    names = repository.ask("log", "-z", "--no-show-signature", "--format=%an", found.commits, "--").split("\0")
    counts = Counter(plain(name, 100) for name in names if name)
    return [
        {"name": name, "commits": count} for name, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    ]


def files_of(repository: Repository, base: str, to: str, path: str | None = None) -> list[FileChange]:
    """The files that differ between two commits, most lines first."""
    tokens = repository.ask("diff-tree", "-r", *_DIFF, base, to, "--", *_paths(path)).split("\0")
    return _sorted(_file(token) for token in tokens if token.count("\t") > 1)


def patch_of(repository: Repository, found: Range) -> str:
    """The changed lines between the two ends of a range, with ten lines around them."""
    return repository.ask("diff-tree", "-r", *_PATCH, found.base, found.to, "--")


def patches_of(repository: Repository, found: Range, most: int) -> dict[str, str]:
    """The patches of the newest ``most`` commits by short hash; a merge has none of its own."""
    text = repository.ask(
        "log",
        "--no-show-signature",
        "--no-merges",
        f"--max-count={most}",
        "--format=%x00%h%x00",
        *_PATCH,
        found.commits,
        "--",
    )
    parts = text.split("\0")[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def touched_by(repository: Repository, commits: Iterable[Commit]) -> dict[str, list[FileChange]]:
    """The files of each commit by its hash; a merge is compared with its first parent."""
    return {
        commit.id: _sorted(
            _file(token)
            for token in repository.ask(
                "show", *_DIFF, "--format=", "--diff-merges=first-parent", "--no-show-signature", commit.id, "--"
            ).split("\0")
            if token.count("\t") > 1
        )
        for commit in commits
    }


def size_of(files: Iterable[FileChange]) -> dict[str, int]:
    """How many files changed, and by how many lines."""
    found = list(files)
    return {
        "changed": len(found),
        "lines_added": sum(change.added or 0 for change in found),
        "lines_deleted": sum(change.deleted or 0 for change in found),
    }


def _paths(path: str | None) -> tuple[str, ...]:
    """A literal path from the top of the repository, without wildcards or pathspec magic."""
    return () if path is None else (f":(top,literal){path}",)


def _rows(tokens: list[str]) -> Iterator[list[str]]:
    width = len(_FIELDS)
    for start in range(0, len(tokens) - width + 1, width):
        yield tokens[start : start + width]


def _commit(whole: str, short: str, author: str, date: str, subject: str, body: str) -> Commit:
    return Commit(
        id=whole,
        short_id=short,
        author=plain(author, 100),
        date=date,
        subject=plain(subject),
        is_breaking=bool(_BREAKING_SUBJECT.match(subject) or _BREAKING_BODY.search(body)),
    )


def _file(token: str) -> FileChange:
    added, deleted, path = token.split("\t", 2)
    return FileChange(path=path[:_LONGEST_PATH], added=_lines(added), deleted=_lines(deleted))


def _lines(text: str) -> int | None:
    digits = text.strip()
    return int(digits) if digits.isdecimal() else None


def _sorted(files: Iterable[FileChange]) -> list[FileChange]:
    return sorted(files, key=lambda change: (-change.lines, change.path))
