"""Validates what a plugin's hook returned, before any of it runs, and what its model replies."""

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

import attrs

from sentinel_core import offers
from sentinel_core.errors import ConfigError, PluginError
from sentinel_core.evaluate.foreign import refused_type
from sentinel_core.trace import TokenUsage, ToolCall

if TYPE_CHECKING:
    from jsonschema_rs import Validator

__all__ = ["RESERVED", "TOOL_NAME", "check_parameters", "checked", "listed", "misfit_of"]

TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # the strictest provider's rule

_COMMAND_NAME = re.compile(r"(?:plugins\.)?[a-z][a-z0-9_-]*")  # below "sentinel plugins", the one group that takes more
_OUTPUT_NAME = re.compile(r"[a-z][a-z0-9-]+")
_ENDING = re.compile(r"[a-z0-9]{1,16}")
RESERVED = frozenset({
    "config", "convert", "evaluate", "explain", "formats", "plugins", "rules", "schema",
})  # fmt: skip
"""The core's own commands; a plugin cannot use their names."""

_OFFERS: Mapping[str, type] = {
    "commands": offers.Command,
    "guardrails": offers.Guardrail,
    "outputs": offers.Output,
    "providers": offers.Provider,
    "signals": offers.Signal,
    "tools": offers.Tool,
    "trace_readers": offers.TraceReader,
}
_TEXTS = ("name", "summary", "description")
_FUNCTIONS = ("load", "detect", "connect", "handler", "check", "sniff", "read", "open", "unavailable")
_OPTIONAL = ("unavailable",)
_SEVERITIES = ("note", "warning", "error")
_CHOICES = {"effect": ("read", "write"), "grain": ("file", "line")}


def listed(returned: object, kind: str) -> list[Any]:
    """What the hook of this kind returned, as a list. Raises ``PluginError`` for anything else, such as a single offer."""
    if isinstance(returned, Iterable) and not isinstance(returned, (str, bytes, Mapping)):
        return list(returned)
    kind_of_value = "None" if returned is None else f"a {refused_type(returned)}"
    raise PluginError(f"sentinel_{kind} must return a list of {_OFFERS[kind].__name__}, but returned {kind_of_value}")


def checked(offer: object, kind: str) -> Any:
    """The offer itself. Raises ``PluginError`` that names the field that cannot be used."""
    expected = _OFFERS[kind]
    if not isinstance(offer, expected):
        raise PluginError(f"sentinel_{kind} offered {type(offer).__name__}; expected {expected.__name__}")
    fields: dict[str, Any] = {field.name: getattr(offer, field.name) for field in attrs.fields(expected)}
    for name, value in fields.items():
        if name in _TEXTS and not (isinstance(value, str) and value):
            raise PluginError(f"it offers a {expected.__name__} without a {name}")
        if name in _FUNCTIONS and not (callable(value) or (value is None and name in _OPTIONAL)):
            raise PluginError(f'"{fields["name"]}": {name} is not callable')
        if name in _CHOICES and value not in _CHOICES[name]:
            choices = " or ".join(f'"{choice}"' for choice in _CHOICES[name])
            raise PluginError(f'"{fields["name"]}": {name} must be {choices}, but it is {_shown(value)}')
    if fields.get("settings") is not None:
        _check_settings(fields["name"], fields["settings"])
    if expected in _CHECKS:
        _CHECKS[expected](offer)
    return offer


def _check_output(output: offers.Output) -> None:
    """The name can stand before a colon and a file's name, where one letter would be a drive."""
    if not _OUTPUT_NAME.fullmatch(output.name):
        raise PluginError(
            f'{_shown(output.name)} cannot name an output: use small letters, digits and "-", at least two'
        )
    endings: object = output.endings
    if not (isinstance(endings, tuple) and all(isinstance(one, str) and _ENDING.fullmatch(one) for one in endings)):
        raise PluginError(f'"{output.name}": endings must be a tuple such as ("csv",), but it is {_shown(endings)}')


def _check_rules(signal: offers.Signal) -> None:
    rules = signal.rules
    if not (isinstance(rules, (list, tuple)) and all(isinstance(rule, offers.Rule) for rule in rules)):
        raise PluginError(f'"{signal.name}": rules must be a tuple of Rule, but it is {_shown(rules)}')
    for rule in rules:
        for field, value in attrs.asdict(rule).items():
            if not (isinstance(value, str) and value):
                raise PluginError(f'"{signal.name}": rule {_shown(rule.id)} has no {field}')
        if rule.severity not in _SEVERITIES:
            raise PluginError(f'"{signal.name}": rule "{rule.id}": severity must be note, warning or error')
    if len({rule.id for rule in rules}) < len(rules):
        raise PluginError(f'"{signal.name}" declares a rule twice')


def _check_settings(name: str, settings: object) -> None:
    if not (isinstance(settings, type) and attrs.has(settings)):
        raise PluginError(f'"{name}": settings must be an attrs class')
    try:
        attrs.resolve_types(settings)
    except Exception as error:
        setting = _unresolved(settings)
        which = f'the type of its setting "{setting}"' if setting else "a type among its settings"
        raise PluginError(f'"{name}": {which} cannot be resolved: {type(error).__name__}: {error}') from error


def _unresolved(settings: type) -> str | None:
    """The first setting whose annotation cannot be resolved in its module."""
    from types import SimpleNamespace
    from typing import get_type_hints

    for field in attrs.fields(settings):
        owners = (base for base in settings.__mro__ if field.name in vars(base).get("__annotations__", ()))
        home = sys.modules.get(next(owners, settings).__module__)
        try:
            get_type_hints(SimpleNamespace(__annotations__={field.name: field.type}), vars(home) if home else {})
        except Exception:  # noqa: BLE001 - an annotation is an expression, and may raise anything
            return str(field.name)
    return None


def _check_command(command: offers.Command) -> None:
    """The name needs no shell quoting and is free; the summary fits on one line of ``sentinel --help``."""
    if not _COMMAND_NAME.fullmatch(command.name):
        raise PluginError(
            f'"{command.name}": a command\'s name must consist of lowercase letters, digits, - and _, and must begin with a letter'
        )
    if command.name in RESERVED:
        raise PluginError(f'"{command.name}" is a built-in command; rename yours')
    if len(command.summary.splitlines()) > 1:
        raise PluginError(f'"{command.name}": summary must be one line')


def _check_tool(tool: offers.Tool) -> None:
    """Refuse what would stop the agent at its start, or make a provider refuse each request."""
    if not TOOL_NAME.fullmatch(tool.name):
        raise PluginError(f'"{tool.name}": a tool\'s name must consist of 1 to 64 letters, digits, _ or -')
    number = tool.timeout
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number < math.inf:
        raise PluginError(f'"{tool.name}": timeout must be a number of seconds above 0, but it is {_shown(number)}')
    if not isinstance(tool.parameters, Mapping):
        raise PluginError(
            f'"{tool.name}": parameters must be a dict that is a JSON schema, but it is {_shown(tool.parameters)}'
        )
    try:
        check_parameters(tool)
    except (ConfigError, TypeError) as error:
        raise PluginError(str(error)) from error


def check_parameters(tool: offers.Tool) -> "Validator":
    """Compile a tool's JSON schema.

    Raises ``ConfigError`` if it is not a valid schema, refers to another document, or is not of type ``object``.
    """
    import jsonschema_rs

    schema = dict(tool.parameters)
    if schema.get("type") != "object":
        raise ConfigError(f'tool "{tool.name}": its parameters must be a JSON schema with "type": "object"')
    try:
        return jsonschema_rs.validator_for(schema, offline=True)
    except ValueError as error:
        reason = str(error).partition("\n")[0]
        raise ConfigError(f'tool "{tool.name}": its parameters are not a usable JSON schema: {reason}') from error


def _shown(value: object) -> str:
    return f'"{value:.40}"' if isinstance(value, str) else f"{value!r:.40}"


_OF_A_REPLY: dict[str, tuple[type, ...]] = {
    "content": (str,),
    "tool_calls": (tuple, list),
    "usage": (TokenUsage, NoneType),
    "model": (str, NoneType),
    "cost_usd": (float, int, NoneType),
}
_OF_A_CALL: dict[str, type] = {"id": str, "name": str, "arguments": dict}


_CHECKS: Mapping[type, Callable[[Any], None]] = {
    offers.Command: _check_command,
    offers.Output: _check_output,
    offers.Signal: _check_rules,
    offers.Tool: _check_tool,
}


def misfit_of(reply: object) -> str:
    """What a provider gave instead of a reply, or which field has the wrong type, in words; empty for a sound reply."""
    from sentinel_core.model import Reply, StopReason

    if not isinstance(reply, Reply):
        return f"a {refused_type(reply)} instead of a Reply"
    for name, expected in _OF_A_REPLY.items():
        if not isinstance(value := getattr(reply, name), expected):
            return f"a Reply whose {name} is a {type(value).__name__}"
    if reply.stop_reason not in get_args(StopReason):
        return f"a Reply whose stop_reason is {reply.stop_reason!r:.40}; it must be one of {', '.join(get_args(StopReason))}"
    calls: Iterable[object] = reply.tool_calls
    for call in calls:
        if not isinstance(call, ToolCall):
            return f"a Reply whose tool_calls contain a {type(call).__name__} instead of a ToolCall"
        for name, kind in _OF_A_CALL.items():
            if not isinstance(value := getattr(call, name), kind):
                return f"a Reply with a call whose {name} is a {type(value).__name__}; it must be a {kind.__name__}"
    return ""
