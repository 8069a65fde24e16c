import pytest
from tables import each_row

from sentinel_core.traces.readers import pieces_of, tool_schemas
from sentinel_core.traces.readers.chat import text_of

OPENAI_CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}


def calls(raw):
    return [(call.id, call.name, call.arguments) for piece in pieces_of(raw) for call in piece.calls]


def results(raw):
    return [(one.call_id, one.name, one.content, one.success) for piece in pieces_of(raw) for one in piece.results]


@each_row(
    "raw",
    [
        {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "find", "input": {"q": "x"}}]},
        {"type": "ai", "data": {"content": "", "tool_calls": [{"id": "c1", "name": "find", "args": {"q": "x"}}]}},
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "AIMessage"],
            "kwargs": {"content": "", "tool_calls": [{"id": "c1", "name": "find", "args": {"q": "x"}}]},
        },
        {"role": "assistant", "parts": [{"type": "tool_call", "id": " c1", "name": "find", "arguments": {"q": "x"}}]},
        {"message": {"role": "assistant", "tool_calls": [{"tool_call": OPENAI_CALL}]}},
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": "find", "arguments": {"q": "x"}}]},
        {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "find", "args": {"q": "x"}}}]},
    ],
)
def test_every_way_to_write_a_call(raw):
    assert calls(raw) == [("c1", "find", {"q": "x"})]
    assert pieces_of(raw)[0].role == "assistant"


@each_row(
    ("raw", "expected"),
    [
        ({"role": "tool", "tool_call_id": "c1", "name": "find", "content": "here"}, ("c1", "find", "here", None)),
        ({"role": "function", "name": "find", "content": "here"}, (None, "find", "here", None)),
        (
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}],
            },
            ("c1", None, "no", False),
        ),
        (
            {"type": "tool", "data": {"content": "no", "tool_call_id": "c1", "status": "error"}},
            ("c1", None, "no", False),
        ),
        (
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"a": 1}}]},
            ("c1", None, '{"a":1}', None),
        ),
        (
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": " c1", "result": "text"}]},
            ("c1", None, "text", None),
        ),
        (
            {"role": "user", "parts": [{"function_response": {"name": "find", "response": {"ok": 1}}}]},
            (None, "find", '{"ok":1}', None),
        ),
        (
            {
                "role": "tool",
                "function": "find",
                "tool_call_id": "c1",
                "content": "",
                "error": {"message": "timed out"},
            },
            ("c1", "find", "timed out", False),
        ),
    ],
)
def test_every_way_to_write_a_result(raw, expected):
    assert results(raw) == [expected]
    assert [piece.role for piece in pieces_of(raw)] == ["tool"]


def test_a_users_message_with_results_and_text_is_two():
    raw = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x"}, {"type": "text", "text": "go on"}],
    }
    assert [(piece.role, piece.text) for piece in pieces_of(raw)] == [("tool", None), ("user", "go on")]


def test_server_tools_and_their_results_stay_in_one_message():
    raw = {
        "role": "assistant",
        "content": [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "text", "text": "found"}]},
            {"type": "text", "text": "It says so."},
        ],
    }
    (piece,) = pieces_of(raw)
    assert (piece.role, piece.text, piece.results[0].call_id) == ("assistant", "It says so.", "s1")
    assert piece.calls[0].details.result_expected is False


def test_a_users_own_calls_are_kept_out_of_the_agents():
    raw = {"role": "user", "requestor": "user", "content": None, "tool_calls": [OPENAI_CALL]}
    (piece,) = pieces_of(raw)
    assert piece.calls == ()
    assert piece.metadata == {"user_side_calls": ['find {"q":"x"}']}


@pytest.mark.parametrize("arguments", ["{cut", "[1]", '"text"', 7])
def test_arguments_that_are_no_object_are_kept_as_text(arguments):
    raw = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": arguments}}]}
    (call,) = pieces_of(raw)[0].calls
    assert call.arguments == {}
    assert call.details.raw_arguments == str(arguments)


def test_langchains_invalid_calls_are_calls():
    raw = {
        "type": "ai",
        "content": "",
        "invalid_tool_calls": [{"id": "c1", "name": "find", "args": "{cut", "error": "e"}],
    }
    (call,) = pieces_of(raw)[0].calls
    assert (call.id, call.name, call.details.raw_arguments) == ("c1", "find", "{cut")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}, "c"], "a\nb\nc"),
        ([{"type": "image_url", "image_url": {"url": "data:..."}}], "[image_url]"),
        ({"answer": 1}, '{"answer":1}'),
        (12, "12"),
    ],
)
def test_text_of(content, text):
    assert text_of(content) == text


def test_reasoning_is_apart():
    raw = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]}
    (piece,) = pieces_of(raw)
    assert (piece.reasoning, piece.text) == ("hm", "yes")


@pytest.mark.parametrize("raw", [None, "text", 3, [], [{"role": "user"}]])
def test_what_is_no_message_gives_nothing(raw):
    assert pieces_of(raw) == []


def test_schemas_of_every_provider():
    raw = [
        {"type": "function", "function": {"name": "a", "description": "d", "parameters": {"type": "object"}}},
        {"name": "b", "input_schema": {"type": "object"}},
        {"name": "c", "parameters": "none"},
        {"no": "name"},
        "d",
        7,
    ]
    schemas = tool_schemas(raw)
    assert [(one.name, one.description, one.parameters) for one in schemas] == [
        ("a", "d", {"type": "object"}),
        ("b", None, {"type": "object"}),
        ("c", None, None),
        ("d", None, None),
    ]
    assert tool_schemas({"a": 1}) is None


def test_a_call_in_the_content_and_in_the_list_is_one_call():
    """As OpenInference's instrumentation of Anthropic's SDK writes it from 3.1 on."""
    call = {"id": "toolu_1", "function": {"name": "look", "arguments": '{"at": 1}'}}
    (piece,) = pieces_of(
        {
            "message": {
                "role": "assistant",
                "contents": [
                    {"message_content": {"type": "text", "text": "I look."}},
                    {"message_content": {"type": "tool_use"}, "tool_call": call},
                ],
                "tool_calls": [{"tool_call": call}],
            }
        }
    )
    assert [(made.id, made.name, made.arguments) for made in piece.calls] == [("toolu_1", "look", {"at": 1})]
    assert piece.text == "I look."


@pytest.mark.parametrize(
    ("message", "calls", "results"),
    [
        (
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "f", "input": {"x": 1}}}]},
            [("c", "f", {"x": 1})],
            [],
        ),
        (
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": [{"json": [1]}]}}]},
            [],
            [("c", "[1]")],
        ),
        (
            {
                "role": "assistant",
                "items": [{"content_type": "function_call", "id": "c", "name": "f", "arguments": "{}"}],
            },
            [("c", "f", {})],
            [],
        ),
        (
            {"role": "tool", "items": [{"content_type": "function_result", "id": "c", "result": "yes"}]},
            [],
            [("c", "yes")],
        ),
        (
            {
                "role": "assistant",
                "blocks": [{"block_type": "tool_call", "tool_call_id": "c", "tool_name": "f", "tool_kwargs": {"x": 1}}],
            },
            [("c", "f", {"x": 1})],
            [],
        ),
        (
            {
                "role": "tool",
                "content": [
                    {"type": "tool-result", "toolCallId": "c", "output": {"type": "error-text", "value": "no"}}
                ],
            },
            [],
            [("c", "no")],
        ),
    ],
)
def test_calls_and_results_of_frameworks(message, calls, results):
    (piece,) = pieces_of(message)
    assert [(call.id, call.name, call.arguments) for call in piece.calls] == calls
    assert [(result.call_id, result.content) for result in piece.results] == results
    assert piece.lost == ()


@each_row(
    ("message", "lost"),
    [
        ({"content": [{"type": "hologram", "of": 1}]}, ('part of the unknown kind "hologram"',)),
        ({"content": [{"do": {"x": 1}}, {"do": {}}]}, ('part of the unknown kind "do"',) * 2),
        ({"content": [{}]}, ('part of the unknown kind ""',)),
        ({"content": [{"type": "k" * 90}]}, (f'part of the unknown kind "{"k" * 40}"',)),
        ({"content": None, "actions": [{"tool": "f", "args": {}}]}, ("call in an unknown place",)),
        ({"content": "Done.", "more": {"deep": [{"name": "f", "input": "x"}]}}, ("call in an unknown place",)),
        ({"content": None, "fragments": [1]}, ("message without any known part",)),
        ({"content": "Hi.", "tools": [{"name": "f", "parameters": {}}]}, ()),
        ({"content": [{"type": "image_url"}, {"image": {}}, {"type": "text", "text": "Hi."}]}, ()),
        ({"content": "Hi.", "annotations": [{"start": 1}]}, ()),
        ({"content": [{"citationsContent": {"content": [{"text": "Hi."}], "citations": []}}]}, ()),
        ({"content": [{"type": "tool-result", "output": {"type": [], "value": 1}}]}, ()),
    ],
)
def test_what_is_unknown_in_an_agents_message_is_told(message, lost):
    (piece,) = pieces_of({"role": "assistant", **message})
    assert piece.lost == lost


def test_a_type_that_is_no_role_is_told():
    (piece,) = pieces_of({"type": "narrator", "content": "Once."})
    assert (piece.role, piece.unknown_role) == ("user", "narrator")
    (piece,) = pieces_of({"type": "message", "content": "Hi."})
    assert piece.unknown_role is None
