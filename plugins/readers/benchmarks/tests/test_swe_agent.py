import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import each_row

from sentinel_core import ReadError, TraceReader
from sentinel_core.testing import TraceReaderContract
from sentinel_readers_benchmarks import sentinel_trace_readers
from sentinel_readers_benchmarks.swe_agent import action_call, outcome_of


def native(call_id, name, **arguments):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


NATIVE = {
    "environment": "box",
    "trajectory": [
        {"action": "open a.py", "observation": "1: x = 1", "response": "Open.", "state": "{}", "thought": "Open."}
    ],
    "history": [
        {"role": "system", "content": "Fix it.", "agent": "main", "message_type": "system_prompt"},
        {
            "role": "user",
            "content": "Like so: rm -rf /",
            "agent": "main",
            "is_demo": True,
            "message_type": "demonstration",
        },
        {"role": "user", "content": [{"type": "text", "text": "The bug is in a.py."}], "agent": "main"},
        {
            "role": "assistant",
            "content": "I open both files.",
            "thought": "I open both files.",
            "action": "open a.py",
            "agent": "main",
            "tool_calls": [native("c1", "open", path="a.py"), native("c2", "open", path="b.py")],
            "thinking_blocks": [{"type": "thinking", "thinking": "hm"}],
        },
        {"role": "tool", "content": "1: x = 1", "agent": "main", "tool_call_ids": ["c1"]},
        {"role": "tool", "content": "File b.py not found", "agent": "main", "tool_call_ids": ["c2"]},
        {
            "role": "assistant",
            "content": "",
            "action": "submit",
            "agent": "main",
            "tool_calls": [native("c3", "submit")],
        },
    ],
    "info": {
        "exit_status": "submitted",
        "submission": "diff",
        "model_stats": {"instance_cost": 0.5, "tokens_sent": 90, "tokens_received": 8, "api_calls": 2},
    },
}
TEXTUAL = {
    "environment": "box",
    "trajectory": [
        {"action": "ls\n", "observation": "a.py", "response": "List.\n```\nls\n```", "thought": "List.\n", "execution_time": 0.25},
        {"action": "edit 1:1\ny = 2\nend_of_edit\n", "observation": "edited", "response": "Edit.\n```\nedit\n```", "thought": "Edit."},
        {"action": "submit\n", "observation": None, "response": "```\nsubmit\n```", "thought": ""},
    ],
    "info": {"exit_status": "submitted (exit_cost)"},
}  # fmt: skip
HISTORY = {
    "trajectory": [{"action": "submit\n", "observation": "the diff", "thought": "", "response": ""}],
    "history": [
        {"role": "system", "content": "Fix it.", "agent": "primary"},
        {"role": "user", "content": "The bug.", "agent": "primary"},
        {
            "role": "assistant",
            "content": "List.\n```\nls\n```",
            "thought": "List.",
            "action": "ls\n",
            "agent": "primary",
        },
        {"role": "user", "content": "a.py", "agent": "primary"},
        {"role": "assistant", "content": "What next?", "thought": "", "action": "", "agent": "primary"},
        {"role": "user", "content": "Please act.", "agent": "primary"},
        {"role": "assistant", "content": "```\nsubmit\n```", "thought": "", "action": "submit\n", "agent": "primary"},
    ],
    "info": {},
}


class TestSweAgent(TraceReaderContract):
    def make(self) -> TraceReader:
        return {reader.name: reader for reader in sentinel_trace_readers()}["swe-agent"]

    def sample(self) -> bytes:
        return json.dumps(NATIVE, indent=2).encode()

    def filename(self) -> str:
        return "box__1.traj"


def test_native_tool_calls(tools):
    trace = tools.one("swe-agent", NATIVE, "box__1.traj")
    assert trace.trace_id == "box__1"
    assert [message.role for message in trace.messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert trace.messages[1].content == "The bug is in a.py."
    asked = trace.messages[2]
    assert [(call.id, call.name, call.arguments) for call in asked.tool_calls] == [
        ("c1", "open", {"path": "a.py"}),
        ("c2", "open", {"path": "b.py"}),
    ]
    assert (asked.content, asked.details.reasoning, asked.details.origin) == (
        "I open both files.",
        "hm",
        "$.history[3]",
    )
    assert [message.tool_results[0].tool_call_id for message in trace.messages[3:5]] == ["c1", "c2"]
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (90, 8)
    assert trace.details.outcome == "completed"
    assert trace.metadata == {"exit_status": "submitted", "cost_usd": 0.5, "environment": "box"}


def test_demonstrations_are_nobodys_doing(tools):
    assert "rm -rf" not in str(tools.one("swe-agent", NATIVE))


def test_actions_become_calls_and_are_not_said_again(tools):
    trace = tools.one("swe-agent", TEXTUAL)
    calls = [call for message in trace.messages for call in message.tool_calls]
    assert [(call.id, call.name, call.arguments) for call in calls] == [
        ("call-1", "bash", {"command": "ls"}),
        ("call-2", "edit", {"input": "1:1\ny = 2\nend_of_edit"}),
        ("call-3", "submit", {}),
    ]
    assert [message.content for message in trace.messages] == ["List.", None, "Edit.", None, None]
    assert [result.content for message in trace.messages for result in message.tool_results] == ["a.py", "edited"]
    assert [message.details.origin for message in trace.messages[:3]] == ["$.trajectory[0]"] * 2 + ["$.trajectory[1]"]
    assert trace.messages[0].details.duration_ms == 250
    assert trace.details.outcome == "cost_limit"
    assert tools.findings(trace) == ["ending.handed_in_at_the_limit"]


def test_only_the_answer_to_an_action_is_a_result(tools):
    trace = tools.one("swe-agent", HISTORY)
    assert [message.role for message in trace.messages] == [
        "system", "user", "assistant", "tool", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip
    assert trace.messages[-1].tool_results[0].content == "the diff"
    assert trace.messages[-1].details.origin == "$.trajectory[-1].observation"
    assert tools.findings(trace) == []


def test_another_agent_is_a_child(tools):
    history = [*HISTORY["history"][:2], {"role": "assistant", "content": "I summarize.", "agent": "aide"}]
    trace = tools.one("swe-agent", {"history": history})
    (child,) = trace.details.children
    assert (child.trace_id, child.messages[0].content) == ("run/aide", "I summarize.")
    assert len(trace.messages) == 2


def test_one_entry_for_all_calls_of_a_turn_answers_each(tools):
    history = [
        *NATIVE["history"][:4],
        {"role": "tool", "content": "both", "tool_call_ids": ["c1", "c2"], "agent": "main"},
    ]
    results = tools.one("swe-agent", {"history": history}).messages[-1].tool_results
    assert [(result.tool_call_id, result.content) for result in results] == [("c1", "both"), ("c2", "both")]


def test_entries_that_are_none_are_counted(tools):
    trace = tools.one("swe-agent", {"history": [*HISTORY["history"], 3, {"content": "?"}]})
    assert trace.metadata["reading_gaps"] == ["2 entries of the history could not be read: 7, 8"]


@each_row(
    ("status", "outcome"),
    [
        ("submitted", "completed"), ("submitted (exit_context)", "context_limit"), ("exit_format", "error"),
        ("exit_command_timeout", "timeout"), ("exit_forfeit", "gave_up"), ("odd", "odd"), (None, None), ("", None),
    ],
)  # fmt: skip
def test_the_end_of_a_run_gives_the_outcome(status, outcome):
    assert outcome_of(status) == outcome


@pytest.mark.parametrize(
    ("action", "name", "arguments", "due"),
    [
        ("python x.py\n", "bash", {"command": "python x.py"}, True),
        ("scroll_down\n", "scroll_down", {}, True),
        ("find_file 'a'\n", "find_file", {"input": "'a'"}, True),
        ("submitter x", "bash", {"command": "submitter x"}, True),
        ("submit 'flag'\n", "submit", {"input": "'flag'"}, False),
    ],
)
def test_actions(action, name, arguments, due):
    call = action_call(action)
    assert (call.name, call.arguments) == (name, arguments)
    assert (call.details is None or call.details.result_expected) is due


def test_what_is_no_trajectory_is_refused(tools):
    assert tools.read("swe-agent", {"info": {}}) == [
        ReadError(message="expected a list at $.history or $.trajectory", line=1)
    ]


@given(st.data())
@settings(max_examples=100)
def test_mutated_bytes_do_not_raise(tools, data):
    sample = json.dumps(data.draw(st.sampled_from([NATIVE, TEXTUAL, HISTORY]))).encode()
    tools.survives("swe-agent", tools.mutated(data.draw, sample))


DIFF = "diff --git a/a.py b/a.py"


def step(action, observation):
    return {"action": action, "observation": observation, "response": f"I do {action}.", "thought": f"I do {action}."}


def turn(action, **more):
    return {"role": "assistant", "content": f"I do {action}.", "thought": f"I do {action}.", "action": action, **more}


def told(trace):
    names = [call.name for message in trace.messages for call in message.tool_calls]
    return names, [result.content for message in trace.messages for result in message.tool_results]


@pytest.mark.parametrize("answered", [True, False])
def test_steps_that_the_history_ends_before_are_read_from_the_trajectory(tools, answered):
    history = [
        {"role": "user", "content": "Fix it."},
        turn("ls\n"),
        *([{"role": "user", "content": "a.py"}] if answered else []),
    ]
    steps = [step("ls\n", "a.py"), step("edit 1:1", "edited"), step("submit\n", DIFF)]
    trace = tools.one("swe-agent", {"environment": "box", "history": history, "trajectory": steps, "info": {}})
    assert told(trace) == (["bash", "edit", "submit"], ["a.py", "edited", DIFF])
    assert trace.messages[-1].details.origin == "$.trajectory[2]"


@pytest.mark.parametrize("steps", [1, 2])
def test_what_came_of_the_last_native_call_is_read_from_the_trajectory(tools, steps):
    made = [native("c9", "look", at=1)]
    history = [{"role": "user", "content": "Fix it."}, turn("look 1", tool_calls=made)]
    trace = tools.one(
        "swe-agent",
        {
            "environment": "box",
            "history": history,
            "trajectory": [step("look 1", "seen"), step("submit", DIFF)][:steps],
            "info": {},
        },
    )
    assert told(trace) == (["look", "submit"][:steps], ["seen", DIFF][:steps])
    assert trace.messages[2].tool_results[0].tool_call_id == "c9"
