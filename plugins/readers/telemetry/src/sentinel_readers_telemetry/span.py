"""Reads one span of any format."""

import base64
import binascii
import datetime as dt
from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_readers_telemetry.aliases import KINDS, MARKS, Kind
from sentinel_readers_telemetry.attributes import flattened, number, plain, structured

__all__ = ["Event", "Span", "span_of"]

_TRACE_ID = ("traceId", "trace_id", "traceID", "context.trace_id")
_SPAN_ID = ("spanId", "span_id", "spanID", "context.span_id")
_PARENT_ID = ("parentSpanId", "parent_span_id", "parent_id", "parentId")
_NAME = ("name", "operationName")
_START = (("startTimeUnixNano", 1), ("start_time_unix_nano", 1), ("startTime", 1_000), ("start_time", 1))
_END = (("endTimeUnixNano", 1), ("end_time_unix_nano", 1), ("endTime", 1_000), ("end_time", 1))
_ATTRIBUTES = ("attributes", "tags")
_EVENTS = ("events", "logs")
_KIND_MARKS = frozenset([key for key, _ in KINDS] + [key for key, _ in MARKS])
_COLUMN = "attributes."
_TRACE_BYTES, _SPAN_BYTES = 16, 8
_NO_ID = frozenset({"", "0" * 16, "0" * 32})
_FAILED = (2, "2", "error", "status_code_error", "statuscode.error")
_WORKED = (1, "1", "ok", "status_code_ok", "statuscode.ok")


@attrs.frozen(kw_only=True)
class Event:
    """An event of a span."""

    name: str
    attributes: dict[str, Any]


@attrs.define(kw_only=True, eq=False)
class Span:
    """A span with plain attributes. Times are nanoseconds since 1970; ``failed`` is None if the status says neither."""

    trace_id: str
    id: str
    parent_id: str
    name: str
    kind: Kind
    start: int | None
    end: int | None
    attributes: dict[str, Any]
    events: list[Event]
    failed: bool | None
    problem: str | None

    @property
    def origin(self) -> str:
        """The origin of a message from this span, for its details."""
        return f"span {self.id}" if self.id else f"span {self.name!r}" if self.name else "$"


def span_of(raw: object) -> Span | None:
    """A span of any format (OTLP, snake case, Jaeger, Phoenix, MLflow); None if it is not an object."""
    if not isinstance(raw, dict):
        return None
    context = raw.get("context")
    fields = {**raw, **context} if isinstance(context, dict) else raw
    start, end = _time(fields, _START), _time(fields, _END)
    if start is not None and end is None and type(fields.get("duration")) is int:
        end = start + fields["duration"] * 1_000
    attributes = _attributes(fields)
    events = _events(fields)
    failed, problem = _status(fields, attributes, events)
    return Span(
        trace_id=_hex(_text(fields, _TRACE_ID), _TRACE_BYTES),
        id=_hex(_text(fields, _SPAN_ID), _SPAN_BYTES),
        parent_id=_parent(fields),
        name=_text(fields, _NAME),
        kind=_kind(attributes),
        start=start,
        end=end,
        attributes=attributes,
        events=events,
        failed=failed,
        problem=problem,
    )


def _attributes(fields: Mapping[str, Any]) -> dict[str, Any]:
    raw = next((fields[key] for key in _ATTRIBUTES if fields.get(key) is not None), None)
    found = plain(raw)
    if raw is None:
        found = {
            key[len(_COLUMN) :]: fields[key] for key in fields if key.startswith(_COLUMN) and fields[key] is not None
        }
    found = structured(flattened(found))
    kind = fields.get("span_kind")
    if isinstance(kind, str) and "openinference.span.kind" not in found:
        found["openinference.span.kind"] = kind
    return found


def _kind(attributes: Mapping[str, Any]) -> Kind:
    if _KIND_MARKS.isdisjoint(attributes):
        return Kind.OTHER
    for key, values in KINDS:
        name = attributes.get(key)
        if isinstance(name, str) and (kind := values.get(name.strip('"').lower())) is not None:
            return kind
    return next((kind for key, kind in MARKS if attributes.get(key) not in (None, "", "{}")), Kind.OTHER)


def _events(fields: Mapping[str, Any]) -> list[Event]:
    raw = next((fields[key] for key in _EVENTS if isinstance(fields.get(key), list)), ())
    found = []
    for entry in raw:
        if isinstance(entry, dict):
            attributes = structured(plain(entry.get("attributes") or entry.get("fields")))
            name = entry.get("name") or attributes.get("event")
            found.append(Event(name=name if isinstance(name, str) else "", attributes=attributes))
    return found


def _status(
    fields: Mapping[str, Any], attributes: Mapping[str, Any], events: list[Event]
) -> tuple[bool | None, str | None]:
    status = fields.get("status")
    inner = status if isinstance(status, dict) else {"code": status}
    code: Any = None
    for code in (
        inner.get("code"),
        fields.get("status_code"),
        fields.get("statusCode"),
        attributes.get("otel.status_code"),
    ):
        if code is not None:
            break
    status_code = code.lower() if isinstance(code, str) else code
    if status_code not in _FAILED and attributes.get("error") is not True and not attributes.get("error.type"):
        return (False if status_code in _WORKED else None), None
    reasons = (
        inner.get("message"),
        fields.get("status_message"),
        attributes.get("otel.status_description"),
        *(event.attributes.get("exception.message") for event in events),
        attributes.get("error.type"),
    )
    return True, next((text for text in reasons if isinstance(text, str) and text), None)


def _parent(fields: Mapping[str, Any]) -> str:
    references = fields.get("references")
    for reference in references if isinstance(references, list) else ():
        if isinstance(reference, dict) and reference.get("refType", "CHILD_OF") == "CHILD_OF":
            return _hex(_text(reference, _SPAN_ID), _SPAN_BYTES)
    return _hex(_text(fields, _PARENT_ID), _SPAN_BYTES)


def _hex(text: str, size: int) -> str:
    """An id as hexadecimal digits; protobuf's JSON has the bytes in base64. An id of zeros counts as missing."""
    text = text.removeprefix("0x")
    if len(text) == (size + 2) // 3 * 4 and text.endswith("="):
        try:
            text = base64.b64decode(text, validate=True).hex()
        except binascii.Error:
            return text
    return "" if text in _NO_ID else text


def _text(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str):
            return value
    return ""


def _time(fields: Mapping[str, Any], keys: tuple[tuple[str, int], ...]) -> int | None:
    for key, unit in keys:
        value = fields.get(key)
        if value is None:
            continue
        value = number(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is int and value > 0:
            return value * unit
        if isinstance(value, str) and (nanos := _iso_nanos(value)) is not None:
            return nanos
    return None


def _iso_nanos(text: str) -> int | None:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000
