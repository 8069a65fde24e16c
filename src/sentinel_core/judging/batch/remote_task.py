"""One task on a Dask worker: checks that the worker is set up like the client, and judges in a child process."""

import hashlib
import pickle
import threading
from collections.abc import Sequence
from contextlib import closing
from typing import Any, Self

import attrs

from sentinel_core.errors import SentinelError
from sentinel_core.judging.batch.assignment import Assignment, Launcher
from sentinel_core.judging.batch.report_fingerprint import absent, differences, fingerprint
from sentinel_core.judging.batch.split import Task
from sentinel_core.judging.job import Plan
from sentinel_core.runtime.isolate import Fresh
from sentinel_core.runtime.pool import Pool
from sentinel_core.traces.sources.parts import Part
from sentinel_core.traces.sources.remote import fetched

__all__ = ["Outcome", "Setup", "judge_on_worker"]

_MOST = 1024  # threads that may ask at once


@attrs.frozen(kw_only=True)
class Setup:
    """What all tasks of a batch share: how to judge, and what the client has installed."""

    plan: Plan
    fingerprint: dict[str, str]
    timeout: float
    memory: int

    def packed(self) -> bytes:
        """As bytes; equal setups give equal bytes."""
        return pickle.dumps(self)


@attrs.frozen(kw_only=True)
class Outcome:
    """The result of a task; ``refused`` says why there is none."""

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


class _Batch:
    """The judging processes of this Dask worker, for one batch at a time; one for each thread that asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key = ""
        self._of: tuple[Pool, Launcher] | None = None

    def of(self, setup: bytes) -> tuple[Pool, Launcher]:
        """The processes of this batch. Raises ``SentinelError`` if the client has other plugins."""
        with self._lock:
            key = hashlib.sha256(setup).hexdigest()
            if key != self._key or self._of is None:
                launcher = _launcher(pickle.loads(setup))  # noqa: S301 - as above
                if self._of is not None:
                    self._of[0].close()
                self._key, self._of = key, (Pool(launcher.launch, launcher.timeout, size=_MOST), launcher)
            return self._of


_batch = _Batch()


def judge_on_worker(setup: bytes, task: Task) -> bytes:
    """A packed ``Outcome``. Runs in any thread of a Dask worker."""
    try:
        pool, launcher = _batch.of(setup)
    except SentinelError as error:
        return Outcome(refused=f"{_address()}: {error}").packed()
    try:
        with pool.borrowed() as worker, fetched(task.split.sources, lambda: None) as sources:
            local = attrs.evolve(task, split=attrs.evolve(task.split, sources=sources))
            assignment = Assignment(local, worker, launcher)
            assignment.finish()
    except SentinelError as error:
        return Outcome(refused=str(error)).packed()
    with closing(assignment.answer) as answer:
        answer.items.seek(0)
        return Outcome(
            items=answer.items.read(),
            written=answer.written,
            summary=answer.summary.state(),
            parts=assignment.parts,
            columns=launcher.columns,
            warnings=sorted(launcher.warned),
        ).packed()


def _launcher(setup: Setup) -> Launcher:
    here = fingerprint(setup.plan)
    if missing := absent(setup.fingerprint, here):
        raise SentinelError(f"{', '.join(missing)}: not found on the worker; every worker needs the same files")
    if other := differences(setup.fingerprint, here):
        raise SentinelError(
            f"is not set up like the client: {'; '.join(other)}; install the same plugins, in the same versions"
        )
    return Launcher(plan=setup.plan, kind=Fresh, timeout=setup.timeout, memory=setup.memory, warn=_keep)


def _keep(warning: str) -> None:
    """Does nothing: the launcher keeps the warning, and the client shows it."""


def _address() -> Any:
    """The worker's name in messages."""
    from distributed import get_worker

    try:
        return f"the worker {get_worker().address}"
    except ValueError:
        return "this process"
