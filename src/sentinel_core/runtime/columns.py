"""Formats rows of cells as a table."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from sentinel_core.runtime.printable import printable

__all__ = ["in_columns"]


_GAP = "  "
_PIECES = re.compile(r"[^\s,./:_-]*[\s,./:_-]*")  # a name may be wrapped after any of these


def in_columns(rows: Sequence[Sequence[str]], width: int = 0) -> Iterator[str]:
    """A text for each row, every column as wide as its widest cell; safe to print.

    Each is one line, unless the table would be wider than ``width`` (0: no limit): then cells are wrapped in their column.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    columns = list(zip(*cells, strict=True))
    widths = [max(map(len, column)) for column in columns]
    if width:
        least = [max(len(piece.rstrip()) for cell in column for piece in _PIECES.findall(cell)) for column in columns]
        widths = _narrowed(widths, least, width - len(_GAP) * (len(widths) - 1))
    for row in cells:
        folded = [_folded(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        lines = (
            _GAP.join(f"{part:<{wide}}" for part, wide in zip(parts, widths, strict=True)).rstrip()
            for parts in zip_longest(*folded, fillvalue="")
        )
        yield "\n".join(lines)


def _narrowed(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Make the widest columns narrower until all fit; the first, which names the row, and the longest words come last."""
    found = list(widths)
    while sum(found) > max(room, len(found)):
        loose = [at for at, wide in enumerate(found) if wide > least[at]]
        found[max(loose, key=lambda at: (at > 0, found[at])) if loose else found.index(max(found))] -= 1
    return found


def _folded(cell: str, width: int) -> list[str]:
    if len(cell) <= width:
        return [cell]
    lines = [""]
    for piece in _PIECES.findall(cell):
        if len(f"{lines[-1]}{piece}".rstrip()) > width:
            lines += [piece[at : at + width] for at in range(0, len(piece.rstrip()), width)]
        else:
            lines[-1] += piece
    return list(filter(None, map(str.rstrip, lines)))
