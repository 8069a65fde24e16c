"""Decides which files may be judged: sessions in allowed folders, after symbolic links are resolved."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sentinel_core.cli.sessions import Place, Session, first_of_folder, sessions_in
from sentinel_core.errors import InputError
from sentinel_core.runtime.printable import printable

__all__ = ["Sessions"]

_ENDINGS = (".json", ".jsonl", ".ndjson", ".traj", ".eval", ".zip", ".gz", ".zst")
_MOST_FILES = 10_000


class Sessions:
    """The sessions in the allowed folders: ``folders`` if there are any, else those of ``places``.

    ``here`` is the agent's working directory.
    """

    def __init__(self, places: Sequence[Place], folders: Sequence[Path], here: Path) -> None:
        self._places = list(places)
        self._given = [folder.resolve() for folder in folders]
        self._folders = self._given or [folder.resolve() for place in places for folder in place.folders]
        self._here = here.resolve()

    def admitted(self, path: str) -> Path:
        """The real path of an allowed file. Raises ``InputError`` for any other path, whether it exists or not."""
        shown = printable(path)
        try:
            real = (self._here / Path(path).expanduser()).resolve()
            is_inside = any(real.is_relative_to(folder) for folder in self._folders)
        except (OSError, RuntimeError, ValueError):
            is_inside = False
        if not is_inside:
            allowed = ", ".join(f'"{folder}"' for folder in self._folders) or "none"
            raise InputError(
                f'"{shown}" is not in the folders that may be read ({allowed}); "sentinel mcp --folder DIR" selects another folder'
            )
        if not real.is_file():
            raise InputError(f'"{shown}" is not a file: call list_runs for the files that can be judged')
        return real

    def newest_first(self, tool: str | None = None) -> list[Session]:
        """All allowed sessions. Raises ``InputError`` for a tool whose sessions are not allowed."""
        tools = sorted({place.reader for place in self._places})
        if tool is not None and tool not in tools:
            raise InputError(f'there are no sessions of "{printable(tool)}"; the known tools are {", ".join(tools)}')
        known = {session.path.resolve(): session for session in sessions_in(self._places)}
        found = [session._replace(path=path) for path, session in known.items() if self._is_inside(path)]
        if tool is None:
            found += [session for session in self._others() if session.path not in known]
        wanted = [session for session in found if tool in (None, session.reader)]
        return sorted(wanted, key=lambda session: (session.changed, str(session.path)), reverse=True)

    def latest(self, tool: str | None = None) -> Session:
        """The newest session whose working directory is this one, else the newest. Raises ``InputError`` if there is none."""
        found = self.newest_first(tool)
        if not found:
            raise InputError(f"there is no session{f' of {tool}' if tool else ''} in the folders that may be read")
        path = first_of_folder((session.path for session in found), self._here)
        return next((session for session in found if session.path == path), found[0])

    def _is_inside(self, path: Path) -> bool:
        return any(path.is_relative_to(folder) for folder in self._folders)

    def _others(self) -> Iterator[Session]:
        """Trace files in the folders of ``--folder``, by their endings. Links are not followed."""
        seen = 0
        for folder in self._given:
            for place, _, names in os.walk(folder):
                for name in names:
                    path = Path(place, name)
                    seen += 1
                    if seen > _MOST_FILES:
                        return
                    if name.endswith(_ENDINGS) and not path.is_symlink() and path.is_file():
                        status = path.stat()
                        yield Session(path, "", status.st_mtime_ns, status.st_size)
