"""What a diff touches, beside what its commits say: areas, dangerous lines, tests that go, and the kinds of files. Pure."""

import functools
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sentinel_core.runtime.redact import MASK, redact
from sentinel_core.runtime.secret_shapes import without_shapes
from sentinel_tools_release import diff_rules as rules
from sentinel_tools_release.patches import FileDiff, Line
from sentinel_tools_release.plain_text import plain

__all__ = ["diff_facts"]

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MOST_PATHS, _MOST_COMMITS, _MOST_DANGERS, _QUOTE = 5, 20, 20, 120


def diff_facts(files: Sequence[FileDiff], commits: Mapping[str, Sequence[FileDiff]]) -> dict[str, Any]:
    """The facts of a range: ``files`` is the difference of its ends, ``commits`` the patches of its commits by short hash.

    ``areas``: what is touched, with paths and commits. ``dangers``: lines that are dangerous in themselves, with their place; a
    secret is never quoted. ``files`` and ``code_lines``: how many, by kind. ``without_code``: commits that touch texts, tests and
    generated files alone. ``not_read``: paths whose change no rule could read.
    """
    touched = {commit: _areas(patch) for commit, patch in commits.items()}
    areas = [
        {
            "area": area,
            "files": len(paths),
            "paths": paths[:_MOST_PATHS],
            "commits": [commit for commit, found in touched.items() if area in found][:_MOST_COMMITS],
        }
        for area, paths in sorted(_areas(files).items())
    ]
    dangers = [*_dangers(files), *_lost_secrets(files, commits)]
    kinds = {name: sum(_kind(file.path) == name for file in files) for name in _KINDS}
    return {
        "areas": areas,
        "dangers": dangers[:_MOST_DANGERS],
        "dangers_left_out": max(len(dangers) - _MOST_DANGERS, 0),
        "files": kinds,
        "code_lines": sum(len(file.lines) for file in files if _kind(file.path) == "code"),
        "without_code": [commit for commit, patch in commits.items() if not any(map(_is_code, patch))],
        "not_read": [file.path for file in files if _is_unread(file)][:_MOST_PATHS],
    }


_KINDS = ("code", "tests", "documentation", "generated", "media")


def _kind(path: str) -> str:
    small = path.lower()
    rows = (
        ("generated", rules.GENERATED),
        ("tests", rules.TEST),
        ("documentation", rules.DOCUMENTATION),
        ("media", rules.MEDIA),
    )
    if any(pattern.search(small) for name, pattern in rules.KINDS if name == "dependencies"):
        return "generated" if rules.GENERATED.search(small) else "code"
    return next((name for name, pattern in rows if pattern.search(small)), "code")


def _is_code(file: FileDiff) -> bool:
    """Whether a change is one of code: not of texts, tests or generated files, and not of comments alone."""
    return _kind(file.path) == "code" and (
        not file.lines or any(not rules.COMMENT.match(line.text) for line in file.lines)
    )


def _is_unread(file: FileDiff) -> bool:
    kind = _kind(file.path)
    return (file.is_binary and not rules.MEDIA.search(file.path.lower())) or (file.is_cut and kind == "code")


def _areas(files: Iterable[FileDiff]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in files:
        for area in dict.fromkeys(_areas_of(file)):
            found.setdefault(area, []).append(file.path)
    return found


def _areas_of(file: FileDiff) -> Iterator[str]:
    """The areas of one file: by its path, and of code by the functions that change. Tests, texts and comments have none."""
    small = file.path.lower()
    kinds = [name for name, pattern in rules.KINDS if pattern.search(small)]
    if file.is_link or "dependencies" in kinds:
        yield "dependencies"
    if not _is_code(file):
        return
    words = {word.lower() for word in _WORDS.findall(file.path)}
    changed = (line for line in file.lines if not rules.COMMENT.match(line.text))
    symbols = {word.lower() for name in {line.symbol for line in changed} for word in _WORDS.findall(name)}
    for area, known in rules.AREAS.items():
        if known & words or (area in rules.OF_SYMBOLS and known & symbols):
            yield area
    yield from kinds


def _dangers(files: Sequence[FileDiff]) -> Iterator[dict[str, Any]]:
    for file in files:
        areas = set(_areas_of(file))
        kind = _kind(file.path)
        for line in file.added:
            if _has_secret(line.text, kind):
                yield _danger("secret", file, line, quote=False)
            elif kind in ("code", "tests") and not rules.COMMENT.match(line.text):
                yield from _dangerous(file, line, kind, areas)
    yield from _gone(files)


def _dangerous(file: FileDiff, line: Line, kind: str, areas: set[str]) -> Iterator[dict[str, Any]]:
    small = line.text.lower()
    for name, where, pattern in rules.DANGERS:
        if where != kind and not (where in areas and kind == "code"):
            continue
        if any(map(small.__contains__, rules.SIGNS[name])) and pattern.search(line.text):
            if name == "destructive_sql" and (
                rules.UNDONE.search(file.path) or rules.UNDONE.search(f"def {line.symbol}(")
            ):
                continue
            yield _danger(name, file, line)
            return


def _gone(files: Sequence[FileDiff]) -> Iterator[dict[str, Any]]:
    """Tests and protections that were removed and stand nowhere else now; of a file's tests, those that no new one may replace."""
    back = {line.text.strip() for file in files for line in file.added}
    for file in files:
        kind = _kind(file.path)
        if kind not in ("code", "tests"):
            continue
        name, pattern = ("tests_removed", rules.TEST_BEGINS) if kind == "tests" else ("protection_removed", rules.GUARD)
        gone = [line for line in file.removed if _is_gone(line, pattern, back)]
        new = sum(pattern.search(line.text) is not None for line in file.added) if kind == "tests" else 0
        if len(gone) > new:
            yield {**_danger(name, file, gone[0]), "count": len(gone) - new}


def _is_gone(line: Line, pattern: re.Pattern[str], back: Container[str]) -> bool:
    text = line.text.strip()
    return text not in back and pattern.search(line.text) is not None and not rules.COMMENT.match(line.text)


@functools.lru_cache(maxsize=20_000)
def _has_secret(text: str, kind: str) -> bool:
    """Whether a line has what the redactor takes out; in tests, texts and generated files only what is known by its shape."""
    if len(text) < _SHORTEST_SECRET:
        return False
    return (redact(text) if kind == "code" else without_shapes(text, MASK)) != text


_SHORTEST_SECRET = 16


def _lost_secrets(files: Sequence[FileDiff], commits: Mapping[str, Sequence[FileDiff]]) -> Iterator[dict[str, Any]]:
    """Secrets that a commit adds and a later one removes: they stay in the history."""
    shown = {(file.path, line.text) for file in files for line in file.added}
    for commit, patch in commits.items():
        for file in patch:
            for line in file.added:
                if (file.path, line.text) not in shown and _has_secret(line.text, _kind(file.path)):
                    yield {**_danger("secret", file, line, quote=False), "commit": commit}


def _danger(kind: str, file: FileDiff, line: Line, *, quote: bool = True) -> dict[str, Any]:
    told = {"kind": kind, "path": file.path, "line": line.number}
    return {**told, "text": plain(redact(line.text.strip()), _QUOTE)} if quote else told
