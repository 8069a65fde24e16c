"""The process that third-party signals and readers run in: it loads them, and answers questions about one record at a time.

All that it sends is typed, numbered and checked by the process that judges, which shares neither memory nor descriptors
with it. A trace arrives pickled, from the process that judges; nothing that leaves is pickled.
"""

import gc
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from sentinel_core.errors import InputError, PluginError, SentinelError
from sentinel_core.evaluate.evaluator import BoundSignal, answer_of
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.panel import bind
from sentinel_core.host.plugins import Installed, LoadFailure, load
from sentinel_core.host.settings import Layers
from sentinel_core.offers import ReadError, Rule, TraceReader
from sentinel_core.report import Detection, Finding
from sentinel_core.runtime.confine import close_inherited, protect_memory, renounce_tracing
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, as_text
from sentinel_core.runtime.watch import SideEffectError, Watch
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.problems import problem_of
from sentinel_core.traces.sources import FileSource
from sentinel_core.traces.sources.record_stream import OVER, RecordStream, is_whole

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "FRAMES",
    "KINDS",
    "MOST_ANSWER",
    "Detected",
    "Failed",
    "Listed",
    "Offered",
    "Order",
    "Over",
    "Record",
    "Refused",
    "Sniffed",
    "ThirdPartyPlugins",
    "serve",
]

KINDS = ("signals", "trace_readers")
MOST_ANSWER = 16 << 20
"""The largest answer of a signal, in bytes."""

_encode_trace = msgspec.json.Encoder().encode
_encode_answer = msgspec.msgpack.Encoder().encode


class ThirdPartyPlugins(NamedTuple):
    """What to load, with which settings. ``dead`` maps labels that must not be loaded again to the reason.

    ``keep`` are descriptors that sources are read from.
    """

    plugins: tuple[Installed, ...]
    targets: tuple[str, ...]
    layers: Layers
    dead: tuple[tuple[str, str], ...] = ()
    keep: tuple[int, ...] = ()


class SignalRow(msgspec.Struct):
    """A loaded signal, with its settings filled in as reports show them."""

    source: Installed
    filled: dict[str, Any]
    rules: list[Rule]
    has_ledger: bool


class ReaderRow(msgspec.Struct):
    """A loaded reader."""

    source: Installed
    summary: str
    grain: Literal["line", "file"]
    kept_at: tuple[str, ...]


class Offered(Frame):
    """Everything is loaded."""

    signals: list[SignalRow]
    readers: list[ReaderRow]
    failures: list[LoadFailure]


class Detected(Frame):
    """A signal's answer: a ``Detection`` in msgpack."""

    number: int
    detection: bytes


class Listed(Frame):
    """The claims that a signal lists: a list of ``LedgerEntry`` in msgpack."""

    number: int
    entries: bytes


class Sniffed(Frame):
    """How sure a reader is."""

    number: int
    score: int


class Record(Frame):
    """A record that a reader gave, as JSON; empty where it cannot be written as JSON."""

    number: int
    trace: bytes


class Refused(Frame):
    """A record that a reader refused."""

    number: int
    message: str
    line: int | None


class Over(Frame):
    """The source has no more records."""

    number: int


class Failed(Frame):
    """No answer; ``kind`` is what the process that judges makes of it."""

    number: int
    kind: Literal["signal", "input", "system", "side effect"]
    text: str


FRAMES = Offered | Detected | Listed | Sniffed | Record | Refused | Over | Failed | Refusal


class Order(NamedTuple):
    """A question: the answer carries its number. ``item`` and ``file`` are the numbers of the record and of its file."""

    number: int
    item: int
    file: int
    method: str
    arguments: tuple[Any, ...]


def serve(wanted: ThirdPartyPlugins, outbox: Outbox) -> None:
    """Load everything, then answer orders until there are no more."""
    protect_memory()
    renounce_tracing()
    close_inherited({*outbox.descriptors, *wanted.keep})
    watch = Watch(outbox)
    try:
        hosted = _Hosted(wanted, watch)
        outbox.send(hosted.offered)
        gc.freeze()
        for order in outbox.orders():
            watch.item, watch.file = order.item, order.file
            outbox.send(hosted.answer(order))
    except SentinelError as error:
        outbox.refuse(error)


class _Hosted:
    """The loaded plugins, the record that signals are asked about, and the records of the source that is being read."""

    def __init__(self, wanted: ThirdPartyPlugins, watch: Watch) -> None:
        plugins, failures = load(wanted.plugins, wanted.targets, kinds=KINDS, dead=dict(wanted.dead), watch=watch)
        self._watch = watch
        self._readers: dict[str, TraceReader] = {
            plugin.offer.name: plugin.offer for plugin in plugins if plugin.source.kind == "trace_readers"
        }
        self._signals: dict[str, BoundSignal] = {}
        self._index: TraceIndex | None = None
        self._records: RecordStream | None = None
        self._reading = ""
        self._last: object = None
        self.offered = Offered(signals=[], readers=[], failures=failures)
        for plugin in plugins:
            source, offer = plugin.source, plugin.offer
            if source.kind == "trace_readers":
                row = ReaderRow(source=source, summary=offer.summary, grain=offer.grain, kept_at=offer.kept_at)
                self.offered.readers.append(row)
                continue
            try:
                bound = bind(plugin, wanted.layers, watch)
            except PluginError as error:
                failures.append(LoadFailure(source=source, error=str(error)))
                continue
            self._signals[source.name] = bound
            filled = msgspec.to_builtins(bound.settings, enc_hook=str)
            self.offered.signals.append(SignalRow(source, filled, list(offer.rules), offer.ledger is not None))

    def answer(self, order: Order) -> Frame:
        """The answer to an order."""
        methods: dict[str, Callable[..., Frame]] = {
            "detect": self._detect,
            "ledger": self._ledger,
            "sniff": self._sniff,
            "open": self._open,
            "next": self._next,
            "problem": self._problem,
        }
        try:
            return methods[order.method](order.number, *order.arguments)
        except SideEffectError as error:
            return Failed(order.number, "side effect", as_text(str(error)))
        except InputError as error:
            return Failed(order.number, "input", as_text(str(error)))
        except (OSError, EOFError) as error:
            return Failed(order.number, "system", as_text(str(error)))

    def _detect(self, number: int, name: str, trace: ExecutionTrace | None) -> Frame:
        """A signal's answer about a trace; None is the trace of the order before."""
        if trace is not None:
            self._index = TraceIndex(trace)
        assert self._index is not None
        self._index, answer = answer_of(self._signals[name], self._index)
        if not isinstance(answer, Detection):
            return Failed(number, "signal", as_text(answer.error))
        try:
            data = _encode_answer(answer)
        except UnicodeEncodeError:
            return Failed(number, "signal", "returned text with half of a surrogate pair, which is not valid text")
        if len(data) > MOST_ANSWER:
            return Failed(number, "signal", f"returned {len(data):,} bytes; expected at most {MOST_ANSWER:,}")
        return Detected(number, data)

    def _ledger(self, number: int, name: str, trace: ExecutionTrace | None, findings: tuple[Finding, ...]) -> Frame:
        if trace is not None:
            self._index = TraceIndex(trace)
        signal = self._signals[name]
        assert self._index is not None
        assert signal.ledger is not None
        try:
            data = _encode_answer(list(signal.ledger(self._index, findings)))
        except (SideEffectError, KeyboardInterrupt):
            raise
        except BaseException as error:
            from sentinel_core.evaluate.foreign import describe

            raise InputError(describe(error)) from error
        if len(data) > MOST_ANSWER:
            raise InputError(f"listed {len(data):,} bytes; expected at most {MOST_ANSWER:,}")
        return Listed(number, data)

    def _sniff(self, number: int, name: str, head: bytes, filename: str) -> Frame:
        try:
            with self._watch("sniff", f"trace_readers:{name}"):
                score: object = self._readers[name].sniff(head, filename)
        except (SideEffectError, KeyboardInterrupt):
            raise
        except BaseException as error:
            from sentinel_core.evaluate.foreign import describe

            raise InputError(describe(error)) from error
        if type(score) is not int or abs(score) > 1 << 32:
            raise InputError(f"returned {score!r:.40}; expected a whole number from 0 to 100")
        return Sniffed(number, score)

    def _open(self, number: int, name: str, source: FileSource, skip: int) -> Frame:
        """The first record of a source after ``skip`` others."""
        self._reading, self._records = name, RecordStream(self._readers[name], source)
        for _ in range(skip):
            self._record()
        return self._next(number)

    def _record(self) -> object:
        assert self._records is not None
        with self._watch("read", f"trace_readers:{self._reading}"):
            self._last = self._records.next()
        return self._last

    def _next(self, number: int) -> Frame:
        record = self._record()
        if record is OVER:
            return Over(number)
        if isinstance(record, ReadError):
            return Refused(number, as_text(str(record.message)), record.line)
        if not isinstance(record, ExecutionTrace):
            kind = type(record).__name__
            wanted = "expected an ExecutionTrace or a ReadError"
            return Refused(number, f'its reader "{self._reading}" returned a {kind}; {wanted}', None)
        return Record(number, _written(record))

    def _problem(self, number: int) -> Frame:
        """What is wrong with the last record; empty if nothing is."""
        problem = problem_of(self._last) if isinstance(self._last, ExecutionTrace) else None
        return Refused(number, as_text(str(problem or "")), None)


def _written(trace: ExecutionTrace) -> bytes:
    """The trace as JSON; empty for a malformed one."""
    try:
        if not is_whole(trace):
            return b""
        return _encode_trace(trace)
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can hold
        import json

        return json.dumps(msgspec.to_builtins(trace)).encode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return b""
