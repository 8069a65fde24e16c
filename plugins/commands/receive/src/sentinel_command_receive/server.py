"""The HTTP side: OTLP requests on this machine, answered as the protocol says.

https://opentelemetry.io/docs/specs/otlp/#otlphttp. One thread a connection; what is too large, malformed or unknown is
refused by its status, and the receiver goes on.
"""

import contextlib
import http.server
import io
import json
import re
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from typing import Any

from sentinel_command_receive.bodies import BadRequest, unpacked

__all__ = ["Take", "make_server"]

# What takes a body (path, content type, bytes) and says how many of its spans it could not use.
Take = Callable[[str, str, bytes], int]

_PATHS = ("/v1/traces", "/v1/logs", "/v1/metrics")
_AT_ONCE = 8  # bodies in memory at a time
_PATIENCE = 30.0  # seconds for a request's head, and again for its body
_FAREWELL = 2.0  # seconds in which a client that is still sending can read that it was refused
_PROTOBUF = "application/x-protobuf"
_REJECTED = "not spans, without a trace id, or more in one request than are held"
_chunk_size = re.compile(rb"[0-9A-Fa-f]{1,16}")


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is no event."""


def make_server(listener: socket.socket, take: Take, status: Callable[[], dict[str, Any]], *, max_body: int) -> _Server:
    """A server on a socket that listens already; ``status`` is what ``GET /`` answers."""
    turns = threading.BoundedSemaphore(_AT_ONCE)

    class Handler(_Handler):
        def take(self, body: bytes) -> int:
            return take(self.path, self.headers.get("Content-Type", ""), body)

    Handler.turns, Handler.status, Handler.max_body = turns, staticmethod(status), max_body
    server = _Server(listener.getsockname()[:2], Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    return server


class _Incoming(io.RawIOBase):
    """What a client sends, as long as its time is not up: one that sends a byte now and then has no more than others.

    Reading raises ``TimeoutError`` from ``deadline`` on.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.deadline = 0.0

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As much as there is, after waiting for the first byte."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(_PATIENCE)  # for the answer


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE
    disable_nagle_algorithm = True
    turns: threading.BoundedSemaphore
    status: Callable[[], dict[str, Any]]
    max_body: int

    def version_string(self) -> str:
        """For the header ``Server``: without a version."""
        return "sentinel"

    def setup(self) -> None:
        """Read with a deadline in place of a limit on each read."""
        super().setup()
        self.rfile.close()
        self._incoming = _Incoming(self.connection)
        self.rfile = io.BufferedReader(self._incoming)

    def handle_one_request(self) -> None:
        """The head has its time, and the body too."""
        self._incoming.deadline = time.monotonic() + _PATIENCE
        super().handle_one_request()

    def finish(self) -> None:
        """Close. What still comes is thrown away first: closing upon it would reset the connection, and lose the answer."""
        super().finish()
        self._incoming.deadline = time.monotonic() + _FAREWELL
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            while self._incoming.readinto(bytearray(1 << 16)):
                pass

    def take(self, body: bytes) -> int:
        """Hand a body on."""
        raise NotImplementedError

    def do_POST(self) -> None:
        """An export."""
        with self.turns:
            try:
                rejected = self._taken()
            except BadRequest as error:
                self._refuse(error.status, str(error))
                return
        self._accept(rejected)

    def do_GET(self) -> None:
        """How many came, and what became of them."""
        if self.path == "/":
            self._answer(200, "application/json", json.dumps(self.status()).encode() + b"\n")
        else:
            self._other()

    def _other(self) -> None:
        self._drop_body()
        known = self.path in (*_PATHS, "/")
        if known:
            allowed = "GET" if self.path == "/" else "POST"
            self._refuse(405, f"{self.path} takes {allowed} only", {"Allow": allowed})
        else:
            self._refuse(404, f"there is nothing here; spans go to {_PATHS[0]}")

    do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_HEAD = _other  # noqa: N815 - as above

    def _taken(self) -> int:
        if "Origin" in self.headers:  # whatever page a browser shows here could say what an agent did
            self._drop_body()
            raise BadRequest(403, "web pages may not send spans")
        if self.path not in _PATHS:
            self._drop_body()
            if self.path == "/":
                raise BadRequest(405, "/ takes GET only")
            raise BadRequest(404, f"there is nothing here; spans go to {_PATHS[0]}")
        self._incoming.deadline = time.monotonic() + _PATIENCE
        try:
            packed = self._body()
        except TimeoutError:
            raise self._last(BadRequest(408, f"the body did not come within {_PATIENCE:g} seconds")) from None
        return self.take(unpacked(packed, self.headers.get("Content-Encoding", "").strip().lower(), self.max_body))

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").strip().lower() == "chunked":
            return self._chunked()
        size = self.headers.get("Content-Length", "")
        if not (size.isdecimal() and size.isascii()):
            raise self._last(BadRequest(411, "say how long the body is (Content-Length)"))
        if int(size) > self.max_body:
            raise self._last(BadRequest(413, f"the body is larger than {self.max_body} bytes"))
        return self._read(int(size))

    def _chunked(self) -> bytes:
        found = bytearray()
        while size := self._chunk_size():
            if len(found) + size > self.max_body:
                raise self._last(BadRequest(413, f"the body is larger than {self.max_body} bytes"))
            found += self._read(size)
            self.rfile.readline(8)
        while self.rfile.readline(1 << 12).strip():
            pass  # trailers say nothing that is needed
        return bytes(found)

    def _chunk_size(self) -> int:
        written = self.rfile.readline(64).partition(b";")[0].strip()
        if not _chunk_size.fullmatch(written):
            raise self._last(BadRequest(400, "a chunk does not begin with its size"))
        return int(written, 16)

    def _read(self, size: int) -> bytes:
        data = self.rfile.read(size)
        if len(data) < size:
            raise self._last(BadRequest(400, "the body ends before its Content-Length"))
        return data

    def _last(self, error: BadRequest) -> BadRequest:
        """Nobody knows where the next request begins."""
        self.close_connection = True
        return error

    def _drop_body(self) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True

    def _accept(self, rejected: int) -> None:
        """As the request was encoded, and with the number of spans that were of no use."""
        if self.headers.get("Content-Type", "").startswith(_PROTOBUF):
            self._answer(200, _PROTOBUF, _protobuf_answer(rejected))
            return
        told = {"rejectedSpans": str(rejected), "errorMessage": _REJECTED}
        self._answer(200, "application/json", json.dumps({"partialSuccess": told} if rejected else {}).encode())

    def _refuse(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        headers = {"Retry-After": "1"} if status == 503 else headers  # noqa: PLR2004 - busy
        body = json.dumps({"code": 14 if status == 503 else 3, "message": message}).encode()  # noqa: PLR2004 - gRPC's UNAVAILABLE and INVALID_ARGUMENT
        self._answer(status, "application/json", body, headers)

    def _answer(self, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the server's naming
        """Nothing a request: counts tell."""


def _protobuf_answer(rejected: int) -> bytes:
    if not rejected:
        return b""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = rejected
    answer.partial_success.error_message = _REJECTED
    return bytes(answer.SerializeToString())
