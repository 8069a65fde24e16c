"""The guard of ``sentinel run`` in a process of its own.

Signals and guardrails are plugin code: in another process they cannot keep the run from delivering its report.
"""

import collections
import functools
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

import attrs
import msgspec

from sentinel_agent.journal import end_with_parent
from sentinel_agent.reflection.attempt_guard import Guardian, Overriding
from sentinel_agent.run_guard import Checked, Settled
from sentinel_core.errors import ConfigError, SentinelError, StoreError, WorkerError
from sentinel_core.guardrails.bound import BoundGuardrail, bind_guardrails, quality_of, watched
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.store import open_store
from sentinel_core.host import plugins
from sentinel_core.host.panel import make_panel
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Outbox
from sentinel_core.runtime.pool import CALLED, Worker, WorkerRefused, answer_calls, call, load
from sentinel_core.runtime.watch import Watch, at_fault
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import decode_trace, encode_trace

__all__ = ["GuardProcess", "Guarding"]

_KINDS = ("signals", "guardrails")
_NO_GUARDRAIL = "no guardrail is installed or selected, so nothing would end the reruns"
_Given = TypeVar("_Given")


@attrs.frozen(kw_only=True)
class Guarding:
    """The guard's configuration. ``overriding`` is a person's override for this run."""

    layers: Layers
    selection: Selection
    overriding: Overriding | None = None


@attrs.frozen
class _Remote:
    """The guardian's methods for calls from the parent."""

    _guardian: Guardian

    def watch(self, trace: bytes) -> Checked | None:
        return self._guardian.watch(decode_trace(trace))

    def judge(self, trace: bytes) -> ReliabilityReport:
        return self._guardian.judge(decode_trace(trace))

    def settle(self, loop_id: str, reflection: Reflection, stopped: Checked | None) -> Settled:
        return self._guardian.settle(loop_id, reflection, stopped)


class GuardProcess:
    """The parent's side of the guard. The process starts at once and loads in the background; leaving the block ends it.

    Each answer may take as long as a record (``timeout``). Methods raise ``WorkerError`` if there is none; the guard does not
    come back then.
    """

    def __init__(self, guarding: Guarding, warn: Callable[[str], None]) -> None:
        host = guarding.layers.host()
        launch = functools.partial(
            Child, functools.partial(_job, guarding), frames=CALLED, memory=host.max_memory_mb << 20
        )
        self._worker = Worker(launch, host.timeout)
        self._warn = warn
        self._gone: WorkerError | None = None
        self._worker.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None and self._gone is None:
                collections.deque(self._worker.drain(), maxlen=0)  # lets it close its store
        except WorkerError as late:
            self._warn(f"the guardrail process ended with an error: {late}")
        finally:
            self._worker.close()

    def ready(self) -> None:
        """Wait until everything is loaded. Raises ``ConfigError`` for wrong settings."""
        try:
            self._guarded(lambda: load(self._worker, self._warn))
        except WorkerError as error:
            self._warn(f"the guardrails do not work: {error}")

    def watch(self, trace: ExecutionTrace) -> Checked | None:
        """See ``Guard``."""
        return msgspec.json.decode(self._call("watch", encode_trace(trace)), type=Checked | None)

    def judge(self, trace: ExecutionTrace) -> ReliabilityReport:
        """See ``Guard``."""
        return msgspec.json.decode(self._call("judge", encode_trace(trace)), type=ReliabilityReport)

    def settle(self, loop_id: str, reflection: Reflection, stopped: Checked | None) -> Settled:
        """See ``Guard``."""
        return msgspec.json.decode(self._call("settle", loop_id, reflection, stopped), type=Settled)

    def _call(self, method: str, *arguments: object) -> bytes:
        if self._gone is not None:
            raise self._gone
        return self._guarded(lambda: call(self._worker, method, *arguments, warn=self._warn))

    def _guarded(self, ask: Callable[[], _Given]) -> _Given:
        try:
            return ask()
        except WorkerRefused as error:
            raise ConfigError(str(error)) from None
        except WorkerError as error:
            self._gone = WorkerError(f"{at_fault(error.mark, 'the guard')} {error}")
            raise self._gone from None


def _job(guarding: Guarding, outbox: Outbox) -> None:
    """The guard's whole life: load, then answer calls until the parent closes it."""
    end_with_parent()
    watch = Watch(outbox)
    try:
        guardian = _guardian(guarding, watch, outbox)
    except SentinelError as error:
        outbox.refuse(error)
        return
    answer_calls(outbox, _Remote(guardian))
    if guardian.orchestrator is not None:
        guardian.orchestrator.store.close()


def _guardian(guarding: Guarding, watch: Watch, outbox: Outbox) -> Guardian:
    """Load and bind. Raises ``ConfigError`` for what cannot be used."""
    layers = guarding.layers
    chosen, left_out = plugins.select(guarding.selection, _KINDS)
    found, failures = plugins.load(chosen, guarding.selection.targets, kinds=_KINDS, watch=watch)
    for failure in failures:
        if failure.source.kind == "guardrails":  # judging the run's trace reports those of signals
            outbox.warn(f'plugin "{failure.source.label}" ({failure.source.origin}) {failure.error}')
    panel = make_panel(found, failures, left_out, layers, watch=watch)
    guardrails = tuple(watched(guardrail, watch) for guardrail in bind_guardrails(found, failures, layers))
    _refuse_unused_limit(layers, guardrails)
    orchestrator, problem = _orchestrator(layers, guardrails)
    if problem:
        outbox.warn(f"there will be no reruns: {problem}")
    return Guardian(
        panel=panel,
        guardrails=guardrails,
        orchestrator=orchestrator,
        problem=problem,
        overriding=guarding.overriding,
        warn=outbox.warn,
    )


def _refuse_unused_limit(layers: Layers, guardrails: tuple[BoundGuardrail, ...]) -> None:
    """Raises ``ConfigError`` for a rerun limit whose guardrail is left out."""
    setting = layers.values.get("guardrails.rerun_limit.max_reruns")
    if setting is not None and not any(guardrail.name == "rerun_limit" for guardrail in guardrails):
        raise ConfigError(f'{setting.origin}: the guardrail "rerun_limit" is left out; include it in --plugins')


def _orchestrator(layers: Layers, guardrails: tuple[BoundGuardrail, ...]) -> tuple[Orchestrator | None, str]:
    """The orchestrator, or None and why there is none."""
    if not guardrails:
        return None, _NO_GUARDRAIL
    try:
        store = open_store(layers.host().store)
    except StoreError as error:
        return None, str(error)
    return Orchestrator(store=store, guardrails=guardrails, quality=quality_of(layers)), ""
