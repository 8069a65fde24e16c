"""The base of Sentinel's HTTP servers: uvicorn with limits, so that no client blocks the others.

Time and size of a request's head are limited (431); if there are too many connections, the one that has kept the server
waiting the longest is closed. Importing this module raises ``PluginError`` if starlette or uvicorn is missing.
"""

import asyncio
import resource
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs

from sentinel_core.errors import PluginError

try:
    import h11
    import starlette  # noqa: F401 - only checked here; applications use it
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError:
    raise PluginError("serving needs starlette and uvicorn: pip install 'reliability-sentinel[server]'") from None

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BACKLOG", "LOOPBACK", "STRANGE_HOST", "Drain", "Guard", "is_host_allowed", "make_server"]

BACKLOG = 128
"""Connections that wait to be accepted. So many may be accepted at once, before any is closed to make room."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""What a Host header may say to a server that listens on this machine."""

STRANGE_HOST = "the Host header does not match this service (use --allow-host to allow a name)"

_MOST_CONNECTIONS = 1_000
_BEING_ACCEPTED = 4 * BACKLOG  # asyncio accepts so many at once, again and again, before the first of them is counted
_OWN_FILES = 128  # that the process needs besides its connections
_HEAD_BYTES = 1 << 14
_DRAIN_SECONDS = 2.0
_OF_A_BODY = frozenset({b"content-length", b"transfer-encoding"})


def _most_connections() -> int:
    """As many as the limit on open files leaves: when accepting fails, asyncio accepts none for a second."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(BACKLOG, min(_MOST_CONNECTIONS, files - _BEING_ACCEPTED - _OWN_FILES))


@attrs.frozen(kw_only=True)
class Guard:
    """The limits of a server, and the form of its refusals.

    ``refusal`` returns content type and body for a status and a problem. A head has ``head_seconds`` to come; a connection
    without a request is closed after ``idle_seconds``; whole requests have ``grace_seconds`` when the server ends.
    """

    refusal: Callable[[int, str], tuple[str, bytes]]
    head_seconds: float = 10.0
    idle_seconds: int = 10
    grace_seconds: int = 10
    connections: int = attrs.field(factory=_most_connections)
    headers: Mapping[str, str] = attrs.field(factory=dict)


def make_server(app: "ASGIApp", guard: Guard) -> uvicorn.Server:
    """A server for ``run(sockets=[...])``; in a thread it ends after ``should_exit = True``, in a main thread by a signal."""

    class Guarded(_Guarded):
        limits = guard

    return uvicorn.Server(
        uvicorn.Config(
            Drain(app),
            http=Guarded,
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            headers=list(guard.headers.items()),
            h11_max_incomplete_event_size=_HEAD_BYTES,
            timeout_keep_alive=guard.idle_seconds,
            timeout_graceful_shutdown=guard.grace_seconds,
        )
    )


def is_host_allowed(header: str, names: Collection[str]) -> bool:
    """Whether a Host header, with any port, has one of these names; else a page could reach the server by a name of its own."""
    name = header if header.endswith("]") else header.rpartition(":")[0] or header
    return name.lower() in names


class _Guarded(H11Protocol):
    """One connection."""

    limits: ClassVar[Guard]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._since = self.loop.time()
        self._head_timer: asyncio.TimerHandle | None = None
        self._is_refused = False

    @property
    def _is_at_work(self) -> bool:
        """Whether a whole request has come that is not yet answered."""
        return self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Start the time for the head."""
        super().connection_made(transport)
        self._await_head()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop it."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, unless the request was refused already."""
        if self._is_refused:
            return
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and self._head_timer is None and not self.transport.is_closing():
            self._await_head()

    def handle_events(self) -> None:
        """Stop the time for the head once it is there."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._stop_waiting()

    def send_400_response(self, msg: str) -> None:
        """Refuse the request. uvicorn calls this while it handles h11's error, which has the status."""
        error = sys.exception()
        if isinstance(error, h11.RemoteProtocolError):
            status, msg = error.error_status_hint, f"this is not HTTP/1.1: {str(error)[:200]}"
            if status == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
                msg = f"the head of the request is larger than {_HEAD_BYTES} bytes"
            self._refuse(status, msg)
        else:
            self._refuse(HTTPStatus.BAD_REQUEST, msg)

    def shutdown(self) -> None:
        """When the server ends, answer whole requests and close the other connections."""
        if self._is_at_work:
            super().shutdown()
        else:
            self.transport.abort()

    def _await_head(self) -> None:
        self._since = self.loop.time()
        self._head_timer = self.loop.call_later(self.limits.head_seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        self._since = self.loop.time()
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _make_room(self) -> None:
        """If there are too many connections, close the one that has been without a whole request the longest."""
        others = cast("set[_Guarded]", self.connections)
        active = [other for other in others if not other.transport.is_closing()]
        if len(active) <= self.limits.connections:
            return
        waiting = [other for other in active if other is not self and not other._is_at_work]  # noqa: SLF001 - of the same class
        if waiting:
            min(waiting, key=lambda other: other._since).transport.abort()  # noqa: SLF001 - as above
        else:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests are in progress; try again in a moment")

    def _refuse(self, status: int, detail: str) -> None:
        """Answer without h11, which sends nothing after an error of its own; then read on a while (see ``Drain``)."""
        self._is_refused = True
        self._stop_waiting()
        self._unset_keepalive_if_required()
        is_answered = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if not is_answered:
            kind, body = self.limits.refusal(status, detail)
            headers = {
                "Content-Type": kind,
                "Content-Length": str(len(body)),
                "Connection": "close",
                **self.limits.headers,
            }
            lines = [
                f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
                *(f"{name}: {text}" for name, text in headers.items()),
            ]
            self.transport.write("\r\n".join((*lines, "", "")).encode("ascii") + body)
        self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(_DRAIN_SECONDS, self.transport.abort)


class Drain:
    """Wraps an ASGI application so that no refused client loses its answer.

    If the answer is sent before the whole body has come, the body is read and discarded for up to two seconds before the
    connection ends: closing at once would reset it, and the client could not read the answer.
    """

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        is_sending = any(name in _OF_A_BODY for name, _ in scope.get("headers", ()))

        async def receive_more() -> "Message":
            nonlocal is_sending
            message = await receive()
            is_sending = message.get("more_body", False)
            return message

        async def send_drained(message: "Message") -> None:
            if is_sending and message["type"] == "http.response.start":
                message = {**message, "headers": _closing(message.get("headers", ()))}
            elif is_sending and message["type"] == "http.response.body" and not message.get("more_body", False):
                await send({**message, "more_body": True})
                with suppress(TimeoutError):
                    async with asyncio.timeout(_DRAIN_SECONDS):
                        while is_sending:
                            await receive_more()
                message = {"type": "http.response.body"}
            await send(message)

        await self._app(scope, receive_more, send_drained)


def _closing(headers: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers with ``Connection: close``; else the unread rest of a body would keep the connection open."""
    return [*(pair for pair in headers if pair[0].lower() != b"connection"), (b"connection", b"close")]
