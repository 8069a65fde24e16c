"""Reads the records of all sources, in an order that is the same after every restart; and the frames on them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from sentinel_core.errors import InputError
from sentinel_core.host.selection import did_you_mean
from sentinel_core.offers import ReadError, TraceReader
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned
from sentinel_core.runtime.watch import AtWork, SideEffectError, Watch
from sentinel_core.trace import GAPS, ExecutionTrace, reading_remarks
from sentinel_core.traces.sources import FileSource, choose_reader, latest_session
from sentinel_core.traces.sources.file_source import as_text
from sentinel_core.traces.sources.record_stream import OVER, RecordStream, is_whole

if TYPE_CHECKING:
    from sentinel_core.host.plugins import LoadFailure

__all__ = [
    "CUT_SHORT",
    "JUDGED",
    "Crashed",
    "Death",
    "Newest",
    "Readable",
    "Report",
    "Unread",
    "Unreadable",
    "Work",
    "read_records",
    "warn_unloaded",
]

CUT_SHORT = "changed while it was being read: the rest of it is missing"
_NO_TRACE = "contains no trace: nothing to check"


class Death(NamedTuple):
    """A child that ended while foreign code was at work: where, and how."""

    at_work: AtWork
    error: str


class Work(Protocol):
    """The input: sources, and the newest session of a tool; read by ``reader``, if one is named."""

    @property
    def sources(self) -> tuple[FileSource | InputError, ...]:
        """Files, and errors for arguments without a file."""

    @property
    def latest(self) -> str | None:
        """The name of a reader, to read its tool's newest session."""

    @property
    def strict(self) -> bool:
        """Whether to refuse unknown and duplicate keys, and traces that could not be read completely."""

    @property
    def max_record(self) -> int:
        """The largest record in bytes."""

    @property
    def reader(self) -> str | None:
        """The name of the reader to use instead of detection."""

    @property
    def deaths(self) -> tuple[Death, ...]:
        """How earlier children ended."""


class Readable(NamedTuple):
    """A trace and its place: the file, the record's number, and whether records are lines there (``grain``).

    ``reader`` is the name of its reader.
    """

    trace: ExecutionTrace
    file: FileSource
    grain: str
    number: int
    reader: str

    @property
    def source(self) -> str:
        """The file's name, the same from every working directory."""
        return self.file.place

    @property
    def label(self) -> str:
        """The file as the user named it."""
        return self.file.label

    @property
    def line(self) -> int | None:
        """The line, looked up in the file; None if records are not lines."""
        from sentinel_core.traces.sources.parts import line_of

        return line_of(self.file, self.number) if self.grain == "line" else None

    def malformed(self) -> "Unreadable | None":
        """The error for a trace that its reader built from invalid values; None for a valid trace."""
        from sentinel_core.traces.problems import problem_of

        problem = problem_of(self.trace)
        if problem is None:
            return None
        message = f'its reader "{self.reader}" returned a malformed trace as record {self.number}: {problem}'
        return Unreadable(message=message, source=self.source, label=self.label)


class Unreadable(NamedTuple):
    """A record or file that gives no trace, and why. ``label`` as for ``Readable``."""

    message: str
    source: str = ""
    label: str = ""
    line: int | None = None

    def row(self) -> bytes:
        """As JSON for the parent; in ASCII, because the message may hold lone surrogates."""
        import json

        return json.dumps(self._asdict()).encode()

    @classmethod
    def parse(cls, row: bytes) -> "Unreadable":
        """From ``row``."""
        import json

        return cls(**json.loads(row))

    @property
    def text(self) -> str:
        """One line for people: the file as they named it, the line, and the problem."""
        line = "" if self.line is None else f" line {self.line}"
        return f'"{self.label}"{line}: {self.message}' if self.label else self.message

    def rendered(self, *, whole: bool = False) -> bytes:
        """The record's row among JSON reports; with ``whole`` the source is as the user named it."""
        import json

        from sentinel_core.runtime.printable import printable_json
        from sentinel_core.runtime.redact import redact

        source = self.label if whole else self.source
        error = {"message": redact(as_text(self.message)), "source": redact(source), "line": self.line}
        return printable_json(json.dumps({"error": error}).encode())


class Report(Frame):
    """A record's rendered report; in a conversion, the written trace. ``task`` is its key where tasks have expectations."""

    verdict: Literal["PASS", "WARN", "FAIL", "no verdict"]
    is_complete: bool
    rendered: bytes
    task: str | None = None


class Unread(Frame):
    """A record that gives no trace."""

    row: bytes

    @property
    def unreadable(self) -> Unreadable:
        """The error in the record's place."""
        return Unreadable.parse(self.row)


class Crashed(Frame):
    """A weighted signal crashed on the record whose report comes next."""

    row: bytes

    @property
    def unreadable(self) -> Unreadable:
        """The error beside the report."""
        return Unreadable.parse(self.row)


class Newest(Frame):
    """The file of the newest session, which was opened."""

    label: str


JUDGED = Report | Unread | Crashed | Newest | Warned | Refusal
"""The frames of a child that judges or converts records."""


def read_records(work: Work, readers: list[TraceReader], watch: Watch) -> Iterator[Readable | Unreadable]:
    """Every record of every source, in order. Deterministic: a restart gives the same records.

    Raises ``InputError`` if the reader that the user named does not exist.
    """
    deaths = {(death.at_work.stage, death.at_work.file, death.at_work.item): death for death in work.deaths}
    produced = 0
    for file, (source, wanted) in enumerate((*_wanted(work, readers), *_latest(work, readers))):
        watch.file = file
        forced = wanted is not readers
        for outcome in _of_source(source, wanted, watch, forced=forced, deaths=deaths, produced=produced):
            produced += 1
            yield outcome
            watch.item = produced


def _of_source(
    source: FileSource | InputError,
    readers: list[TraceReader],
    watch: Watch,
    *,
    forced: bool,
    deaths: "_Deaths",
    produced: int,
) -> Iterator[Readable | Unreadable]:
    if isinstance(source, InputError):
        yield Unreadable(message=source.reason, source=source.place, label=source.label)
        return
    start = produced
    watch.begin(source.label)
    if source.is_gone:
        yield Unreadable(message=CUT_SHORT, source=source.place, label=source.label)
        return
    try:
        _refuse_the_dead(deaths, "sniff", watch.file, produced)
        reader = choose_reader(source, readers, watch, forced=forced)
        records = RecordStream(reader, source)
        while True:
            _refuse_the_dead(deaths, "read", watch.file, produced)
            with watch("read", f"trace_readers:{reader.name}"):
                record = records.next()
            if record is OVER:
                break
            yield _outcome(record, source, reader, source.records_before + produced - start + 1)
            produced += 1
    except (InputError, SideEffectError) as error:
        messages = [str(error)]
    except (OSError, EOFError) as error:
        messages = [] if source.is_cut_short else [f"cannot be read completely: {error}"]
    else:
        messages = [_NO_TRACE] if produced == start and source.length is None else []
    for message in (*messages, *([CUT_SHORT] if source.is_cut_short else [])):
        yield Unreadable(message=message, source=source.place, label=source.label)


_Deaths = Mapping[tuple[str, int, int], Death]  # by stage, file and record


def _refuse_the_dead(deaths: _Deaths, stage: str, file: int, item: int) -> None:
    death = deaths.get((stage, file, item))
    if death is not None:
        raise InputError(f'its reader "{death.at_work.label.partition(":")[2]}" {death.error}')


def _outcome(record: object, source: FileSource, reader: TraceReader, number: int) -> Readable | Unreadable:
    if isinstance(record, ReadError):
        message = record.message or f'its reader "{reader.name}" rejected record {number} without giving a reason'
        return Unreadable(message=message, source=source.place, label=source.label, line=record.line)
    if not isinstance(record, ExecutionTrace):
        message = (
            f'its reader "{reader.name}" returned a {type(record).__name__}; expected an ExecutionTrace or a ReadError'
        )
        return Unreadable(message=message, source=source.place, label=source.label)
    readable = Readable(trace=record, file=source, grain=reader.grain, number=number, reader=reader.name)
    if not is_whole(record) and (malformed := readable.malformed()) is not None:
        return malformed
    if source.strict and (gaps := reading_remarks(record, GAPS)):
        message = f"--strict rejects record {number}, because it could not be read completely: {'; '.join(gaps)}"
        return Unreadable(message=message, source=source.place, label=source.label)
    return readable


def warn_unloaded(failures: "Iterable[LoadFailure]", done: int, deaths: Iterable[Death], outbox: Outbox) -> None:
    """Warn of plugins that could not be loaded, unless an earlier child did so before its first record."""
    if done or any(death.at_work.stage != "load" for death in deaths):
        return
    for failure in failures:
        outbox.warn(f'plugin "{failure.source.label}" ({failure.source.origin}) {failure.error}')


_Wanted = tuple[FileSource | InputError, list[TraceReader]]


def _wanted(work: Work, readers: list[TraceReader]) -> list[_Wanted]:
    """Each source with the readers to ask: all, or the one that the user named."""
    asked = readers if work.reader is None or not readers else [_named(work.reader, readers, "--from")]
    return [(source, asked) for source in work.sources]


def _latest(work: Work, readers: list[TraceReader]) -> list[_Wanted]:
    """The newest session of a tool, with that tool's reader."""
    if work.latest is None:
        return []
    if not work.latest:
        tools = ", ".join(reader.name for reader in readers if reader.kept_at)
        raise InputError(
            f"--latest needs the name of a tool whose sessions can be found (installed: {tools or 'none'})"
        )
    reader = _named(work.latest, readers, "--latest")
    try:
        return [(latest_session(reader, strict=work.strict, max_record=work.max_record), [reader])]
    except InputError as error:
        return [(error, [reader])]


def _named(name: str, readers: Sequence[TraceReader], flag: str) -> TraceReader:
    for reader in readers:
        if reader.name == name:
            return reader
    known = [reader.name for reader in readers]
    family = sorted(one for one in known if one.startswith(f"{name}-"))
    near = f"; did you mean {' or '.join(map(_quoted, family))}?" if family else did_you_mean(name, known)
    raise InputError(f'{flag} "{name}": there is no such trace reader{near} ("sentinel formats" lists the readers)')


def _quoted(name: str) -> str:
    return f'"{name}"'
