"""Parses JSON bytes; errors read ``what at $.path``."""

import gc
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from typing import Any

from sentinel_core.trace import MOST_DEPTH, from_json

__all__ = [
    "DoubledKeyError",
    "TooDeepError",
    "check_depth",
    "doubled_keys",
    "not_json",
    "parse_json",
    "parse_pairs",
]

_NESTED = frozenset((dict, list))
_LARGE = 1 << 20
_AT_ONCE = 4096
_LONGEST_KEY = 60
_FOLLOWED = 16 << 20
_TOO_DEEP = f"lists and objects are nested more than {MOST_DEPTH} levels deep"

_CONSTANT = rb"[:\[,]\s*-?(NaN|Infinity)"
_LONG_NUMBER = rb"(?<!\d)-?\d{4301}"
_HALF_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"


class TooDeepError(ValueError):
    """Lists and objects are nested deeper than Sentinel follows."""


class DoubledKeyError(ValueError):
    """An object has a key more than once."""


def parse_json(data: bytes | bytearray, *, strict: bool = False) -> object:
    """The value; ``strict`` refuses duplicate keys.

    Raises ``ValueError`` or ``RecursionError``; ``not_json`` turns them into a message.
    """
    value = from_json(data)
    brackets = _brackets(data)
    if brackets > MOST_DEPTH:
        check_depth((value,), most=brackets)
    if strict and (problem := next(doubled_keys(parse_pairs(data, str), "$"), None)) is not None:
        raise DoubledKeyError(problem)
    return value


def _brackets(data: bytes | bytearray) -> int:
    """An upper limit on opening brackets. Uses ``replace``, which skips between hits; ``count`` looks at every byte."""
    if not MOST_DEPTH < len(data) <= _LARGE:
        return len(data)
    return 2 * len(data) - len(data.replace(b"[", b"")) - len(data.replace(b"{", b""))


def check_depth(values: Iterable[object], *, most: float = math.inf) -> None:
    """Raises ``TooDeepError`` if any of the values nests more than 200 lists and objects.

    ``most`` is an upper limit on their number; the search ends when too few are left to exceed the depth.
    """
    level = [value for value in values if type(value) in _NESTED]
    depth = 0
    while level and depth + most > MOST_DEPTH:
        depth += 1
        most -= len(level)
        if depth > MOST_DEPTH:
            raise TooDeepError(_TOO_DEEP)
        level = [inner for at in range(0, len(level), _AT_ONCE) for inner in _inside(level[at : at + _AT_ONCE])]


def _inside(containers: Iterable[object]) -> Iterable[object]:
    """The lists and objects directly inside; asking the garbage collector is twice as fast as a loop in Python."""
    held = gc.get_referents(*containers)
    return compress(held, map(_NESTED.__contains__, map(type, held)))


def not_json(data: bytes | bytearray, error: Exception) -> str:
    """Why these bytes are not JSON, from the exception of parsing them, with the path of the place."""
    if isinstance(error, DoubledKeyError):
        return str(error)
    if isinstance(error, (RecursionError, TooDeepError)):  # deep nesting mostly repeats itself, so the path is cut
        return f"{_TOO_DEEP} at {_followed(data, min(len(data), _FOLLOWED), most_depth=8)}..."
    if isinstance(error, UnicodeDecodeError):
        return _not_utf8(data)
    return _not_decoded(data, str(error).replace("`", "").partition(" - at ")[0])


def _not_decoded(data: bytes | bytearray, text: str) -> str:
    """The decoder's message, replaced for NaN, long numbers and half a surrogate pair, where it is unclear."""
    if (b"NaN" in data or b"Infinity" in data) and (found := re.search(_CONSTANT, data)) is not None:
        return f"{found[1].decode()} is not a JSON number at {_path_at(data, found.start(1))}"
    if "out of range" in text and (long := re.search(_LONG_NUMBER, data)) is not None:
        return f"contains a number with more than 4300 digits at {_path_at(data, long.start())}"
    if text == "Input data was truncated" and (half := re.search(_HALF_PAIR, data)) is not None:
        return f"is not JSON: a string contains half of a surrogate pair at {_path_at(data, half.start())}"
    offset = re.search(r"\(byte (\d+)\)", text)
    return f"is not JSON: {text} at {_path_at(data, int(offset[1]) if offset else len(data))}"


def _not_utf8(data: bytes | bytearray) -> str:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"is not UTF-8: byte {error.start} is 0x{data[error.start]:02x} at {_path_at(data, error.start)}"
    return "is not UTF-8: a string contains half of a surrogate pair at $"


def _path_at(data: bytes | bytearray, offset: int) -> str:
    """The path of the value that contains a byte; only the byte's offset if following the path would take minutes."""
    return _followed(data, offset) if offset <= _FOLLOWED else f"$ (byte {offset})"


def _followed(data: bytes | bytearray, offset: int, *, most_depth: float = math.inf) -> str:
    """The path of the value that contains a byte, as far as the text before it is JSON."""
    path: list[str | int] = []
    expects_key = False
    for found in _marks(data[:offset].decode("latin-1")):
        if found in ("{", "["):
            path.append("" if found == "{" else 0)
        elif found in ("}", "]"):
            del path[-1:]
        elif found == "," and path and isinstance(path[-1], int):
            path[-1] += 1
        elif expects_key and found != ",":
            path[-1] = found[1 : 1 + _LONGEST_KEY].encode("latin-1").decode("utf-8", "replace")
        expects_key = found in ("{", ",") and bool(path) and isinstance(path[-1], str)
        if len(path) >= most_depth:
            break
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path if step != "")


def _marks(text: str) -> Iterator[str]:
    """Brackets, commas, and strings from their quote on, up to the quote of the first string that does not end."""
    import json

    mark, decode = re.compile(r'["{}\[\],]'), json.JSONDecoder(strict=False).raw_decode
    position = 0
    while (found := mark.search(text, position)) is not None:
        position = found.end()
        if found[0] != '"':
            yield found[0]
            continue
        try:
            position = decode(text, found.start())[1]
        except json.JSONDecodeError:
            yield found[0]
            return
        yield text[found.start() : position - 1]


class _Object(dict[str, Any]):
    """A JSON object that remembers which of its keys were written more than once."""

    duplicates: tuple[str, ...] = ()


def parse_pairs(data: bytes | bytearray, parse_int: Callable[[str], object] = int) -> Any:
    """The document. Raises ``ValueError`` for an integer of more digits than ``parse_int`` takes."""
    import json

    def made_of(pairs: list[tuple[str, Any]]) -> _Object:
        made = _Object(pairs)
        if len(made) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            made.duplicates = tuple(sorted(name for name, count in counts.items() if count > 1))
        return made

    return json.loads(data, object_pairs_hook=made_of, parse_int=parse_int)


def doubled_keys(value: object, path: str) -> Iterator[str]:
    """A sentence for each key that is written more than once."""
    if isinstance(value, _Object):
        for name in value.duplicates:
            yield f'key "{name}" is given more than once at {path}'
        for name, inner in value.items():
            yield from doubled_keys(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from doubled_keys(inner, f"{path}[{position}]")
