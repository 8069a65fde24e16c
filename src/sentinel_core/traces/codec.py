"""Decodes and encodes traces and reports. Errors read ``what at $.path``; all errors of a record come at once."""

from collections.abc import Iterator
from typing import Any

import msgspec

from sentinel_core._fast import evolve
from sentinel_core.errors import TraceDecodeError
from sentinel_core.offers import ReadError, Source
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import MOST_DEPTH, ExecutionTrace, to_json
from sentinel_core.traces.readers.layout import RefusedRecord, raw_records

__all__ = ["decode_trace", "encode_report", "encode_trace", "read_json_records"]

NEWEST_SCHEMA = 2
_DIAGNOSED_UP_TO = 16 << 20  # bytes

_decoder = msgspec.json.Decoder(ExecutionTrace)
_encoder = msgspec.json.Encoder()
_report_encoder = msgspec.json.Encoder(enc_hook=str)


def decode_trace(data: bytes | bytearray | msgspec.Raw, *, strict: bool = False) -> ExecutionTrace:
    """Decode one JSON object. ``strict`` rejects unknown and duplicate keys.

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
        raise TraceDecodeError(("trace_id is empty; every trace needs one at $.trace_id",))
    _check_versions(trace, "$")
    return trace


def _check_versions(trace: ExecutionTrace, path: str) -> None:
    """Also of sub-agents, which are traces themselves."""
    if not 1 <= trace.schema <= NEWEST_SCHEMA:
        raise TraceDecodeError(
            (f"version {trace.schema} of the trace format is unknown; expected 1 or {NEWEST_SCHEMA} at {path}.schema",)
        )
    if trace.details is not None:
        for number, child in enumerate(trace.details.children):
            _check_versions(child, f"{path}.details.children[{number}]")


def _check_nesting(trace: ExecutionTrace) -> None:
    """Refuse deep nesting. Only arguments and metadata can nest without limit."""
    values = [trace.metadata]
    # One plain loop: comprehensions cost more than they collect, as most messages have nothing to collect.
    for message in trace.messages:
        if message.metadata:
            values.append(message.metadata)
        if message.tool_calls:
            for call in message.tool_calls:
                values.append(call.arguments)  # noqa: PERF401 - see above
        if message.tool_results:
            for result in message.tool_results:
                if result.metadata:
                    values.append(result.metadata)  # noqa: PERF401 - see above
    # Encoding and counting brackets is faster than walking the values.
    text = to_json(values)
    if text.count(b"[") + text.count(b"{") > MOST_DEPTH:
        from sentinel_core.traces.parsing import check_depth

        check_depth([value for mapping in values for value in mapping.values()])


def encode_trace(trace: ExecutionTrace) -> bytes:
    """A trace as one line of JSON without the newline, in the newest version of the format."""
    import attrs

    return _encoder.encode(attrs.evolve(trace, schema=NEWEST_SCHEMA))


_MAX_CACHED = 16
_encoded: dict[int, tuple[dict[str, Any], msgspec.Raw]] = {}


def _encode_shared(value: dict[str, Any]) -> msgspec.Raw:
    """The JSON of a profile or of settings, cached: all reports of a panel share them, half of each report's values.

    The cache key is the dictionary's id. Reports are immutable, and the cache holds the dictionary so that no other
    gets its id.
    """
    cached = _encoded.get(id(value))
    if cached is None:
        if len(_encoded) >= _MAX_CACHED:
            _encoded.clear()
        cached = _encoded[id(value)] = value, msgspec.Raw(_report_encoder.encode(value))
    return cached[1]


def encode_report(report: ReliabilityReport) -> bytes:
    """A report as one line of JSON without the newline.

    A lone surrogate, which UTF-8 cannot encode, becomes ``?``; a setting that is not JSON becomes text.
    """
    try:
        shared = {"profile": _encode_shared(report.profile), "settings": _encode_shared(report.settings)}
        return _report_encoder.encode(evolve(report, **shared))
    except UnicodeEncodeError:
        import json

        return json.dumps(msgspec.to_builtins(report, enc_hook=str), ensure_ascii=False).encode("utf-8", "replace")


def read_json_records(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The traces of a JSON object, a JSON list or a JSON Lines file; a bad record is a ``ReadError``.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    for record in raw_records(source):
        if isinstance(record, RefusedRecord):
            yield ReadError(message=record.message, line=record.line)
            continue
        try:
            yield decode_trace(record.data, strict=source.strict)
        except TraceDecodeError as error:
            problems = [problem.replace(" at $", f" at {record.path}", 1) for problem in error.problems]
            yield ReadError(message="; ".join(problems), line=record.line)


def _raise_if(problems: tuple[str, ...]) -> None:
    if problems:
        raise TraceDecodeError(problems)


def _problems(data: bytes | bytearray | msgspec.Raw, error: Exception, *, strict: bool) -> tuple[str, ...]:
    """Every problem of a record that msgspec refused. msgspec stops at the first, so the record is decoded again, slowly.

    A huge record gets only the first: decoding it again would need many times its size in memory.
    """
    data = bytes(data) if isinstance(data, msgspec.Raw) else data
    if not isinstance(error, msgspec.ValidationError):
        from sentinel_core.traces.parsing import not_json

        return (not_json(data, error),)
    first = str(error).replace(" - at ", " at ").replace("`", "")
    if len(data) > _DIAGNOSED_UP_TO:
        return (first,)
    from sentinel_core.traces.problems import all_problems

    return all_problems(bytes(data), strict=strict) or (first,)
