"""What a Dask worker does with one task: see that it is set up as the client is, and have a child judge."""

import hashlib
import pickle
import threading
from collections.abc import Sequence
from typing import Any, Self

import attrs

from sentinel_core.errors import SentinelError
from sentinel_core.judging.batch.report_fingerprint import absent, differences, fingerprint
from sentinel_core.judging.batch.split import Task
from sentinel_core.judging.batch.worker import Launcher, Worker
from sentinel_core.judging.job import Plan
from sentinel_core.runtime.isolate import Fresh
from sentinel_core.traces.sources.parts import Part
from sentinel_core.traces.sources.remote import fetched

__all__ = ["Outcome", "Setup", "judge_on_worker"]


@attrs.frozen(kw_only=True)
class Setup:
    """What all tasks of a batch share: how to judge, and what the client has installed."""

    plan: Plan
    fingerprint: dict[str, str]
    timeout: float
    memory: int

    def packed(self) -> bytes:
        """As bytes, the same for the same."""
        return pickle.dumps(self)


@attrs.frozen(kw_only=True)
class Outcome:
    """What came of a task; ``refused`` says why nothing could."""

    refused: str | None = None
    items: bytes = b""
    written: int = 0
    summary: bytes = b""
    parts: Sequence[Part] = ()
    columns: Sequence[str] = ()
    warnings: Sequence[str] = ()

    def packed(self) -> bytes:
        """As bytes."""
        return pickle.dumps(self)

    @classmethod
    def unpacked(cls, data: bytes) -> Self:
        """From ``packed``."""
        made: Self = pickle.loads(data)  # noqa: S301 - Dask itself runs whatever a member of its cluster sends
        return made


class _Desk:
    """The judging processes of this Dask worker, for one batch at a time; one for each thread that asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key = ""
        self._idle: list[Worker] = []
        self._launcher: Launcher | None = None

    def take(self, setup: bytes) -> tuple[Worker, Launcher]:
        """An idle process of this batch, or a new one. Raises ``InputError`` where the client has other plugins."""
        with self._lock:
            key = hashlib.sha256(setup).hexdigest()
            if key != self._key or self._launcher is None:
                self._launcher = _launcher(pickle.loads(setup))  # noqa: S301 - as above
                self._key = key
                while self._idle:
                    self._idle.pop().close()
            return (self._idle.pop() if self._idle else Worker(self._launcher)), self._launcher

    def put_back(self, worker: Worker, launcher: Launcher) -> None:
        """It is idle again; one of an earlier batch ends."""
        with self._lock:
            if launcher is self._launcher:
                self._idle.append(worker)
            else:
                worker.close()


_desk = _Desk()


def judge_on_worker(setup: bytes, task: Task) -> bytes:
    """A packed ``Outcome``. Runs in any thread of a Dask worker."""
    try:
        worker, launcher = _desk.take(setup)
    except SentinelError as error:
        return Outcome(refused=f"{_address()}: {error}").packed()
    try:
        with fetched(task.split.sources, lambda: None) as sources:
            worker.start(attrs.evolve(task, split=attrs.evolve(task.split, sources=sources)))
            worker.finish()
    except SentinelError as error:
        worker.close()
        return Outcome(refused=str(error)).packed()
    except BaseException:
        worker.close()
        raise
    answer = worker.answered()
    answer.items.seek(0)
    outcome = Outcome(
        items=answer.items.read(),
        written=answer.written,
        summary=answer.summary.state(),
        parts=worker.parts,
        columns=launcher.columns,
        warnings=sorted(launcher.told),
    )
    answer.close()
    _desk.put_back(worker, launcher)
    return outcome.packed()


def _launcher(setup: Setup) -> Launcher:
    here = fingerprint(setup.plan)
    if missing := absent(setup.fingerprint, here):
        raise SentinelError(f"{', '.join(missing)}: not found on the worker; every worker needs the same files")
    if other := differences(setup.fingerprint, here):
        raise SentinelError(
            f"is not set up as the client is: {'; '.join(other)}; install the same plugins, in the same versions"
        )
    return Launcher(plan=setup.plan, kind=Fresh, timeout=setup.timeout, memory=setup.memory, warn=_keep)


def _keep(warning: str) -> None:
    """The client tells it: the launcher has noted it."""


def _address() -> Any:
    """Which worker this is, for people."""
    from distributed import get_worker

    try:
        return f"the worker {get_worker().address}"
    except ValueError:
        return "this process"
