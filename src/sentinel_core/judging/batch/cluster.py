"""The engine on a cluster: the same splits as tasks of Dask distributed.

A task runs in a thread of a Dask worker, which judges in a process of its own, so that a plugin that crashes costs one record
and not the worker. A task that is lost with its worker runs again, with the same result.
"""

import importlib
import logging
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import attrs

from sentinel_core.errors import ConfigError, InputError
from sentinel_core.host.selection import Selection, load_target_kind
from sentinel_core.judging.batch.assignment import Answer, Launcher
from sentinel_core.judging.batch.pool import Queue
from sentinel_core.judging.batch.remote_task import Outcome, Setup, judge_on_worker
from sentinel_core.judging.batch.report_fingerprint import fingerprint
from sentinel_core.judging.batch.split import Task, Unit
from sentinel_core.judging.batch.summary import Summary
from sentinel_core.judging.job import Plan
from sentinel_core.profile import PROFILES
from sentinel_core.traces.sources import FileSource

__all__ = ["on_dask"]

_AHEAD = 4
_IN_FLIGHT = 2  # tasks per thread: one running, one queued
_RETRIES = 2
_SILENT = 10.0  # seconds without an answer after which the client checks for workers
_BETWEEN = 0.5  # seconds between checks while there are no workers
# Nobody watches a local cluster that lives for one batch, and monitoring is half of its cost.
_UNWATCHED = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"}
_NO_DASK = "--engine dask needs Dask: pip install 'reliability-sentinel[dask]'"


def on_dask(
    units: Sequence[Unit],
    launcher: Launcher,
    skip: int,
    columns: list[str],
    *,
    address: str | None,
    jobs: int,
    part: int,
) -> Iterator[Answer]:
    """The answers to all splits from number ``skip`` on, in order.

    ``address`` is a scheduler's; without one, ``jobs`` workers are started here. Raises ``ConfigError`` if Dask is not
    installed, ``InputError`` if the scheduler cannot be reached or is lost, or a worker refuses.
    """
    plan = _portable(launcher.plan)
    setup = Setup(
        plan=plan,
        fingerprint=fingerprint(plan),
        timeout=launcher.timeout,
        memory=launcher.memory,
    ).packed()
    queue = Queue([_absolute(unit) for unit in units], part, skip)
    with _loss_reported(address), ExitStack() as stack:
        client, threads = _client(stack, address, jobs, launcher)
        yield from _in_order(_Futures(client, setup, launcher, columns), queue, skip, threads)


def _in_order(futures: "_Futures", queue: Queue, turn: int, threads: int) -> Iterator[Answer]:
    answers: dict[int, Answer] = {}
    while True:
        while len(futures) < _IN_FLIGHT * threads and (task := queue.next(turn + _AHEAD * threads)) is not None:
            futures.submit(task)
        if not len(futures):
            return
        for task, answer, parts in futures.finished():
            if task.cut is None:
                answers[task.split.number] = answer
            else:
                queue.add_parts(parts, finished=True)
        while turn in answers:
            yield answers.pop(turn)
            turn += 1


class _Futures:
    """The tasks on the cluster."""

    def __init__(self, client: Any, setup: bytes, launcher: Launcher, columns: list[str]) -> None:
        self._client = client
        self._setup = setup
        self._launcher = launcher
        self._columns = columns
        self._tasks: dict[Any, Task] = {}
        self._name = uuid.uuid4().hex

    def __len__(self) -> int:
        return len(self._tasks)

    def submit(self, task: Task) -> None:
        """Submit a task."""
        number = f"cut-{task.split.key}" if task.cut is not None else task.split.number
        future = self._client.submit(
            judge_on_worker, self._setup, task, key=f"sentinel-{self._name}-{number}", retries=_RETRIES, pure=False
        )
        self._tasks[future] = task

    def finished(self) -> Iterator[tuple[Task, Answer, Sequence[Any]]]:
        """The finished tasks with their answers; waits for at least one."""
        for future in sorted(self._done(), key=lambda future: str(future.key)):
            task = self._tasks.pop(future)
            answer, parts = self._answer(future, task)
            future.release()
            yield task, answer, parts

    def _done(self) -> set[Any]:
        while True:
            try:
                done: set[Any] = _distributed().wait(list(self._tasks), _SILENT, "FIRST_COMPLETED").done
            except TimeoutError:
                _threads(self._client, self._launcher)
            else:
                return done

    def _answer(self, future: Any, task: Task) -> tuple[Answer, Sequence[Any]]:
        error = future.exception()
        if error is not None:
            return self._failed(task, error), ()
        outcome = Outcome.unpacked(future.result())
        if outcome.refused is not None:
            raise InputError(outcome.refused)
        for warning in outcome.warnings:
            self._launcher.warn_once(warning)
        self._columns[:] = outcome.columns or self._columns  # empty if no process became ready
        summary = Summary.restored(outcome.summary)
        items = BytesIO(outcome.items)
        return Answer(split=task.split, items=items, written=outcome.written, summary=summary), outcome.parts

    def _failed(self, task: Task, error: BaseException) -> Answer:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        if isinstance(error, ImportError):
            raise InputError(
                f"a package is missing on a worker in the cluster: {text}; install the same packages there as here"
            )
        if task.cut is not None:
            raise InputError(f'"{task.split.place}" could not be split by the cluster: {text}')
        answer = Answer.to(task.split)
        answer.give_up(f"the cluster could not judge this part of the input: {text}", self._launcher.plan.format)
        return answer


@contextmanager
def _loss_reported(address: str | None) -> Iterator[None]:
    """Turn Dask's exceptions for a lost scheduler, or lost work, into one ``InputError``."""
    distributed = _distributed()
    unreached = distributed.comm.CommClosedError if address is None else OSError
    try:
        yield
    except (distributed.CancelledError, distributed.client.ClosedClientError, unreached):
        name = "" if address is None else f' "{address}"'
        raise InputError(
            f"the connection to the scheduler{name} was lost; --resume continues after the results that were already written to -o"
        ) from None


def _client(stack: ExitStack, address: str | None, jobs: int, launcher: Launcher) -> tuple[Any, int]:
    """A client of the scheduler, and the number of its workers' threads, at least one."""
    distributed = _distributed()
    for name in ("distributed", "distributed.client"):  # Dask gives each a level of its own
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if address is None:
        stack.enter_context(importlib.import_module("dask").config.set(_UNWATCHED))
        # Workers judge in child processes, so they can be threads, which saves one start of Python per worker.
        cluster = distributed.LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
        stack.enter_context(cluster)
        return stack.enter_context(distributed.Client(cluster)), jobs
    try:
        client = stack.enter_context(distributed.Client(address))
    except (OSError, ValueError) as error:
        raise InputError(f'the scheduler "{address}" cannot be reached: {error}') from None
    while not (threads := _threads(client, launcher)):
        time.sleep(_BETWEEN)
    return client, threads


def _threads(client: Any, launcher: Launcher) -> int:
    """The threads of all workers; warns if there are none."""
    threads: int = sum(client.nthreads().values())
    if not threads:
        launcher.warn_once(f'waiting for workers of "{client.scheduler.address}"')
    return threads


def _distributed() -> Any:
    """The module, which has no types. Raises ``ConfigError`` if it is not installed."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise ConfigError(_NO_DASK) from None


def _portable(plan: Plan) -> Plan:
    """The plan for a process in another folder; without the input, which comes with each task."""
    items = plan.selection.items
    if items is not None:
        items = tuple(str(Path.cwd() / item) if load_target_kind(item) == "file" else item for item in items)
    values = dict(plan.layers.values)
    if (profile := values.get("profile")) is not None and profile.value not in PROFILES:
        values["profile"] = profile._replace(value=str(Path.cwd() / profile.value))
    return plan._replace(sources=(), selection=Selection(items), layers=attrs.evolve(plan.layers, values=values))


def _absolute(unit: Unit) -> Unit:
    """The same files for a process in another folder. Raises ``InputError`` for a stream, which it cannot read."""
    return attrs.evolve(unit, sources=tuple(_absolute_source(source) for source in unit.sources))


def _absolute_source(source: FileSource | InputError) -> FileSource | InputError:
    if isinstance(source, InputError) or source.url:
        return source
    if source.is_spooled:
        raise InputError(f'"{source.label}": a cluster cannot read standard input or a pipe; give a file')
    return attrs.evolve(source, path=Path.cwd() / source.path)
