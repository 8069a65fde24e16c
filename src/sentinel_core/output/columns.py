"""Rows of cells as lines: a table for people."""

from collections.abc import Iterator, Sequence

from sentinel_core.output.printable import printable

__all__ = ["in_columns"]


def in_columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A line for each row, every column as wide as its widest cell; safe to print."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
