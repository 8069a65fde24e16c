"""The tasks of a batch: a few small files, one large file, or a part of one. Pure: sizes in, splits out."""

from collections.abc import Iterable, Iterator, Sequence

import attrs

from sentinel_core.errors import InputError
from sentinel_core.judging.records import Death
from sentinel_core.traces.sources import FileSource
from sentinel_core.traces.sources.parts import Part

__all__ = ["LARGEST_PART", "Split", "Task", "Unit", "part_of", "part_size", "units"]

LARGEST_PART = 16 << 20
_SMALLEST_PART = 256 << 10
_PARTS = 64  # at least so many parts in all, so that the cores finish at about the same time
_MOST_SOURCES = 256


@attrs.frozen(kw_only=True)
class Split:
    """Sources to judge together, in order. ``key`` identifies the part of the input; ``size`` is in bytes."""

    number: int
    key: str
    sources: tuple[FileSource | InputError, ...] = ()
    latest: str | None = None
    size: int = 0

    @property
    def place(self) -> str:
        """The first file, as the user named it."""
        return "" if self._first is None else self._first.label

    @property
    def source(self) -> str:
        """The first file, as error rows name it."""
        return "" if self._first is None else self._first.place

    @property
    def _first(self) -> FileSource | None:
        return next((source for source in self.sources if isinstance(source, FileSource)), None)


@attrs.frozen(kw_only=True)
class Unit:
    """Neighbouring sources that make one split; if ``cuttable``, one large file that may become several."""

    first: int
    sources: tuple[FileSource | InputError, ...] = ()
    size: int = 0
    cuttable: bool = False
    latest: str | None = None

    def as_split(self, number: int) -> Split:
        """The whole unit as one split."""
        key = f"{self.first}-{self.first + len(self.sources)}"
        return Split(number=number, key=key, sources=self.sources, latest=self.latest, size=self.size)


@attrs.frozen(kw_only=True)
class Task:
    """An order to a worker: judge a split from record ``done`` on, avoiding ``deaths``; or split a file (``cut``)."""

    split: Split
    done: int = 0
    deaths: tuple[Death, ...] = ()
    cut: int | None = None


def part_size(total: int) -> int:
    """Bytes of a part, from the bytes of input only, so that parts are the same on every machine."""
    return max(_SMALLEST_PART, min(LARGEST_PART, total // _PARTS))


def units(
    sources: Sequence[FileSource | InputError],
    sizes: Sequence[int],
    cuttable: Sequence[bool],
    part: int,
    latest: str | None = None,
) -> Iterator[Unit]:
    """The input in order: neighbours together up to ``part`` bytes, a file larger than twice that by itself.

    ``sizes`` are in bytes; only ``cuttable`` sources may become several splits.
    """
    first, size = 0, 0
    for position, own in enumerate(sizes):
        if cuttable[position] and own > 2 * part:
            yield from _together(first, sources[first:position], size)
            yield Unit(first=position, sources=(sources[position],), size=own, cuttable=True)
            first, size = position + 1, 0
            continue
        if size >= part or position - first >= _MOST_SOURCES:
            yield from _together(first, sources[first:position], size)
            first, size = position, 0
        size += own
    yield from _together(first, sources[first:], size)
    if latest is not None:
        yield Unit(first=len(sources), latest=latest)


def _together(first: int, sources: Iterable[FileSource | InputError], size: int) -> Iterator[Unit]:
    held = tuple(sources)
    if held:
        yield Unit(first=first, sources=held, size=size)


def part_of(unit: Unit, part: Part, number: int) -> Split:
    """One part of a large file as a split."""
    (source,) = unit.sources
    assert isinstance(source, FileSource)
    own = attrs.evolve(source, **attrs.asdict(part))
    return Split(number=number, key=f"{unit.first}:{part.start}+{part.length}", sources=(own,), size=part.length)
