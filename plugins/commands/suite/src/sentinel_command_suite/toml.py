"""TOML out of plain values: what the standard library reads and does not write."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["to_toml"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(document: Mapping[str, Any]) -> str:
    """A document of texts, numbers, true and false, lists and tables.

    Raises ``TypeError`` for anything else, None included.
    """
    return "\n".join(_table(document, ())).strip() + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Plain values first: what follows a heading belongs to it."""
    for key, value in table.items():
        if not _is_heading(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        if isinstance(value, Mapping) and _is_heading(value):
            yield from ("", f"[{_path((*path, key))}]", *_table(value, (*path, key)))
        elif _is_heading(value):
            for inner in value:
                yield from ("", f"[[{_path((*path, key))}]]", *_table(inner, (*path, key)))


def _is_heading(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value)
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _path(keys: tuple[str, ...]) -> str:
    return ".".join(map(_key, keys))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + "}"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _text(value: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for DEL, which JSON leaves as it is, and half surrogate pairs."""
    plain = value.encode("utf-8", "replace").decode("utf-8")
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
