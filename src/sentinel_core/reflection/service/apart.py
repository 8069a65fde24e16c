"""Guardrails and signals in processes of their own: whatever they do there, the service goes on."""

import functools
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from sentinel_core.errors import ConfigError, InputError, SentinelError, WorkerError
from sentinel_core.evaluate.evaluator import Panel, describe, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.guardrails.bound import BoundGuardrail, ask_all, bind_guardrails, failed, watched
from sentinel_core.guardrails.facts import History, Ruling
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.isolate import Fresh
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, as_text
from sentinel_core.runtime.pool import Pool
from sentinel_core.runtime.watch import AtWork, Watch
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import decode_trace, encode_report, encode_trace

__all__ = ["Desk"]

_KINDS = ("guardrails", "signals")
_SILENT = "its process ended without an answer"


class _Judge(NamedTuple):
    """An order: judge a trace."""

    trace: bytes


class _Rule(NamedTuple):
    """An order: ask a guardrail about a history."""

    guardrail: str
    history: History


class _Loaded(Frame):
    """What is there, and what could not be loaded."""

    guardrails: list[str]
    warnings: list[str]


class _Answer(Frame):
    """What came of an order, as JSON."""

    json: bytes


class _NoAnswer(Frame):
    """Why nothing came of it."""

    text: str


class Desk:
    """Processes that think for the service, ``most`` at once; one that ends, or takes too long, is replaced by another.

    One is started at once, so that what is set wrongly is told before anybody asks. Raises ``ConfigError`` for that, and
    ``WorkerError`` where it cannot start. ``warnings`` are what could not be loaded. May be used from many threads.
    """

    def __init__(self, layers: Layers, selection: Selection, *, most: int) -> None:
        host = layers.host()
        frames = _Loaded | _Answer | _NoAnswer | Refusal
        job = functools.partial(_work, layers, selection)
        launch = functools.partial(Fresh, job, frames=frames, memory=host.max_memory_mb << 20)
        self._pool = Pool(launch, host.timeout, size=most)
        with self._pool.borrowed() as worker:
            worker.start()
            heard = _heard(worker.answers())
        if not heard or not isinstance(heard[0], _Loaded):
            raise WorkerError(_SILENT)
        self.warnings = tuple(heard[0].warnings)
        self._names = heard[0].guardrails

    def guardrails(self) -> tuple[BoundGuardrail, ...]:
        """Those that are there, each asked in a process; one that gives no answer rules ``guardrail_failed``."""
        return tuple(BoundGuardrail(name=name, check=functools.partial(self._rule, name)) for name in self._names)

    def judge(self, trace: ExecutionTrace) -> ReliabilityReport:
        """The report on a trace. Raises ``InputError`` where judging it does not end, or ends the process."""
        try:
            return msgspec.json.decode(self._ask(_Judge(encode_trace(trace))), type=ReliabilityReport)
        except WorkerError as error:
            raise InputError(f"the trace could not be judged: {error}; hand in scores instead") from None

    def close(self) -> None:
        """End all that is idle."""
        self._pool.close()

    def _rule(self, name: str, history: History) -> Ruling:
        try:
            return msgspec.json.decode(self._ask(_Rule(name, history)), type=Ruling)
        except WorkerError as error:
            return failed(name, str(error))

    def _ask(self, order: _Judge | _Rule) -> bytes:
        with self._pool.borrowed() as worker:
            worker.give(order)
            answers = _heard(worker.answers())
        answer = answers[-1] if answers else None  # a process that is new says what it loaded, first
        if isinstance(answer, _Answer):
            return answer.json
        raise WorkerError(answer.text if isinstance(answer, _NoAnswer) else _SILENT)


def _heard(frames: Iterable[Frame]) -> list[Frame]:
    """What a process says. Raises ``ConfigError`` for what is set wrongly, ``WorkerError`` where it fails."""
    heard = []
    try:
        for frame in frames:
            if isinstance(frame, Refusal):
                raise ConfigError(frame.text)
            heard.append(frame)
    except WorkerError as error:
        at_work = AtWork.parse(error.mark)
        if at_work is None or at_work.stage == "rule":  # a guardrail is named by who asked it
            raise
        raise WorkerError(f'plugin "{at_work.label}" {error}') from None
    return heard


def _work(layers: Layers, selection: Selection, outbox: Outbox) -> None:
    """A process's whole life: load, then answer until nothing is asked any more."""
    watch = Watch(outbox)
    try:
        chosen, left_out = select(selection, _KINDS)
        plugins, failures = load(chosen, selection.targets, kinds=_KINDS, watch=watch)
        panel = make_panel(plugins, failures, left_out, layers, watch=watch)
        guardrails = {one.name: watched(one, watch) for one in bind_guardrails(plugins, failures, layers)}
    except SentinelError as error:
        outbox.refuse(error)
        return
    warnings = [f'plugin "{one.source.label}" ({one.source.origin}) {one.error}' for one in failures]
    outbox.send(_Loaded(list(guardrails), [as_text(one) for one in warnings]))
    for order in outbox.orders():
        outbox.send(_judged(order.trace, panel) if isinstance(order, _Judge) else _ruled(order, guardrails))


def _judged(trace: bytes, panel: Panel) -> Frame:
    try:
        return _Answer(encode_report(evaluate(TraceIndex(decode_trace(trace)), panel)))
    except ValueError as error:  # no id, or half of a surrogate pair
        return _NoAnswer(as_text(describe(error)))


def _ruled(order: _Rule, guardrails: dict[str, BoundGuardrail]) -> Frame:
    name = order.guardrail
    return _Answer(msgspec.json.encode(ask_all((guardrails[name],), order.history)[name]))
