"""Span attributes of every format as one flat dictionary: OTLP's typed values, tags, nested objects, numbered keys."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sentinel_core.traces.readers.values import embedded_json
from sentinel_readers_telemetry.aliases import INDEXED

__all__ = ["first", "flattened", "plain", "structured"]

# No convention has a key of more parts.
_MOST_PARTS = 12
_LONGEST_INDEX = 9
_below = re.compile(rf"({'|'.join(map(re.escape, INDEXED))})\.(.*)", re.DOTALL)
_ROOTS = frozenset({"llm", "openinference", "tool", "tool_call", "gen_ai", "session", "agent", "gcp", "traceloop"})
_IO_ROOTS = frozenset({"input", "output"})
_SIMPLE = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value")
_NOTHING: tuple[object, ...] = ("", "{}", "[]", [], {})
_INTEGER = ("intValue", "int_value")


def plain(raw: object) -> dict[str, Any]:
    """Attributes as OTLP lists them (``key`` and typed ``value``), as Jaeger tags, or as an object; {} for anything else."""
    if isinstance(raw, dict):
        return dict(raw)
    if not isinstance(raw, list):
        return {}
    found = {}
    for entry in raw:
        if isinstance(entry, dict) and isinstance(key := entry.get("key"), str):
            value = entry.get("value")
            found[key] = _any_value(value) if isinstance(value, dict) else value
    return found


def flattened(attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes with objects under a known root flattened to dotted keys; other values stay as they are."""
    nested = [key for key, value in attributes.items() if isinstance(value, dict) and _is_root(key, value)]
    if not nested:
        return attributes
    flat = {key: value for key, value in attributes.items() if key not in nested}
    open_objects: list[tuple[str, dict[str, Any]]] = [(key, attributes[key]) for key in reversed(nested)]
    while open_objects:
        prefix, inner = open_objects.pop()
        for key, value in inner.items():
            name = f"{prefix}.{key}"
            if isinstance(value, dict) and prefix not in _IO_ROOTS:
                open_objects.append((name, value))
            else:
                flat.setdefault(name, value)
    return flat


def _is_root(key: str, value: dict[str, Any]) -> bool:
    return key in _ROOTS or (key in _IO_ROOTS and "value" in value)


def structured(attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes with numbered keys collected in lists: ``gen_ai.prompt.0.role`` becomes ``gen_ai.prompt[0]["role"]``."""
    numbered = [(match[1], match[2], key) for key in attributes if (match := _below.match(key)) is not None]
    listed = [name for name in INDEXED if isinstance(attributes.get(name), list)]
    if not numbered and not listed:
        return attributes
    gathered: dict[str, Any] = {}
    for root, rest, key in numbered:
        path = rest.split(".", _MOST_PARTS)
        if _is_index(path[0]):
            _put(gathered.setdefault(root, {}), path, attributes[key])
    lists = {root: _as_lists(tree) for root, tree in gathered.items()}
    return {**attributes, **lists, **{name: _spread(attributes[name]) for name in listed}}


def _put(tree: dict[str, Any], path: list[str], value: object) -> None:
    for part in path[:-1]:
        if part not in tree:
            tree[part] = {}
        inner = tree[part]
        if not isinstance(inner, dict):
            return
        tree = inner
    tree.setdefault(path[-1], value)


def _as_lists(tree: Any) -> Any:
    """Objects whose keys are all numbers, as lists in the numbers' order."""
    if not isinstance(tree, dict):
        return tree
    if tree and all(map(_is_index, tree)):
        return [_as_lists(tree[key]) for key in sorted(tree, key=int)]
    return {key: _as_lists(value) if isinstance(value, dict) else value for key, value in tree.items()}


def _spread(value: Any) -> Any:
    """Objects in lists with their dotted keys, as in exported tables, turned into nested objects."""
    if isinstance(value, list):
        return [_spread(item) for item in value]
    if not isinstance(value, dict):
        return value
    tree: dict[str, Any] = {}
    for key, inner in value.items():
        _put(tree, key.split(".", _MOST_PARTS), _spread(inner))
    return tree


def _is_index(part: str) -> bool:
    return part.isdecimal() and part.isascii() and len(part) <= _LONGEST_INDEX


def _any_value(value: Any) -> Any:
    """The content of an OTLP ``AnyValue``; any other value as it is."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    [(kind, held)] = value.items()
    if kind in _SIMPLE:
        return held
    if kind in _INTEGER:
        return number(held)
    if kind in ("arrayValue", "array_value"):
        items = held.get("values") if isinstance(held, dict) else None
        return [_any_value(item) for item in items] if isinstance(items, list) else []
    if kind in ("kvlistValue", "kvlist_value"):
        return plain(held.get("values")) if isinstance(held, dict) else {}
    return value


def number(value: object) -> Any:
    """A whole number in text as an ``int``; anything else as it is."""
    if isinstance(value, str) and len(value) <= 20 and value.removeprefix("-").isdecimal() and value.isascii():  # noqa: PLR2004 - the digits of a 64-bit integer
        return int(value)
    return value


def first(attributes: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The value of the first name that is present and not empty; text that is JSON is decoded. None if there is none."""
    for name in names:
        value = attributes.get(name)
        if value is None or value in _NOTHING:
            continue
        return embedded_json(value) if isinstance(value, str) else value
    return None
