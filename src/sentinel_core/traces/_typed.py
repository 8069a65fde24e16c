"""Whether a trace that a program made by hand holds what its types say. What a file holds is checked as it is decoded."""

import functools
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from sentinel_core.trace import ExecutionTrace, to_json

__all__ = ["check_trace", "problem_of"]

_LONGEST = 60
_fields = functools.cache(msgspec.structs.fields)
_TAKEN: dict[type, tuple[type, ...]] = {float: (float, int), tuple: (tuple, list)}
_NAMES = {
    bool: "True or False",
    dict: "a dict",
    float: "a number",
    int: "a whole number",
    str: "text",
    tuple: "a tuple",
}


def check_trace(trace: ExecutionTrace) -> None:
    """Raises ``ValueError`` for the first value that is none of those known, ``TypeError`` for one of another type.

    The message has the path of the field, such as ``messages[2].tool_results[0].success``, the value, and what is expected.
    """
    error = problem_of(trace)
    if error is not None:
        raise error


def problem_of(trace: ExecutionTrace) -> Exception | None:
    """What ``check_trace`` raises; None where the trace is right."""
    if trace.trace_id == "":
        return ValueError("trace_id is empty; every trace needs one")
    return next(_problems(trace, ExecutionTrace, ""), None)


def _problems(value: object, wanted: Any, path: str) -> Iterator[Exception]:
    or_none = ""
    if get_origin(wanted) in (Union, UnionType):  # of one type and None
        if value is None:
            return
        (wanted,) = (one for one in get_args(wanted) if one is not NoneType)
        or_none = " or None"
    kind = get_origin(wanted) or wanted
    if kind is Literal:
        if value not in get_args(wanted):
            yield ValueError(_told(value, path, f"one of {', '.join(get_args(wanted))}"))
    elif kind is not Any:
        if _is_a(value, kind):
            yield from _inside(value, kind, get_args(wanted), path)
        else:
            yield TypeError(_told(value, path, _NAMES.get(kind, _a(kind.__name__)) + or_none))


def _inside(value: Any, kind: type, of: tuple[Any, ...], path: str) -> Iterator[Exception]:
    """The problems of what a tuple, a dictionary, or an object of a class of ours, holds."""
    if kind is dict:
        try:
            to_json(value)
        except UnicodeEncodeError:
            yield ValueError(f"{path} holds half of a surrogate pair, which is no text")
        except RecursionError:
            yield ValueError(f"{path} is nested too deeply")
    elif kind is tuple:
        for position, one in enumerate(value):
            yield from _problems(one, of[0], f"{path}[{position}]")
    elif issubclass(kind, msgspec.Struct):
        for field in _fields(kind):
            yield from _problems(getattr(value, field.name), field.type, f"{path}.{field.name}" if path else field.name)


def _is_a(value: object, kind: type) -> bool:
    if kind in (float, int) and isinstance(value, bool):
        return False
    return isinstance(value, _TAKEN.get(kind, kind))


def _told(value: object, path: str, expected: str) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."
    return f"{path} is {shown} ({_a(type(value).__name__)}); expected {expected}"


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" else f"a {noun}"
