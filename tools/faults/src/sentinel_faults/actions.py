"""What the server can do instead of answering well."""

import functools
import zlib
from collections.abc import Callable
from typing import Any

import attrs

from sentinel_faults.dialects import Dialect, as_json
from sentinel_faults.exchange import CIRCLE, MOVED, Exchange
from sentinel_faults.turns import Asked, Turn

__all__ = [
    "Act",
    "bad_event",
    "body",
    "calls",
    "circle",
    "close",
    "cut_body",
    "cut_head",
    "cut_well_framed",
    "document",
    "drip_body",
    "drip_head",
    "endless_continue",
    "error_in_200",
    "error_in_stream",
    "gzip_bomb",
    "hang",
    "moved",
    "raw",
    "replaced",
    "reset",
    "reset_after_reply",
    "status",
    "too_long",
    "turn",
    "without_answer",
]

Act = Callable[[Exchange], None]

_TOO_LONG = 20_000_000
_BOMB = 64  # million bytes
_DRIP = 0.02  # seconds between two bytes
_TEXT = "this is a test"
_ANSWER = ("choices", "content", "message")  # where a reply stands, in one wire format or another


def status(code: int, text: str = _TEXT, **headers: str) -> Act:
    """An HTTP status with the body that the wire format gives to errors; ``_`` in header names is ``-``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: exchange.answer(code, as_json(exchange.dialect.error(code, text)), named)


def body(content: bytes, code: int = 200, *, kind: str = "application/json", **headers: str) -> Act:
    """Bytes as a whole body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: exchange.answer(code, content, named, kind=kind)


def raw(data: bytes) -> Act:
    """Bytes instead of HTTP, and the end."""

    def act(exchange: Exchange) -> None:
        exchange.send(data)
        exchange.close()

    return act


def document(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Act:
    """A reply that is changed before it is sent, whole even where a stream was asked for."""
    return lambda exchange: exchange.answer(
        200, as_json(change(exchange.dialect.document(exchange.turn, exchange.number)))
    )


def replaced(**values: object) -> Act:
    """A reply with other values at its top."""
    return document(lambda reply: reply | values)


def without_answer(value: object = None, *, gone: bool = False) -> Act:
    """A reply whose choices, content, or message are another value, or not there at all."""

    def change(reply: dict[str, Any]) -> dict[str, Any]:
        kept = {name: told for name, told in reply.items() if name not in _ANSWER}
        return kept if gone else kept | {name: value for name in reply if name in _ANSWER}

    return document(change)


def turn(**changes: Any) -> Act:
    """The turn that is due, with changes."""
    return lambda exchange: exchange.reply(attrs.evolve(exchange.turn, **changes))


def calls(*asked: Asked) -> Act:
    """A turn that asks for other tools than it should."""
    return lambda exchange: exchange.reply(Turn(calls=asked))


def reset(exchange: Exchange) -> None:
    """A reset instead of a reply."""
    exchange.reset()


def close(exchange: Exchange) -> None:
    """A polite end instead of a reply."""
    exchange.close()


def cut_head(exchange: Exchange) -> None:
    """Some headers, and the end."""
    exchange.send(exchange.whole()[0][:30])
    exchange.close()


def cut_body(end: Act) -> Act:
    """Half of the body, and the end."""

    def act(exchange: Exchange) -> None:
        head, content = exchange.whole()
        exchange.send(head + content[: len(content) // 2])
        end(exchange)

    return act


def cut_well_framed(exchange: Exchange) -> None:
    """Half of the body, and HTTP says that it is all."""
    content = exchange.whole()[1]
    kind = exchange.dialect.stream_type if exchange.stream else "application/json"
    exchange.answer(200, content[: len(content) // 2], kind=kind)


def reset_after_reply(exchange: Exchange) -> None:
    """The whole reply, and then a reset. It says that the connection ends, or the next request might be what meets the reset."""
    head, content = exchange.whole()
    exchange.send(head.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n") + content)
    exchange.reset()


def hang(exchange: Exchange) -> None:
    """Nothing, until the client goes away."""
    exchange.wait()


def drip_body(exchange: Exchange) -> None:
    """The head at once, the body a byte at a time."""
    head, content = exchange.whole()
    exchange.send(head)
    _drip(exchange, content * 50)


def drip_head(exchange: Exchange) -> None:
    """All a byte at a time."""
    _drip(exchange, b"".join(exchange.whole()) * 50)


def _drip(exchange: Exchange, data: bytes) -> None:
    for byte in data:
        if exchange.wait(_DRIP):
            return
        exchange.send(bytes([byte]))


def endless_continue(exchange: Exchange) -> None:
    """Heads that promise a reply, and none."""
    while not exchange.wait(_DRIP):
        exchange.send(b"HTTP/1.1 100 Continue\r\n\r\n")


def moved(exchange: Exchange) -> None:
    """A redirect to the same server, where the reply is."""
    exchange.answer(307, b"", {"location": f"{exchange.origin}{MOVED}"})


def circle(exchange: Exchange) -> None:
    """A redirect without end."""
    exchange.answer(307, b"", {"location": f"{exchange.origin}{CIRCLE}"})


def gzip_bomb(exchange: Exchange) -> None:
    """Little to send, and much to unpack."""
    exchange.answer(200, _bomb(), {"content-encoding": "gzip"})


@functools.cache
def _bomb() -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    million = bytes(1_000_000)
    return b"".join(packer.compress(million) for _ in range(_BOMB)) + packer.flush()


def too_long(exchange: Exchange) -> None:
    """A well-formed reply of 20 million characters."""
    exchange.answer(200, as_json(exchange.dialect.document(Turn(text="a" * _TOO_LONG), exchange.number)))


def error_in_200(code: int) -> Act:
    """An error's body, and a status that says that all is well."""
    return lambda exchange: exchange.answer(200, as_json(exchange.dialect.error(code, _TEXT)))


def error_in_stream(code: int) -> Act:
    """A reply that begins well, and an error in the middle of it; an error in a 200 where no stream was asked for."""

    def act(exchange: Exchange) -> None:
        if not exchange.stream:
            error_in_200(code)(exchange)
            return
        dialect = exchange.dialect
        start = _pieces(exchange)[0]
        exchange.answer(200, start + dialect.event(code, _TEXT), kind=dialect.stream_type)

    return act


def bad_event(exchange: Exchange) -> None:
    """One piece of a stream that is no JSON; a body that is none where no stream was asked for."""
    if not exchange.stream:
        exchange.answer(200, b'{"choices": [')
        return
    kind = exchange.dialect.stream_type
    bad = b'data: {"broken\n\n' if kind == "text/event-stream" else b'{"broken\n'
    first, *others = _pieces(exchange)
    exchange.answer(200, first + bad + b"".join(others), kind=kind)


def _pieces(exchange: Exchange) -> list[bytes]:
    dialect: Dialect = exchange.dialect
    return list(dialect.stream(dialect.document(exchange.turn, exchange.number)))
