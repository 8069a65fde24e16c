"""The end of an answer to a client that is still sending."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Farewell"]

_SECONDS = 2.0
_OF_A_BODY = frozenset({b"content-length", b"transfer-encoding"})


class Farewell:
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
            if is_sending and message["type"] == "http.response.body" and not message.get("more_body", False):
                await send({**message, "more_body": True})
                with suppress(TimeoutError):
                    async with asyncio.timeout(_SECONDS):
                        while is_sending:
                            await heard()
                message = {"type": "http.response.body"}
            await send(message)

        await self._app(scope, heard, told)
