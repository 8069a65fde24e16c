"""Offers are validated before any of their code runs."""

import math

import attrs
import pytest
from tables import each_row

from sentinel_core.errors import PluginError
from sentinel_core.host.validate_offers import checked, listed
from sentinel_core.offers import Signal, Tool, TraceReader

ADD = Tool(name="add", description="Adds.", parameters={"type": "object"}, handler=max)
READER = TraceReader(name="mine", summary="s", sniff=max, read=iter)


@attrs.frozen
class Fine:
    sizes: "list[int]" = ()


@attrs.frozen
class Misspelt(Fine):
    lines: "list[int]" = ()
    size: "Nope" = 1  # noqa: F821 - that is the point


@attrs.frozen
class Inner:
    first: int = 1
    size: list["Nope"] = ()  # noqa: F821 - as above


@attrs.frozen
class Untyped:
    size = attrs.field(default=1)


def signal(settings: object) -> Signal:
    return Signal(name="mine", summary="s", detect=max, settings=settings)


@pytest.mark.parametrize("settings", [None, Fine, Untyped])
def test_settings_that_can_be_used(settings):
    assert checked(signal(settings), "signals").settings is settings


@pytest.mark.parametrize("settings", [Misspelt, Inner])
def test_a_setting_whose_type_means_nothing_is_named(settings):
    told = '^"mine": the type of its setting "size" cannot be resolved: NameError: name \'Nope\' is not defined$'
    with pytest.raises(PluginError, match=told):
        checked(signal(settings), "signals")


def test_settings_that_break_as_a_whole():
    broken = type("Broken", (Fine,), {"__annotations__": {"other": "Nope"}})
    with pytest.raises(PluginError, match=r'^"mine": a type among its settings cannot be resolved: NameError: '):
        checked(signal(broken), "signals")


@each_row(
    ("changes", "error"),
    [
        ({"parameters": {"type": "objekt"}}, 'tool "add": its parameters must be a JSON schema with "type": "object"'),
        (
            {"parameters": {"type": "object", "properties": {"a": {"type": "objekt"}}}},
            'tool "add": its parameters are not a usable JSON schema: "objekt"',
        ),
        ({"parameters": {"type": "object", "enum": {1}}}, 'tool "add": its parameters are not a usable JSON schema: '),
        ({"parameters": None}, '"add": parameters must be a dict that is a JSON schema, but it is None'),
        ({"timeout": -1}, '"add": timeout must be a number of seconds above 0, but it is -1'),
        ({"timeout": math.nan}, '"add": timeout must be a number of seconds above 0, but it is nan'),
        ({"timeout": math.inf}, '"add": timeout must be a number of seconds above 0, but it is inf'),
        ({"timeout": "5"}, '"add": timeout must be a number of seconds above 0, but it is "5"'),
        ({"timeout": True}, '"add": timeout must be a number of seconds above 0, but it is True'),
        ({"name": "t name"}, '"t name": a tool\'s name must consist of 1 to 64 letters, digits, _ or -'),
        ({"effect": "delete"}, '"add": effect must be "read" or "write", but it is "delete"'),
    ],
)
def test_a_tool_that_an_agent_could_not_use(changes, error):
    with pytest.raises(PluginError) as caught:
        checked(attrs.evolve(ADD, **changes), "tools")
    assert str(caught.value).startswith(error)


def test_a_tool_that_can_be_used():
    assert checked(ADD, "tools") is ADD


def test_a_readers_grain_is_one_of_two():
    with pytest.raises(PluginError, match=r'^"mine": grain must be "file" or "line", but it is "page"$'):
        checked(attrs.evolve(READER, grain="page"), "trace_readers")


def test_a_generator_is_a_list_too():
    assert listed((name for name in "ab"), "signals") == ["a", "b"]


@pytest.mark.parametrize("returned", [{"a": ADD}, b"no", 7])
def test_what_is_no_list_of_offers(returned):
    told = f"^sentinel_tools must return a list of Tool, but returned a {type(returned).__name__}$"
    with pytest.raises(PluginError, match=told):
        listed(returned, "tools")


def test_a_hook_that_is_async_is_no_list_and_leaves_nothing_behind():
    async def hook():
        return []

    with pytest.raises(PluginError, match="returned a coroutine"):
        listed(hook(), "tools")
