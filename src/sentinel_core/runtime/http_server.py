"""What every HTTP server of Sentinel's shares: uvicorn, so guarded that no client keeps it from others.

A connection costs nobody anything until a whole request has come: its head has its time and its size (431), and where
there are too many connections, the one gives way that has kept the server waiting the longest. Importing it raises ``PluginError`` where
starlette or uvicorn is missing.
"""

import asyncio
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs

from sentinel_core.errors import PluginError

try:
    import h11
    import starlette  # noqa: F401 - only whether it is there, for who writes the application
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError:
    raise PluginError("serving needs starlette and uvicorn: pip install 'reliability-sentinel[server]'") from None

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BACKLOG", "Drain", "Guard", "make_server"]

BACKLOG = 128
"""Connections that wait to be accepted. So many may be accepted at once, before any is asked to give way."""

_MOST_CONNECTIONS = 1_000
_BEING_ACCEPTED = 4 * BACKLOG  # asyncio accepts so many at once, again and again, before the first of them is counted
_OWN_FILES = 128  # that the process needs besides its connections
_HEAD_BYTES = 1 << 14
_DRAIN_SECONDS = 2.0
_OF_A_BODY = frozenset({b"content-length", b"transfer-encoding"})


def _most_connections() -> int:
    """What the limit on open files leaves: where accepting fails, nobody comes in for a second."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(BACKLOG, min(_MOST_CONNECTIONS, files - _BEING_ACCEPTED - _OWN_FILES))


@attrs.frozen(kw_only=True)
class Guard:
    """The limits of a server, and how it words a refusal.

    ``refusal`` gives content type and body for a status and what is wrong. A head has ``head_seconds`` to come; a connection
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
        """Say what is wrong. h11's error knows the status, and is being handled where uvicorn calls this."""
        error = sys.exception()
        if isinstance(error, h11.RemoteProtocolError):
            status, msg = error.error_status_hint, f"this is not HTTP/1.1: {str(error)[:200]}"
            if status == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
                msg = f"the head of the request is larger than {_HEAD_BYTES} bytes"
            self._refuse(status, msg)
        else:
            self._refuse(HTTPStatus.BAD_REQUEST, msg)

    def shutdown(self) -> None:
        """At the end of the server whole requests are answered; others are let go."""
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
        """Where there are too many, the one goes that has been in the middle of a request, or without one, the longest."""
        others = cast("set[_Guarded]", self.connections)
        there = [one for one in others if not one.transport.is_closing()]
        if len(there) <= self.limits.connections:
            return
        waiting = [one for one in there if one is not self and not one._is_at_work]  # noqa: SLF001 - of the same class
        if waiting:
            min(waiting, key=lambda one: one._since).transport.abort()  # noqa: SLF001 - as above
        else:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests are being answered; send again in a moment")

    def _refuse(self, status: int, detail: str) -> None:
        """Answer, past h11, which takes no answer where it lost the thread; then read on a while (see ``Drain``)."""
        self._is_refused = True
        self._stop_waiting()
        self._unset_keepalive_if_required()
        is_answered = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if not is_answered:
            kind, body = self.limits.refusal(status, detail)
            told = {
                "Content-Type": kind,
                "Content-Length": str(len(body)),
                "Connection": "close",
                **self.limits.headers,
            }
            lines = [
                f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
                *(f"{name}: {text}" for name, text in told.items()),
            ]
            self.transport.write("\r\n".join((*lines, "", "")).encode("ascii") + body)
        self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(_DRAIN_SECONDS, self.transport.abort)


class Drain:
    """An ASGI application in which no refused client loses its answer.

    Where the answer is out and the request's body is not all there, what comes in the next two seconds is thrown away
    before the end is told: a server that closes upon it would reset the connection, and the client could not read why.
    """

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        is_sending = any(name in _OF_A_BODY for name, _ in scope.get("headers", ()))

        async def heard() -> "Message":
            nonlocal is_sending
            message = await receive()
            is_sending = message.get("more_body", False)
            return message

        async def told(message: "Message") -> None:
            if is_sending and message["type"] == "http.response.start":
                message = {**message, "headers": _closing(message.get("headers", ()))}
            elif is_sending and message["type"] == "http.response.body" and not message.get("more_body", False):
                await send({**message, "more_body": True})
                with suppress(TimeoutError):
                    async with asyncio.timeout(_DRAIN_SECONDS):
                        while is_sending:
                            await heard()
                message = {"type": "http.response.body"}
            await send(message)

        await self._app(scope, heard, told)


def _closing(headers: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """These, and that the connection ends: else the rest of a body that nobody waits for keeps it open."""
    return [*(pair for pair in headers if pair[0].lower() != b"connection"), (b"connection", b"close")]
