"""Sentinel's own trace format: one JSON object, a list of them, or JSON Lines; versions 1 and 2."""

from collections.abc import Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl

__all__ = ["read", "sentinel_trace_readers", "sniff"]

_KEYS = (b'"messages"', b'"trace_id"')
_REPORT = b'"signal_scores"'


def sniff(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """90 for both required keys in the head, 60 for one of them, else 0; also 0 for a report, which has an id, too."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith((b"{", b"[")):
        return 0
    found = sum(key in head for key in _KEYS)
    return 0 if found == 1 and _REPORT in head else (0, 60, 90)[found]


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """Every trace of the source, in order; what is not a trace comes as a ``ReadError`` with its line or path."""
    from sentinel_core.traces.codec import read_json_records

    return read_json_records(source)


@hookimpl
def sentinel_trace_readers() -> list[TraceReader]:
    """The one reader of this package."""
    from sentinel_core.traces.codec import encode_trace

    return [
        TraceReader(
            name="native",
            summary="Sentinel's own JSON and JSON Lines",
            sniff=sniff,
            read=read,
            grain="line",
            write=encode_trace,
        )
    ]
