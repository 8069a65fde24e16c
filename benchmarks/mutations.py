"""Ways to spoil a file: its bytes, the JSON values in it, the members of an archive. All chance comes from one generator."""

import copy
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

__all__ = ["mutated", "shrunk"]

_PIECES = (
    b"NaN",
    b"-Infinity",
    b"null",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\\ud800",
    b"\x00",
    b"\n",
    b"\r\n",
    b'"',
    b"\\",
    b"{",
    b"]",
    b",",
    b"[" * 300,
    b'{"a":' * 300,
    b"9" * 4400,
    b"-1e999",
)
_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    2**63,
    10**30,
    1e308,
    -0.5,
    "",
    " ",
    "x" * 5000,
    "\ud800",
    "\x1b[31m\u202e",
    "{",
    '{"a": [1]}',
    "1",
    "2026-01-01T00:00:00Z",
    "tool",
    "assistant",
    [],
    {},
    [None],
    [[]],
    [{}],
    [""],
    {"": None},
    {"type": "text"},
    {"content": {"parts": [{"text": 1}]}},
    {"id": {"id": []}},
)
_MOST_CHANGES = 4
_MOST_ELEMENTS = 6
_MOST_DEPTH = 40
_ZIP = b"PK"
# How often: the bytes instead of the values; both; a file that is cut short; an archive's own bytes.
_BYTES, _BOTH, _CUT_SHORT, _ARCHIVE = 0.3, 0.1, 0.2, 0.2


def mutated(data: bytes, chance: Random) -> bytes:
    """The file with some things changed, or cut short; now and then only its bytes, so that it is no JSON."""
    if data.startswith(_ZIP):
        return _spoiled_zip(data, chance)
    values = None if chance.random() < _BYTES else _values(data)
    if values is None:
        return _spoiled_bytes(data, chance)
    for _ in range(chance.randint(1, _MOST_CHANGES)):
        _change_one(values, chance)
    spoiled = _file(values, lines=b"\n" in data.strip() or len(values) != 1)
    return _spoiled_bytes(spoiled, chance) if chance.random() < _BOTH else spoiled


def shrunk(data: bytes) -> bytes:
    """A file of the same shape with few elements in each list, so that many can be tried."""
    if data.startswith(_ZIP):
        return _rezipped(data, {name: shrunk(content) for name, content in _members(data)[:_MOST_ELEMENTS]})
    values = _values(data)
    return data if values is None else _file([_cut(value) for value in values[:20]], lines=len(values) != 1)


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cut(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_cut(inner) for inner in value[:_MOST_ELEMENTS]]
    return value[:400] if isinstance(value, str) and value[:1] not in ("{", "[") else value


def _values(data: bytes) -> list[Any] | None:
    """The document, or the value of each line; None where it is neither."""
    try:
        return [json.loads(data)]
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in data.splitlines() if line.strip()] or None
    except (ValueError, RecursionError):
        return None


def _file(values: list[Any], *, lines: bool) -> bytes:
    # What is half of a surrogate pair stands as an escape, as a careless tool would write it.
    written = [json.dumps(value).encode() for value in values]
    return b"\n".join(written) + b"\n" if lines else b"".join(written)


def _places(values: Any) -> Iterator[tuple[Any, Any]]:
    """Every list and object with each key or position in it."""
    todo = [(values, 0)]
    while todo:
        holder, depth = todo.pop()
        for key, inner in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            yield holder, key
            if isinstance(inner, (dict, list)) and depth < _MOST_DEPTH:
                todo.append((inner, depth + 1))


def _change_one(values: list[Any], chance: Random) -> None:
    places = list(_places(values))
    if not places:
        return
    holder, key = chance.choice(places)
    chance.choice(_CHANGES)(holder, key, places, chance)


_Place = tuple[Any, Any]


def _replace(holder: Any, key: Any, _places: list[_Place], chance: Random) -> None:
    holder[key] = copy.deepcopy(chance.choice(_VALUES))


def _remove(holder: Any, key: Any, _places: list[_Place], _chance: Random) -> None:
    del holder[key]


def _copy_from_elsewhere(holder: Any, key: Any, places: list[_Place], chance: Random) -> None:
    other, where = chance.choice(places)
    holder[key] = _copied(other[where])


def _repeat(holder: Any, key: Any, _places: list[_Place], chance: Random) -> None:
    if isinstance(holder, list):
        holder.insert(chance.randint(0, len(holder)), _copied(holder[key]))


def _rename(holder: Any, key: Any, places: list[_Place], chance: Random) -> None:
    if isinstance(holder, dict):
        names = [name for _, name in places if isinstance(name, str)]
        holder[chance.choice(names)] = holder.pop(key)


def _wrap(holder: Any, key: Any, _places: list[_Place], chance: Random) -> None:
    inner = holder[key]
    holder[key] = chance.choice(([inner], {"value": inner}, json.dumps(inner), str(inner)))


def _bury(holder: Any, key: Any, _places: list[_Place], chance: Random) -> None:
    for _ in range(chance.choice((5, 190, 220))):  # the most changes of one file stay under Python's limit of recursion
        holder[key] = [holder[key]]


def _copied(value: Any) -> Any:
    """A copy; None of what is nested too deep for one."""
    try:
        return copy.deepcopy(value)
    except RecursionError:
        return None


_CHANGES: tuple[Callable[[Any, Any, list[_Place], Random], None], ...] = (
    _replace,
    _replace,
    _replace,
    _remove,
    _copy_from_elsewhere,
    _repeat,
    _rename,
    _wrap,
    _bury,
)


def _spoiled_bytes(data: bytes, chance: Random) -> bytes:
    for _ in range(chance.randint(1, _MOST_CHANGES)):
        start = chance.randint(0, len(data))
        end = min(len(data), start + chance.choice((0, 0, 1, 8, 200)))
        piece = chance.choice((chance.choice(_PIECES), chance.randbytes(chance.randint(0, 4)), data[start:end] * 2))
        data = data[:start] + piece + data[end:]
    return data[: chance.randint(0, len(data))] if chance.random() < _CUT_SHORT else data


def _spoiled_zip(data: bytes, chance: Random) -> bytes:
    """The archive's own bytes, or one member's."""
    if chance.random() < _ARCHIVE:
        return _spoiled_bytes(data, chance)
    name, content = chance.choice(_members(data))
    return _rezipped(data, {name: mutated(content, chance)})


def _members(data: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def _rezipped(data: bytes, changed: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in _members(data):
            archive.writestr(name, changed.get(name, content))
    return out.getvalue()
