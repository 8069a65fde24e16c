"""A plugin's output in a process of its own: it takes records, and gives the bytes of its file."""

import io
from functools import partial
from typing import IO, TYPE_CHECKING

import msgspec

from sentinel_core.errors import PluginError, WorkerError
from sentinel_core.host.plugins import Installed, load
from sentinel_core.judging.output.formats import Format
from sentinel_core.judging.output.record import Extra, Record
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal
from sentinel_core.runtime.pool import Worker
from sentinel_core.runtime.watch import Watch

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from sentinel_core.offers import Document

__all__ = ["PluginDocument", "described"]

_END = b""  # in the place of a record
_TIMEOUT = 60.0  # seconds for one record
_MEMORY = 2 << 30
_EXTRAS: frozenset[Extra] = frozenset({"text", "line", "rules"})

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Record).decode


class Row(Frame):
    """What a plugin offers."""

    name: str
    summary: str
    endings: tuple[str, ...]
    source: Installed


class Opened(Frame):
    """The document is open; what it needs of each record."""

    extras: list[str]


class Written(Frame):
    """Bytes of the file."""

    data: bytes


def described(sources: tuple[Installed, ...]) -> list[Format]:
    """What these plugins offer, each asked in a process of its own; one that cannot be loaded is left out."""
    return [row for source in sources if (row := _row(source)) is not None]


def _row(source: Installed) -> Format | None:
    with Child(partial(_describe, source), frames=Row, memory=_MEMORY) as child:
        try:
            rows = [Format(row.name, row.summary, row.endings, row.source) for row in child.frames(_TIMEOUT)]
        except WorkerError:
            return None
    return rows[0] if rows else None


def _describe(source: Installed, outbox: Outbox) -> None:
    plugins, _ = load((source,), kinds=("outputs",), watch=Watch(outbox))
    for plugin in plugins:
        offer = plugin.offer
        outbox.send(Row(name=offer.name, summary=offer.summary, endings=offer.endings, source=plugin.source))


class PluginDocument:
    """One output of a plugin. Raises ``PluginError`` that names it if it goes wrong; its file is then not written."""

    def __init__(self, source: Installed, stream: IO[bytes], settings: OutputSettings) -> None:
        self._source, self._stream = source, stream
        launch = partial(Child, partial(_serve, source, settings), frames=Opened | Written | Refusal, memory=_MEMORY)
        self._worker = Worker(launch, _TIMEOUT)
        self.extras: frozenset[Extra] = frozenset()
        self._worker.start()
        self._take()

    def add(self, record: Record) -> None:
        """Hand on a record, and write what the plugin gives."""
        self._ask(_encode(record))

    def finish(self) -> None:
        """Let the plugin end its document."""
        self._ask(_END)
        self._worker.close()

    def _ask(self, line: bytes) -> None:
        self._worker.give(line)
        self._take()

    def _take(self) -> None:
        try:
            for frame in self._worker.answers():
                match frame:
                    case Opened():
                        self.extras = _EXTRAS & frozenset(frame.extras)
                    case Written():
                        self._stream.write(frame.data)
                    case Refusal():
                        raise PluginError(f'output "{self._source.name}" ({self._source.origin}) {frame.text}')
        except WorkerError as error:
            raise PluginError(f'output "{self._source.name}" ({self._source.origin}): {error}') from error


class _Stream(io.RawIOBase):
    """Sends what is written to the process that owns the file."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        sent = bytes(data)
        self._outbox.send(Written(sent))
        return len(sent)


def _serve(source: Installed, settings: OutputSettings, outbox: Outbox) -> None:
    watch = Watch(outbox)
    plugins, failures = load((source,), kinds=("outputs",), watch=watch)
    for failure in failures:
        outbox.refuse(failure.error)
    stream = _Stream(outbox)
    document: Document | None = None
    for plugin in plugins:
        with watch("open", source.label):
            document = plugin.offer.open(stream, settings)
        outbox.send(Opened(sorted(map(str, getattr(document, "extras", ())))))
    for line in outbox.orders():
        if document is None:
            continue
        with watch("write", source.label):
            if line == _END:
                document.finish()
            else:
                document.add(_decode(line))
