import errno
import os
import time

import attrs
import pytest

from sentinel_core.errors import ConfigError
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.host.validate_offers import check_parameters
from sentinel_core.offers import Tool
from sentinel_core.trace import CallDetails, ToolCall

pytestmark = pytest.mark.process


def call(name="add", **arguments):
    return ToolCall(id="c1", name=name, arguments=arguments)


def boxed(*tools, **options):
    toolbox = Toolbox(**options)
    for tool in tools:
        toolbox.register(tool)
    return toolbox


def plain(handler, **options):
    return Tool(name="plain", description="d", parameters={"type": "object"}, handler=handler, **options)


def test_result_is_json_and_timed(add, clock):
    result = boxed(add, clock=clock).execute(call(first=1, second=2))
    assert (result.tool_call_id, result.content, result.success) == ("c1", '{"sum":3}', True)
    assert result.metadata == {"duration_ms": 5.0}


@pytest.mark.parametrize(
    ("value", "content"),
    [("as it is", "as it is"), ("", ""), (None, "null"), ([1, "é"], '[1,"é"]'), (2.5, "2.5"), (True, "true")],
)
def test_text_stays_text_and_the_rest_is_json(value, content):
    assert boxed(plain(lambda: value)).execute(call("plain")).content == content


def test_unknown_tool_names_the_known_ones(add):
    result = boxed(add).execute(call("subtract"))
    assert result.success is False
    assert result.metadata["error"] == "ToolNotFoundError"
    assert result.content == 'there is no tool "subtract"; the tools are: add'
    assert Toolbox().execute(call("add")).content.endswith("the tools are: none")


def test_wrong_arguments_are_told_with_their_paths_and_nothing_runs(add):
    ran = []
    spy = attrs.evolve(add, handler=lambda **_: ran.append(1))
    result = boxed(spy, run=in_process).execute(call(first="one", third=3))
    assert result.metadata["error"] == "InvalidArgumentsError"
    assert '"one" is not of type "number" at $.first' in result.content
    assert "second" in result.content
    assert "third" in result.content
    assert ran == []


def test_path_into_a_list():
    tool = attrs.evolve(
        plain(lambda **_: None),
        parameters={"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}},
    )
    assert "at $.a[1]" in boxed(tool).execute(call("plain", a=["x", 1])).content


def test_many_problems_are_cut(add):
    result = boxed(add).execute(call(first=1, second=2, **{f"x{n}": n for n in range(9)}))
    assert result.content.count("at $") == 1
    parameters = {"type": "object", "additionalProperties": {"type": "string"}}
    many = boxed(attrs.evolve(add, parameters=parameters)).execute(call(**{f"x{n}": n for n in range(9)}))
    assert many.content.count("at $") == 5
    assert many.content.endswith("and 4 more")


def test_arguments_that_were_not_json_are_refused(add):
    broken = ToolCall(id="c1", name="add", details=CallDetails(raw_arguments='{"first": 1'))
    result = boxed(add).execute(broken)
    assert result.metadata["error"] == "InvalidArgumentsError"
    assert "not a JSON object" in result.content


def test_bottomless_arguments_are_refused(add):
    bottomless = []
    bottomless.append(bottomless)
    result = boxed(add).execute(call(first=bottomless, second=1))
    assert result.metadata["error"] == "InvalidArgumentsError"


@pytest.mark.parametrize("run", [None, in_process], ids=["child", "in_process"])
def test_handler_that_raises_is_a_result(add, run):
    options = {"run": run} if run else {}
    result = boxed(attrs.evolve(add, handler=lambda **_: 1 / 0), **options).execute(call(first=1, second=2))
    assert result.success is False
    assert result.metadata["error"] == "ToolExecutionError"
    assert result.content == 'tool "add" failed: ZeroDivisionError: division by zero'


@pytest.mark.parametrize("value", [object(), "\ud800", {"a": {1, 2}.__iter__}], ids=["object", "surrogate", "method"])
def test_result_that_is_not_json_is_a_failure(value):
    result = boxed(plain(lambda: value)).execute(call("plain"))
    assert result.metadata["error"] == "ToolExecutionError"


def test_handler_that_ends_its_process_is_a_result():
    result = boxed(plain(lambda: os._exit(7))).execute(call("plain"))
    assert result.metadata["error"] == "ToolExecutionError"
    assert "7" in result.content


def test_handler_that_gets_no_process_is_a_result(monkeypatch):
    def full():
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("os.fork", full)
    toolbox = boxed(plain(lambda: 1))
    for result in (toolbox.execute(call("plain")), *toolbox.execute_together([call("plain")] * 2)):
        assert (result.success, result.metadata["error"]) == (False, "ToolExecutionError")
        assert result.content.startswith('tool "plain" failed: a process could not be started: Resource temporarily')


@pytest.mark.parametrize(("effect", "unknown"), [("read", False), ("write", True)])
def test_time_limit_ends_the_handler(effect, unknown, tmp_path):
    def handler():
        (tmp_path / "pid").write_text(str(os.getpid()))
        time.sleep(60)

    result = boxed(plain(handler, timeout=1.5, effect=effect)).execute(call("plain"))
    assert result.metadata["error"] == "ToolTimeoutError"
    assert result.content.startswith('tool "plain" was stopped after 1.5 s')
    assert ("unknown" in result.content) is unknown
    with pytest.raises(ProcessLookupError):  # it is gone: neither at work nor to be waited for
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_sensitive_tool_runs_only_with_a_yes():
    tool = plain(lambda: "ran", sensitive=True)
    asked = []

    def yes(tool, tool_call):
        asked.append((tool.name, tool_call.id))
        return True

    assert boxed(tool).execute(call("plain")).metadata["error"] == "ToolExecutionError"
    assert boxed(tool, confirm=lambda *_: False).execute(call("plain")).success is False
    assert boxed(tool, confirm=yes).execute(call("plain")).content == "ran"
    assert asked == [("plain", "c1")]


def test_duplicate_name_is_refused(add):
    toolbox = boxed(add)
    with pytest.raises(ConfigError, match='"add" is already registered'):
        toolbox.register(add)
    assert toolbox.tools == (add,)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, '"type": "object"'),
        ({"type": "array"}, '"type": "object"'),
        ({"type": "object", "properties": {"a": {"type": "strin"}}}, "not a usable JSON schema"),
        ({"type": "object", "required": "a"}, "not a usable JSON schema"),
        ({"type": "object", "properties": {"a": {"pattern": "("}}}, "not a usable JSON schema"),
        ({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/x"}}}, "Retrieval is disabled"),
    ],
)
def test_unusable_schema_is_refused_at_registration(add, parameters, said):
    toolbox = Toolbox()
    with pytest.raises(ConfigError, match='tool "add"') as caught:
        toolbox.register(attrs.evolve(add, parameters=parameters))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert toolbox.tools == ()


def test_check_parameters_gives_a_validator(add):
    assert check_parameters(add).is_valid({"first": 1, "second": 2.5})


def test_schemas_are_what_a_trace_records(add):
    (schema,) = boxed(add).schemas
    assert (schema.name, schema.description, schema.parameters) == ("add", "Add two numbers.", dict(add.parameters))
