import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel_core import ReadError, TraceReader
from sentinel_core.testing import TraceReaderContract
from sentinel_readers_benchmarks import sentinel_trace_readers

OLD = {
    "issue": {"owner": "o", "repo": "r", "number": 3},
    "instruction": "Add a file.",
    "git_patch": "",
    "metrics": {"accumulated_cost": 0.75, "costs": [0.25, 0.5]},
    "success": True,
    "history": [
        {"action": "message", "content": "Add a file.", "wait_for_response": False},
        {
            "action": "run",
            "command": "touch a",
            "thought": "I make it.",
            "keep_prompt": True,
            "is_confirmed": "confirmed",
        },
        {"observation": "run", "content": "", "command": "touch a", "exit_code": 0, "command_id": -1},
        {"action": "finish", "outputs": {}, "thought": "It is there."},
    ],
    "error": None,
}


def response(*calls, response_id="r1"):
    listed = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for call_id, name, arguments in calls
    ]
    usage = {"prompt_tokens": 30, "completion_tokens": 4}
    return {"id": response_id, "model": "m-1", "choices": [{"message": {"tool_calls": listed}}], "usage": usage}


CALLS = response(("c1", "execute_bash", {"command": "ls"}), ("c2", "execute_bash", {"command": "frob"}))


def native(call_id, name, answered):
    return {"function_name": name, "tool_call_id": call_id, "model_response": answered, "total_calls_in_response": 2}


NEW = {
    "instance_id": "box-1",
    "instruction": "Look.",
    "metadata": {"agent_class": "CodeActAgent"},
    "history": [
        {"id": 0, "source": "agent", "action": "system", "args": {"content": "Be good.", "tools": [{"function": {"name": "execute_bash"}}]}},
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Look."}, "timestamp": "2026-01-01T00:00:00"},
        {"id": 2, "source": "user", "action": "recall", "args": {"query": "Look."}},
        {"id": 3, "source": "environment", "observation": "recall", "cause": 2, "content": "facts"},
        {"id": 4, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "Two looks."}, "tool_call_metadata": native("c1", "execute_bash", CALLS)},
        {"id": 5, "source": "agent", "action": "run", "args": {"command": "frob", "thought": ""}, "tool_call_metadata": native("c2", "execute_bash", CALLS)},
        {"id": 6, "source": "agent", "observation": "run", "cause": 5, "content": "frob: command not found", "extras": {"metadata": {"exit_code": 127}}, "success": True},
        {"id": 7, "source": "agent", "observation": "run", "cause": 4, "content": "a", "extras": {"metadata": {"exit_code": 0}}, "success": True},
        {"id": 8, "source": "agent", "action": "message", "args": {"content": "One file, a.", "wait_for_response": True}},
        {"id": 9, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {"agent_state": "finished"}},
    ],
    "error": "RuntimeError: Agent reached maximum iteration.",
}  # fmt: skip
SECOND = {
    "instance_id": "box-2",
    "instruction": "Look.",
    "history": [
        {"kind": "SystemPromptEvent", "system_prompt": {"type": "text", "text": "Be good."}, "tools": [{"title": "terminal"}], "source": "agent"},
        {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "Look."}]}},
        {
            "kind": "ActionEvent",
            "id": "e1",
            "source": "agent",
            "thought": [{"type": "text", "text": "I list."}],
            "reasoning_content": "hm",
            "action": {"kind": "TerminalAction", "command": "ls"},
            "tool_name": "terminal",
            "tool_call_id": "k1",
            "tool_call": {"id": "k1", "name": "terminal", "arguments": '{"command": "ls"}'},
            "llm_response_id": "l1",
        },
        {"kind": "ObservationEvent", "tool_name": "terminal", "tool_call_id": "k1", "action_id": "e1", "observation": {"content": [{"type": "text", "text": "a"}], "exit_code": 0, "is_error": False}},
        {"kind": "ActionEvent", "id": "e2", "thought": [], "tool_name": "edit", "tool_call_id": "k2", "action": {"kind": "EditAction", "path": "q"}},
        {"kind": "AgentErrorEvent", "tool_name": "edit", "tool_call_id": "k2", "error": "no such tool"},
        {"kind": "ConversationStateUpdateEvent", "key": "x", "value": 1},
        {"kind": "ActionEvent", "id": "e3", "thought": [], "tool_name": "finish", "tool_call_id": "k3", "tool_call": {"id": "k3", "name": "finish", "arguments": '{"message": "One file."}'}},
    ],
    "metrics": {"accumulated_token_usage": {"prompt_tokens": 80, "completion_tokens": 8, "cache_read_tokens": 20}},
}  # fmt: skip


class TestOpenHands(TraceReaderContract):
    def make(self) -> TraceReader:
        return {reader.name: reader for reader in sentinel_trace_readers()}["openhands"]

    def sample(self) -> bytes:
        return b"\n".join(json.dumps(record).encode() for record in (OLD, NEW, SECOND)) + b"\n"

    def filename(self) -> str:
        return "output.jsonl"


def calls_of(trace):
    return [call for message in trace.messages for call in message.tool_calls]


def results_of(trace):
    return [result for message in trace.messages for result in message.tool_results]


def test_events_of_old(tools):
    trace = tools.one("openhands", OLD, "output.jsonl")
    assert trace.trace_id == "o/r#3"
    assert [(message.role, message.content) for message in trace.messages] == [
        ("user", "Add a file."), ("assistant", "I make it."), ("tool", None), ("assistant", "It is there."),
    ]  # fmt: skip
    run, finish = calls_of(trace)
    assert (run.name, run.arguments) == ("run", {"command": "touch a"})
    assert (finish.name, finish.details.result_expected) == ("finish", False)
    assert [(result.tool_call_id, result.success) for result in results_of(trace)] == [("call-1", True)]
    assert [message.details.cost_usd for message in trace.messages] == [None, 0.25, None, 0.5]
    assert trace.messages[1].details.origin == "line 1 $.history[1]"
    assert trace.details.outcome == "completed"
    assert tools.findings(trace) == []


def test_parallel_calls_find_their_results_and_count_once(tools):
    trace = tools.one("openhands", NEW, "output.jsonl")
    assert [(call.id, call.name, call.arguments) for call in calls_of(trace)] == [
        ("c1", "execute_bash", {"command": "ls"}),
        ("c2", "execute_bash", {"command": "frob"}),
    ]
    assert [(result.tool_call_id, result.success) for result in results_of(trace)] == [("c2", False), ("c1", True)]
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (30, 4)
    assert [tool.name for tool in trace.details.available_tools] == ["execute_bash"]
    assert [message.role for message in trace.messages] == [
        "system", "user", "assistant", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip
    assert trace.details.outcome == "max_turns"


def test_events_of_the_second_generation(tools):
    trace = tools.one("openhands", SECOND, "output.jsonl")
    assert [(call.id, call.name, call.arguments) for call in calls_of(trace)] == [
        ("k1", "terminal", {"command": "ls"}),
        ("k2", "edit", {"path": "q"}),
        ("k3", "finish", {"message": "One file."}),
    ]
    assert [(result.tool_call_id, result.content, result.success) for result in results_of(trace)] == [
        ("k1", "a", True),
        ("k2", "no such tool", False),
    ]
    assert trace.messages[2].details.reasoning == "hm"
    assert (trace.messages[0].content, trace.messages[-1].content) == ("Be good.", "One file.")
    usage = trace.token_usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.details.cached_tokens) == (80, 8, 20)
    assert trace.details.outcome == "completed"


def test_a_delegate_is_a_child(tools):
    history = [
        {"id": 1, "source": "user", "action": "message", "args": {"content": "Ask."}},
        {"id": 2, "source": "agent", "action": "delegate", "args": {"agent": "Browser", "inputs": {"task": "x"}}},
        {"id": 3, "source": "agent", "action": "browse", "args": {"url": "u"}},
        {"id": 4, "source": "agent", "observation": "browse", "cause": 3, "content": "page"},
        {"id": 5, "source": "agent", "observation": "delegate", "cause": 2, "content": "done"},
        {"id": 6, "source": "agent", "action": "finish", "args": {"final_thought": "It says page."}},
    ]
    trace = tools.one("openhands", history, "events.json")
    (child,) = trace.details.children
    assert [call.name for call in calls_of(trace)] == ["delegate", "finish"]
    assert child.details.parent_call_id == results_of(trace)[0].tool_call_id == "call-1"
    assert [call.name for call in calls_of(child)] == ["browse"]
    assert trace.messages[0].details.origin == "$[0]"


def test_delegates_without_end_do_not_nest_forever(tools):
    history = [{"id": position, "source": "agent", "action": "delegate", "args": {}} for position in range(20_000)]
    trace = tools.one("openhands", history, "events.json")
    depth = 0
    while trace.details.children:
        depth, trace = depth + 1, trace.details.children[0]
    assert depth == 24


def test_pairs_and_paused_users(tools):
    history = [
        [{"action": "message", "content": "Hi."}, {"observation": "null", "content": ""}],
        [
            {"action": "message", "content": "What?", "wait_for_response": True},
            {"action": "message", "content": "This."},
        ],
        [{"action": "run", "command": "x"}, {"observation": "error", "content": "refused"}],
    ]
    trace = tools.one("openhands", {"history": history}, "output.jsonl")
    assert [(message.role, message.content) for message in trace.messages[:3]] == [
        ("user", "Hi."), ("assistant", "What?"), ("user", "This."),
    ]  # fmt: skip
    assert results_of(trace)[0].success is False
    assert trace.trace_id == "output:1"


def test_what_a_person_runs_is_no_call_of_the_agents(tools):
    history = [{"id": 1, "source": "user", "action": "run", "args": {"command": "make"}}]
    trace = tools.one("openhands", {"history": history})
    assert [(message.role, message.content) for message in trace.messages] == [("user", "run: make")]


def test_bad_lines_cost_no_other(tools):
    data = (
        json.dumps(OLD).encode()
        + b'\n{"history": 3}\n\n{"hist'
        + b"\n"
        + json.dumps({**NEW, "history": [1, *NEW["history"]]}).encode()
    )
    first, second, third, last = tools.read("openhands", data, "output.jsonl")
    assert second == ReadError(message="expected a list of events at $.history", line=2)
    assert third.line == 4
    assert first.trace_id == "o/r#3"
    assert last.metadata["reading_gaps"] == ["1 event could not be read: 0"]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ("AgentStuckInLoopError: stuck", "stuck"),
        ("ValueError", "error"),
        ("Agent reached maximum budget", "cost_limit"),
    ],
)
def test_the_end_of_a_run_gives_the_outcome(tools, error, outcome):
    assert tools.one("openhands", {**OLD, "error": error}).details.outcome == outcome


@given(st.data())
@settings(max_examples=100)
def test_mutated_bytes_do_not_raise(tools, data):
    sample = json.dumps(data.draw(st.sampled_from([OLD, NEW, SECOND, NEW["history"]]))).encode()
    tools.survives("openhands", tools.mutated(data.draw, sample), "output.jsonl")
