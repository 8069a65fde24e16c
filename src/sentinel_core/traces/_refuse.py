"""Why some bytes are no JSON that Sentinel takes, in words, and where: ``what @ $.path``."""

import gc
import math
import re
from collections.abc import Iterable
from itertools import compress

from sentinel_core.trace import from_json

__all__ = ["MOST_DEPTH", "TooDeepError", "check_depth", "not_json", "parse_json"]

MOST_DEPTH = 200
_NESTED = frozenset((dict, list))
_LARGE = 1 << 20
_AT_ONCE = 4096

_TOKEN = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\],:]'
_CONSTANT = rb"[:\[,]\s*-?(NaN|Infinity)"
_LONG_NUMBER = rb"(?<!\d)-?\d{4301}"
_HALF_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
_OFFSET = r"\(byte (\d+)\)"
_LONGEST_KEY = 60
_FOLLOWED = 16 << 20


class TooDeepError(ValueError):
    """Lists and objects are nested deeper than Sentinel follows."""


def parse_json(data: bytes | bytearray, *, strict: bool = False) -> object:
    """The value; ``strict`` refuses keys that are written twice.

    Raises ``ValueError`` or ``RecursionError``, which ``not_json`` puts into words.
    """
    value = from_json(data)
    brackets = _brackets(data)
    if brackets > MOST_DEPTH:
        check_depth((value,), most=brackets)
    if strict:
        from sentinel_core.traces._doubled import check_doubled

        check_doubled(data)
    return value


def _brackets(data: bytes | bytearray) -> int:
    """The most that there can be. To take them out jumps from one to the next; to count them looks at every byte."""
    if not MOST_DEPTH < len(data) <= _LARGE:
        return len(data)
    return 2 * len(data) - len(data.replace(b"[", b"")) - len(data.replace(b"{", b""))


def check_depth(values: Iterable[object], *, most: float = math.inf) -> None:
    """Raises ``TooDeepError`` where any of the values nests more than 200 lists and objects.

    ``most`` is how many of them there can be in all; where too few are left to pass the limit, it looks no deeper.
    """
    level = [value for value in values if type(value) in _NESTED]
    depth = 0
    while level and depth + most > MOST_DEPTH:
        depth += 1
        most -= len(level)
        if depth > MOST_DEPTH:
            raise TooDeepError(f"nested deeper than {MOST_DEPTH} lists and objects")
        level = [one for start in range(0, len(level), _AT_ONCE) for one in _inside(level[start : start + _AT_ONCE])]


def _inside(containers: Iterable[object]) -> Iterable[object]:
    """The lists and objects directly in these; the garbage collector can tell twice as fast as a loop in Python."""
    held = gc.get_referents(*containers)
    return compress(held, map(_NESTED.__contains__, map(type, held)))


def not_json(data: bytes | bytearray, error: Exception) -> str:
    """Why these bytes are no JSON, from what was raised for them, with the path of the place."""
    from sentinel_core.traces._doubled import DoubledKeyError

    if isinstance(error, DoubledKeyError):
        return str(error)
    if isinstance(error, (RecursionError, TooDeepError)):
        return f"nested deeper than {MOST_DEPTH} lists and objects @ {_deepest(data)}"
    if isinstance(error, UnicodeDecodeError):
        return _not_utf8(data)
    return _not_decoded(data, str(error).replace("`", "").partition(" - at ")[0])


def _not_decoded(data: bytes | bytearray, text: str) -> str:
    """From what the decoder says: its own words are not clear for a number that is none, or too long, and half a pair."""
    if (b"NaN" in data or b"Infinity" in data) and (found := re.search(_CONSTANT, data)) is not None:
        return f"{found[1].decode()} is no JSON number @ {_path_at(data, found.start(1))}"
    if "out of range" in text and (long := re.search(_LONG_NUMBER, data)) is not None:
        return f"a number of more than 4300 digits @ {_path_at(data, long.start())}"
    if text == "Input data was truncated" and (half := re.search(_HALF_PAIR, data)) is not None:
        return f"is not JSON: a string holds half of a surrogate pair @ {_path_at(data, half.start())}"
    offset = re.search(_OFFSET, text)
    return f"is not JSON: {text} @ {_path_at(data, int(offset[1]) if offset else len(data))}"


def _not_utf8(data: bytes | bytearray) -> str:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"is not UTF-8: byte {error.start} is 0x{data[error.start]:02x} @ {_path_at(data, error.start)}"
    return "is not UTF-8: a string holds half of a surrogate pair @ $"


def _deepest(data: bytes | bytearray) -> str:
    """The path down to where the limit is passed, cut short: what is nested deep is mostly the same again."""
    return _followed(data, len(data), most_depth=8) + "..."


def _path_at(data: bytes | bytearray, offset: int) -> str:
    """The path of the value in which a byte stands; the byte alone where it would take minutes to get there."""
    return _followed(data, offset) if offset <= _FOLLOWED else f"$ (byte {offset})"


def _followed(data: bytes | bytearray, offset: int, *, most_depth: int | None = None) -> str:
    """The path of the value in which a byte stands, as far as the text before it is JSON."""
    path: list[str | int] = []
    key = ""
    expects_key = False
    for match in re.compile(_TOKEN, re.DOTALL).finditer(data, 0, offset):
        token = match[0]
        if token == b"{":
            path.append("")
            expects_key = True
        elif token == b"[":
            path.append(0)
            expects_key = False
        elif token in (b"}", b"]"):
            if path:
                path.pop()
            expects_key = False
        elif token == b",":
            if path and isinstance(path[-1], int):
                path[-1] += 1
            expects_key = bool(path) and isinstance(path[-1], str)
        elif token != b":" and expects_key:
            key = token[1:-1][:_LONGEST_KEY].decode("utf-8", "replace")
            path[-1] = key
            expects_key = False
        if most_depth is not None and len(path) >= most_depth:
            break
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path if step != "")
