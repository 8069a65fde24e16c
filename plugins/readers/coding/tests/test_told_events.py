"""Copilot's events and what Cursor tells its hooks: what is said, called and answered, and what is taken back."""

import pytest
from coding_samples import COPILOT, CURSOR_HOOKS, READ_BOTH, SESSION, copilot, copilot_result, cursor_hook, read, shape

from sentinel_core import ReadError

READS = [("view", {"path": "a.txt"}), ("view", {"path": "b.txt"})]


def test_copilot_s_session_is_read():
    (trace,) = read("copilot", COPILOT)
    assert (trace.trace_id, trace.metadata) == (SESSION, {"cwd": "/w", "copilot_version": "1.0.102"})
    assert shape(trace) == [
        ("user", "What is in a.txt and b.txt?", [], []),
        ("assistant", "I read both.", READS, []),
        ("tool", None, [], [("plums", True)]),
        ("tool", None, [], [("no such file", False)]),
        ("assistant", "There are plums in a.txt, and b.txt is missing.", [], []),
    ]
    said = trace.messages[1]
    assert (said.details.reasoning, said.details.model, said.details.origin) == ("Read both.", "m", "line 4")


def test_a_command_that_ended_with_another_code_failed():
    asked = copilot("assistant.message", 1, toolRequests=[{"toolCallId": "t1", "name": "bash", "arguments": "{"}])
    (trace,) = read("copilot", [asked, copilot_result(2, "t1", "1 failed", shellExecution={"exitCode": 1})])
    assert trace.messages[1].tool_results[0].success is False
    assert trace.messages[0].tool_calls[0].details.raw_arguments == "{"


@pytest.mark.parametrize(
    ("rewind", "left"),
    [
        ({"upToEventId": "e3"}, ["user"]),
        ({"upToEventId": "e3", "eventIds": ["e3", "e4", "e5"]}, ["user", "assistant"]),
        ({"upToEventId": "unknown"}, ["user", "assistant", "tool", "tool", "assistant"]),
    ],
)
def test_what_a_rewind_takes_back_is_gone(rewind, left):
    (trace,) = read("copilot", [*COPILOT, copilot("session.snapshot_rewind", 8, **rewind)])
    assert [message.role for message in trace.messages] == left


def test_a_sub_agent_s_run_is_a_child():
    inner = [
        copilot("assistant.message", 4, content="Looked.", parentToolCallId="t1", toolRequests=READ_BOTH[:1]),
        copilot_result(5, "t1", "plums", parentToolCallId="t1"),
    ]
    (trace,) = read("copilot", [*COPILOT[:4], *inner, *COPILOT[4:]])
    (child,) = trace.details.children
    assert (child.details.parent_call_id, [message.role for message in child.messages]) == ("t1", ["assistant", "tool"])
    assert len(trace.messages) == 5


@pytest.mark.parametrize(("ending", "outcome"), [("abort", "interrupted"), ("session.error", "error")])
def test_how_it_ended(ending, outcome):
    (trace,) = read("copilot", [*COPILOT, copilot(ending, 9)])
    assert trace.details.outcome == outcome


def test_cursor_s_events_are_read():
    (trace,) = read("cursor", CURSOR_HOOKS)
    assert (trace.trace_id, trace.details.outcome) == (SESSION, "completed")
    assert shape(trace) == [
        ("user", "What is in a.txt and b.txt?", [], []),
        ("assistant", None, [("Read", {"path": "a.txt"})], []),
        ("tool", None, [], [('{"content": "plums"}', True)]),
        ("assistant", None, [("Read", {"path": "b.txt"})], []),
        ("tool", None, [], [("no such file", False)]),
        ("assistant", "There are plums in a.txt, and b.txt is missing.", [], []),
    ]


def test_a_command_of_cursor_s_tells_its_output_and_code():
    told = cursor_hook(
        "postToolUse",
        tool_name="Shell",
        tool_use_id="t1",
        tool_input={"command": "pytest"},
        tool_output='{"output": "1 failed", "exitCode": 1}',
    )
    (trace,) = read("cursor", [told])
    (result,) = trace.messages[1].tool_results
    assert (result.content, result.success) == ("1 failed", False)


def test_conversations_beside_each_other_are_apart():
    other = [{**event, "conversation_id": "other"} for event in CURSOR_HOOKS]
    mixed = [event for pair in zip(CURSOR_HOOKS, other, strict=True) for event in pair]
    assert [len(trace.messages) for trace in read("cursor", mixed)] == [6, 6]


@pytest.mark.parametrize("name", ["copilot", "cursor"])
@pytest.mark.parametrize("data", ["[1]\n", "no json\n", '{"type": "session.start", "data": 3}\n'])
def test_without_a_message_it_is_refused(name, data):
    (refused,) = read(name, data)
    assert isinstance(refused, ReadError)


@pytest.mark.parametrize(("name", "events"), [("copilot", COPILOT), ("cursor", CURSOR_HOOKS)])
def test_a_broken_line_is_a_gap(name, events):
    import json

    text = "".join(json.dumps(event) + "\n" for event in events) + "{broken\n"
    (trace,) = read(name, text)
    assert trace.metadata["reading_gaps"]
    (refused,) = read(name, text, strict=True)
    assert isinstance(refused, ReadError)
