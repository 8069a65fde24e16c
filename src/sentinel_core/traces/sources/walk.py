"""Lists folders and expands wildcards, without following links in circles."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from fnmatch import filter as matching
from pathlib import Path

__all__ = ["Walk", "is_pattern"]

_ANY_DEPTH = "**"
_NO_FOLDER = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG))


def is_pattern(text: str) -> bool:
    """Whether it has a wildcard."""
    import glob

    return glob.has_magic(text)


class Walk:
    """Lists folders. ``unread`` maps each folder that could not be listed to the reason."""

    def __init__(self) -> None:
        self.unread: dict[Path, str] = {}

    def below(self, folder: str, is_wanted: Callable[[str], bool]) -> list[Path]:
        """The files in a folder and below whose path is wanted, and unreadable folders; sorted. Links to folders are not followed."""
        files = {
            Path(entry.path)
            for _, entries in self._walked(folder, hidden=True)
            for entry in entries
            if is_wanted(entry.path) and not _is_folder(entry)
        }
        return sorted(files | self.unread.keys())

    def matches(self, pattern: str) -> list[Path]:
        """The files that a pattern matches, and unreadable folders; sorted as text.

        Wildcards, and names with a leading dot, work as in ``glob``. ``**`` does not enter folders that are links, so each
        file comes once; a link that another part of the pattern names or matches is followed.
        """
        if pattern.endswith(("/", "/.")):
            return []
        given = Path(pattern)
        start, *parts = given.parts if given.is_absolute() else (".", *given.parts)
        if parts[-1] == _ANY_DEPTH:
            parts.append("*")
        places = [start]
        for part in parts:
            places = list(dict.fromkeys(inner for place in places for inner in self._inside(place, part)))
        files = {Path(place) for place in places if not os.path.isdir(place)}  # noqa: PTH112 - a folder may forbid to ask
        return sorted(files | self.unread.keys(), key=str)

    def _inside(self, place: str, part: str) -> Iterable[str]:
        """The paths in one place that one part of a pattern matches."""
        if part == _ANY_DEPTH:
            return [folder for folder, _ in self._walked(place, hidden=False)]
        if not is_pattern(part):
            return self._named(place, part)
        names = matching((entry.name for entry in self._entries(place) or ()), part)
        return [os.path.join(place, name) for name in names if part.startswith(".") or not name.startswith(".")]  # noqa: PTH118 - text is fast

    def _named(self, place: str, name: str) -> Iterable[str]:
        path = os.path.join(place, name)  # noqa: PTH118 - as above
        try:
            os.lstat(path)
        except OSError as error:
            self._note(place, error)
            return ()
        return (path,)

    def _walked(self, folder: str, *, hidden: bool) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
        """A folder and those below it that are not links, with their entries; ``hidden`` includes hidden folders."""
        waiting = [folder]
        while waiting:
            place = waiting.pop()
            entries = self._entries(place)
            if entries is None:
                continue
            yield place, entries
            waiting += [
                entry.path
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and (hidden or not entry.name.startswith("."))
            ]

    def _entries(self, folder: str) -> list[os.DirEntry[str]] | None:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            self._note(folder, error)
            return None

    def _note(self, folder: str, error: OSError) -> None:
        if error.errno not in _NO_FOLDER:
            self.unread[Path(folder)] = error.strerror or str(error)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) or (entry.is_symlink() and os.path.isdir(entry.path))  # noqa: PTH112 - as above
