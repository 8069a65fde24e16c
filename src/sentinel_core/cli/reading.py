"""One trace, of any format that can be read, for commands that need it in this process."""

import io
import sys

from sentinel_core.cli.converting import Conversion, convert_job
from sentinel_core.cli.options import host_flags, layers_and_selection
from sentinel_core.cli.supervise import supervise
from sentinel_core.codec import decode_trace
from sentinel_core.errors import InputError
from sentinel_core.sources import find_sources, spool
from sentinel_core.trace import ExecutionTrace

__all__ = ["read_one"]

_NATIVE = "native"
_TOLD = 5


def read_one(
    path: str, *, trace_id: str | None = None, reader: str | None = None, plugins: str | None = None
) -> ExecutionTrace:
    """The trace in a file (or that one of several), with secrets taken out. Readers work in a child.

    Raises ``InputError`` where there is none, where there are several and none is named, or where one cannot be read.
    """
    layers, selection = layers_and_selection(host_flags({"plugins": plugins}), ())
    host = layers.host()
    limit = host.max_record_mb << 20
    stdin = spool(sys.stdin.buffer) if path == "-" else None
    work = Conversion(
        sources=tuple(find_sources((path,), stdin=stdin, strict=host.strict, max_record=limit)),
        selection=selection,
        to=_NATIVE,
        reader=reader,
        strict=host.strict,
        max_record=limit,
    )
    written = io.BytesIO()
    tally = supervise(work, written, job=convert_job, timeout=host.timeout, memory_mb=host.max_memory_mb)
    traces = [decode_trace(line) for line in written.getvalue().splitlines()]
    if not traces and tally.exit_code("never"):
        raise InputError(f'no trace could be read from "{path}"')
    return _picked(traces, path, trace_id)


def _picked(traces: list[ExecutionTrace], path: str, trace_id: str | None) -> ExecutionTrace:
    chosen = [trace for trace in traces if trace_id in (None, trace.trace_id)]
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        first = ", ".join(f'"{trace.trace_id}"' for trace in chosen[:_TOLD])
        raise InputError(f'"{path}" holds {len(chosen)} traces ({first}): name one with --trace-id')
    raise InputError(f'"{path}" holds no trace "{trace_id}"')
