"""An object in a process of its own: its methods are called from outside, and what they give comes back as JSON."""

import json
from collections.abc import Callable

import msgspec

from sentinel_core.errors import WorkerError
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned
from sentinel_core.runtime.pool import Worker

__all__ = ["CALLED", "WorkerRefused", "answer_calls", "call", "load"]


class Answer(Frame):
    """What a method gave, as JSON."""

    json: bytes


CALLED = Answer | Warned | Refusal
"""What such a process may send."""


class WorkerRefused(WorkerError):
    """The process could not be made ready as the user set it, or a method refused what it was given."""


def answer_calls(outbox: Outbox, target: object, *, refuses: tuple[type[Exception], ...] = ()) -> None:
    """Call the target's methods as the parent asks for. What it ``refuses`` is told; anything else that is raised ends the process."""
    for method, arguments in outbox.orders():
        try:
            outbox.send(Answer(_as_json(getattr(target, method)(*arguments))))
        except refuses as error:
            outbox.refuse(f"raised {type(error).__name__}: {' '.join(str(error).split())}")


def call(worker: Worker, method: str, *arguments: object, warn: Callable[[str], None] | None = None) -> bytes:
    """What the method gives, as JSON; ``warn`` is told what it warns of. The arguments are pickled.

    Raises ``WorkerRefused``, and ``WorkerError`` where the process was lost.
    """
    worker.give((method, arguments))
    answer = load(worker, warn)
    if answer is None:
        raise WorkerError("its process ended without an answer")
    return answer


def load(worker: Worker, warn: Callable[[str], None] | None = None) -> bytes | None:
    """Wait until nothing that was asked for is left to be done; the last answer. Raises as ``call`` does."""
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
    """Half a surrogate pair, which UTF-8 cannot hold, becomes ``?``; what is not JSON stands as its text."""
    try:
        return msgspec.json.encode(value, enc_hook=str)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value, enc_hook=str), ensure_ascii=False).encode("utf-8", "replace")
