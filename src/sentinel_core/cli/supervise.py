"""What the parent does for ``sentinel evaluate``: relay whole frames, and outlive whatever the child does."""

import sys
from collections.abc import Callable
from functools import partial
from typing import IO, TypeVar

import attrs
import click

from sentinel_core.cli import ERROR, complain
from sentinel_core.cli.converting import Conversion
from sentinel_core.cli.frames import REPORT, UNREADABLE, WARNING
from sentinel_core.cli.items import Death, Unreadable
from sentinel_core.cli.judging import Plan
from sentinel_core.cli.sink import Sink
from sentinel_core.errors import WorkerError, WorkerTimeout
from sentinel_core.isolate import Child, Outbox
from sentinel_core.watch import AtWork

__all__ = ["VERDICTS", "Tally", "death_of", "supervise", "use_color", "warn"]

_MOST_DEATHS = 100
VERDICTS = {b"P": "PASS", b"W": "WARN", b"F": "FAIL", b"-": "no verdict"}


_Plan = TypeVar("_Plan", Plan, Conversion)


@attrs.define
class Tally:
    """How many reports of each verdict, how many records could not be read, and whether anything else went wrong."""

    counts: dict[str, int] = attrs.field(factory=lambda: dict.fromkeys((*VERDICTS.values(), "unreadable"), 0))
    broken: bool = False

    @property
    def total(self) -> int:
        """Items told so far."""
        return sum(self.counts.values())

    def exit_code(self, fail_on: str) -> int:
        """3 where anything could not be judged, else that of the worst verdict, as far as ``fail_on`` lets it count."""
        if self.broken or not self.total or self.counts["unreadable"] or self.counts["no verdict"]:
            return ERROR
        if self.counts["FAIL"] and fail_on != "never":
            return 2
        return 1 if self.counts["WARN"] and fail_on == "warn" else 0


def supervise(
    plan: _Plan,
    stream: IO[bytes],
    *,
    timeout: float,
    memory_mb: int,
    job: Callable[[_Plan, Outbox], None],
) -> Tally:
    """Do everything in ``plan``. A child that dies at a plugin's hand is replaced by one that goes around it."""
    tally = Tally()
    sink = Sink(stream, plan.format)
    while True:
        own = attrs.evolve(plan, done=tally.total)
        with Child(partial(job, own), memory=memory_mb << 20) as child:
            try:
                for frame in child.frames(timeout):
                    _relay(frame, sink, tally, plan.format)
                break
            except WorkerError as error:
                death = death_of(child.mark, error, timeout)
                if death is None or death in plan.deaths or len(plan.deaths) == _MOST_DEATHS:
                    complain(_last_words(death, error, tally.total))
                    tally.broken = True
                    break
                plan = attrs.evolve(plan, deaths=(*plan.deaths, death))
    sink.finish()
    return tally


def _relay(frame: bytes, sink: Sink, tally: Tally, form: str) -> None:
    kind, body = frame[:1], frame[1:]
    if kind == REPORT:
        tally.counts[VERDICTS[body[:1]]] += 1
        tally.broken = tally.broken or body[1:2] != b"c"
        sink.put(body[2:])
    elif kind == UNREADABLE:
        tally.counts["unreadable"] += 1
        row = Unreadable.parse(body)
        complain(row.told)
        if form in ("json", "jsonl"):
            sink.put(row.rendered())
    elif kind == WARNING:
        warn(body.decode("utf-8", "replace"))
    else:
        complain(body.decode("utf-8", "replace"))
        tally.broken = True


def warn(message: str) -> None:
    """One line of warning on standard error, with nothing in it that a terminal would act on."""
    from sentinel_core.output.printable import printable

    click.echo(f"sentinel: warning: {printable(message)}", err=True)


def death_of(mark: str, error: WorkerError, timeout: float) -> Death | None:
    """Who was at work, from the child's mark; None where it was no plugin."""
    at_work = AtWork.parse(mark)
    if at_work is None:
        return None
    text = f"did not finish within {timeout:g} s" if isinstance(error, WorkerTimeout) else str(error)
    return Death(at_work=at_work, error=text)


def _last_words(death: Death | None, error: WorkerError, done: int) -> str:
    if death is None:
        return f"the process that judges stopped after {done} records and no plugin was at work: {error}"
    return f'plugin "{death.at_work.label}" {death.error}; stopped after {done} records (--plugins can leave it out)'


def use_color() -> bool:
    """Colour for a terminal that can show it, unless ``NO_COLOR`` is set; ``FORCE_COLOR`` asks for it anyway."""
    import os

    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
