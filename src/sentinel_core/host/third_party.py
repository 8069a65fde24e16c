"""Third-party signals and readers for the process that judges: each answer comes from a process of their own, and is checked.

That process is replaced when it dies, hangs or breaks the protocol; only the question that it was at is lost.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from sentinel_core.errors import InputError, PluginError, WorkerDied, WorkerError
from sentinel_core.evaluate.foreign import NonsenseError
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.panel import RemoteSignal
from sentinel_core.host.plugins import Installed, LoadFailure, Plugin
from sentinel_core.host.third_party_process import (
    FRAMES,
    MOST_ANSWER,
    Detected,
    Failed,
    Listed,
    Offered,
    Order,
    Over,
    ReaderRow,
    Record,
    Refused,
    SignalRow,
    Sniffed,
    ThirdPartyPlugins,
    serve,
)
from sentinel_core.offers import ReadError, TraceReader
from sentinel_core.report import Detection, Finding, LedgerEntry, SignalFailure
from sentinel_core.runtime.isolate import SIGKILL, Child
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal
from sentinel_core.runtime.pool import Worker
from sentinel_core.runtime.watch import AtWork, SideEffectError, Watch
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.sources import FileSource

__all__ = ["ThirdParty"]

_BEAT = 0.5  # seconds after which the parent hears that this process still waits
_MOST_DEATHS = 100  # of one plugin, which is then not asked again

_decode_detection = msgspec.msgpack.Decoder(Detection).decode
_decode_entries = msgspec.msgpack.Decoder(list[LedgerEntry]).decode
_decode_trace = msgspec.json.Decoder(ExecutionTrace).decode


class ThirdParty:
    """The plugins, as if they were loaded here. ``timeout`` is in seconds, ``memory`` in bytes, ``largest`` a record's bytes.

    ``crashes`` says which signals ended their process at which record: its number and their name to the error.
    """

    def __init__(
        self,
        wanted: ThirdPartyPlugins,
        watch: Watch,
        outbox: Outbox,
        *,
        timeout: float | None,
        memory: int | None,
        largest: int,
    ) -> None:
        self.crashes: dict[tuple[int, str], str] = {}
        self._wanted, self._watch, self._outbox = wanted, watch, outbox
        self._memory, self._most = memory, 2 * largest + MOST_ANSWER
        self._beat = _BEAT if timeout is None else min(_BEAT, timeout / 4)
        self._worker = Worker(self._launch, timeout)
        self._is_loaded = False
        self._starts = 0
        self._number = 0
        self._sent: TraceIndex | None = None
        self._deaths: dict[str, int] = {}
        self._killed_at: tuple[str, str, int] | None = None

    def _launch(self) -> Child:
        child = Child(partial(serve, self._wanted), frames=FRAMES, memory=self._memory, most=self._most, leads=False)
        self._starts += 1
        self._is_loaded, self._sent = False, None
        return child

    def load(self) -> tuple[list[Plugin], list[LoadFailure]]:
        """Start the process; what it offers. Raises ``PluginError`` as loading here would, and where a file ends the process."""
        offered = self._loaded()
        signals = [self._signal(row) for row in offered.signals]
        readers = [self._reader(row) for row in offered.readers]
        return [*signals, *readers], offered.failures

    def _loaded(self) -> Offered:
        while True:
            try:
                self._worker.start()
                offered: Offered = self._heard(Offered)
            except WorkerError as error:
                self._learn(error)
                continue
            self._is_loaded = True
            return offered

    def _learn(self, error: WorkerError) -> None:
        """Leave out a plugin that cannot be loaded. Raises ``PluginError`` where that is not possible."""
        at_work = AtWork.parse(error.mark or error.last)
        label = "" if at_work is None else at_work.label
        known = {source.label for source in self._wanted.plugins} - dict(self._wanted.dead).keys()
        if label not in known:
            who = f'plugin "{label}"' if label else "the process of third-party plugins"
            raise PluginError(f"{who} {error}; Sentinel stopped (use --plugins to leave the plugin out)")
        self._wanted = self._wanted._replace(dead=(*self._wanted.dead, (label, str(error))))

    def _heard(self, kind: Any) -> Any:
        """The one answer, of this kind. Raises ``WorkerError`` if the process was lost, ``PluginError`` if it can do nothing."""
        answer: Frame | None = None
        while self._worker.is_busy:
            self._worker.wait(self._beat)
            self._outbox.alive()
            for frame in self._worker.heard():
                if isinstance(frame, Refusal):
                    raise PluginError(frame.text)
                if answer is not None or getattr(frame, "number", self._number) != self._number:
                    self._worker.close()
                    raise WorkerDied("answered what it was not asked")
                answer = frame
        if isinstance(answer, kind):
            return answer
        self._worker.close()
        raise WorkerDied("gave no answer" if answer is None else "answered what it was not asked")

    def _ask(self, kind: Any, stage: str, label: str, method: str, *arguments: object) -> Any:
        """The answer to a question. Raises ``WorkerError`` if the plugin ended the process, hung, or broke the protocol."""
        self._watch(stage, label)
        try:
            while True:
                if not self._is_loaded:
                    self._loaded()
                    if method == "next":
                        raise _Reopen
                self._number += 1
                self._worker.give(
                    Order(self._number, self._watch.item, self._watch.file, method, self._complete(method, arguments))
                )
                try:
                    return self._heard(kind)
                except WorkerError as error:
                    self._is_loaded = False
                    if not (self._is_of_another(error, label) or self._is_spared(error, stage, label)):
                        self._deaths[label] = self._deaths.get(label, 0) + 1
                        raise
        finally:
            self._watch.nothing()

    def _complete(self, method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The trace is sent with the first question about it only."""
        if method not in ("detect", "ledger"):
            return arguments
        name, index, *rest = arguments
        is_known, self._sent = self._sent is index, index
        return name, None if is_known else index.trace, *rest

    def _is_of_another(self, error: WorkerError, label: str) -> bool:
        """Whether a plugin that had answered already ended the process; to be warned of, and to ask again after."""
        last = AtWork.parse(error.mark or error.last)
        if last is None or last.label in ("", label) or self._deaths.get(last.label, 0) >= _MOST_DEATHS:
            return False
        self._deaths[last.label] = self._deaths.get(last.label, 0) + 1
        self._outbox.warn(f'plugin "{last.label}", after its answer, {error}')
        return True

    def _is_spared(self, error: WorkerError, stage: str, label: str) -> bool:
        """Whether to ask again: the first SIGKILL at a place may have come from outside."""
        place = (stage, label, self._watch.item)
        if not isinstance(error, WorkerDied) or error.signal != SIGKILL or place == self._killed_at:
            return False
        self._killed_at = place
        return True

    def _signal(self, row: SignalRow) -> Plugin:
        detect: Any = partial(self._detect, row.source)  # its failures are told, not raised
        offer = RemoteSignal(
            name=row.source.name,
            summary="",
            detect=detect,
            rules=row.rules,
            filled=row.filled,
            ledger=partial(self._ledger, row.source) if row.has_ledger else None,
        )
        return Plugin(source=row.source, offer=offer)

    def _detect(self, source: Installed, index: TraceIndex) -> Detection | SignalFailure:
        label = source.label
        if self._deaths.get(label, 0) >= _MOST_DEATHS:
            return _failure(source, f"ended its process {_MOST_DEATHS} times, and is not asked any more")
        try:
            answer = self._ask(Detected | Failed, "detect", label, "detect", source.name, index)
        except WorkerError as error:
            self.crashes[self._watch.item, source.name] = str(error)
            return _failure(source, str(error))
        if isinstance(answer, Failed):
            return _failure(source, answer.text)
        if len(answer.detection) > MOST_ANSWER:
            return _failure(source, f"sent {len(answer.detection):,} bytes; expected at most {MOST_ANSWER:,}")
        try:
            return _decode_detection(answer.detection)
        except (ValueError, TypeError) as error:
            return _failure(source, f"sent no detection: {error}")

    def _ledger(self, source: Installed, index: TraceIndex, findings: Sequence[Finding]) -> list[LedgerEntry]:
        """Raises ``NonsenseError`` that says what went wrong."""
        asked = (source.name, index, tuple(findings))
        try:
            answer = self._ask(Listed | Failed, "detect", source.label, "ledger", *asked)
            if isinstance(answer, Failed):
                raise NonsenseError(answer.text)
            return _decode_entries(answer.entries)
        except (WorkerError, ValueError, TypeError) as error:
            raise NonsenseError(str(error)) from error

    def _reader(self, row: ReaderRow) -> Plugin:
        offer = TraceReader(
            name=row.source.name,
            summary=row.summary,
            sniff=partial(self._sniff, row.source),
            read=partial(self._read, row.source),
            grain=row.grain,
            kept_at=row.kept_at,
        )
        return Plugin(source=row.source, offer=offer)

    def _sniff(self, source: Installed, head: bytes, filename: str) -> int:
        """Raises ``InputError`` that says what the reader did."""
        try:
            answer = self._ask(Sniffed | Failed, "sniff", source.label, "sniff", source.name, head, filename)
        except WorkerError as error:
            raise InputError(str(error)) from error
        return answer.score if isinstance(answer, Sniffed) else _raise(answer)

    def _read(self, reader: Installed, source: FileSource) -> Iterator[ExecutionTrace | ReadError]:
        given, starts = 0, -1
        ask = partial(self._ask, Record | Refused | Over | Failed, "read", reader.label)
        while True:
            try:
                if starts == self._starts and self._is_loaded:
                    answer = ask("next")
                else:
                    answer = ask("open", reader.name, source, given)
                    starts = self._starts
            except _Reopen:
                continue
            except WorkerError as error:
                raise InputError(f'its reader "{reader.name}" {error}') from error
            match answer:
                case Over():
                    return
                case Failed():
                    _raise(answer)
                case Refused():
                    yield ReadError(message=answer.message, line=answer.line)
                case Record():
                    yield self._trace(answer, reader, source.records_before + given + 1)
            given += 1

    def _trace(self, record: Record, reader: Installed, number: int) -> ExecutionTrace | ReadError:
        try:
            return _trace_of(record.trace)
        except (ValueError, RecursionError) as error:
            told = self._ask(Refused | Failed, "read", reader.label, "problem")
            problem = (told.message if isinstance(told, Refused) else told.text) or str(error)
            return ReadError(
                message=f'its reader "{reader.name}" returned a malformed trace as record {number}: {problem}'
            )


class _Reopen(Exception):
    """The process was replaced, and the source that it was reading must be opened again."""


def _trace_of(data: bytes) -> ExecutionTrace:
    """Raises ``ValueError`` for what is no trace. Half of a surrogate pair stays, for what is wrong is told with its place."""
    try:
        return _decode_trace(data)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        import json

        return msgspec.convert(json.loads(data), ExecutionTrace)


_ERRORS: Mapping[str, type[Exception]] = {"system": OSError, "side effect": SideEffectError}


def _raise(failed: Failed) -> Any:
    raise _ERRORS.get(failed.kind, InputError)(failed.text)


def _failure(source: Installed, error: str) -> SignalFailure:
    return SignalFailure(signal_name=source.name, error=error, distribution=source.distribution, version=source.version)
