"""Calls, errors and response times of a release by operation, from OpenTelemetry spans."""

import codecs
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from sentinel_core.errors import InputError
from sentinel_core.trace import from_json
from sentinel_tools_release.files import read_bytes
from sentinel_tools_release.plain_text import plain
from sentinel_tools_release.settings import TraceSettings
from sentinel_tools_release.sources import part_of, without_part

__all__ = ["get_observability_traces", "no_observability_traces"]

_FAILED = (2, "STATUS_CODE_ERROR")
_NANOSECONDS = 1e6  # in a millisecond
_MOST_EXAMPLES = 3


@attrs.frozen
class _Span:
    """One span: ``version`` is its resource's ``service.version``, ``milliseconds`` is None if the times make no sense."""

    service: str
    version: str | None
    name: str
    milliseconds: float | None
    failed: bool
    message: str
    trace_id: str


def get_observability_traces(settings: TraceSettings, release_id: str, limit: int = 20) -> dict[str, Any]:
    """``spans`` counted, and ``operations``, those with most errors first, then the slowest.

    Each has ``calls``, ``errors``, ``error_rate`` (0 to 1), ``p50_ms``, ``p95_ms`` (nearest rank) and up to three
    ``failures``. If any span has a service version, only spans of this release count (for a range, its newer end). Without
    ``traces`` returns the source's ``observability_traces`` unchanged.

    Raises as the summary does, and ``InputError`` if there is no source of traces.
    """
    if not settings.traces:
        return {"observability_traces": part_of(settings, release_id, "observability_traces", {"limit": limit})}
    spans = list(_spans_in(Path(settings.traces), settings.max_bytes))
    versions = {span.version for span in spans} - {None}
    own = [span for span in spans if span.version == _version(release_id)] if versions else spans
    groups: dict[tuple[str, str], list[_Span]] = {}
    for span in own:
        groups.setdefault((span.service, span.name), []).append(span)
    operations = sorted(
        (_operation(*key, group) for key, group in groups.items()),
        key=lambda row: (-row["errors"], -(row["p95_ms"] or 0), row["service"], row["operation"]),
    )
    return {
        "spans": len(own),
        "spans_of_other_versions": len(spans) - len(own),
        "versions_are_known": bool(versions),
        "operations": operations[:limit],
        "left_out": max(len(operations) - limit, 0),
    }


def no_observability_traces(settings: TraceSettings, release_id: str) -> str | None:
    """Why there are no traces; None if there are."""
    return None if settings.traces else without_part(settings, release_id, "observability_traces", {"limit": 1})


def _version(release_id: str) -> str:
    return release_id.rpartition("..")[2] or release_id


def _operation(service: str, name: str, spans: list[_Span]) -> dict[str, Any]:
    times = sorted(span.milliseconds for span in spans if span.milliseconds is not None)
    failed = [span for span in spans if span.failed]
    return {
        "service": service,
        "operation": name,
        "calls": len(spans),
        "errors": len(failed),
        "error_rate": round(len(failed) / len(spans), 6),
        "p50_ms": _rank(times, 0.50),
        "p95_ms": _rank(times, 0.95),
        "failures": [{"trace_id": span.trace_id, "message": span.message} for span in failed[:_MOST_EXAMPLES]],
    }


def _rank(times: list[float], share: float) -> float | None:
    """The nearest-rank percentile; None without values."""
    return times[max(math.ceil(share * len(times)) - 1, 0)] if times else None


def _spans_in(path: Path, max_bytes: int) -> Iterator[_Span]:
    data = read_bytes(path, max_bytes, '"traces"')
    name = os.fspath(path)
    if len(data) > max_bytes:
        raise InputError(f'"{name}" is larger than {max_bytes} bytes; raise "max_bytes" if that size is expected')
    for line, document in _documents(data.removeprefix(codecs.BOM_UTF8), name):
        if not isinstance(document, dict) or not isinstance(document.get("resourceSpans"), list):
            raise InputError(f'"{name}" has no "resourceSpans" list at line {line}; it must be OpenTelemetry JSON')
        for group in _objects(document["resourceSpans"]):
            yield from _of_resource(group)


def _documents(data: bytes, name: str) -> Iterator[tuple[int, Any]]:
    """One document, or one per line."""
    try:
        yield 1, from_json(data)
    except (ValueError, RecursionError):
        lines = [(number, line) for number, line in enumerate(data.splitlines(), 1) if line.strip()]
        for number, line in lines:
            try:
                yield number, from_json(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f'"{name}" is not JSON: {error} at line {number}; correct that line') from error


def _of_resource(group: Mapping[str, Any]) -> Iterator[_Span]:
    resource = group.get("resource")
    attributes = _attributes(resource.get("attributes")) if isinstance(resource, dict) else {}
    service = plain(attributes.get("service.name", ""), 100)
    for scope in _objects(group.get("scopeSpans")):
        for span in _objects(scope.get("spans")):
            yield _span(span, service, attributes.get("service.version"))


def _span(span: Mapping[str, Any], service: str, version: str | None) -> _Span:
    status = span.get("status")
    status = status if isinstance(status, dict) else {}
    start, end = _number(span.get("startTimeUnixNano")), _number(span.get("endTimeUnixNano"))
    return _Span(
        service=service,
        version=version,
        name=plain(str(span.get("name", ""))),
        milliseconds=round((end - start) / _NANOSECONDS, 3)
        if start is not None and end is not None and end >= start
        else None,
        failed=status.get("code") in _FAILED,
        message=plain(str(status.get("message", ""))),
        trace_id=plain(str(span.get("traceId", "")), 64),
    )


def _objects(value: object) -> Iterable[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _attributes(value: object) -> dict[str, str]:
    """Text attributes by key."""
    found = {}
    for attribute in _objects(value):
        key, held = attribute.get("key"), attribute.get("value")
        if isinstance(key, str) and isinstance(held, dict) and isinstance(held.get("stringValue"), str):
            found[key] = held["stringValue"]
    return found


def _number(value: object) -> int | None:
    """Nanoseconds; JSON has them as text because they are too large for a double."""
    if isinstance(value, str) and value.isdecimal() and len(value) <= 20:  # noqa: PLR2004 - digits of 2**64
        return int(value)
    return value if type(value) is int and value >= 0 else None
