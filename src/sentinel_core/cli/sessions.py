"""Finds the sessions that coding agents keep on this machine, in the places that the installed readers declare."""

import json
import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sentinel_core.cli import warn
from sentinel_core.cli.options import host_flags, layers_and_selection
from sentinel_core.errors import PluginError, WorkerError
from sentinel_core.host.plugins import Installed, load, select
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Outbox, Warned
from sentinel_core.runtime.watch import Watch, at_fault
from sentinel_core.traces.sources.latest import expanded, first_of_folder, session_files

__all__ = ["Place", "Session", "first_of_folder", "known_places", "sessions_in"]

_TIMEOUT = 60.0
_WILD = frozenset("*?[")


class Place(NamedTuple):
    """Where a tool keeps its sessions: the name of its format, and absolute patterns of their files."""

    reader: str
    patterns: tuple[str, ...]

    @property
    def folders(self) -> list[Path]:
        """The folders above the first wildcard of each pattern."""
        return [_folder_of(pattern) for pattern in self.patterns]


class Session(NamedTuple):
    """A file, the format that its place names, when it was last changed (nanoseconds), and its bytes."""

    path: Path
    reader: str
    changed: int
    size: int


def known_places(plugins: str | None = None) -> list[Place]:
    """The places that the selected readers declare, sorted by reader. Readers that cannot be loaded are warnings.

    Raises ``PluginError`` if loading them ends the child process.
    """
    _, selection = layers_and_selection(host_flags({"plugins": plugins}), ())
    chosen, _ = select(selection, ("trace_readers",))
    places = []
    with Child(partial(_ask, chosen, selection.targets), frames=_Row | Warned) as child:
        try:
            for frame in child.frames(_TIMEOUT):
                if isinstance(frame, Warned):
                    warn(frame.text)
                else:
                    reader, *patterns = json.loads(frame.json)
                    places.append(Place(reader, tuple(patterns)))
        except WorkerError as error:
            raise PluginError(f"{at_fault(error.mark, 'listing the readers')} {error}") from None
    return places


def sessions_in(places: list[Place]) -> list[Session]:
    """All sessions that exist now, newest first; ties are broken by name, last first."""
    found = [
        Session(path, place.reader, status.st_mtime_ns, status.st_size)
        for place in places
        for path, status in session_files(place.patterns).items()
    ]
    return sorted(found, key=lambda session: (session.changed, str(session.path)), reverse=True)


class _Row(Frame):
    """A reader's name and patterns as JSON, because paths may not be UTF-8."""

    json: bytes


def _folder_of(pattern: str) -> Path:
    parts = Path(pattern).parts
    wild = next((place for place, part in enumerate(parts) if _WILD & set(part)), len(parts) - 1)
    return Path(*parts[:wild])


def _ask(chosen: list[Installed], targets: tuple[str, ...], outbox: Outbox) -> None:
    try:
        plugins, failures = load(chosen, targets, kinds=("trace_readers",), watch=Watch(outbox))
    except PluginError as error:
        outbox.warn(str(error))
        return
    for plugin in plugins:
        if plugin.offer.kept_at:
            patterns = [os.path.abspath(expanded(pattern)) for pattern in plugin.offer.kept_at]  # noqa: PTH100 - a pattern
            outbox.send(_Row(json.dumps([plugin.source.name, *patterns]).encode()))
    for failure in failures:
        outbox.warn(f'plugin "{failure.source.label}" {failure.error}')
