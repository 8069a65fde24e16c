"""JSON objects from bytes and files, with errors that say which document is wrong and where."""

import codecs
import os
from pathlib import Path
from typing import Any

from sentinel_core.errors import InputError
from sentinel_core.trace import from_json

__all__ = ["json_file", "json_object", "read_bytes"]


def read_bytes(path: Path, max_bytes: int, flag: str) -> bytes:
    """A file's bytes, at most one more than ``max_bytes``. Raises ``InputError`` naming the flag that names the file."""
    try:
        with path.open("rb") as file:
            return file.read(max_bytes + 1)
    except OSError as error:
        raise InputError(f'"{os.fspath(path)}" cannot be read: {error.strerror}; {flag} names it') from error


def json_file(path: Path, max_bytes: int, flag: str) -> dict[str, Any]:
    """The JSON object in a file. Raises ``InputError`` naming the file where there is none."""
    return json_object(read_bytes(path, max_bytes, flag), os.fspath(path), max_bytes)


def json_object(data: bytes, place: str, max_bytes: int) -> dict[str, Any]:
    """The JSON object in ``data``, after any byte order mark. Raises ``InputError`` naming ``place`` where there is none."""
    if len(data) > max_bytes:
        raise InputError(f'"{place}" is larger than {max_bytes} bytes; raise "max_bytes" if that is right')
    try:
        value = from_json(data.removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError) as error:
        raise InputError(f'"{place}" is not JSON: {error}; correct it there') from error
    if not isinstance(value, dict):
        raise InputError(f'"{place}" must hold a JSON object @ $, not {_KIND[type(value)]}')
    return value


_KIND = {
    list: "a list",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
