"""Reports HTTP requests to watchers: those of the guarded client, and of plain ``httpx`` and ``httpx2``.

It imports no client: a client is patched when the program loads it, in a tool's child process too.
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
    """One request, from its start to the head of its response; a followed redirect is another request.

    Times are nanoseconds since 1970. ``url`` has no user, password or query, and secrets in it are redacted. ``status`` is None
    without a response; ``error`` is then the class of the exception.
    """

    method: str
    url: str
    start: int
    end: int
    status: int | None = None
    error: str | None = None


class Watcher(Protocol):
    """Receives requests. Must not raise."""

    def working_on(self, call_id: str) -> None:
        """From now on, requests of this process belong to the tool call with this id."""

    def requested(self, made: HttpRequest) -> None:
        """Receive a request."""


_watchers: list[Watcher] = []


def watch(watcher: Watcher) -> None:
    """Report all requests from now on to ``watcher``, in this process and in those forked from it."""
    if not _watchers:
        sys.meta_path.insert(0, _FINDER)
        for name in _CLIENTS:
            if name in sys.modules:
                _patch(sys.modules[name])
    _watchers.append(watcher)


def unwatch(watcher: Watcher) -> None:
    """Stop reporting to ``watcher``; without any watcher the clients are restored. An unknown watcher is ignored."""
    if watcher not in _watchers:
        return
    _watchers.remove(watcher)
    if not _watchers:
        sys.meta_path.remove(_FINDER)
        for name in _CLIENTS:
            if name in sys.modules:
                _restore(sys.modules[name])


def working_on(call_id: str) -> None:
    """Set the tool call that this process works on."""
    for watcher in _watchers:
        watcher.working_on(call_id)


@attrs.define
class _Answer:
    """The response's status, set by the sender."""

    status: int | None = None


@contextmanager
def noted(method: str, url: Any) -> Iterator[_Answer]:
    """Wraps the sending of one request; set the yielded object's ``status``. ``url`` is a client's URL object."""
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
    """A client's transport classes, their sending methods, and the wrappers."""
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
        if hasattr(send, _ORIGINAL):  # else another library has wrapped ours, which then reports to nobody
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
    """Lets the other finders find a client, and patches it once it is loaded."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name not in _CLIENTS:
            return None
        found = (finder.find_spec(name, None) for finder in sys.meta_path if finder is not self)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_patch(module: ModuleType) -> None:
                load(module)
                _patch(module)

            spec.loader.exec_module = load_and_patch  # type: ignore[method-assign]  # of this spec's own loader
        return spec


_FINDER = _Finder()
