"""Decodes a request's body into spans: encodings, limits, JSON and protobuf."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs
import msgspec

__all__ = ["BadRequest", "ReceivedSpan", "ReceivedSpans", "spans_of_body", "unpacked"]

_JSON = "application/json"
_PROTOBUF = "application/x-protobuf"
_SESSIONS = frozenset({"gen_ai.conversation.id", "session.id", "langfuse.session.id", "mlflow.trace.session"})
_LONGEST_ID = 64
_CHUNK = 1 << 16
_MOST_MEMBERS = 1_000  # an exporter sends one


class BadRequest(Exception):
    """A refused request: the HTTP status and why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@attrs.frozen(kw_only=True)
class ReceivedSpan:
    """One span: the ids that group it, and the whole span as JSON in ``data``."""

    trace_id: str
    span_id: str
    parent_id: str
    conversation: str | None
    data: bytes


@attrs.frozen(eq=False)
class ReceivedSpans:
    """All spans of a request. Their number is known at once; each is decoded when it is its turn: None if unusable."""

    _raws: Sequence[Any]
    _read: Callable[[Any], ReceivedSpan | None]

    def __len__(self) -> int:
        return len(self._raws)

    def __iter__(self) -> Iterator[ReceivedSpan | None]:
        return map(self._read, self._raws)


class _Attribute(msgspec.Struct):
    key: str = ""
    value: msgspec.Raw = msgspec.Raw(b"null")


class _Text(msgspec.Struct, rename="camel"):
    string_value: str = ""


class _Head(msgspec.Struct, rename="camel"):
    trace_id: str = ""
    span_id: str = ""
    parent_span_id: str | None = ""
    attributes: list[_Attribute] = []


class _Scope(msgspec.Struct):
    spans: list[msgspec.Raw] = []


class _Resource(msgspec.Struct, rename="camel"):
    scope_spans: list[_Scope] = []


class _Request(msgspec.Struct, rename="camel"):
    resource_spans: list[_Resource] = []


_request = msgspec.json.Decoder(_Request)
_head = msgspec.json.Decoder(_Head)
_text = msgspec.json.Decoder(_Text)


def unpacked(body: bytes, encoding: str, limit: int) -> bytes:
    """The body without its compression. Raises ``BadRequest``: 415 for an unknown encoding, 413 beyond ``limit`` bytes."""
    if encoding in ("", "identity"):
        return body
    if encoding != "gzip":
        raise BadRequest(415, f'unknown content encoding "{encoding}"; use gzip')
    try:
        return _gunzipped(memoryview(body), limit)
    except zlib.error as error:
        raise BadRequest(400, f"the body is not gzip: {error}") from None


def _gunzipped(body: memoryview, limit: int) -> bytes:
    """All members of a gzip stream as one. The body is fed in slices, because zlib copies the input that it leaves."""
    found, place = bytearray(), 0
    for _ in range(_MOST_MEMBERS):
        stream = zlib.decompressobj(wbits=31)
        while not stream.eof:
            if place == len(body):
                raise BadRequest(400, "the body is incomplete: its gzip stream is cut off")
            piece = body[place : place + _CHUNK]
            found += stream.decompress(piece, _CHUNK)
            if len(found) > limit:
                raise BadRequest(413, f"the body is larger than {limit} bytes when decompressed")
            place += len(piece) - len(stream.unused_data if stream.eof else stream.unconsumed_tail)
        if place == len(body):
            return bytes(found)
    raise BadRequest(400, f"the body has more than {_MOST_MEMBERS} gzip members; send it as one member")


def spans_of_body(body: bytes, content_type: str) -> ReceivedSpans:
    """The spans of a request.

    Raises ``BadRequest``: 415 for another type than JSON and protobuf, 400 for a body that is not what it says.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == _JSON:
        return _of_json(body)
    if kind == _PROTOBUF:
        return _of_protobuf(body)
    raise BadRequest(415, f'unknown content type "{kind}"; use {_JSON} or {_PROTOBUF}')


def _of_json(body: bytes) -> ReceivedSpans:
    try:
        request = _request.decode(body)
    except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        raise BadRequest(400, f"the body is not an OTLP request: {error}") from None
    raws = [raw for resource in request.resource_spans for scope in resource.scope_spans for raw in scope.spans]
    return ReceivedSpans(raws, _span)


def _span(raw: msgspec.Raw) -> ReceivedSpan | None:
    try:
        head = _head.decode(raw)
        sessions = (attribute.value for attribute in head.attributes if attribute.key in _SESSIONS)
        conversation = next((text for value in sessions if (text := _text.decode(value).string_value)), None)
    except (ValueError, RecursionError):
        return None
    if not _has_ids(head.trace_id, head.span_id):
        return None
    return ReceivedSpan(
        trace_id=head.trace_id,
        span_id=head.span_id,
        parent_id=head.parent_span_id or "",
        conversation=conversation,
        data=bytes(raw),
    )


def _has_ids(trace_id: str, span_id: str) -> bool:
    return 0 < len(trace_id) <= _LONGEST_ID and len(span_id) <= _LONGEST_ID


def _of_protobuf(body: bytes) -> ReceivedSpans:
    from importlib.util import find_spec

    if find_spec("opentelemetry") is None or find_spec("opentelemetry.proto") is None:
        raise BadRequest(
            415,
            "protobuf support is not installed: pip install 'reliability-sentinel[otel]', or send JSON (OTEL_EXPORTER_OTLP_PROTOCOL=http/json)",
        )
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # it ships no types

    from sentinel_command_receive.protobuf import messages_in

    try:
        return ReceivedSpans(messages_in(body), _plain)
    except DecodeError as error:
        raise BadRequest(400, f"the body is not an OTLP request: {error}") from None


def _plain(message: Any) -> ReceivedSpan | None:
    from sentinel_command_receive.protobuf import plain_span

    span = plain_span(message)
    attributes = span["attributes"]
    assert isinstance(attributes, dict)
    conversation = next((text for key in _SESSIONS if isinstance(text := attributes.get(key), str) and text), None)
    trace_id, span_id = str(span["traceId"]), str(span["spanId"])
    if not _has_ids(trace_id, span_id):
        return None
    return ReceivedSpan(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=str(span["parentSpanId"]),
        conversation=conversation,
        data=msgspec.json.encode(span),
    )
