"""Converts values to the type of their setting. Text is parsed; a value from a file must already have the type."""

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
_NAMED = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "text"}
_EXPECTED = re.compile(r"^Expected (bool|int|float|str)(?: \| null)?, got [a-z]+")
_DECIMAL = re.compile(r"[+-]?\.\d+")
_PATH = "path"  # key in a field's metadata: its text is a path


class Setting(NamedTuple):
    """One value and its origin: ``--weight``, ``SENTINEL_FAIL_ON``, ``sentinel.toml`` or ``default``.

    Relative paths in the value start in ``folder``, itself relative to the working directory; empty means that directory.
    """

    key: str
    value: Any
    origin: str
    folder: str = ""


class _UnknownKeyError(Exception):
    """An object has an unknown key. Arguments: the path to the key, and the known fields."""


def settable(wanted: type) -> "dict[str, attrs.Attribute[Any]]":
    """The fields that a user can set, by the name to use, with their types resolved."""
    return {field.alias or field.name: field for field in attrs.fields(attrs.resolve_types(wanted)) if field.init}


def printed(filled: Any) -> dict[str, Any]:
    """A settings object as a dictionary that is the same in every process: sets are sorted."""
    return attrs.asdict(filled, value_serializer=lambda _instance, _field, value: in_order(value))


def in_order(value: Any) -> Any:
    """A value for display: sets become sorted lists; paths and regular expressions become text."""
    if isinstance(value, (set, frozenset)):
        return sorted(map(in_order, value), key=repr)
    if isinstance(value, (list, tuple)):
        return type(value)(map(in_order, value)) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {key: in_order(item) for key, item in value.items()}
    if isinstance(value, re.Pattern):
        return value.pattern
    return str(value) if isinstance(value, PurePath) else value


def convert(setting: Setting, wanted: Any, metadata: Mapping[Any, Any] | None = None) -> Any:
    """The value, converted to the type ``wanted``. A field's ``metadata`` may say that its text is a path.

    Raises ``ConfigError`` for a value of another type, and for an unknown key in an object.
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
        raise ConfigError(f'"{setting.key}" from {setting.origin}: {text}, but it is {shown(setting.value)}') from None
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
        return float(value)  # ".5" is not JSON, but users write it
    return _made(value, wanted, strict=False)


def _made(value: Any, wanted: Any, *, strict: bool) -> Any:
    made = msgspec.convert(value, wanted, strict=strict, dec_hook=_own)
    _refuse_unknown(value, wanted, "")
    return made


def _own(wanted: Any, value: Any) -> Any:
    """Paths and regular expressions from text; msgspec cannot make them."""
    kind = get_origin(wanted) or wanted
    if isinstance(value, kind):
        return value
    if not (isinstance(value, str) and kind in (Path, PurePath, re.Pattern)):
        expected = "text" if kind in (Path, PurePath, re.Pattern) else "no value, because only Python code can set it"
        raise TypeError(f"expected {expected}")
    if kind is not re.Pattern:
        return kind(value)
    try:
        return re.compile(value)
    except re.error as error:
        raise TypeError(f"expected a regular expression ({error})") from None


def _refuse_unknown(value: Any, wanted: Any, path: str) -> None:
    """Raises ``_UnknownKeyError`` for the first key of an object in ``value`` that its attrs class does not have."""
    for member in _members(wanted):
        kind, inner = get_origin(member) or member, [arg for arg in get_args(member) if arg is not ...]
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
    """Make paths from a file relative to the working directory."""
    if isinstance(made, str) and is_path:
        return beside(made, folder)
    if isinstance(made, PurePath) and folder:
        return type(made)(folder) / made
    if isinstance(made, (list, tuple)):
        return type(made)(_placed(item, folder, is_path=is_path) for item in made)
    return made


def beside(path: str, folder: str) -> str:
    """``folder`` plus a relative path; an absolute path, a URL or an empty text stays as it is."""
    return str(Path(folder, path)) if folder and path and "://" not in path else path


def _in_words(error: Exception, value: Any, wanted: Any, *, from_file: bool) -> str:
    choices = [shown(choice) for choice in _choices(wanted)]
    text = f"expected one of {', '.join(choices)}" if choices else str(error).replace("`", "")
    if text.startswith("Expected array, got str") and isinstance(value, str):
        text = 'expected a list, written as ["one", "two"]'
    if ", got str" in text and not from_file:  # flags and variables are always text: say what to write
        text = next((f"expected {form}" for kind, form in _WRITTEN.items() if _takes(wanted, kind)), text)
    return _EXPECTED.sub(lambda match: f"expected {_NAMED[match[1]]}", text)


def _choices(wanted: Any) -> list[str]:
    """The texts of a ``Literal``, also inside a union: ``Literal["high", "medium"] | None``."""
    return [text for arg in get_args(wanted) for text in ([arg] if isinstance(arg, str) else _choices(arg))]


def _members(wanted: Any) -> tuple[Any, ...]:
    """The types of a union, or the type itself."""
    return get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)


def _takes(wanted: Any, kind: type) -> bool:
    """Whether a type is ``kind`` or a union with it, such as ``int | None``."""
    return kind in _members(wanted)


def _is_text(wanted: Any) -> bool:
    """Whether any text is a value of this type."""
    return any((get_origin(member) or member) in (str, Any, Path, PurePath, re.Pattern) for member in _members(wanted))


def shown(value: object) -> str:
    """A value for a message; text is quoted."""
    return f'"{value}"' if isinstance(value, str) else str(value)
