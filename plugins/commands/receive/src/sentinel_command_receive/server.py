"""The HTTP server: answers OTLP requests as the protocol says.

https://opentelemetry.io/docs/specs/otlp/#otlphttp. A request that is too large, malformed or unknown is refused with a
status. Needs starlette and uvicorn.
"""

import asyncio
import json
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import attrs
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from sentinel_command_receive.bodies import BadRequest, unpacked
from sentinel_command_receive.room import Room
from sentinel_core.runtime.http_server import STRANGE_HOST, Guard, is_host_allowed
from sentinel_core.runtime.http_server import make_server as make_guarded

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send
    from uvicorn import Server

__all__ = ["Take", "make_server"]

# Takes a body (path, content type, bytes) and returns how many of its spans are unusable.
Take = Callable[[str, str, bytes], int]

_PATHS = ("/v1/traces", "/v1/logs", "/v1/metrics")
_JSON = "application/json"
_PROTOBUF = "application/x-protobuf"
_AT_ONCE = 8  # bodies that are unpacked and read at a time
_LARGEST_AT_ONCE = 4  # how many of the largest bodies fit into memory while they arrive
_PATIENCE = 30.0  # seconds for a request's head, and again for its body
_GRACE = 2  # seconds for requests that are whole when the receiver ends
_INVALID_ARGUMENT, _UNAVAILABLE = 3, 14  # gRPC's codes, which the protocol asks for
_REJECTED = "not spans, without a trace id, or too many for one request"


def make_server(take: Take, status: Callable[[], dict[str, Any]], *, max_body: int, hosts: Collection[str]) -> "Server":
    """A server for ``run(sockets=[...])``; ``status`` is what ``GET /`` answers. ``take`` is called in threads.

    ``hosts`` are allowed in the Host header, with any port.
    """
    room = Room(largest=max_body, most=_LARGEST_AT_ONCE * max_body, seconds=_PATIENCE)
    guard = Guard(
        refusal=_refusal,
        head_seconds=_PATIENCE,
        idle_seconds=int(_PATIENCE) or 1,
        grace_seconds=_GRACE,
        headers={"Server": "sentinel"},
    )
    return make_guarded(_App(take=take, status=status, room=room, hosts=hosts), guard)


@attrs.frozen(eq=False, kw_only=True)
class _App:
    """The ASGI application."""

    take: Take
    status: Callable[[], dict[str, Any]]
    room: Room
    hosts: Collection[str]
    threads: ThreadPoolExecutor = attrs.field(factory=lambda: ThreadPoolExecutor(_AT_ONCE))

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request; ignore a client that disconnects."""
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except BadRequest as error:
            response = _refused(error)
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        path, method = request.url.path, request.method
        if not is_host_allowed(request.headers.get("host", ""), self.hosts):
            raise BadRequest(HTTPStatus.FORBIDDEN, STRANGE_HOST)
        if method == "POST" and "origin" in request.headers:  # else any page in a browser could send spans of an agent
            raise BadRequest(HTTPStatus.FORBIDDEN, "web pages may not send spans")
        if path != "/" and path not in _PATHS:
            raise BadRequest(HTTPStatus.NOT_FOUND, f"this path does not exist; send spans to {_PATHS[0]}")
        allowed = "GET" if path == "/" else "POST"
        if method != allowed:
            return _refused(
                BadRequest(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} accepts only {allowed}"), {"Allow": allowed}
            )
        if path == "/":
            return Response(json.dumps(self.status()).encode() + b"\n", media_type=_JSON)
        return await self._received(request)

    async def _received(self, request: Request) -> Response:
        """Answer an export."""
        size = request.headers.get("content-length")
        if size is None and "transfer-encoding" not in request.headers:
            raise BadRequest(HTTPStatus.LENGTH_REQUIRED, "send the length of the body (Content-Length)")
        if size is not None and int(size) > self.room.largest:
            raise BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is larger than {self.room.largest} bytes")
        body = await self.room.fill(request.stream())
        try:
            work = partial(self._taken, request.url.path, request.headers, bytes(body.data))
            rejected = await asyncio.get_running_loop().run_in_executor(self.threads, work)
        finally:
            self.room.release(body)
        return _accepted(request.headers.get("content-type", ""), rejected)

    def _taken(self, path: str, headers: Any, body: bytes) -> int:
        encoding = headers.get("content-encoding", "").strip().lower()
        return self.take(path, headers.get("content-type", ""), unpacked(body, encoding, self.room.largest))


def _accepted(kind: str, rejected: int) -> Response:
    """The answer in the encoding of the request, with the number of unusable spans."""
    if kind.startswith(_PROTOBUF):
        return Response(_protobuf_answer(rejected), media_type=_PROTOBUF)
    rejection = {"rejectedSpans": str(rejected), "errorMessage": _REJECTED}
    return Response(json.dumps({"partialSuccess": rejection} if rejected else {}), media_type=_JSON)


def _refused(error: BadRequest, headers: dict[str, str] | None = None) -> Response:
    if error.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers = {"Retry-After": "1"}
    kind, body = _refusal(error.status, str(error))
    return Response(body, error.status, headers, media_type=kind)


def _refusal(status: int, message: str) -> tuple[str, bytes]:
    code = _UNAVAILABLE if status == HTTPStatus.SERVICE_UNAVAILABLE else _INVALID_ARGUMENT
    return _JSON, json.dumps({"code": code, "message": message}).encode()


def _protobuf_answer(rejected: int) -> bytes:
    if not rejected:
        return b""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = rejected
    answer.partial_success.error_message = _REJECTED
    return bytes(answer.SerializeToString())
