"""The guard of ``sentinel run`` in a process of its own.

Signals and guardrails are foreign code: what they do there cannot keep the run from delivering its report. Orders and answers
are a letter and a body: ``L`` an attempt at work, ``J`` one to judge, ``S`` a loop to settle, ``E`` the end. ``R`` says that
all is loaded, ``X`` why it is not, ``W`` warns.
"""

import collections
import functools
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

import attrs
import msgspec

from sentinel_core.agent.journal_observer import end_with_parent
from sentinel_core.agent.reflection.attempt_guard import Guardian, Overriding
from sentinel_core.agent.run_guard import Checked, Settled
from sentinel_core.errors import ConfigError, SentinelError, StoreError, WorkerError
from sentinel_core.guardrails.bound import BoundGuardrail, bind_guardrails, watched
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.loops import quality_of
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.store import open_store
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.judging.frames import REFUSED, WARNING, refusal, warning
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.isolate import Child, Outbox
from sentinel_core.runtime.watch import Watch, at_fault
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import decode_trace, encode_report, encode_trace

__all__ = ["GuardProcess", "Guarding"]

_KINDS = ("signals", "guardrails")
_LEAVE = b"E"
_NO_GUARDRAIL = "no guardrail is installed or selected, so nothing would end the family"


@attrs.frozen(kw_only=True)
class Guarding:
    """What the guard is made of. ``overriding`` is a person's decision for this run."""

    layers: Layers
    selection: Selection
    overriding: Overriding | None = None


@attrs.frozen(kw_only=True)
class _Loop:
    """An order to settle."""

    loop_id: str
    reflection: Reflection
    stopped: Checked | None


class GuardProcess:
    """The guard, from outside. It starts at once and loads while the caller goes on; leaving the block ends it.

    Each answer may take as long as a record may (``timeout``). Methods raise ``WorkerError`` where there is none: the guard
    is then gone for good.
    """

    def __init__(self, guarding: Guarding, warn: Callable[[str], None]) -> None:
        host = guarding.layers.host()
        self._child = Child(functools.partial(_job, guarding), memory=host.max_memory_mb << 20)
        self._frames: Iterator[bytes] = self._child.frames(host.timeout)
        self._warn = warn
        self._gone: WorkerError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None and self._gone is None:
                self._child.order(_LEAVE)
                collections.deque(self._frames, maxlen=0)  # until it has closed its store
        except WorkerError as late:
            self._warn(f"the guard did not end well: {late}")
        finally:
            self._child.close()

    def ready(self) -> None:
        """Wait until all is loaded. Raises ``ConfigError`` for what the user set wrongly."""
        try:
            self._answer()
        except WorkerError as error:
            self._warn(f"the guard cannot work: {error}")

    def watch(self, trace: ExecutionTrace) -> Checked | None:
        """As the interface says."""
        return msgspec.json.decode(self._ask(b"L", encode_trace(trace)), type=Checked | None)

    def judge(self, trace: ExecutionTrace) -> ReliabilityReport:
        """As the interface says."""
        return msgspec.json.decode(self._ask(b"J", encode_trace(trace)), type=ReliabilityReport)

    def settle(self, loop_id: str, reflection: Reflection, stopped: Checked | None) -> Settled:
        """As the interface says."""
        order = _Loop(loop_id=loop_id, reflection=reflection, stopped=stopped)
        return msgspec.json.decode(self._ask(b"S", msgspec.json.encode(order)), type=Settled)

    def _ask(self, kind: bytes, body: bytes) -> bytes:
        if self._gone is not None:
            raise self._gone
        self._child.order(kind + body)
        return self._answer()

    def _answer(self) -> bytes:
        try:
            for frame in self._frames:
                if frame[:1] == REFUSED:
                    raise ConfigError(frame[1:].decode("utf-8", "replace"))
                if frame[:1] != WARNING:
                    return frame[1:]
                self._warn(frame[1:].decode("utf-8", "replace"))
        except WorkerError as error:
            self._gone = WorkerError(f"{at_fault(self._child.mark, 'the guard')} {error}")
        else:
            self._gone = WorkerError("the guard is gone")
        raise self._gone


def _job(guarding: Guarding, outbox: Outbox) -> None:
    """The guard's whole life: load, then answer until nothing is asked any more."""
    end_with_parent()
    watch = Watch(outbox)
    try:
        guardian = _guardian(guarding, watch, outbox)
    except SentinelError as error:
        outbox.send(refusal(error))
        return
    outbox.mark("")
    outbox.send(b"R")
    while (order := outbox.order()) not in (None, _LEAVE):
        outbox.send(b"A" + _answered(guardian, order[:1], order[1:]))
        outbox.mark("")
    if guardian.orchestrator is not None:
        guardian.orchestrator.store.close()


def _answered(guardian: Guardian, kind: bytes, body: bytes) -> bytes:
    if kind == b"L":
        return msgspec.json.encode(guardian.watch(decode_trace(body)))
    if kind == b"J":
        return encode_report(guardian.judge(decode_trace(body)))
    loop = msgspec.json.decode(body, type=_Loop)
    return msgspec.json.encode(guardian.settle(loop.loop_id, loop.reflection, loop.stopped), enc_hook=str)


def _guardian(guarding: Guarding, watch: Watch, outbox: Outbox) -> Guardian:
    """Load and bind. Raises ``ConfigError`` for what cannot be used."""
    layers = guarding.layers
    chosen, left_out = select(guarding.selection, _KINDS)
    plugins, failures = load(chosen, guarding.selection.targets, kinds=_KINDS, watch=watch)
    for failure in failures:
        if failure.source.kind == "guardrails":  # the judge of the run's trace tells those of signals
            outbox.send(warning(f'plugin "{failure.source.label}" ({failure.source.origin}) {failure.error}'))
    panel = make_panel(plugins, failures, left_out, layers, watch=watch)
    guardrails = tuple(watched(one, watch) for one in bind_guardrails(plugins, failures, layers))
    _refuse_deaf_limit(layers, guardrails)
    orchestrator, problem = _orchestrator(layers, guardrails)
    if problem:
        outbox.send(warning(f"no attempt is tried again: {problem}"))
    return Guardian(
        panel=panel,
        guardrails=guardrails,
        orchestrator=orchestrator,
        problem=problem,
        overriding=guarding.overriding,
        warn=lambda text: outbox.send(warning(text)),
    )


def _refuse_deaf_limit(layers: Layers, guardrails: tuple[BoundGuardrail, ...]) -> None:
    """A limit that nobody heeds is worse than none."""
    setting = layers.values.get("guardrails.rerun_limit.max_reruns")
    if setting is not None and not any(one.name == "rerun_limit" for one in guardrails):
        raise ConfigError(f'{setting.origin}: the guardrail "rerun_limit" is left out; take it back in with --plugins')


def _orchestrator(layers: Layers, guardrails: tuple[BoundGuardrail, ...]) -> tuple[Orchestrator | None, str]:
    """None and why, where nothing could be decided."""
    if not guardrails:
        return None, _NO_GUARDRAIL
    try:
        store = open_store(layers.host().store)
    except StoreError as error:
        return None, str(error)
    return Orchestrator(store=store, guardrails=guardrails, quality=quality_of(layers)), ""
