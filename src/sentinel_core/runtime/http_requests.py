"""HTTP requests as they are made, told to whoever watches: those of the guarded client, and of plain ``httpx`` and ``httpx2``.

Nothing is imported for it: a client is watched from the moment at which the program loads it, in a tool's child process too.
"""

import functools
import importlib.abc
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Protocol

import attrs

from sentinel_core.runtime.redact import redact

__all__ = ["HttpRequest", "Watcher", "noted", "unwatch", "watch", "working_on"]

_CLIENTS = ("httpx", "httpx2")
_ORIGINAL = "_sentinel_original"


@attrs.frozen(kw_only=True)
class HttpRequest:
    """One request, from its start to the head of its answer; a redirect that is followed is another one.

    Times are nanoseconds since 1970. ``url`` has neither user, password nor query, and no secret that is known by its shape.
    ``status`` is None where no answer came; ``error`` is then the class of what was raised.
    """

    method: str
    url: str
    start: int
    end: int
    status: int | None = None
    error: str | None = None


class Watcher(Protocol):
    """Is told of requests. Must not raise."""

    def working_on(self, call_id: str) -> None:
        """From here on, requests of this process are those of the tool call with this id."""

    def requested(self, made: HttpRequest) -> None:
        """Take one."""


_watchers: list[Watcher] = []


def watch(watcher: Watcher) -> None:
    """Tell ``watcher`` of all requests from now on, in this process and in those that are forked from it."""
    if not _watchers:
        sys.meta_path.insert(0, _FINDER)
        for name in _CLIENTS:
            if name in sys.modules:
                _patch(sys.modules[name])
    _watchers.append(watcher)


def unwatch(watcher: Watcher) -> None:
    """Tell it no more; with the last one gone, the clients are as they were. One that is not known is let be."""
    if watcher not in _watchers:
        return
    _watchers.remove(watcher)
    if not _watchers:
        sys.meta_path.remove(_FINDER)
        for name in _CLIENTS:
            if name in sys.modules:
                _restore(sys.modules[name])


def working_on(call_id: str) -> None:
    """Say which tool call this process works on."""
    for watcher in _watchers:
        watcher.working_on(call_id)


@attrs.define
class _Answer:
    """What the sender tells of the answer."""

    status: int | None = None


@contextmanager
def noted(method: str, url: Any) -> Iterator[_Answer]:
    """Around the sending of one request; the status of the answer goes into what is given. ``url`` is a client's own."""
    if not _watchers:
        yield _Answer()
        return
    answer, start, error = _Answer(), time.time_ns(), None
    try:
        yield answer
    except BaseException as raised:
        error = type(raised).__name__
        raise
    finally:
        made = HttpRequest(
            method=method, url=_bare(url), start=start, end=time.time_ns(), status=answer.status, error=error
        )
        for watcher in _watchers:
            watcher.requested(made)


def _bare(url: Any) -> str:
    """Scheme, host, port and path."""
    host = url.netloc.decode("ascii", "replace").rpartition("@")[2]
    path = url.raw_path.decode("ascii", "replace").partition("?")[0]
    return redact(f"{url.scheme}://{host}{path}")


def _transports(client: ModuleType) -> Sequence[tuple[type, str, Callable[..., Any]]]:
    """The classes of a client that send, their method that does, and what wraps it."""
    return (
        (client.HTTPTransport, "handle_request", _watched),
        (client.AsyncHTTPTransport, "handle_async_request", _watched_async),
    )


def _patch(client: ModuleType) -> None:
    for kind, name, wrap in _transports(client):
        send = vars(kind)[name]
        if not hasattr(send, _ORIGINAL):
            setattr(kind, name, wrap(send))


def _restore(client: ModuleType) -> None:
    for kind, name, _wrap in _transports(client):
        send = vars(kind)[name]
        if hasattr(send, _ORIGINAL):  # else somebody has wrapped ours, which tells nobody any more
            setattr(kind, name, getattr(send, _ORIGINAL))


def _watched(send: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(send)
    def handle_request(self: Any, request: Any) -> Any:
        with noted(request.method, request.url) as answer:
            response = send(self, request)
            answer.status = response.status_code
            return response

    setattr(handle_request, _ORIGINAL, send)
    return handle_request


def _watched_async(send: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(send)
    async def handle_async_request(self: Any, request: Any) -> Any:
        with noted(request.method, request.url) as answer:
            response = await send(self, request)
            answer.status = response.status_code
            return response

    setattr(handle_async_request, _ORIGINAL, send)
    return handle_async_request


class _Finder(importlib.abc.MetaPathFinder):
    """Sees a client being imported, lets the others find it, and patches it once it is loaded."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name not in _CLIENTS:
            return None
        found = (finder.find_spec(name, None) for finder in sys.meta_path if finder is not self)
        spec = next((one for one in found if one is not None), None)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_patch(module: ModuleType) -> None:
                load(module)
                _patch(module)

            spec.loader.exec_module = load_and_patch  # type: ignore[method-assign]  # of this spec's own loader
        return spec


_FINDER = _Finder()
