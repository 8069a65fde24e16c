"""Reads spans in memory with the installed OTLP reader, as it reads files."""

import functools

from sentinel_core.offers import ReadError, TraceReader
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.sources.memory import BytesSource

__all__ = ["read_document"]

_READER = "otlp"


def read_document(data: bytes) -> list[ExecutionTrace | ReadError]:
    """The traces of an OTLP document. Raises ``PluginError`` if no OTLP reader is installed."""
    return list(_reader().read(BytesSource(data=data, name="spans")))


@functools.cache
def _reader() -> TraceReader:
    from sentinel_core.errors import PluginError
    from sentinel_core.host.plugins import installed, load

    plugins, failures = load([source for source in installed(("trace_readers",)) if source.name == _READER])
    for plugin in plugins:
        offer: TraceReader = plugin.offer
        return offer
    why = failures[0].error if failures else "is not installed: pip install reliability-sentinel-readers-telemetry"
    raise PluginError(f'the trace reader "{_READER}" {why}')
