"""What results say of the calls that they answer, without any English of answers: a part that failed, and a status."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from sentinel_core.evaluate.tools import name_words
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.tables import regex

__all__ = ["MAY_FAIL_IN_PART", "Part", "failed_part", "status_of"]

_FAILED = word_set(
    "failed failure failures errors skipped rejected declined bounced undelivered unsent unavailable invalid conflict conflicts excluded refused denied"
)
_DONE = word_set(
    "updated sent created processed delivered applied moved posted notified accepted saved succeeded added imported"
)
_ALL = word_set("total requested rooms submitted recipients members expected attempted of")
_STATUS = ("status", "state", "result", "outcome")
_DEEPEST, _LONGEST_STATUS, _CODE = 7, 40, "code"
MAY_FAIL_IN_PART = regex(
    rf'"(?:\w*[_a-z])?(?:{"|".join(sorted(_FAILED))})"\s*:\s*(?:[1-9]|\[\s*[^\]\s]|\{{\s*[^}}\s])|"(?:{"|".join(sorted(_DONE))})"\s*:\s*\d'
)
"""Found in every document of which ``failed_part`` finds a part."""


class Part(NamedTuple):
    """What the result says of the part that failed, and the values by which an answer may tell of it."""

    shown: str
    values: frozenset[str]


def _objects_in(document: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The objects of a document, outer ones first."""
    if depth >= _DEEPEST or not isinstance(document, (dict, list)):
        return
    if isinstance(document, dict):
        yield document
    for item in document.values() if isinstance(document, dict) else document:
        if isinstance(item, (dict, list)):
            yield from _objects_in(item, depth + 1)


def failed_part(document: Any) -> Part | None:
    """What failed of something that was done in parts: ``"failed": 3``, ``"skipped": [...]``, ``"updated": 6`` of ``"rooms": 9``."""
    for one in _objects_in(document):
        for key, value in one.items():
            words = _words(key)
            if not _FAILED.isdisjoint(words) and _CODE not in words and value and _is_part(value, key, one):
                return Part(f'"{key}" is {_shown(value)}', frozenset(_values(value)))
        done, total = (_count(one, names) for names in (_DONE, _ALL))
        if done is not None and total is not None and 0 < done < total:
            return Part(f"{done} of {total} were done", frozenset((str(done), str(total - done))))
    return None


def _is_part(value: Any, key: str, one: dict[str, Any]) -> bool:
    """True for a list of what failed, and for a number of it beside a number of what was done or was to be: "errors" alone may be a field."""
    if isinstance(value, (list, dict)):
        return True
    others = (_words(other) for other in one if other != key)
    return type(value) is int and any(not words.isdisjoint(_DONE | _ALL) for words in others)


@lru_cache(maxsize=1024)
def _words(key: str) -> frozenset[str]:
    return frozenset(name_words(key))


def _shown(value: object) -> str:
    return f"a list of {len(value)}" if isinstance(value, (list, dict)) else str(value)


def _count(one: dict[str, Any], names: frozenset[str]) -> int | None:
    return next((value for key, value in one.items() if key in names and type(value) is int), None)


def _values(value: Any) -> Iterator[str]:
    """The plain values in it, and how many there are."""
    if isinstance(value, (list, dict)):
        yield str(len(value))
        for item in value.values() if isinstance(value, dict) else value:
            yield from (
                _values(item)
                if not isinstance(item, (list, dict))
                else (part for inner in (item.values() if isinstance(item, dict) else item) for part in _values(inner))
            )
    else:
        yield str(value).lower()


def status_of(document: Any) -> str | None:
    """The status of what the call was for: that of the whole document, in lower case."""
    if not isinstance(document, dict):
        return None
    found = (document.get(key) for key in _STATUS)
    return next((value.lower() for value in found if isinstance(value, str) and len(value) <= _LONGEST_STATUS), None)
