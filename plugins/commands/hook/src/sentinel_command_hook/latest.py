"""The newest session that worked in a folder, or why there is none: what was looked for, where, and what to do."""

from collections.abc import Sequence
from pathlib import Path

from sentinel_core.cli.sessions import Place, Session, first_of_folder, known_places, sessions_in
from sentinel_core.errors import InputError
from sentinel_core.runtime.printable import counted
from sentinel_core.traces.sources import works_in

__all__ = ["ANY", "newest_session"]

ANY = "any"
_LOOKED_AT = 1000
_ADVICE = "run this in the folder in which the agent worked, or give the path of a session"


def newest_session(tool: str, folder: Path) -> tuple[Path | None, str]:
    """The newest session of the tool that worked in the folder; where there is none, None and the reason.

    Raises ``InputError`` for a tool whose sessions are not known.
    """
    places = known_places()
    own = [place for place in places if tool in (place.reader, ANY)]
    if not own:
        known = ", ".join(place.reader for place in places)
        raise InputError(f'--latest "{tool}": choose one of {ANY}, {known}, or give the path of a session')
    sessions = sessions_in(own)
    found = first_of_folder((session.path for session in sessions), folder)
    if found is not None:
        return found, ""
    why = _passed_over(sessions[:_LOOKED_AT]) if sessions else _nowhere(own)
    return None, f'--latest "{tool}": no session worked in "{folder}": {why}; {_ADVICE}'


def _nowhere(places: Sequence[Place]) -> str:
    """That no tool has a session, and where it was looked for."""
    if len(places) > 1:
        names = ", ".join(place.reader for place in places)
        return f'no session of {names} is on this machine ("sentinel doctor" shows where each is looked for)'
    folders = " or ".join(f'"{folder}"' for folder in dict.fromkeys(places[0].folders))
    return f"{places[0].reader} has no session in {folders}"


def _passed_over(sessions: Sequence[Session]) -> str:
    """What the sessions that are there were passed over for, with the newest of each reason."""
    seen = [(session, works_in(session.path, Path())) for session in sessions]
    unread = [session for session, works in seen if works is None]
    elsewhere = [session for session, works in seen if works is not None]
    parts = []
    if elsewhere:
        newest = elsewhere[0]
        which = "it is" if len(elsewhere) == 1 else "the newest is"
        parts.append(
            f'{counted(len(elsewhere), "session")} worked elsewhere ({which} "{newest.path}", {newest.reader})'
        )
    if unread:
        parts.append(f'{counted(len(unread), "session")} could not be read, such as "{unread[0].path}"')
    return ", and ".join(parts)
