"""What the working tree showed when the agent stopped: files that it names, commits and pushes since the session began."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

__all__ = ["IndexState", "PathState", "Witness"]

PathState = Literal["changed", "older", "present", "absent"]
IndexState = Literal["tracked", "unstaged", "untracked"]
_INDEX_STATES = ("tracked", "unstaged", "untracked")
_STATES = ("changed", "older", "present", "absent")
_SHOWN: Mapping[PathState, str] = {
    "changed": "changed since the session began",
    "older": "did not change since the session began",
    "present": "exists",
    "absent": "does not exist",
}
_SHOWN_IN_INDEX: Mapping[IndexState, str] = {
    "tracked": "",
    "unstaged": ", its changes are not staged",
    "untracked": ", git does not track it",
}
_SHORT = 10


class Witness(NamedTuple):
    """``paths`` maps paths, as the agent wrote them, to what became of them since the session began ("present" where that is not known).

    ``commits`` are the ids of the commits that were made since, ``pushes`` the remote branches that were pushed to; None where
    that is not known. ``is_pushed`` is True where the upstream branch is where the branch is. ``in_index`` maps those of the paths that are
    files to how they stand to git's index, as far as that is known.
    """

    paths: Mapping[str, PathState]
    commits: Sequence[str] | None = None
    pushes: Sequence[str] | None = None
    is_pushed: bool | None = None
    in_index: Mapping[str, IndexState] = {}

    def tells(self, kind: str, path: str = "") -> bool | None:
        """True where it shows that such a thing was done in this session, False where it shows that it was not; else None."""
        if path:
            state = self.paths.get(path)
            return {"changed": True, "absent": False}.get(state or "")
        if kind == "commit" and self.commits is not None:
            return bool(self.commits)
        if kind == "push" and self.pushes is not None:
            if self.is_pushed is False:  # then what was pushed was something else
                return None if self.pushes else False
            return True if self.pushes else None
        return None

    def shows(self, kind: str, path: str = "") -> str | None:
        """The same in words; None where nothing is known of it."""
        if path:
            state = self.paths.get(path)
            return (
                None
                if state is None
                else f"{path} {_SHOWN[state]}{_SHOWN_IN_INDEX[self.in_index.get(path, 'tracked')]}"
            )
        if kind == "commit" and self.commits is not None:
            return f"commit {self.commits[-1][:_SHORT]}" if self.commits else "no commit since the session began"
        if kind == "push" and self.pushes:
            return f"{self.pushes[-1]} was pushed{', but not all of the branch' if self.is_pushed is False else ''}"
        return "the branch is not pushed" if self.tells(kind) is False else None

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "paths": dict(sorted(self.paths.items())),
            "commits": None if self.commits is None else list(self.commits),
            "pushes": None if self.pushes is None else list(self.pushes),
            "is_pushed": self.is_pushed,
            "index": dict(sorted(self.in_index.items())),
        }

    @classmethod
    def of(cls, document: object) -> "Witness":
        """What ``document`` gave. Raises ``ValueError`` for anything else."""
        named = document.get("paths") if isinstance(document, dict) else None
        if not isinstance(document, dict) or not isinstance(named, dict):
            raise ValueError(  # noqa: TRY004 - of a file, that is its content
                'a witness is a JSON object with "paths"'
            )
        paths = {str(path): state for path, state in named.items() if state in _STATES}
        lists = [document.get(name) for name in ("commits", "pushes")]
        commits, pushes = (tuple(map(str, row)) if isinstance(row, list) else None for row in lists)
        is_pushed, told = document.get("is_pushed"), document.get("index")
        rows = told.items() if isinstance(told, dict) else ()
        index = {str(path): state for path, state in rows if state in _INDEX_STATES}
        return cls(paths, commits, pushes, is_pushed if isinstance(is_pushed, bool) else None, index)
