"""Guardrails and signals in processes of their own: whatever they do there, the service goes on.

Orders are a letter and a body: ``J`` a trace to judge, ``G`` a guardrail's name and the history that it is asked about. Each
frame is ``A`` with an answer, the first of them with what was loaded, or ``X`` with why there is none.
"""

import functools
import pickle
import queue
import threading

import attrs
import msgspec

from sentinel_core import (
    ExecutionTrace,
    History,
    ReliabilityReport,
    Ruling,
    TraceIndex,
    decode_trace,
    encode_report,
    encode_trace,
)
from sentinel_core.errors import ConfigError, InputError, SentinelError, WorkerError
from sentinel_core.evaluate.evaluator import Panel, describe, evaluate
from sentinel_core.guardrails import BoundGuardrail, ask_all, bind_guardrails, failed_ruling, watched
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.runtime.isolate import Fresh, Outbox
from sentinel_core.runtime.watch import AtWork, Watch

__all__ = ["Desk"]

_KINDS = ("guardrails", "signals")


class Desk:
    """Processes that think for the service, ``most`` at once; one that ends, or takes too long, is replaced by another.

    One is started at once, so that what is set wrongly is told before anybody asks. Raises ``ConfigError`` for that, and
    ``WorkerError`` where it cannot start. ``warnings`` are what could not be loaded. May be used from many threads.
    """

    def __init__(self, layers: Layers, selection: Selection, *, most: int) -> None:
        host = layers.host()
        self._timeout = host.timeout
        self._memory = host.max_memory_mb << 20
        self._job = functools.partial(_work, layers, selection)
        self._places = threading.BoundedSemaphore(most)
        self._idle: queue.LifoQueue[_Thinker] = queue.LifoQueue()
        first = self._thinker()
        self.warnings = first.loaded.warnings
        self._names = first.loaded.guardrails
        self._idle.put(first)

    def guardrails(self) -> tuple[BoundGuardrail, ...]:
        """Those that are there, each asked in a process; one that gives no answer rules ``guardrail_failed``."""
        return tuple(BoundGuardrail(name=name, check=functools.partial(self._rule, name)) for name in self._names)

    def judge(self, trace: ExecutionTrace) -> ReliabilityReport:
        """The report on a trace. Raises ``InputError`` where judging it does not end, or ends the process."""
        try:
            return msgspec.json.decode(self._ask(b"J" + encode_trace(trace)), type=ReliabilityReport)
        except WorkerError as error:
            raise InputError(f"the trace could not be judged: {error}; hand in scores instead") from None

    def close(self) -> None:
        """End all that is idle."""
        while not self._idle.empty():
            self._idle.get_nowait().close()

    def _rule(self, name: str, history: History) -> Ruling:
        try:
            return msgspec.json.decode(self._ask(b"G" + pickle.dumps((name, history))), type=Ruling)
        except WorkerError as error:
            return failed_ruling(name, str(error))

    def _ask(self, order: bytes) -> bytes:
        with self._places:
            thinker = self._taken()
            try:
                answer = thinker.ask(order)
            except BaseException:
                thinker.close()
                raise
            self._idle.put(thinker)
        if answer[:1] == b"X":
            raise WorkerError(answer[1:].decode("utf-8", "replace"))
        return answer[1:]

    def _taken(self) -> "_Thinker":
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return self._thinker()

    def _thinker(self) -> "_Thinker":
        return _Thinker(Fresh(self._job, memory=self._memory), self._timeout)


@attrs.frozen(kw_only=True)
class _Loaded:
    guardrails: tuple[str, ...]
    warnings: tuple[str, ...]


class _Thinker:
    """One process, from outside. Raises ``ConfigError`` for what is set wrongly, ``WorkerError`` where it fails."""

    def __init__(self, child: Fresh, timeout: float) -> None:
        self._child = child
        self._frames = child.frames(timeout)
        try:
            self.loaded = _loaded(self._next())
        except BaseException:
            self.close()
            raise

    def ask(self, order: bytes) -> bytes:
        self._child.order(order)
        return self._next()

    def close(self) -> None:
        self._child.close()

    def _next(self) -> bytes:
        try:
            return next(self._frames)
        except StopIteration:
            raise WorkerError("its process ended without an answer") from None
        except WorkerError as error:
            at_work = AtWork.parse(self._child.mark)
            if at_work is None or at_work.stage == "rule":  # a guardrail is named by who asked it
                raise
            raise WorkerError(f'plugin "{at_work.label}" {error}') from None


def _loaded(answer: bytes) -> _Loaded:
    if answer[:1] == b"X":
        raise ConfigError(answer[1:].decode("utf-8", "replace"))
    return msgspec.json.decode(answer[1:], type=_Loaded)


def _work(layers: Layers, selection: Selection, outbox: Outbox) -> None:
    """A process's whole life: load, then answer until nothing is asked any more."""
    watch = Watch(outbox)
    try:
        chosen, left_out = select(selection, _KINDS)
        plugins, failures = load(chosen, selection.targets, kinds=_KINDS, watch=watch)
        panel = make_panel(plugins, failures, left_out, layers, watch=watch)
        guardrails = {one.name: watched(one, watch) for one in bind_guardrails(plugins, failures, layers)}
    except SentinelError as error:
        outbox.send(f"X{error}".encode("utf-8", "replace"))
        return
    warnings = (f'plugin "{one.source.label}" ({one.source.origin}) {one.error}' for one in failures)
    outbox.send(b"A" + msgspec.json.encode(_Loaded(guardrails=tuple(guardrails), warnings=tuple(warnings))))
    while (order := outbox.order()) is not None:
        outbox.mark("")
        outbox.send(_judged(order[1:], panel) if order[:1] == b"J" else _ruled(order[1:], guardrails))


def _judged(body: bytes, panel: Panel) -> bytes:
    try:
        return b"A" + encode_report(evaluate(TraceIndex(decode_trace(body)), panel))
    except ValueError as error:  # no id, or half of a surrogate pair
        return b"X" + describe(error).encode("utf-8", "replace")


def _ruled(body: bytes, guardrails: dict[str, BoundGuardrail]) -> bytes:
    name, history = pickle.loads(body)  # noqa: S301 - from the service, through a pipe of its own
    return b"A" + msgspec.json.encode(ask_all((guardrails[name],), history)[name])
