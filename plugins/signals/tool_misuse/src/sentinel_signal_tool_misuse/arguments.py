"""Arguments that were never filled in, or left empty where other calls of the tool give a value."""

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    import jsonschema_rs

    from sentinel_core import Call, ToolCall, ToolSchema

__all__ = ["PLACEHOLDERS", "Offered", "Usual", "empty_names", "is_doubtful", "placeholder"]

_LONGEST = 64
_DEEPEST = 4

# Each row is a whole argument in lower case. A word that may well be meant ("example.com", "string", "test", "n/a") is
# not in the table.
PLACEHOLDERS: tuple[str, ...] = (
    r"\.{3,}",
    r"…",
    r"x{3,}(?:[-_]x{3,})*",
    r"to ?do|tbd|fixme|change ?me|placeholder",
    r"<(?:your|insert|enter|put|add|fill|replace|some|the)[ _-][^<>]{1,40}>",
    r"<[a-z]{2,20}[_-](?:id|key|name|token|path|email|date|number|url|code)>",
    r"\[(?:your|insert|enter|fill|replace)[ _-][^\[\]]{1,40}\]",
    r"\{\{[^{}]{1,50}\}\}",
    r"your[_-][a-z_-]{2,40}",
    r"(?:insert|enter|put|replace)_[a-z_]{2,40}_here",
    r"\.?/?path/to/[^ ]{1,50}",
)
"""Arguments that stand for a value that nobody filled in."""

# The first two characters of each row, in lower case: nearly every argument is let go by these alone.
_STARTS = (
    "..", "./", "/p", "pa", "xx", "to", "tb", "fi", "ch", "pl", "yo", "in", "en", "pu", "re", "{{", "[y", "[i", "[e", "[f", "[r",
    "…", "… ", "…\n", *(f"<{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"),
)  # fmt: skip
_FIRST_TWO = frozenset(
    first + second
    for start in _STARTS
    for first in {start[:1], start[:1].upper()}
    for second in {start[1:], start[1:].upper()}
)


_STATES = frozenset(("status", "state", "stage", "column", "phase"))


@functools.cache
def _placeholder() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{row})" for row in PLACEHOLDERS))


def _is_placeholder(text: str) -> bool:
    return _placeholder().fullmatch(text.rstrip().lower()) is not None


def is_doubtful(arguments: "Iterable[dict[str, object]]") -> bool:
    """Whether some argument is empty or a placeholder, or holds something empty.

    Told for all calls of a trace together, because nearly none has one and one by one takes longer.
    """
    level: Iterable[dict[str, object] | list[object]] = arguments
    for _ in range(_DEEPEST + 1):
        deeper: list[dict[str, object] | list[object]] = []
        for container in level:
            for value in container.values() if isinstance(container, dict) else container:
                if isinstance(value, str):
                    # The set holds two letters of every placeholder; what is empty is looked at call by call.
                    if not value or (value[:2] in _FIRST_TWO and len(value) <= _LONGEST and _is_placeholder(value)):
                        return True
                elif isinstance(value, (dict, list)):
                    deeper.append(value)
                elif value is None:
                    return True
        if not deeper:
            return False
        if not all(deeper):
            return True
        level = deeper
    return False


def placeholder(arguments: dict[str, object]) -> str | None:
    """The first placeholder in a call's arguments, outermost first; texts above 64 characters are taken for real."""
    return _first_placeholder(list(_held(arguments)))


def _first_placeholder(level: list[object]) -> str | None:
    for _ in range(_DEEPEST + 1):
        texts = [value for value in level if isinstance(value, str)]
        if not _FIRST_TWO.isdisjoint([text[:2] for text in texts]):
            for text in texts:
                if text[:2] in _FIRST_TWO and len(text) <= _LONGEST and _is_placeholder(text):
                    return text
        if len(texts) == len(level):
            break
        level = [inner for value in level if isinstance(value, (dict, list)) for inner in _held(value)]
    return None


def _held(container: dict[str, object] | list[object]) -> "Iterable[object]":
    """The values of a container; but for states, of which "todo" is one."""
    if isinstance(container, dict):
        return [value for key, value in container.items() if key not in _STATES]
    return container


def empty_names(arguments: dict[str, object]) -> list[str]:
    """The arguments that are null, or a text or container without anything in it; 0 and false are values."""
    return [name for name, value in arguments.items() if _is_empty(value)]


def _is_empty(value: object) -> bool:
    return not value and (value is None or isinstance(value, (str, dict, list)))


class Usual:
    """Which arguments the calls of each tool give a value to; found out when the first empty one is met."""

    __slots__ = ("_calls", "_given")

    def __init__(self, calls: "Iterable[Call]") -> None:
        self._calls = calls
        self._given: dict[str, set[str]] | None = None

    def given(self, tool: str) -> set[str]:
        """Names of the arguments that some call of the tool gives a value to."""
        if self._given is None:
            self._given = {}
            for call in self._calls:
                names = self._given.setdefault(call.call.name, set())
                names.update(name for name, value in call.call.arguments.items() if not _is_empty(value))
        return self._given.get(tool, set())


class Offered:
    """The tools on offer. A validator is built when its tool is first called; a schema's references are never fetched."""

    __slots__ = ("_schemas", "_unusable", "_validators")

    def __init__(self, tools: "tuple[ToolSchema, ...]") -> None:
        self._schemas = {tool.name: tool.parameters for tool in tools}
        self._validators: dict[str, jsonschema_rs.Validator | None] = {}
        self._unusable: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._schemas

    def is_empty(self, call: "ToolCall") -> bool:
        """True where the tool's schema requires arguments, and all that it requires are given and empty."""
        schema = self._schemas.get(call.name)
        required = schema.get("required") if isinstance(schema, dict) else None
        if not required or not isinstance(required, list):
            return False
        return all(
            isinstance(name, str) and name in call.arguments and _is_empty(call.arguments[name]) for name in required
        )

    def refusal(self, call: "ToolCall") -> tuple[str, str] | None:
        """Rule and reason where the tool's schema refuses the arguments; None where it takes them or is not known."""
        schema = self._schemas.get(call.name)
        if schema is None:
            return None
        if call.name not in self._validators:
            self._validators[call.name] = self._build(call.name, schema)
        validator = self._validators[call.name]
        error = next(validator.iter_errors(call.arguments), None) if validator is not None else None
        if error is None:
            return None
        missing = error.schema_path[-1:] == ["required"]
        return ("missing_argument" if missing else "invalid_argument"), error.message

    def _build(self, name: str, schema: "dict[str, Any]") -> "jsonschema_rs.Validator | None":
        import jsonschema_rs

        try:
            return jsonschema_rs.validator_for(schema, offline=True)
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
            self._unusable[name] = str(error).partition("\n")[0]
            return None

    def gaps(self) -> tuple[str, ...]:
        """The called tools whose schema is none, with what is wrong with it; complete once all calls are checked."""
        return tuple(f'The schema of tool "{name}" cannot be used: {why}' for name, why in self._unusable.items())
