"""The parent of judging and converting: relays the child's frames, and replaces a child that dies."""

from collections.abc import Callable
from functools import partial
from typing import IO, TYPE_CHECKING, TypeVar

from sentinel_core.cli import complain, warn
from sentinel_core.errors import WorkerError
from sentinel_core.judging.output.sink import Outlet, Sink
from sentinel_core.judging.records import JUDGED, Crashed, Death, Newest, Report, Unread
from sentinel_core.judging.tally import Spared, Tally, death_of, fault_of
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned
from sentinel_core.runtime.printable import counted
from sentinel_core.runtime.watch import file_of

if TYPE_CHECKING:
    from sentinel_core.cli.convert_child import Conversion
    from sentinel_core.judging.job import Plan

__all__ = ["supervise"]

_MOST_DEATHS = 100


_Plan = TypeVar("_Plan", "Plan", "Conversion")


def supervise(
    plan: _Plan,
    stream: IO[bytes] | Outlet,
    *,
    timeout: float,
    memory_mb: int,
    job: Callable[[_Plan, Outbox], None],
) -> Tally:
    """Do everything in ``plan``. A child that a plugin ended is replaced by one that avoids the plugin at that record."""
    tally = Tally()
    sink = stream if isinstance(stream, Outlet) else Sink(stream, plan.format)
    spared = Spared()
    while True:
        own = plan._replace(done=tally.total)
        with Child(partial(job, own), frames=JUDGED, memory=memory_mb << 20) as child:
            try:
                for frame in child.frames(timeout):
                    _relay(frame, sink, tally, plan.format)
                break
            except WorkerError as error:
                if spared(error):
                    continue
                death = death_of(error)
                if death is None or death in plan.deaths or len(plan.deaths) == _MOST_DEATHS:
                    where = _where(file_of(error.mark), tally.total, len(plan.sources))
                    complain(fault_of(error, where) if death is None else _final_message(death, tally.total))
                    tally.broken = True
                    break
                plan = plan._replace(deaths=(*plan.deaths, death))
    sink.finish()
    return tally


def _relay(frame: Frame, sink: Outlet, tally: Tally, form: str) -> None:
    match frame:
        case Report():
            tally.counts[frame.verdict] += 1
            tally.broken = tally.broken or not frame.is_complete
            if frame.task is not None:
                tally.tasks.add(frame.task)
            sink.put(frame.rendered)
        case Unread(unreadable=row):
            tally.counts["unreadable"] += 1
            complain(row.text)
            if form in ("json", "jsonl", "records"):
                sink.put(row.rendered())
        case Crashed(unreadable=row):
            complain(row.text)
        case Newest():
            tally.latest = frame.label
        case Warned():
            warn(frame.text)
        case Refusal():
            complain(frame.text)
            tally.broken = True


def _where(file: str, done: int, files: int) -> str:
    if file:
        return f' after {counted(done, "record")}, at "{file}",'
    return f" after {counted(done, 'record')}" if done or not files else f" before reading {counted(files, 'file')}"


def _final_message(death: Death, done: int) -> str:
    after = f"stopped after {counted(done, 'record')}"
    return f'plugin "{death.at_work.label}" {death.error}; {after} (--plugins can leave it out)'
