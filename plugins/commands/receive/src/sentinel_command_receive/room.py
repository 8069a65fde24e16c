"""Memory for incoming bodies, counted in received bytes, so that a silent client takes none."""

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus

import attrs

from sentinel_command_receive.bodies import BadRequest

__all__ = ["Body", "Room"]


@attrs.define(eq=False)
class Body:
    """The received part of a body. ``gave_way`` once it was dropped to make room for others."""

    data: bytearray = attrs.field(factory=bytearray)
    gave_way: bool = False
    limit: asyncio.Timeout | None = None

    def give_way(self) -> int:
        """Stop waiting for the rest; return how many bytes that frees."""
        freed = len(self.data)
        self.data, self.gave_way = bytearray(), True
        if self.limit is not None:
            self.limit.reschedule(asyncio.get_running_loop().time())
        return freed


@attrs.define(eq=False, kw_only=True)
class Room:
    """Holds bodies of ``largest`` bytes at most, ``most`` bytes in all, each for so many ``seconds`` until it is whole.

    If all together are too large, the largest unfinished one gives way, so that small bodies always come through. For one
    event loop.
    """

    largest: int
    most: int
    seconds: float
    held: int = attrs.field(default=0, init=False)
    _coming: set[Body] = attrs.field(factory=set, init=False)

    async def fill(self, chunks: AsyncIterator[bytes]) -> Body:
        """A whole body, to be given back with ``release``. Raises ``BadRequest``: 413, 408, or 503 if it gave way."""
        body = Body()
        self._coming.add(body)
        try:
            async with asyncio.timeout(self.seconds) as body.limit:
                await self._gather(body, chunks)
        except BaseException as error:
            self.release(body)
            if isinstance(error, TimeoutError) and not body.gave_way:
                late = f"the body did not arrive within {self.seconds:g} seconds"
                raise BadRequest(HTTPStatus.REQUEST_TIMEOUT, late) from None
            if not isinstance(error, TimeoutError):
                raise
        finally:
            self._coming.discard(body)
        if body.gave_way:
            raise BadRequest(HTTPStatus.SERVICE_UNAVAILABLE, "too much data is being received; try again in a moment")
        return body

    def release(self, body: Body) -> None:
        """Free a body's memory."""
        self.held -= len(body.data)
        body.data = bytearray()

    async def _gather(self, body: Body, chunks: AsyncIterator[bytes]) -> None:
        async for chunk in chunks:
            if body.gave_way:
                return
            if len(body.data) + len(chunk) > self.largest:
                raise BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is larger than {self.largest} bytes")
            body.data += chunk
            self.held += len(chunk)
            while self.held > self.most:
                self.held -= max(self._coming, key=lambda coming: len(coming.data)).give_way()
