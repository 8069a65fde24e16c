"""What is said where a session could not be judged: a line for whoever looks into it, and a sentence for the user."""

from traceback import extract_tb, format_exception_only

from sentinel_command_hook.event import Answer, event_of
from sentinel_command_hook.memory import memory_of
from sentinel_command_hook.tools import ToolHook
from sentinel_core.errors import SentinelError
from sentinel_core.runtime.printable import clipped, printable
from sentinel_core.runtime.redact import redact

__all__ = ["answer_unjudged", "reason_for_log"]

_LONGEST = 300  # characters
_TOLD = "unjudged"


def reason_for_log(error: Exception) -> str:
    """Why it was not judged, in one line; of an error in Sentinel itself with its type and place."""
    known = _known(error)
    if known is not None:
        return known
    last = extract_tb(error.__traceback__)[-1:]
    place = "".join(f" ({frame.filename.replace(chr(92), '/').rpartition('/')[2]}:{frame.lineno})" for frame in last)
    return "".join(format_exception_only(error)).strip() + place


def answer_unjudged(error: Exception, data: bytes, tool: ToolHook) -> bytes:
    """The same in a user's words, as a note in the tool's protocol, once a session; empty where it was told, or nobody asked."""
    if not data or _was_told(data, tool):
        return b""
    why = _known(error) or f"an internal error in Sentinel ({type(error).__name__})"
    why = printable(clipped(redact(why), _LONGEST))
    text = f'Sentinel could not check this session: {why}; run "sentinel doctor" for details'
    return Answer(notes=(text,)).encoded(tool)


def _known(error: Exception) -> str | None:
    """What the user or the system did; None for an error in Sentinel itself."""
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f'"{error.filename}" does not exist'
    if isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f'"{error.filename}": '
        return f"{where}{error.strerror}"
    return str(error) if isinstance(error, SentinelError | OSError) else None


def _was_told(data: bytes, tool: ToolHook) -> bool:
    """Whether this session's user knows already; it is remembered where it can be, for silence would hide that nothing is checked."""
    try:
        memory = memory_of(event_of(data, tool).transcript)
        told = memory.told()
        memory.tell(told, [_TOLD], told.row)
    except (SentinelError, OSError, RuntimeError, ValueError):  # no session is known, or nothing can be kept
        return False
    return _TOLD in told.keys
