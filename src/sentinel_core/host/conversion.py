"""From what somebody set to the type that a setting has: text is parsed, and a file's value must already be of that type."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

import attrs
import msgspec

from sentinel_core.errors import ConfigError
from sentinel_core.host.selection import did_you_mean
from sentinel_core.trace import from_json

__all__ = ["Setting", "beside", "convert", "in_order", "printed", "settable", "shown"]

_WRITTEN: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number"}
_DECIMAL = re.compile(r"[+-]?\.\d+")
_PATH = "path"  # the key of a field's metadata that says that its text is a path


class Setting(NamedTuple):
    """One value and its origin, for people: ``--weight``, ``SENTINEL_FAIL_ON``, ``sentinel.toml`` or ``default``.

    ``folder`` is where relative paths in it start, seen from the working directory; empty where they start there.
    """

    key: str
    value: Any
    origin: str
    folder: str = ""


class _UnknownKeyError(Exception):
    """An object in a value has a key that is no field: the path to it, and the fields."""


def settable(wanted: type) -> "dict[str, attrs.Attribute[Any]]":
    """The fields that can be set, by the names to set them by, with their types resolved."""
    return {field.alias or field.name: field for field in attrs.fields(attrs.resolve_types(wanted)) if field.init}


def printed(filled: Any) -> dict[str, Any]:
    """A settings object as a dictionary, in which nothing depends on the process: not the order of sets, either."""
    return attrs.asdict(filled, value_serializer=lambda _instance, _field, value: in_order(value))


def in_order(value: Any) -> Any:
    """A value as it may be shown: sets are lists in an order of their own; paths and regular expressions are text."""
    if isinstance(value, (set, frozenset)):
        return sorted(map(in_order, value), key=repr)
    if isinstance(value, (list, tuple)):
        return type(value)(map(in_order, value)) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {key: in_order(one) for key, one in value.items()}
    if isinstance(value, re.Pattern):
        return value.pattern
    return str(value) if isinstance(value, PurePath) else value


def convert(setting: Setting, wanted: Any, metadata: Mapping[Any, Any] | None = None) -> Any:
    """The value, of the type ``wanted``. A field's ``metadata`` may say that its text is a path.

    Raises ``ConfigError`` for a value of another type, and for a key that no object of that type has.
    """
    from_file = setting.origin.endswith(".toml")
    try:
        made = _read(setting.value, wanted, strict=from_file)
    except _UnknownKeyError as error:
        path, known = error.args
        near = did_you_mean(path.rpartition(".")[2], known)
        raise ConfigError(f'unknown setting "{setting.key}{path}" from {setting.origin}{near}') from None
    except (msgspec.MsgspecError, TypeError) as error:
        text = _in_words(error, setting.value, wanted, from_file=from_file)
        raise ConfigError(f'"{setting.key}" from {setting.origin}: {text}, and it is {shown(setting.value)}') from None
    return _placed(made, setting.folder, is_path=bool(metadata and metadata.get(_PATH)))


def _read(value: Any, wanted: Any, *, strict: bool) -> Any:
    if strict or not isinstance(value, str):
        return _made(value, wanted, strict=strict)
    if value.startswith(("[", "{")) and wanted is not str:
        try:
            return _made(from_json(value), wanted, strict=False)
        except (msgspec.MsgspecError, TypeError):
            if not _is_text(wanted):
                raise
    if _takes(wanted, float) and _DECIMAL.fullmatch(value):
        return float(value)  # JSON has no such numbers, and people write them
    return _made(value, wanted, strict=False)


def _made(value: Any, wanted: Any, *, strict: bool) -> Any:
    made = msgspec.convert(value, wanted, strict=strict, dec_hook=_own)
    _refuse_unknown(value, wanted, "")
    return made


def _own(wanted: Any, value: Any) -> Any:
    """What msgspec cannot make: paths and regular expressions, both from text."""
    kind = get_origin(wanted) or wanted
    if isinstance(value, kind):
        return value
    if not (isinstance(value, str) and kind in (Path, PurePath, re.Pattern)):
        expected = (
            "text" if kind in (Path, PurePath, re.Pattern) else "no value, for a plugin's program alone can set it"
        )
        raise TypeError(f"expected {expected}")
    if kind is not re.Pattern:
        return kind(value)
    try:
        return re.compile(value)
    except re.error as error:
        raise TypeError(f"expected a regular expression ({error})") from None


def _refuse_unknown(value: Any, wanted: Any, path: str) -> None:
    """Raises ``_UnknownKeyError`` for the first key of an object in ``value`` that its attrs class does not have."""
    for one in _members(wanted):
        kind, inner = get_origin(one) or one, [its for its in get_args(one) if its is not ...]
        if isinstance(kind, type) and attrs.has(kind) and isinstance(value, Mapping):
            known = {field.name: field.type for field in attrs.fields(attrs.resolve_types(kind)) if field.init}
            for name, held in value.items():
                if name not in known:
                    raise _UnknownKeyError(f"{path}.{name}", sorted(known))
                _refuse_unknown(held, known[name], f"{path}.{name}")
        elif kind is dict and inner and isinstance(value, Mapping):
            for name, held in value.items():
                _refuse_unknown(held, inner[1], f"{path}.{name}")
        elif inner and isinstance(value, list):
            for position, held in enumerate(value):
                _refuse_unknown(held, inner[min(position, len(inner) - 1)], f"{path}[{position}]")


def _placed(made: Any, folder: str, *, is_path: bool) -> Any:
    """Paths of a file, seen from the working directory."""
    if isinstance(made, str) and is_path:
        return beside(made, folder)
    if isinstance(made, PurePath) and folder:
        return type(made)(folder) / made
    if isinstance(made, (list, tuple)):
        return type(made)(_placed(one, folder, is_path=is_path) for one in made)
    return made


def beside(path: str, folder: str) -> str:
    """A relative path that starts in ``folder``; one that is absolute, an address or empty stays as it is."""
    return str(Path(folder, path)) if folder and path and "://" not in path else path


def _in_words(error: Exception, value: Any, wanted: Any, *, from_file: bool) -> str:
    choices = [shown(choice) for choice in _choices(wanted)]
    text = f"expected one of {', '.join(choices)}" if choices else str(error).replace("`", "")
    if text.startswith("Expected array, got str") and isinstance(value, str):
        text = 'expected a list, written as ["one", "two"]'
    if ", got str" in text and not from_file:  # all that comes from there is text: say what it must look like
        text = next((f"expected {form}" for kind, form in _WRITTEN.items() if _takes(wanted, kind)), text)
    return text


def _choices(wanted: Any) -> list[str]:
    """The texts of a ``Literal``, also where it stands among others: ``Literal["high", "medium"] | None``."""
    return [text for one in get_args(wanted) for text in ([one] if isinstance(one, str) else _choices(one))]


def _members(wanted: Any) -> tuple[Any, ...]:
    """The types of a union; else the type alone."""
    return get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)


def _takes(wanted: Any, kind: type) -> bool:
    """Whether a type is this one, alone or among others: ``int | None``."""
    return kind in _members(wanted)


def _is_text(wanted: Any) -> bool:
    """Whether any text is a value of this type."""
    return any((get_origin(one) or one) in (str, Any, Path, PurePath, re.Pattern) for one in _members(wanted))


def shown(value: object) -> str:
    """A value for people, text in quotes."""
    return f'"{value}"' if isinstance(value, str) else str(value)
