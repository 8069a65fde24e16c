"""The slow second look at a record that was refused, or that is held to the letter: all its problems, with their paths."""

import json
from functools import partial
from typing import Any, Literal, get_args, get_origin

import cattrs
from cattrs.cols import homogenous_tuple_structure_factory
from cattrs.dispatch import StructureHook
from cattrs.errors import ForbiddenExtraKeysError
from cattrs.v import format_exception, transform_error

from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces._doubled import JsonObject, doubled

__all__ = ["all_problems", "strict_problems"]

_MOST = 20


def all_problems(data: bytes, *, strict: bool = False) -> tuple[str, ...]:
    """What keeps these bytes from being a trace, each as ``what @ $.path``; empty where none is found."""
    try:
        document = json.loads(data, object_pairs_hook=JsonObject.of_pairs)
    except (ValueError, RecursionError):
        return ()
    if not isinstance(document, dict):
        return (f"expected an object, got {_name(document)} @ $",)
    problems = list(doubled(document, "$")) if strict else []
    try:
        _converter(strict=strict).structure(document, ExecutionTrace)
    except Exception as error:  # noqa: BLE001 - cattrs gathers whatever the fields raised into one group
        problems.extend(transform_error(error, path="$", format_exception=_describe))
    return _shortened(problems)


def strict_problems(data: bytes) -> tuple[str, ...]:
    """Unknown and duplicate keys."""
    return all_problems(data, strict=True)


def _shortened(problems: list[str]) -> tuple[str, ...]:
    more = len(problems) - _MOST
    return (*problems[:_MOST], f"and {more} more @ $") if more > 0 else tuple(problems)


def _describe(error: BaseException, type_: type | None) -> str:
    if isinstance(error, ForbiddenExtraKeysError):
        names = ", ".join(f'"{name}"' for name in sorted(error.extra_fields))
        return f"unknown key {names}"
    if isinstance(error, KeyError):
        return f'required key "{error.args[0]}" is missing'
    if isinstance(error, (TypeError, ValueError)) and error.args:
        return " ".join(str(error.args[0]).split())
    return format_exception(error, type_)


def _converter(*, strict: bool) -> cattrs.Converter:
    """What cattrs does by default turns ``null`` into ``"None"`` and ``"false"`` into True; this one takes each type as it is, or not at all."""
    converter = cattrs.Converter(forbid_extra_keys=strict)
    for kind in (str, int, float, bool):
        converter.register_structure_hook(kind, _exactly)
    converter.register_structure_hook_func(partial(_is_a, dict), _mapping)
    converter.register_structure_hook_func(partial(_is_a, Literal), _one_of)

    @converter.register_structure_hook_factory(partial(_is_a, tuple))
    def _list_hook(wanted: Any, converter: cattrs.Converter) -> StructureHook:
        return _only_lists(homogenous_tuple_structure_factory(wanted, converter))

    return converter


def _is_a(kind: object, wanted: Any) -> bool:
    return get_origin(wanted) is kind


def _only_lists(structure: StructureHook) -> StructureHook:
    def hook(value: Any, wanted: Any) -> Any:
        if isinstance(value, list):
            return structure(value, wanted)
        raise TypeError(f"expected a list, got {_name(value)}")

    return hook


def _exactly(value: object, wanted: Any) -> object:
    if type(value) is wanted or (wanted is float and type(value) is int):
        return value
    raise TypeError(f"expected {_NAMES[wanted]}, got {_name(value)}")


def _mapping(value: object, _: Any) -> object:
    if isinstance(value, dict):
        return value
    raise TypeError(f"expected an object, got {_name(value)}")


def _one_of(value: object, wanted: Any) -> object:
    choices: tuple[Any, ...] = get_args(wanted)
    if value in choices:
        return value
    raise ValueError(f"{json.dumps(value)[:60]} is none of {', '.join(map(str, choices))}")


_NAMES: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def _name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return _NAMES[type(value)]
