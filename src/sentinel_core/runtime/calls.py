"""Calls the methods of an object in another process; their results come back as JSON."""

import json
from collections.abc import Callable

import msgspec

from sentinel_core.errors import WorkerError
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned
from sentinel_core.runtime.pool import Worker

__all__ = ["CALLED", "WorkerRefused", "answer_calls", "call", "load"]


class Answer(Frame):
    """A method's result, as JSON."""

    json: bytes


CALLED = Answer | Warned | Refusal
"""The frames that such a process may send."""


class WorkerRefused(WorkerError):
    """The process could not start with the user's settings, or a method refused its arguments."""


def answer_calls(outbox: Outbox, target: object, *, refuses: tuple[type[Exception], ...] = ()) -> None:
    """Call the target's methods for the parent. Exceptions in ``refuses`` are sent back; any other ends the process."""
    for method, arguments in outbox.orders():
        try:
            outbox.send(Answer(_as_json(getattr(target, method)(*arguments))))
        except refuses as error:
            outbox.refuse(f"raised {type(error).__name__}: {' '.join(str(error).split())}")


def call(worker: Worker, method: str, *arguments: object, warn: Callable[[str], None] | None = None) -> bytes:
    """The method's result, as JSON; ``warn`` gets its warnings. The arguments are pickled.

    Raises ``WorkerRefused``, and ``WorkerError`` if the process was lost.
    """
    worker.give((method, arguments))
    answer = load(worker, warn)
    if answer is None:
        raise WorkerError("its process ended without an answer")
    return answer


def load(worker: Worker, warn: Callable[[str], None] | None = None) -> bytes | None:
    """Wait until all calls are done; return the last answer. Raises as ``call`` does."""
    answer, refusal = None, None
    worker.start()
    for frame in worker.answers():
        match frame:
            case Answer():
                answer = frame.json
            case Warned() if warn is not None:
                warn(frame.text)
            case Refusal():
                refusal = frame.text
    if refusal is not None:
        raise WorkerRefused(refusal)
    return answer


def _as_json(value: object) -> bytes:
    """JSON in which half a surrogate pair, which UTF-8 cannot hold, becomes ``?``, and other objects become text."""
    try:
        return msgspec.json.encode(value, enc_hook=str)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value, enc_hook=str), ensure_ascii=False).encode("utf-8", "replace")
