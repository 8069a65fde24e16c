"""Sends our own telemetry to a collector: OTLP over HTTP, protobuf, gzip, a few attempts."""

import base64
import gzip
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from http.client import HTTPException
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from sentinel_core.errors import ConfigError
from sentinel_core.trace import from_json

__all__ = ["Unsent", "captures_content", "check_endpoint", "send"]

_TIMEOUT = 5.0
_WAITS = (0.2, 0.8)  # seconds before the second attempt and the third
_RETRYABLE = frozenset({429, 502, 503, 504})
_IDS = frozenset({"traceId", "spanId", "parentSpanId"})
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\t\x20-\x7e\x80-\xff]*")
# The last part of the URL: the key of the list in our lines, the package, and the protobuf message.
_SIGNALS: Mapping[str, tuple[str, str, str]] = {
    "traces": ("resourceSpans", "trace", "ExportTraceServiceRequest"),
    "metrics": ("resourceMetrics", "metrics", "ExportMetricsServiceRequest"),
    "logs": ("resourceLogs", "logs", "ExportLogsServiceRequest"),
}


class Unsent(Exception):
    """The collector could not be reached or refused the data; the text says why."""


class _BusyError(Unsent):
    """The collector may accept it later."""


def check_endpoint(endpoint: str) -> str:
    """The same address. Raises ``ConfigError`` if it is invalid, or if OpenTelemetry is not installed."""
    from importlib.util import find_spec

    parts = _parts(endpoint)
    shown = re.sub("//.*@", "//[redacted]@", endpoint)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or not endpoint.isascii():
        raise ConfigError(f'--otlp "{shown}": give the address of a collector, such as http://127.0.0.1:4318')
    if "@" in parts.netloc:
        raise ConfigError(
            f'--otlp "{shown}": remove the user name and password; set OTEL_EXPORTER_OTLP_HEADERS instead'
        )
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.proto") is None:
        raise ConfigError("--otlp needs OpenTelemetry: pip install 'reliability-sentinel[otel]'")
    return endpoint


def _parts(endpoint: str) -> SplitResult | None:
    try:
        parts = urlsplit(endpoint)
        parts.port  # noqa: B018 - parsed only on access, and may be invalid
    except ValueError:
        return None
    return parts


def captures_content() -> bool:
    """Whether messages are sent to a collector, by OpenTelemetry's own variable; by default not."""
    setting = os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "")
    return setting.upper() in ("SPAN_ONLY", "SPAN_AND_EVENT", "TRUE")


def send(endpoint: str, signal: str, lines: Iterable[bytes]) -> None:
    """Send lines of OTLP JSON (``signal`` is ``traces``, ``metrics`` or ``logs``). Raises ``Unsent``."""
    body = _protobuf(signal, lines)
    if not body:
        return
    url = f"{endpoint.rstrip('/')}/v1/{signal}"
    packed = gzip.compress(body, 6)
    for seconds in _WAITS:
        try:
            _post(url, packed)
        except _BusyError:
            time.sleep(seconds)
        else:
            return
    _post(url, packed)


def _post(url: str, body: bytes) -> None:
    headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip", **_headers()}
    request = urllib.request.Request(url, data=body, headers=headers)  # noqa: S310 - the scheme is checked before
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=_TIMEOUT):
            return
    except urllib.error.HTTPError as error:
        error.close()
        kind = _BusyError if error.code in _RETRYABLE else Unsent
        raise kind(f"{url} answered {error.code}") from None
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", error)  # a URLError's text is that of its reason, in brackets
        raise Unsent(f"{url} cannot be reached: {getattr(reason, 'strerror', None) or reason}") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, so that data and headers reach no other address."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _headers() -> dict[str, str]:
    pairs = (pair.partition("=") for pair in os.environ.get("OTEL_EXPORTER_OTLP_HEADERS", "").split(","))
    headers = {key.strip(): unquote(value.strip()) for key, sign, value in pairs if sign and key.strip()}
    if not all(_HEADER.fullmatch(f"{key}: {value}") for key, value in headers.items()):
        raise Unsent("OTEL_EXPORTER_OTLP_HEADERS contains a header that cannot be sent")
    return headers


def _protobuf(signal: str, lines: Iterable[bytes]) -> bytes:
    """One request with the content of all lines; empty without lines."""
    import importlib

    from google.protobuf import json_format  # type: ignore[import-untyped]  # it ships no types

    key, package, name = _SIGNALS[signal]
    resources = [resource for line in lines for resource in from_json(line)[key]]
    if not resources:
        return b""
    module = importlib.import_module(f"opentelemetry.proto.collector.{package}.v1.{package}_service_pb2")
    request = json_format.ParseDict({key: _with_base64(resources)}, getattr(module, name)(), ignore_unknown_fields=True)
    return bytes(request.SerializeToString())


def _with_base64(value: Any) -> Any:
    """Ids in base64 for protobuf's JSON parser; OTLP JSON writes them in hexadecimal."""
    if isinstance(value, list):
        return [_with_base64(inner) for inner in value]
    if isinstance(value, dict):
        return {
            key: base64.b64encode(bytes.fromhex(inner)).decode() if key in _IDS else _with_base64(inner)
            for key, inner in value.items()
        }
    return value
