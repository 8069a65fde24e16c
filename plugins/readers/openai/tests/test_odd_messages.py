"""Messages in a wrong shape: what could not be read is counted, and makes no lie of an honest run and no pass of a lie."""

import json

import pytest

from sentinel_core import ExecutionTrace, ReadError, evaluate_trace
from sentinel_core.testing import BytesSource
from sentinel_readers_openai import sniff_chat
from sentinel_readers_openai.chat import read

CALL = {"id": "c9", "type": "function", "function": {"name": "refund_order", "arguments": '{"order_id": "A17"}'}}
SAID = "I've refunded order A17."


def run(calls: object, said: object = SAID, **more: object) -> list[dict[str, object]]:
    return [
        {"role": "user", "content": "Please refund order A17."},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c9", "content": '{"refunded": true}'},
        {"role": "assistant", "content": said, **more},
    ]


def one(messages: object) -> ExecutionTrace | ReadError:
    (found,) = read(BytesSource(data=json.dumps(messages).encode(), name="run.json"))
    return found


def rules(trace: ExecutionTrace | ReadError) -> set[str]:
    assert isinstance(trace, ExecutionTrace)
    return {found.rule for found in evaluate_trace(trace).findings if found.severity != "note"}


def test_one_call_that_is_not_in_a_list_is_read():
    trace = one({"messages": run(CALL)})
    assert isinstance(trace, ExecutionTrace)
    assert [call.name for message in trace.messages for call in message.tool_calls] == ["refund_order"]
    assert evaluate_trace(trace).unread == ()
    assert rules(trace) == set()


@pytest.mark.parametrize("calls", [json.dumps([CALL]), "refund_order(A17)", {"first": CALL}, 7, [CALL, "more"], ["x"]])
def test_calls_in_no_known_shape_are_counted_and_make_no_lie(calls):
    trace = one({"messages": run(calls)})
    assert isinstance(trace, ExecutionTrace)
    assert evaluate_trace(trace).unread == ("1 list of calls in no known shape",)
    assert rules(trace) == set()


def test_each_result_of_lost_calls_has_a_call():
    messages = run("two calls")
    messages.insert(3, {"role": "tool", "tool_call_id": "c10", "content": "done"})
    trace = one(messages)
    assert isinstance(trace, ExecutionTrace)
    assert [call.id for message in trace.messages for call in message.tool_calls] == ["c9", "c10"]


def test_no_calls_are_no_loss():
    for nothing in (None, [], "", {}):
        trace = one(
            {
                "messages": [
                    {"role": "user", "content": "Hi"},
                    {"role": "assistant", "content": "Hello", "tool_calls": nothing},
                ]
            }
        )
        assert isinstance(trace, ExecutionTrace)
        assert evaluate_trace(trace).unread == ()


def test_a_call_without_a_name_and_odd_content_are_counted():
    nameless = {"id": "c9", "type": "function", "function": {"arguments": "{}"}}
    assert evaluate_trace(one(run([nameless]))).unread == ("1 call without a name",)
    for odd in (42, True, {"note": 1}):
        assert evaluate_trace(one(run([CALL], odd))).unread == ("1 content that is neither text nor a list of parts",)
    for fine in ({"text": SAID}, {"type": "text", "text": SAID}, [{"type": "text", "text": SAID}]):
        assert evaluate_trace(one(run([CALL], fine))).unread == ()


def test_a_list_with_a_message_without_a_role_is_refused_once():
    for place in (0, 3):
        messages = run([CALL])
        del messages[place]["role"]
        error = one(messages)
        assert isinstance(error, ReadError)
        assert error.message == f'message has no "role" (expected system, user, assistant or tool) at $[{place}]'
        (gap,) = evaluate_trace(one({"messages": messages})).unread
        assert gap == f"1 message has no role: line 1 $.messages[{place}]"


def test_lines_without_a_role_are_a_gap_and_strict_refuses_them():
    messages = run([CALL])
    del messages[3]["role"]
    data = "".join(f"{json.dumps(message)}\n" for message in messages).encode()
    (trace,) = read(BytesSource(data=data, name="run.jsonl"))
    assert isinstance(trace, ExecutionTrace)
    assert evaluate_trace(trace).unread == ("1 message has no role: line 4",)
    (error,) = read(BytesSource(data=data, name="run.jsonl", strict=True))
    assert isinstance(error, ReadError)
    assert error.line == 4


def test_no_messages_are_named():
    for data in (b'{"messages": []}', b'{"id": "a", "messages": [ ]}'):
        assert sniff_chat(data, "x.json") > 60
        (error,) = read(BytesSource(data=data, name="x.json"))
        assert isinstance(error, ReadError)
        assert "has no messages: nothing to check" in error.message
    assert sniff_chat(b'{"trace_id": "a", "messages": []}', "x.json") == 0
