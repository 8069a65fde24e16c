"""The values of documents: arguments of calls, and results that are JSON."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

from sentinel_core.evaluate.facts.values import Value, values_of
from sentinel_core.trace import from_json

__all__ = ["Leaf", "document_of", "leaves", "objects"]

_NEW = ("new_", "old_", "to_", "from_")
_DEEPEST = 8


class Leaf(NamedTuple):
    """A value of a document, and the key that it stands under."""

    key: str
    value: Value
    text: str


def document_of(content: str) -> Any:
    """The document that a result is; None where it is none."""
    if content.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return from_json(content.encode("utf-8", "replace"))
    except ValueError:
        return None


def leaves(document: Any, *, has_lists: bool = True) -> list[Leaf]:
    """The values of a document, in order; but for those in lists, where they are not wanted."""
    found: list[Leaf] = []
    if isinstance(document, (dict, list)):
        _collect(document, "", found, has_lists=has_lists, depth=0)
    return found


def objects(document: Any, depth: int = 0) -> Iterator[frozenset[str]]:
    """The values of each object of a document, as text."""
    if isinstance(document, dict):
        yield frozenset(str(item) for item in document.values() if not isinstance(item, (dict, list)))
    if isinstance(document, (dict, list)) and depth < _DEEPEST:
        for item in document.values() if isinstance(document, dict) else document:
            yield from objects(item, depth + 1)


def _collect(document: dict[str, Any] | list[Any], key: str, found: list[Leaf], *, has_lists: bool, depth: int) -> None:
    if depth >= _DEEPEST or (isinstance(document, list) and not has_lists):
        return
    for name, item in document.items() if isinstance(document, dict) else zip(repeat(key), document):
        if isinstance(item, (dict, list)):
            _collect(item, name, found, has_lists=has_lists, depth=depth + 1)
        elif item:
            for value in values_of(item):
                found.append(Leaf(_field(name), value, str(item)))  # noqa: PERF401 - most have none


@lru_cache(maxsize=4096)
def _field(name: str) -> str:
    """One name for ``order_id``, ``new_order_ids`` and ``orderId``."""
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    for prefix in _NEW:
        name = name.removeprefix(prefix)
    return name.strip("_").removesuffix("s")
