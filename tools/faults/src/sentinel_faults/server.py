"""The server: a script that is played turn by turn, a fault at one place of it, and a record of every request."""

import contextlib
import json
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from sentinel_core.model import Model
from sentinel_faults.dialects import Dialect, as_json
from sentinel_faults.exchange import CIRCLE, MOVED, Exchange
from sentinel_faults.table import Fault
from sentinel_faults.turns import Turn

__all__ = ["FaultServer"]

_RESET = struct.pack("ii", 1, 0)
_LONGEST_HANG = 30.0


class FaultServer:
    """Answers on loopback as one provider does. The turn is told by the conversation, so a repeated request gets the same.

    ``requests`` are the bodies of what was asked of the model, in order; ``headers`` theirs, names in lower case; ``asked``
    is how many there were. Other questions (lists of models) are answered, and not counted.
    """

    def __init__(self, dialect: Dialect, script: Sequence[Turn]) -> None:
        self.dialect = dialect
        self.script = tuple(script)
        self.released = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self)
        self.play(None)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def play(self, fault: Fault | None, *, position: int = 0, times: int = 1) -> None:
        """Forget what was asked, and begin anew; the fault shows at the turn ``position`` (from 0), so many times."""
        self.released.set()
        self.released = threading.Event()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._fault, self._position, self._times = fault, position, times
        self._odd = self._turns = 0

    @property
    def asked(self) -> int:
        """How often the model was asked."""
        return len(self.requests)

    def is_due(self, turn: int) -> bool:
        """True where the fault would show if this turn (from 0) were asked for now."""
        return self._fault is not None and self._times > 0 and turn == self._position

    @property
    def origin(self) -> str:
        """``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        """The address to give to a provider."""
        return f"{self.origin}{self.dialect.root}"

    @contextlib.contextmanager
    def models(self, connect: Callable[[Any], Model], settings: Callable[..., Any]) -> Iterator[Callable[..., Model]]:
        """What connects a provider to this server, with settings given by name; every model is closed in the end."""
        with contextlib.ExitStack() as opened:

            def open_model(**given: Any) -> Model:
                model = connect(settings(**{"base_url": self.base_url, "model": "test-model", **given}))
                opened.callback(model.close)
                return model

            yield open_model

    def close(self) -> None:
        """Stop answering; what hangs is let go."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def _due(self, body: dict[str, Any]) -> tuple[Turn, int, int]:
        """The turn that is due, its place in the script, and how many turns there were."""
        told = sum(message.get("role") == "assistant" for message in body.get("messages", ()))
        turns = self._turns = max(told, self._turns)  # a client may leave out older messages
        place = turns - self._odd
        return self.script[min(place, len(self.script) - 1)], place, turns

    def _next(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[Turn, int, Fault | None]:
        """The turn that is due, how many there were, and the fault where it is due too."""
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            turn, place, turns = self._due(body)
            if self._fault is None or not self.is_due(place):
                return turn, turns, None
            self._times -= 1
            self._odd += self._fault.adds_turn
            return turn, turns, self._fault


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], faults: FaultServer) -> None:
        super().__init__(address, _Handler)
        self.faults = faults

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what this server is for."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
        """Nothing: the record is the server's."""

    def do_GET(self) -> None:
        self._look_up()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        faults = self.server.faults
        path = self.path.partition("?")[0]
        if path == CIRCLE:
            self.wfile.write(_head(307, "text/plain", 0, {"location": f"{faults.origin}{CIRCLE}"}))
            return
        if path not in (f"{faults.dialect.root}{faults.dialect.path}", MOVED):
            self._look_up()
            return
        asked = json.loads(body)
        stream = bool(asked.get("stream"))
        with contextlib.suppress(OSError):
            if path == MOVED:  # the second half of a redirect, and no question of its own
                turn, _place, turns = faults._due(asked)  # noqa: SLF001 - handler and server are one thing
                _Exchange(self, turn, turns, stream=stream).reply()
                return
            turn, turns, fault = faults._next(asked, {name.lower(): value for name, value in self.headers.items()})  # noqa: SLF001
            (_reply if fault is None else fault.act)(_Exchange(self, turn, turns, stream=stream))

    def _look_up(self) -> None:
        dialect = self.server.faults.dialect
        found = dialect.looked_up.get(self.path.partition("?")[0].removeprefix(dialect.root))
        body = as_json(found or dialect.error(404, "not found"))
        self.wfile.write(_head(200 if found else 404, "application/json", len(body), {}) + body)


class _Exchange(Exchange):
    """One request that waits for its answer, and the means to answer badly."""

    def __init__(self, handler: _Handler, turn: Turn, number: int, *, stream: bool) -> None:
        self._handler = handler
        self._faults = handler.server.faults
        self.dialect = self._faults.dialect
        self.turn, self.number, self.stream = turn, number, stream
        self.origin = self._faults.origin

    def send(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, *, kind: str = "application/json"
    ) -> None:
        self.send(_head(status, kind, len(body), headers or {}) + body)

    def reply(self, turn: Turn | None = None) -> None:
        document = self.dialect.document(turn or self.turn, self.number)
        if self.stream:
            self.answer(200, b"".join(self.dialect.stream(document)), kind=self.dialect.stream_type)
        else:
            self.answer(200, as_json(document))

    def whole(self) -> tuple[bytes, bytes]:
        document = self.dialect.document(self.turn, self.number)
        body = b"".join(self.dialect.stream(document)) if self.stream else as_json(document)
        kind = self.dialect.stream_type if self.stream else "application/json"
        return _head(200, kind, len(body), {}), body

    def close(self) -> None:
        self._handler.close_connection = True
        with contextlib.suppress(OSError):
            self._handler.connection.shutdown(socket.SHUT_RDWR)

    def reset(self) -> None:
        self._handler.close_connection = True
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        os.close(self._handler.connection.detach())

    def wait(self, seconds: float = _LONGEST_HANG) -> bool:
        self._handler.close_connection = True
        return self._faults.released.wait(seconds)


def _reply(exchange: Exchange) -> None:
    exchange.reply()


def _head(status: int, kind: str, length: int, headers: dict[str, str]) -> bytes:
    lines = {"content-type": kind, "content-length": str(length), **headers}
    return (
        f"HTTP/1.1 {status} Test\r\n".encode() + b"".join(f"{k}: {v}\r\n".encode() for k, v in lines.items()) + b"\r\n"
    )
