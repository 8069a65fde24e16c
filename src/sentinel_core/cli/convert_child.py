"""The child of ``sentinel convert``: reads records, writes each in another format."""

from collections.abc import Callable
from typing import NamedTuple

from sentinel_core.errors import InputError, PluginError, SentinelError, error_text
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.judging.records import (
    Death,
    Newest,
    Readable,
    Report,
    Unread,
    Unreadable,
    read_records,
    warn_unloaded,
)
from sentinel_core.offers import TraceReader
from sentinel_core.runtime.outbox import Frame, Outbox
from sentinel_core.runtime.printable import printable_json
from sentinel_core.runtime.redact import redact_json
from sentinel_core.runtime.watch import Watch
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.sources import FileSource

__all__ = ["Conversion", "convert_job"]

_KINDS = ("trace_readers",)
_Write = Callable[[ExecutionTrace], bytes]


class Conversion(NamedTuple):
    """What to convert, and to which format."""

    sources: tuple[FileSource | InputError, ...]
    selection: Selection
    to: str
    reader: str | None = None
    latest: str | None = None
    strict: bool = False
    max_record: int = 256 << 20
    format: str = "lines"
    done: int = 0
    deaths: tuple[Death, ...] = ()


def convert_job(work: Conversion, outbox: Outbox) -> None:
    """Send frames like the judging job, with a written trace in place of a report."""
    watch = Watch(outbox)
    try:
        readers = _load_readers(work, watch, outbox)
        write = _writer(work.to, readers)
        label = ""
        for item, outcome in enumerate(read_records(work, readers, watch)):
            watch.item = item
            label = outcome.label  # the newest session comes last
            if item < work.done:
                continue
            if isinstance(outcome, Unreadable):
                outbox.send(Unread(outcome.row()))
                continue
            outbox.send(_written(outcome, write, work.to, watch))
        if work.latest is not None and label:
            outbox.send(Newest(label.encode("utf-8", "replace").decode()))
    except SentinelError as error:
        outbox.refuse(error)


def _written(outcome: Readable, write: _Write, to: str, watch: Watch) -> Frame:
    try:
        with watch("write", f"trace_readers:{to}"):
            written = write(outcome.trace)
        return Report("PASS", True, printable_json(redact_json(written)))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a plugin's writer may raise anything; only this trace is lost
        message = f'record {outcome.number}: the writer "{to}" raised {type(error).__name__}: {error_text(error)}'
        return Unread(Unreadable(message=message, source=outcome.source, label=outcome.label).row())


def _load_readers(work: Conversion, watch: Watch, outbox: Outbox) -> list[TraceReader]:
    """Every reader that loads; warns of the others."""
    chosen, _ = select(work.selection, _KINDS)
    dead = {death.at_work.label: death.error for death in work.deaths if death.at_work.stage == "load"}
    plugins, failures = load(chosen, work.selection.targets, kinds=_KINDS, dead=dead, watch=watch)
    warn_unloaded(failures, work.done, work.deaths, outbox)
    return [plugin.offer for plugin in plugins]


def _writer(name: str, readers: list[TraceReader]) -> _Write:
    for reader in readers:
        if reader.name == name and reader.write is not None:
            return reader.write
    can = ", ".join(sorted(reader.name for reader in readers if reader.write is not None)) or "none"
    raise PluginError(
        f'--to "{name}": no installed reader writes this format; the formats that can be written are: {can}'
    )
