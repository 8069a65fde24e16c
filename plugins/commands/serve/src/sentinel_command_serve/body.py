"""Reads a request's body: limited in size and time, and JSON without duplicate keys."""

import asyncio
import codecs
import json
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Any

from sentinel_command_serve.problems import Problem
from sentinel_core.traces.readers import not_json, parse_json

__all__ = ["LARGEST", "read_body"]

LARGEST = 1 << 20
"""The largest body in bytes."""

_SECONDS = 30.0


async def read_body(headers: Mapping[str, str], chunks: AsyncIterator[bytes]) -> Any:
    """The JSON value of a body. Raises ``Problem``: 415, 413, 408 or 400. Needs starlette."""
    from starlette.requests import ClientDisconnect

    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send JSON, with Content-Type: application/json")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send the body uncompressed, without Content-Encoding")
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > LARGEST:
        raise _too_large()
    try:
        async with asyncio.timeout(_SECONDS):
            return _parsed(await _gather(chunks))
    except TimeoutError:
        raise Problem(HTTPStatus.REQUEST_TIMEOUT, f"the body did not arrive within {_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise Problem(HTTPStatus.BAD_REQUEST, "the body is incomplete") from None


async def _gather(chunks: AsyncIterator[bytes]) -> bytes:
    data = bytearray()
    async for chunk in chunks:
        data += chunk
        if len(data) > LARGEST:
            raise _too_large()
    return bytes(data)


def _parsed(data: bytes) -> Any:
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        value = parse_json(data)
    except (ValueError, RecursionError) as error:
        raise Problem(HTTPStatus.BAD_REQUEST, not_json(data, error)) from None
    json.loads(data, object_pairs_hook=_refuse_twice)
    return value


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    """Refuse duplicate keys: the reader that checks an object may see another value than the one that uses it."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise Problem(HTTPStatus.BAD_REQUEST, f'the key "{name[:60]}" is given twice in one object')
        seen.add(name)


def _too_large() -> Problem:
    return Problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the body has more than {LARGEST} bytes: submit scores instead of a trace",
    )
