"""What a tool was given and gave back, as frameworks wrap it."""

import pytest
from tables import each_row

from sentinel_readers_telemetry.span import span_of
from sentinel_readers_telemetry.tool_run import tool_run_of


def run(attributes, **more):
    return tool_run_of(span_of({"spanId": "s", "attributes": {"gen_ai.tool.name": "weigh"} | attributes} | more))


@each_row(
    ("value", "content", "success", "call_id"),
    [
        ("5 kg", "5 kg", None, None),
        ('{"kg":5}', '{"kg":5}', None, None),
        ({"kg": 5}, '{"kg":5}', None, None),
        (5, "5", None, None),
        ({"isError": False, "content": [{"type": "text", "text": "5 kg"}]}, "5 kg", True, None),
        (
            {"isError": True, "content": [{"type": "text", "text": "no"}, {"type": "text", "text": "!"}]},
            "no\n!",
            False,
            None,
        ),
        ({"isError": False, "content": [{"type": "image"}]}, '[{"type":"image"}]', True, None),
        ({"content": "5 kg", "tool_call_id": "c", "status": "error"}, "5 kg", False, "c"),
        ({"output": {"content": "5 kg", "tool_call_id": "c"}}, "5 kg", None, "c"),
        (None, None, None, None),
    ],
)
def test_a_tool_span_s_output_gives_content_success_and_call_id(value, content, success, call_id):
    told = run({"output.value": value})
    assert (told.content, told.success, told.call_id) == (content, success, call_id)


@pytest.mark.parametrize(
    ("value", "arguments"),
    [
        ('{"bread":"rye"}', {"bread": "rye"}),
        ({"kwargs": {"bread": "rye"}, "args": []}, {"bread": "rye"}),
        ({"inputs": {"bread": "rye"}, "tags": []}, {"bread": "rye"}),
        ({"kwargs": {}, "args": []}, {}),
        ("rye", {"input": "rye"}),
        (None, None),
    ],
)
def test_a_tool_span_s_input_gives_the_arguments(value, arguments):
    assert run({"input.value": value}).arguments == arguments


@pytest.mark.parametrize(
    ("status", "success", "content"),
    [
        ({"code": 0}, None, None),
        ({"code": 1}, True, None),
        ({"code": "STATUS_CODE_OK"}, True, None),
        ({"code": 2, "message": "broken"}, False, "broken"),
        ({"code": "STATUS_CODE_ERROR"}, False, ""),
    ],
)
def test_a_tool_span_s_status_gives_success(status, success, content):
    told = run({}, status=status)
    assert (told.success, told.content) == (success, content)


def test_an_exception_says_why():
    event = {
        "name": "exception",
        "attributes": [{"key": "exception.message", "value": {"stringValue": "scale broken"}}],
    }
    told = run({"error.type": "ScaleError"}, status={"code": 2}, events=[event], startTimeUnixNano=10**18)
    assert (told.success, told.content) == (False, "scale broken")
    assert told.metadata == {"error_type": "ScaleError"}


def test_the_span_is_named_after_the_tool_where_nothing_else_is():
    told = tool_run_of(span_of({"name": "execute_tool weigh", "attributes": {"openinference.span.kind": "TOOL"}}))
    assert told.name == "weigh"
