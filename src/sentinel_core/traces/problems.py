"""Why a value is not a valid trace: all problems of a JSON document, the first problem of a trace built in Python.

One walk along the types of the models finds both; only the messages differ.
"""

import functools
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from sentinel_core.trace import ExecutionTrace, to_json
from sentinel_core.traces.parsing import doubled_keys, parse_pairs

__all__ = ["all_problems", "check_trace", "problem_of"]

_MOST = 20  # problems of one document
_LONGEST = 60
_fields = functools.cache(msgspec.structs.fields)
_TAKEN: dict[type, tuple[type, ...]] = {float: (float, int), tuple: (tuple, list)}
_IN_PYTHON = {
    bool: "True or False",
    dict: "a dict",
    float: "a number",
    int: "a whole number",
    str: "text",
    tuple: "a tuple",
}
_IN_JSON = {
    NoneType: "null",
    bool: "true or false",
    dict: "an object",
    float: "a number",
    int: "a whole number",
    list: "a list",
    str: "text",
    tuple: "a list",
}


def all_problems(data: bytes, *, strict: bool = False) -> tuple[str, ...]:
    """Why these bytes are not a trace, each as ``what at $.path``; empty if no problem is found.

    ``strict`` also finds unknown and duplicate keys.
    """
    try:
        document = parse_pairs(data)
        problems = list(doubled_keys(document, "$")) if strict else []
        problems += map(_in_json, _misfits(document, ExecutionTrace, "$", json=True, strict=strict))
    except (ValueError, RecursionError):
        return ()
    more = len(problems) - _MOST
    return (*problems[:_MOST], f"and {more} more at $") if more > 0 else tuple(problems)


def check_trace(trace: ExecutionTrace) -> None:
    """Raises ``ValueError`` for the first value that is not allowed, ``TypeError`` for one of the wrong type.

    The message has the path of the field, such as ``messages[2].tool_results[0].success``, the value, and what is expected.
    """
    error = problem_of(trace)
    if error is not None:
        raise error


def problem_of(trace: ExecutionTrace) -> Exception | None:
    """The exception that ``check_trace`` raises; None for a valid trace."""
    if trace.trace_id == "":
        return ValueError("trace_id is empty; every trace needs one")
    found = next(_misfits(trace, ExecutionTrace, ""), None)
    return None if found is None else _in_python(found)


class _Misfit(NamedTuple):
    """A value that does not fit the field at ``path``: it has the wrong type, or ``why`` says what is wrong."""

    path: str
    value: object
    wanted: Any = None
    why: str = ""


def _misfits(value: Any, wanted: Any, path: str, *, json: bool = False, strict: bool = False) -> Iterator[_Misfit]:
    """Compare a value with its expected type; in a ``json`` document objects take the place of our classes."""
    kind, of, or_none = _shape(wanted)
    if kind is Any or (or_none and value is None) or (kind is Literal and value in of):
        return
    is_struct = kind is not Literal and issubclass(kind, msgspec.Struct)
    if kind is Literal or not _is_a(value, dict if json and is_struct else kind):
        yield _Misfit(path, value, wanted)
    elif kind is tuple:
        for position, item in enumerate(value):
            yield from _misfits(item, of[0], f"{path}[{position}]", json=json, strict=strict)
    elif is_struct:
        yield from _of_fields(value, kind, path, json=json, strict=strict)
    elif kind is dict and not json:
        yield from _no_json(value, path)


@functools.cache
def _shape(wanted: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """A field's type without its arguments, its arguments, and whether it may be None."""
    or_none = get_origin(wanted) in (Union, UnionType)  # of one type and None
    if or_none:
        (wanted,) = (kind for kind in get_args(wanted) if kind is not NoneType)
    return get_origin(wanted) or wanted, get_args(wanted), or_none


def _is_a(value: object, kind: type) -> bool:
    if kind in (float, int) and isinstance(value, bool):
        return False
    return isinstance(value, _TAKEN.get(kind, kind))


def _of_fields(value: Any, kind: type[msgspec.Struct], path: str, *, json: bool, strict: bool) -> Iterator[_Misfit]:
    """The problems of each field; of a JSON object also missing keys, its class's own checks, and unknown keys."""
    fields, is_right = _fields(kind), True
    for field in fields:
        own = f"{path}.{field.name}" if path else field.name
        if not json:
            yield from _misfits(getattr(value, field.name), field.type, own)
        elif field.name in value:
            for misfit in _misfits(value[field.name], field.type, own, json=True, strict=strict):
                is_right = False
                yield misfit
        elif field.required:
            is_right = False
            yield _Misfit(own, value, why=f'required key "{field.name}" is missing')
    if json and is_right and hasattr(kind, "__post_init__"):
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            yield _Misfit(path, value, why=" ".join(str(error).split()))
    if strict and (unknown := value.keys() - {field.name for field in fields}):
        yield _Misfit(path, value, why="unknown key " + ", ".join(f'"{name}"' for name in sorted(unknown)))


def _no_json(value: dict[str, Any], path: str) -> Iterator[_Misfit]:
    try:
        to_json(value)
    except UnicodeEncodeError:
        yield _Misfit(path, value, why="contains half of a surrogate pair, which is not valid text")
    except RecursionError:
        yield _Misfit(path, value, why="is nested too deeply")


def _in_json(misfit: _Misfit) -> str:
    path, value, wanted, why = misfit
    kind, choices, _ = _shape(wanted)
    if kind is Literal:
        import json

        why = f"{json.dumps(value)[:_LONGEST]} is not one of {', '.join(choices)}"
    elif not why:
        got = _IN_JSON[dict if isinstance(value, dict) else type(value)]
        why = f"expected {_IN_JSON.get(kind, _IN_JSON[dict])}, got {got}"
    return f"{why} at {path}"


def _in_python(misfit: _Misfit) -> Exception:
    path, value, wanted, why = misfit
    if why:
        return ValueError(f"{path} {why}")
    kind, choices, or_none = _shape(wanted)
    shown = repr(value)
    shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."
    problem = f"{path} is {shown} ({_a(type(value).__name__)}); expected "
    if kind is Literal:
        return ValueError(f"{problem}one of {', '.join(choices)}")
    return TypeError(f"{problem}{_IN_PYTHON.get(kind) or _a(kind.__name__)}{' or None' * or_none}")


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" else f"a {noun}"
