import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel_core import ReadError, TraceReader
from sentinel_core.testing import TraceReaderContract
from sentinel_readers_benchmarks import sentinel_trace_readers

FINAL = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def fenced(words, command, language="mswea_bash_command"):
    return {"role": "assistant", "content": f"{words}\n\n```{language}\n{command}\n```"}


def asked(call_id, command):
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": "bash", "arguments": json.dumps({"command": command})},
    }


def answer(call_id, text, code):
    extra = {"raw_output": text, "returncode": code, "timestamp": 1767225602.0}
    content = f"<returncode>{code}</returncode>\n<output>\n{text}\n</output>"
    return {"role": "tool", "tool_call_id": call_id, "content": content, "extra": extra}


BARE = [
    {"role": "system", "content": "One command a turn."},
    {"role": "user", "content": "Count the files."},
    fenced("I list them.", "ls"),
    {"role": "user", "content": "<returncode>0</returncode>\n<output>\na b\n</output>"},
    fenced("Two files.", FINAL, "bash"),
    {"role": "user", "content": ""},
]
VERSION_2 = {
    "trajectory_format": "mini-swe-agent-1.1",
    "info": {
        "exit_status": "Submitted",
        "submission": "two",
        "mini_version": "2.4",
        "model_stats": {"instance_cost": 0.25, "api_calls": 2},
        "config": {"model": {"model_name": "m-1"}},
    },
    "messages": [
        {"role": "system", "content": "Work."},
        {"role": "user", "content": "Count the files."},
        {
            "role": "assistant",
            "content": "I look in both places.",
            "tool_calls": [asked("c1", "ls a"), asked("c2", "ls nowhere")],
            "extra": {
                "actions": [{"command": "ls a", "tool_call_id": "c1"}],
                "response": {"id": "r1", "model": "m-1x", "usage": {"prompt_tokens": 50, "completion_tokens": 5}},
                "cost": 0.125,
                "timestamp": 1767225601.5,
            },
        },
        answer("c1", "x y", 0),
        answer("c2", "ls: cannot access 'nowhere': No such file or directory", 2),
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [asked("c3", FINAL)],
            "extra": {"response": {"id": "r2", "usage": {"prompt_tokens": 70, "completion_tokens": 3}}},
        },
        {"role": "exit", "content": "two", "extra": {"exit_status": "Submitted", "submission": "two"}},
    ],
}


class TestMini(TraceReaderContract):
    def make(self) -> TraceReader:
        return {reader.name: reader for reader in sentinel_trace_readers()}["mini-swe-agent"]

    def sample(self) -> bytes:
        return json.dumps(VERSION_2, indent=2).encode()

    def filename(self) -> str:
        return "count.traj.json"


class TestMiniBare(TestMini):
    def sample(self) -> bytes:
        return json.dumps(BARE).encode()


def test_commands_in_text_are_calls(tools):
    trace = tools.one("mini-swe-agent", BARE, "count.traj.json")
    assert trace.trace_id == "count"
    assert [message.role for message in trace.messages] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert [call.arguments["command"] for message in trace.messages for call in message.tool_calls] == ["ls", FINAL]
    assert [message.content for message in trace.messages if message.role == "assistant"] == [
        "I list them.",
        "Two files.",
    ]
    listed = trace.messages[3].tool_results[0]
    assert (listed.success, listed.metadata) == (True, {"returncode": 0})
    assert trace.messages[2].details.origin == "$[2]"
    assert tools.findings(trace) == []


def test_version_2(tools):
    trace = tools.one("mini-swe-agent", VERSION_2)
    assert [message.role for message in trace.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "tool",
    ]
    results = [result for message in trace.messages for result in message.tool_results]
    assert [(result.tool_call_id, result.success) for result in results] == [("c1", True), ("c2", False), ("c3", True)]
    first = trace.messages[2]
    assert (first.details.id, first.details.model, first.details.cost_usd) == ("r1", "m-1x", 0.125)
    assert first.timestamp == "2026-01-01T00:00:01.500000Z"
    assert trace.messages[5].details.model == "m-1"
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (120, 8)
    assert trace.details.outcome == "completed"
    assert [tool.name for tool in trace.details.available_tools] == ["bash"]
    assert trace.metadata == {"exit_status": "Submitted", "cost_usd": 0.25, "mini_version": "2.4"}


@pytest.mark.parametrize(
    ("code", "success"), [(0, True), (1, None), (2, False), (127, False), (-1, None), (None, None), ("0", None)]
)
def test_what_an_exit_code_says(tools, code, success):
    document = copy.deepcopy(VERSION_2)
    document["messages"][3].update(content="x y", extra={"returncode": code})
    assert tools.one("mini-swe-agent", document).messages[3].tool_results[0].success is success


def test_two_commands_in_one_turn_are_none(tools):
    both = {"role": "assistant", "content": fenced("a", "ls")["content"] + fenced("b", "pwd")["content"]}
    trace = tools.one("mini-swe-agent", [*BARE[:2], both, {"role": "user", "content": "One command only."}])
    assert [message.role for message in trace.messages] == ["system", "user", "assistant", "user"]
    assert not trace.messages[2].tool_calls


def test_an_interrupted_command_is_due_no_result(tools):
    stop = {"role": "user", "content": "Interrupted by user: no", "extra": {"interrupt_type": "UserInterruption"}}
    trace = tools.one("mini-swe-agent", {"messages": [*VERSION_2["messages"][:3], stop, *VERSION_2["messages"][5:]]})
    assert [call.details.result_expected for call in trace.messages[2].tool_calls] == [False, False]
    assert trace.messages[3].role == "user"
    assert tools.findings(trace) == []


def test_an_end_that_is_no_submission_is_told_by_the_system(tools):
    end = {"role": "exit", "content": "LimitsExceeded", "extra": {"exit_status": "LimitsExceeded"}}
    trace = tools.one("mini-swe-agent", {"messages": [*VERSION_2["messages"][:3], end]})
    assert (trace.messages[-1].role, trace.messages[-1].content) == ("system", "LimitsExceeded")
    assert trace.details.outcome == "max_turns"
    assert trace.messages[2].tool_calls[0].details.result_expected is False


def test_responses_items(tools):
    turn = {
        "object": "response",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "f1", "name": "bash", "arguments": '{"command": "ls"}'},
        ],
        "usage": {"input_tokens": 4, "output_tokens": 2},
        "extra": {},
    }
    output = {"type": "function_call_output", "call_id": "f1", "output": "a", "extra": {"returncode": 0}}
    trace = tools.one("mini-swe-agent", {"messages": [turn, output]})
    said = trace.messages[0]
    assert (said.content, said.details.reasoning, said.tool_calls[0].id) == ("I look.", "hm", "f1")
    assert trace.messages[1].tool_results[0].tool_call_id == "f1"
    assert trace.token_usage.prompt_tokens == 4


def test_messages_that_are_none_are_counted(tools):
    assert tools.one("mini-swe-agent", [*BARE, 1]).metadata["reading_gaps"] == ["1 message could not be read: 6"]


def test_what_is_no_trajectory_is_refused(tools):
    assert tools.read("mini-swe-agent", {"a": 1}) == [
        ReadError(message="expected a list of messages at $.messages", line=1)
    ]


@given(st.data())
@settings(max_examples=100)
def test_mutated_bytes_do_not_raise(tools, data):
    sample = json.dumps(data.draw(st.sampled_from([BARE, VERSION_2]))).encode()
    tools.survives("mini-swe-agent", tools.mutated(data.draw, sample))
