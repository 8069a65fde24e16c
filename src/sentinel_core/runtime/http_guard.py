"""The parts of the guarded HTTP client: a deadline, a network that enforces it, and a reply with a size limit.

Imported by ``sentinel_core.runtime.http`` when a client is made, because ``httpx2`` takes a while to load.
"""

import contextlib
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import httpcore2
import httpx2

from sentinel_core.runtime.http_requests import noted

__all__ = ["Deadline", "GuardedTransport", "OriginRefusedError", "ReplyTooLargeError", "mapped_to_httpx"]

_KEPT_ALIVE = 4  # connections; an agent asks one question at a time
_SLICE = 16 * 1024
_NAMES = (
    "ConnectError", "ConnectTimeout", "LocalProtocolError", "NetworkError", "PoolTimeout", "ProtocolError",
    "ProxyError", "ReadError", "ReadTimeout", "RemoteProtocolError", "TimeoutException", "UnsupportedProtocol",
    "WriteError", "WriteTimeout",
)  # fmt: skip
_SAME_NAME = {getattr(httpcore2, name): getattr(httpx2, name) for name in _NAMES}


class OriginRefusedError(httpx2.RequestError):
    """A redirect to another origin than the client's own; nothing was sent there."""


class ReplyTooLargeError(httpx2.RequestError):
    """A reply with more decoded bytes than the limit."""


class Deadline(float):
    """Seconds with a fixed end, usable as a timeout.

    httpx2 and httpcore2 pass timeouts on unchanged, one for each read; with this one, later reads have less time.
    """

    __slots__ = ("at",)
    at: float

    def __new__(cls, seconds: float) -> Self:
        """``seconds`` from now."""
        made = super().__new__(cls, seconds)
        made.at = time.monotonic() + seconds
        return made

    def left(self) -> float:
        """Seconds until it is over; never below 0."""
        return max(0.0, self.at - time.monotonic())


def _left(timeout: float | None, over: type[httpcore2.TimeoutException]) -> float | None:
    if not isinstance(timeout, Deadline):
        return timeout
    left = timeout.left()
    if not left:
        raise over(f"did not finish within {timeout:g} s")
    return left


class _Stream(httpcore2.NetworkStream):
    """A connection on which every read and write has only the rest of the call's time."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _SLICE):
            self._inner.write(buffer[start : start + _SLICE], _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: Any,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Network(httpcore2.NetworkBackend):
    """Makes connections that enforce the deadline, except for name lookups, which have the system's own limits."""

    def __init__(self) -> None:
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        failure: httpcore2.ConnectError | None = None
        for address in _addresses(host, port):
            left = _left(timeout, httpcore2.ConnectTimeout)
            try:
                return _Stream(self._inner.connect_tcp(address, port, left, local_address, socket_options or ()))
            except httpcore2.ConnectError as error:
                failure = failure or error
        raise failure or httpcore2.ConnectError(f"{host} has no address")


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore2.ConnectError(str(error)) from error
    return [str(address[0]) for _family, _type, _protocol, _name, address in found]


class _Body(httpx2.SyncByteStream):
    """The bytes of a reply as they come, with httpcore2's errors as httpx2's."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        with mapped_to_httpx():
            yield from self._inner

    def close(self) -> None:
        self._inner.close()


class _Reply(httpx2.Response):
    """A response that is closed once it is too large."""

    max_bytes: int

    def iter_bytes(self, chunk_size: int | None = None) -> Iterator[bytes]:
        left = self.max_bytes
        for piece in super().iter_bytes(chunk_size):
            left -= len(piece)
            if left < 0:
                self.close()
                raise ReplyTooLargeError(f"the reply is larger than {self.max_bytes:,} bytes", request=self.request)
            yield piece


class GuardedTransport(httpx2.BaseTransport):
    """Sends to one origin only; every call ends within its time; the bytes of every reply are counted."""

    def __init__(self, origin: httpx2.URL, *, timeout: float, max_bytes: int, proxy: httpx2.Proxy | None) -> None:
        self._origin = _origin(origin)
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._pool = _pool(tls=origin.scheme == "https", proxy=proxy)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send within the deadline, to this origin only. Raises ``httpx2`` errors."""
        if _origin(request.url) != self._origin:
            other = f"{request.url.scheme}://{request.url.netloc.decode('ascii', 'replace').rpartition('@')[2]}"
            raise OriginRefusedError(f'the server redirects to "{other}", which is another origin', request=request)
        request.extensions["timeout"] = self._watched(request.extensions.get("timeout") or {})
        with noted(request.method, request.url) as sent, mapped_to_httpx():
            answer = self._pool.handle_request(_as_httpcore(request))
            sent.status = answer.status
        reply = _Reply(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream),
            extensions=answer.extensions,
            request=request,
        )
        reply.max_bytes = self._max_bytes
        return reply

    def close(self) -> None:
        """End all connections."""
        self._pool.close()

    def _watched(self, timeouts: Mapping[str, float | None]) -> Mapping[str, float | None]:
        """One deadline for every part of the call; a redirect within the origin keeps the first one."""
        asked = timeouts.get("read")
        if isinstance(asked, Deadline):
            return timeouts
        deadline = Deadline(self._timeout if asked is None else min(asked, self._timeout))
        return dict.fromkeys(("connect", "pool", "read", "write"), deadline)


@contextlib.contextmanager
def mapped_to_httpx() -> Iterator[None]:
    """httpcore2's errors as httpx2's of the same name, which is what clients of httpx2 know."""
    try:
        yield
    except tuple(_SAME_NAME) as error:
        raise _SAME_NAME[type(error)](str(error)) from error


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)


def _as_httpcore(request: httpx2.Request) -> httpcore2.Request:
    url = request.url
    return httpcore2.Request(
        method=request.method,
        url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


def _pool(*, tls: bool, proxy: httpx2.Proxy | None) -> httpcore2.ConnectionPool:
    context = httpx2.create_ssl_context() if tls else None
    if proxy is None:
        return httpcore2.ConnectionPool(
            ssl_context=context, max_connections=_KEPT_ALIVE, keepalive_expiry=5.0, network_backend=_Network()
        )
    at = proxy.url
    return httpcore2.HTTPProxy(
        proxy_url=httpcore2.URL(scheme=at.raw_scheme, host=at.raw_host, port=at.port, target=at.raw_path),
        proxy_auth=proxy.raw_auth,
        proxy_headers=proxy.headers.raw,
        ssl_context=context,
        max_connections=_KEPT_ALIVE,
        keepalive_expiry=5.0,
        network_backend=_Network(),
    )
