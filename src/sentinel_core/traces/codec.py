"""Bytes to models and back. Errors read ``what @ $.path``, all of a record's at once."""

from collections.abc import Iterator
from typing import Any

import msgspec

from sentinel_core._fast import evolve
from sentinel_core.errors import TraceDecodeError
from sentinel_core.offers import ReadError, Source
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace, to_json
from sentinel_core.traces.parsing import MOST_DEPTH, check_depth, not_json
from sentinel_core.traces.readers.layout import RefusedRecord, raw_records

__all__ = ["decode_trace", "encode_report", "encode_trace", "read_json_records"]

NEWEST_SCHEMA = 2
_TOLD_IN_FULL = 16 << 20

_decoder = msgspec.json.Decoder(ExecutionTrace)
_encoder = msgspec.json.Encoder()
_report_encoder = msgspec.json.Encoder(enc_hook=str)


def decode_trace(data: bytes | bytearray | msgspec.Raw, *, strict: bool = False) -> ExecutionTrace:
    """One JSON object to a trace. ``strict`` refuses unknown and duplicate keys.

    Raises ``TraceDecodeError`` with every problem of the record.
    """
    try:
        trace = _decoder.decode(data)
        _check_nesting(trace)
    except (ValueError, RecursionError) as error:
        raise TraceDecodeError(_problems(data, error, strict=strict)) from None
    if strict:
        from sentinel_core.traces.problems import all_problems

        _raise_if(all_problems(bytes(data), strict=True))
    if not trace.trace_id:
        raise TraceDecodeError(("trace_id is empty; every trace needs one @ $.trace_id",))
    if not 1 <= trace.schema <= NEWEST_SCHEMA:
        raise TraceDecodeError(
            (f"version {trace.schema} of the trace format is unknown here; 1 and {NEWEST_SCHEMA} are @ $.schema",)
        )
    return trace


def _check_nesting(trace: ExecutionTrace) -> None:
    """Only arguments and metadata can nest without end."""
    held = [trace.metadata]
    # One plain loop: inner comprehensions take longer than what they gather from most messages.
    for message in trace.messages:
        if message.metadata:
            held.append(message.metadata)
        if message.tool_calls:
            for call in message.tool_calls:
                held.append(call.arguments)  # noqa: PERF401 - see above
        if message.tool_results:
            for result in message.tool_results:
                if result.metadata:
                    held.append(result.metadata)  # noqa: PERF401 - see above
    # To write them out and count takes less than to go down into them.
    text = to_json(held)
    if text.count(b"[") + text.count(b"{") > MOST_DEPTH:
        check_depth([value for one in held for value in one.values()])


def encode_trace(trace: ExecutionTrace) -> bytes:
    """A trace as one line of JSON, in the newest version of the format, without the line's end."""
    import attrs

    return _encoder.encode(attrs.evolve(trace, schema=NEWEST_SCHEMA))


_MOST_PRINTED = 16
_printed: dict[int, tuple[dict[str, Any], msgspec.Raw]] = {}


def _written_once(value: dict[str, Any]) -> msgspec.Raw:
    """The JSON of a profile or of settings: all reports of a panel share them, and they are half of a report's values.

    A report is not changed once it is made, so the dictionary itself, held so that its id stays its own, tells it again.
    """
    kept = _printed.get(id(value))
    if kept is None:
        if len(_printed) >= _MOST_PRINTED:
            _printed.clear()
        kept = _printed[id(value)] = value, msgspec.Raw(_report_encoder.encode(value))
    return kept[1]


def encode_report(report: ReliabilityReport) -> bytes:
    """A report as one line of JSON, without the line's end.

    Half a surrogate pair, which UTF-8 cannot hold, becomes ``?``; a setting that is not JSON stands as its text.
    """
    try:
        shared = {"profile": _written_once(report.profile), "settings": _written_once(report.settings)}
        return _report_encoder.encode(evolve(report, **shared))
    except UnicodeEncodeError:
        import json

        return json.dumps(msgspec.to_builtins(report, enc_hook=str), ensure_ascii=False).encode("utf-8", "replace")


def read_json_records(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The traces of a JSON object, a JSON list or a JSON Lines file; a bad record is a ``ReadError`` and costs no other.

    Raises ``OSError`` or ``EOFError`` where the bytes cannot be read.
    """
    for record in raw_records(source):
        if isinstance(record, RefusedRecord):
            yield ReadError(message=record.message, line=record.line)
            continue
        try:
            yield decode_trace(record.data, strict=source.strict)
        except TraceDecodeError as error:
            problems = [problem.replace("@ $", f"@ {record.path}", 1) for problem in error.problems]
            yield ReadError(message="; ".join(problems), line=record.line)


def _raise_if(problems: tuple[str, ...]) -> None:
    if problems:
        raise TraceDecodeError(problems)


def _problems(data: bytes | bytearray | msgspec.Raw, error: Exception, *, strict: bool) -> tuple[str, ...]:
    """Every problem of a record that msgspec refused; it stops at the first, so the record is decoded again, slowly.

    Of a huge record only the first is told: a second look at it would take many times its size.
    """
    data = bytes(data) if isinstance(data, msgspec.Raw) else data
    if not isinstance(error, msgspec.ValidationError):
        return (not_json(data, error),)
    first = str(error).replace(" - at ", " @ ").replace("`", "")
    if len(data) > _TOLD_IN_FULL:
        return (first,)
    from sentinel_core.traces.problems import all_problems

    return all_problems(bytes(data), strict=strict) or (first,)
