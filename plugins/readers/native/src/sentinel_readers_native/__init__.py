"""Sentinel's own trace format: one JSON object, a list of them, or JSON Lines; versions 1 and 2."""

import re
from collections.abc import Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl

__all__ = ["read", "sentinel_trace_readers", "sniff"]

_KEYS = (b'"messages"', b'"trace_id"')
_REPORT = b'"signal_scores"'
# A call as OpenAI's API writes it, which other tools keep under the same two keys; and a message that is a result.
_OPENAI_CALL = re.compile(rb'"tool_calls"\s{0,9}:\s{0,9}\[\s{0,99}\{[^{}\[\]]{0,400}"function"\s{0,9}:\s{0,9}\{')
_OPENAI_RESULT, _OWN_RESULTS = b'"tool_call_id"', b'"tool_results"'
_OPENAI_SURE = 40


def sniff(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """90 for both required keys in the head, 60 for one of them, else 0; 0 for a report, which has an id, too; 40 for OpenAI's messages."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith((b"{", b"[")):
        return 0
    found = sum(key in head for key in _KEYS)
    if found == 1 and _REPORT in head:
        return 0
    is_openai = _OPENAI_CALL.search(head) is not None or (_OPENAI_RESULT in head and _OWN_RESULTS not in head)
    return _OPENAI_SURE if found and is_openai else (0, 60, 90)[found]


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
