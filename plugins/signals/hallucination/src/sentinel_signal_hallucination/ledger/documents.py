"""The values of documents: arguments of calls, and results that are JSON."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sentinel_core.evaluate.facts.values import Value, values_of
from sentinel_core.trace import from_json

__all__ = ["Leaf", "document_of", "leaves"]

_NEW = ("new_", "old_", "to_", "from_")
_DEEPEST = 8


class Leaf(NamedTuple):
    """A value of a document, the key that it stands under, and whether a list holds it."""

    key: str
    value: Value
    text: str
    in_list: bool


def document_of(content: str) -> Any:
    """The document that a result is; None where it is none."""
    if content.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return from_json(content.encode("utf-8", "replace"))
    except ValueError:
        return None


def leaves(document: Any, key: str = "", *, in_list: bool = False, depth: int = 0) -> Iterator[Leaf]:
    """The values of a document, in order."""
    if depth > _DEEPEST:
        return
    if isinstance(document, dict):
        for name, item in document.items():
            yield from leaves(item, str(name), in_list=in_list, depth=depth + 1)
    elif isinstance(document, list):
        for item in document:
            yield from leaves(item, key, in_list=True, depth=depth + 1)
    else:
        for value in values_of(document):
            yield Leaf(_field(key), value, str(document), in_list)


def _field(name: str) -> str:
    """One name for ``order_id``, ``new_order_ids`` and ``orderId``."""
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    for prefix in _NEW:
        name = name.removeprefix(prefix)
    return name.strip("_").removesuffix("s")
