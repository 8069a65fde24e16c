"""Git's patches as values: the changed lines of each file, with their numbers and the function that they stand in. Pure."""

import re
from collections.abc import Iterator

import attrs

from sentinel_tools_release.diff_rules import SYMBOL, SYMBOL_SIGNS

__all__ = ["FileDiff", "Line", "read_patch"]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_LONGEST = 100_000


@attrs.frozen
class Line:
    """One changed line: its number in its own version, its text, and the name of the function or class around it."""

    number: int
    text: str
    symbol: str = ""


@attrs.define
class FileDiff:
    """What a patch changes in one file. ``is_binary``: git shows no lines; ``is_link``: a submodule.

    ``is_cut``: a line is longer than is read.
    """

    path: str
    added: list[Line] = attrs.field(factory=list)
    removed: list[Line] = attrs.field(factory=list)
    is_binary: bool = False
    is_link: bool = False
    is_cut: bool = False

    @property
    def lines(self) -> list[Line]:
        """Added and removed lines."""
        return [*self.added, *self.removed]


def read_patch(text: str) -> list[FileDiff]:
    """The files of a patch with the prefixes ``a/`` and ``b/``. What a line contains is never taken for a header."""
    files: list[FileDiff] = []
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("diff --git "):
            files.append(FileDiff(path=_named(line)))
        elif not files:
            continue
        elif line.startswith(("--- a/", "+++ b/", '--- "a/', '+++ "b/')):
            files[-1].path = _plain(line[4:])
        elif line.startswith("Binary files "):
            files[-1].is_binary = True
        elif line.startswith(("index ", "new file mode ", "deleted file mode ")) and line.endswith("160000"):
            files[-1].is_link = True
        elif (hunk := _HUNK.match(line)) is not None:
            _read_hunk(files[-1], hunk, lines)
    return files


def _named(line: str) -> str:
    """The path in ``diff --git a/x b/x``: both halves are equal, because renames are not looked for."""
    rest = line.removeprefix("diff --git ")
    return _plain(rest[len(rest) // 2 + 1 :])


def _plain(path: str) -> str:
    return path.rstrip("\t").strip('"')[2:]


def _read_hunk(file: FileDiff, hunk: re.Match[str], lines: Iterator[str]) -> None:
    old, new = int(hunk[1]), int(hunk[3])
    old_end, new_end = old + int(hunk[2] or 1), new + int(hunk[4] or 1)
    symbol = _symbol(hunk[5], "")
    while old < old_end or new < new_end:
        line = next(lines, "")
        mark, text = line[:1], line[1:]
        file.is_cut = file.is_cut or len(text) > _LONGEST
        text = text[:_LONGEST]
        if mark == "\\":
            continue
        symbol = _symbol(text, symbol)
        if mark != "+":
            if mark == "-":
                file.removed.append(Line(old, text, symbol))
            old += 1
        if mark != "-":
            if mark == "+":
                file.added.append(Line(new, text, symbol))
            new += 1


def _symbol(text: str, before: str) -> str:
    match = SYMBOL.search(text) if any(map(text.__contains__, SYMBOL_SIGNS)) else None
    return before if match is None else match[1] or match[2]
