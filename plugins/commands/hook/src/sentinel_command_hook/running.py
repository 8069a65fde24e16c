"""``sentinel hook run``, from the event on standard input to the exit code; and its arguments without click, which takes long to import."""

import contextlib
import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sentinel_command_hook.tools import TOOLS, ToolHook
from sentinel_core.errors import InputError

if TYPE_CHECKING:
    from sentinel_command_hook.event import Answer, Event

__all__ = ["SECONDS", "answer_event", "run"]

SECONDS = 8.0
"""How long judging may take, unless another limit is given."""

_BLOCK = 2
_UNCHECKED = "Sentinel could not check what you said. Say what you did not verify."
_MOST_EVENT = 64 << 20
_FLAGS = frozenset(("--fail-closed", "--quiet", "--no-witness"))


def run(arguments: Sequence[str]) -> int | None:
    """The exit code for a tool and flags; None for any other arguments, which click reads."""
    tool = TOOLS.get(arguments[0]) if arguments else None
    flags = frozenset(arguments[1:])
    if tool is None or not flags <= _FLAGS:
        return None
    return answer_event(
        tool, fail_closed="--fail-closed" in flags, quiet="--quiet" in flags, looks="--no-witness" not in flags
    )


def answer_event(
    tool: ToolHook,
    *,
    fail_closed: bool,
    quiet: bool,
    looks: bool,
    witness: Path | None = None,
    timeout: float = SECONDS,
) -> int:
    """Answer the event on standard input within ``timeout`` seconds; the exit code blocks the agent where it has to."""
    gc.disable()  # a short process: to look for cycles would take a tenth of it
    from sentinel_core.runtime.watch import time_limit

    data = b""
    try:
        with time_limit(timeout), contextlib.redirect_stdout(sys.stderr):
            data = _event(sys.stdin.buffer)
            answer = _answer(data, tool, quiet=quiet, looks=looks, witness=witness)
            for note in () if tool.note or answer is None else answer.notes:
                _say(note)
    except Exception as error:  # noqa: BLE001 - whatever fails, the agent must not be held up by it
        return _failed(error, data, tool, fail_closed=fail_closed)
    if answer is not None:
        sys.stdout.buffer.write(answer.encoded(tool))
    return 0


def _event(stream: IO[bytes]) -> bytes:
    if stream.isatty():
        raise InputError(
            'standard input is a terminal, but this command reads a coding agent\'s event from it: see "sentinel hook install"'
        )
    data = stream.read(_MOST_EVENT + 1)
    if len(data) > _MOST_EVENT:
        raise InputError(f"the event on standard input is larger than {_MOST_EVENT >> 20} MB")
    return data


def _answer(data: bytes, tool: ToolHook, *, quiet: bool, looks: bool, witness: Path | None) -> "Answer | None":
    """None where there is nothing to judge: most events of a tool that records are no stop, and most stops say something."""
    from sentinel_command_hook.event import event_of, kept, told_by
    from sentinel_command_hook.silence import has_nothing_to_judge

    if kept(told_by(data, tool), tool):
        return None
    event = event_of(data, tool)
    if witness is None and has_nothing_to_judge(event, tool):
        _go_on(event)
        return None
    from sentinel_command_hook.run import answer_to

    return answer_to(data, tool, quiet=quiet, looks=looks, witness=witness)


def _go_on(event: "Event") -> None:
    """The next refusal is the first in a row, unless a hook had sent the agent back just now."""
    from sentinel_command_hook.memory import memory_of

    memory = memory_of(event.transcript)
    told = memory.told()
    memory.tell(told, (), told.row if event.again else 0)


def _say(line: str) -> None:
    from sentinel_core.cli import say

    say(line)


def _failed(error: Exception, data: bytes, tool: ToolHook, *, fail_closed: bool) -> int:
    """One line and a note for the user, or a word for the agent; and the exit code: nothing was judged."""
    from sentinel_command_hook.event import Answer, is_second_try
    from sentinel_command_hook.unjudged import answer_unjudged, reason_for_log
    from sentinel_core.cli import complain

    complain(f"hook: the session was not judged: {reason_for_log(error)}")
    if not fail_closed or is_second_try(data):
        sys.stdout.buffer.write(answer_unjudged(error, data, tool))
        return 0
    if not tool.refuses_by_code:
        sys.stdout.buffer.write(Answer(reason=_UNCHECKED).encoded(tool))
        return 0
    _say(_UNCHECKED)
    return _BLOCK
