"""Requests and replies as providers and frameworks shape them."""

from tables import each_row

from sentinel_readers_telemetry.payload import messages_in, named_in

CALL = {"type": "function_call", "call_id": "c", "name": "weigh", "arguments": "{}"}
LANGCHAIN = {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": {"content": "Hi"}}


@each_row(
    ("value", "expected"),
    [
        (None, []),
        ("", []),
        ("Hi", [{"role": "user", "content": "Hi"}]),
        (5, [{"role": "user", "content": "5"}]),
        (["Hi", "there"], [{"role": "user", "content": "Hi\nthere"}]),
        ([None, 5], [{"role": "user", "content": "5"}]),
        ({"input": "Hi", "instructions": "Be kind"}, [("system", "Be kind"), ("user", "Hi")]),
        ({"prompt": "Hi", "system": "Be kind"}, [("system", "Be kind"), ("user", "Hi")]),
        ({"messages": [[{"role": "user", "content": "Hi"}]]}, [("user", "Hi")]),
        ({"inputs": {"messages": [{"role": "user", "content": "Hi"}]}}, [("user", "Hi")]),
        ({"system_instruction": {"parts": [{"text": "Kind"}]}, "contents": []}, [("system", [{"text": "Kind"}])]),
        ({"city": "Leeds"}, [{"role": "user", "content": {"city": "Leeds"}}]),
        ([{"type": "text", "text": "Hi"}], [("user", [{"type": "text", "text": "Hi"}])]),
        ('[{"event.name":"gen_ai.user.message","content":"Hi"},{"event.name":"other"}]', [("user", "Hi")]),
        ([CALL], [("assistant", [CALL])]),
        (
            [{"type": "function_call_output", "call_id": "c", "output": "5 kg"}],
            [{"role": "tool", "tool_call_id": "c", "content": "5 kg"}],
        ),
        ({"a": {"b": 1}, "inputs": {"inputs": {"inputs": {"inputs": {"inputs": {"inputs": {"inputs": 1}}}}}}}, []),
    ],
)
def test_the_messages_of_a_request_are_read_from_any_payload(value, expected):
    check(messages_in(value, "user"), expected)


@each_row(
    ("value", "expected"),
    [
        ({"text": "Hi", "finish_reason": "stop"}, [("assistant", "Hi")]),
        ({"choices": [{"text": "Hi"}, {"text": "not this"}]}, [("assistant", "Hi")]),
        ({"choices": ["Hi"]}, [("assistant", "Hi")]),
        ({"choices": []}, []),
        ({"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]}, "model"),
        ({"generations": [[{"text": "Hi", "message": LANGCHAIN}, {"text": "not this"}]]}, [LANGCHAIN]),
        ({"generations": [[{"text": "Hi"}]]}, [("assistant", "Hi")]),
        ({"role": "assistant", "content": [{"type": "text", "text": "Hi"}], "usage": {}}, "assistant"),
        ({"output": [{"type": "reasoning", "summary": []}, CALL]}, "assistant"),
        ({"type": "AIMessage", "content": "Hi"}, [{"type": "AIMessage", "content": "Hi"}]),
        ({"message": {"role": "assistant", "content": "Hi"}}, [("assistant", "Hi")]),
        ({"response": {"message": {"role": "assistant", "content": "Hi"}}}, [("assistant", "Hi")]),
    ],
)
def test_replies(value, expected):
    check(messages_in(value, "assistant"), expected)


def check(found, expected):
    if isinstance(expected, str):
        assert found
        assert {message["role"] for message in found} == {expected}
        return
    wanted = [{"role": one[0], "content": one[1]} if isinstance(one, tuple) else one for one in expected]
    assert [{key: message[key] for key in want} for message, want in zip(found, wanted, strict=True)] == wanted


@each_row(
    ("value", "found"),
    [
        ({"tools": 1}, 1),
        ('{"tools":1}', 1),
        ({"config": {"tools": 1}}, 1),
        ({"invocation_params": {"tools": 1}}, 1),
        ({"inputs": {"request": {"tools": 1}}}, 1),
        ({"other": {"tools": 1}}, None),
        ("tools", None),
        (None, None),
    ],
)
def test_members_are_found_in_wrappers(value, found):
    assert named_in(value, "tools") == found


def test_bedrock_reasoning_is_kept_apart():
    message = {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": "hm"}}, {"text": "Hi"}]}
    assert messages_in(message, "assistant")[0]["content"] == [{"type": "reasoning", "content": "hm"}, {"text": "Hi"}]
