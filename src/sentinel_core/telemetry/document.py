"""Spans in memory, read by the installed reader of OTLP like any file, and judged in this process."""

import functools
import io
from typing import IO

import attrs

from sentinel_core.offers import ReadError, Source, TraceReader
from sentinel_core.trace import ExecutionTrace

__all__ = ["Document", "read_document"]

_READER = "otlp"


@attrs.frozen(kw_only=True)
class Document:
    """A source that is in memory."""

    data: bytes
    name: str = "spans"
    strict: bool = False
    max_record: int = 256 << 20
    lines_before: int = 0

    def open(self) -> IO[bytes]:
        """The bytes from the start."""
        return io.BytesIO(self.data)

    def sibling(self, name: str) -> Source | None:  # noqa: ARG002 - a Source's signature
        """None: there is nothing beside it."""
        return None

    def siblings(self, pattern: str) -> tuple[Source, ...]:  # noqa: ARG002 - as above
        """None, as above."""
        return ()


def read_document(data: bytes) -> list[ExecutionTrace | ReadError]:
    """The traces of an OTLP document. Raises ``PluginError`` where no reader of OTLP is installed."""
    return list(_reader().read(Document(data=data)))


@functools.cache
def _reader() -> TraceReader:
    from sentinel_core.errors import PluginError
    from sentinel_core.host import installed, load

    plugins, failures = load([one for one in installed(("trace_readers",)) if one.name == _READER])
    for plugin in plugins:
        offer: TraceReader = plugin.offer
        return offer
    why = failures[0].error if failures else "is not installed: pip install reliability-sentinel-readers-telemetry"
    raise PluginError(f'the trace reader "{_READER}" {why}')
