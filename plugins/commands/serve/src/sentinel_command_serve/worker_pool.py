"""Runs guardrails and signals in worker processes, so that no fault of theirs stops the service."""

import functools
from typing import NamedTuple

import attrs
import msgspec

from sentinel_core import (
    ExecutionTrace,
    History,
    ReliabilityReport,
    Ruling,
    TraceIndex,
    decode_trace,
    encode_trace,
)
from sentinel_core.errors import ConfigError, InputError, SentinelError, WorkerError
from sentinel_core.evaluate.evaluator import Panel, evaluate
from sentinel_core.guardrails import BoundGuardrail, ask_all, bind_guardrails, failed_ruling, watched
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.runtime.isolate import Fresh
from sentinel_core.runtime.outbox import Outbox
from sentinel_core.runtime.pool import CALLED, Pool, WorkerRefused, answer_calls, call
from sentinel_core.runtime.watch import AtWork, Watch

__all__ = ["WorkerPool"]

_KINDS = ("guardrails", "signals")


class _Loaded(NamedTuple):
    """Names of the loaded guardrails, and warnings about what could not be loaded."""

    guardrails: tuple[str, ...]
    warnings: tuple[str, ...]


class WorkerPool:
    """Worker processes of the service, ``most`` at once; one that ends, or takes too long, is replaced.

    The first starts at once, so that wrong settings are found before the first request. Raises ``ConfigError`` for
    those, and ``WorkerError`` if it cannot start. ``warnings`` say what could not be loaded. Thread-safe.
    """

    def __init__(self, layers: Layers, selection: Selection, *, most: int) -> None:
        host = layers.host()
        job = functools.partial(_work, layers, selection)
        launch = functools.partial(Fresh, job, frames=CALLED, memory=host.max_memory_mb << 20)
        self._pool = Pool(launch, host.timeout, size=most)
        try:
            loaded = msgspec.json.decode(self._call("loaded"), type=_Loaded)
        except WorkerRefused as error:
            raise ConfigError(str(error)) from None
        self.warnings = loaded.warnings
        self._names = loaded.guardrails

    def guardrails(self) -> tuple[BoundGuardrail, ...]:
        """The loaded guardrails, each run in a process; one without an answer rules ``guardrail_failed``."""
        return tuple(BoundGuardrail(name=name, check=functools.partial(self._rule, name)) for name in self._names)

    def judge(self, trace: ExecutionTrace) -> ReliabilityReport:
        """The report on a trace. Raises ``InputError`` if judging it times out, or ends the process."""
        try:
            return msgspec.json.decode(self._call("judge", encode_trace(trace)), type=ReliabilityReport)
        except WorkerError as error:
            raise InputError(f"the trace could not be judged: {error}; submit scores instead") from None

    def close(self) -> None:
        """End all idle processes."""
        self._pool.close()

    def _rule(self, name: str, history: History) -> Ruling:
        try:
            return msgspec.json.decode(self._call("rule", name, history), type=Ruling)
        except WorkerError as error:
            return failed_ruling(name, str(error))

    def _call(self, method: str, *arguments: object) -> bytes:
        try:
            with self._pool.borrowed() as worker:
                return call(worker, method, *arguments)
        except WorkerError as error:
            at_work = AtWork.parse(error.mark)
            if at_work is None or at_work.stage == "rule":  # the caller names the guardrail
                raise
            raise WorkerError(f'plugin "{at_work.label}" {error}') from None


@attrs.frozen
class _Methods:
    """The methods that a process answers."""

    panel: Panel
    bound: dict[str, BoundGuardrail]
    warnings: tuple[str, ...]

    def loaded(self) -> _Loaded:
        return _Loaded(tuple(self.bound), self.warnings)

    def judge(self, trace: bytes) -> ReliabilityReport:
        return evaluate(TraceIndex(decode_trace(trace)), self.panel)

    def rule(self, name: str, history: History) -> Ruling:
        return ask_all((self.bound[name],), history)[name]


def _work(layers: Layers, selection: Selection, outbox: Outbox) -> None:
    """A process's whole life: load, then answer calls until the parent closes it."""
    watch = Watch(outbox)
    try:
        chosen, left_out = select(selection, _KINDS)
        plugins, failures = load(chosen, selection.targets, kinds=_KINDS, watch=watch)
        panel = make_panel(plugins, failures, left_out, layers, watch=watch)
        bound = bind_guardrails(plugins, failures, layers)
        guardrails = {guardrail.name: watched(guardrail, watch) for guardrail in bound}
    except SentinelError as error:
        outbox.refuse(error)
        return
    warnings = tuple(
        f'plugin "{failure.source.label}" ({failure.source.origin}) {failure.error}' for failure in failures
    )
    # A trace without an id, or with half a surrogate pair, is refused; the process continues.
    answer_calls(outbox, _Methods(panel, guardrails, warnings), refuses=(ValueError,))
