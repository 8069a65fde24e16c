import copy
import json

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel_core import ExecutionTrace, Message, ReadError, TokenUsage, ToolCall, ToolResult, TraceReader
from sentinel_core.testing import SAMPLES, BytesSource, TraceReaderContract
from sentinel_core.trace import CallDetails, MessageDetails, TraceDetails
from sentinel_readers_benchmarks import sentinel_trace_readers

SHELL = {"type": "function", "function": {"name": "shell", "parameters": {"type": "object"}}}
CLEAN = {
    "schema_version": "ATIF-v1.8",
    "session_id": "s-1",
    "trajectory_id": "t-1",
    "agent": {"name": "fixer", "version": "3", "model_name": "m-1", "tool_definitions": [SHELL], "extra": {"k": 1}},
    "steps": [
        {"step_id": 1, "source": "system", "message": "Fix bugs."},
        {
            "step_id": 2,
            "source": "user",
            "message": [{"type": "text", "text": "Read it."}],
            "timestamp": "2026-01-01T00:00:00Z",
        },
        {
            "step_id": 3,
            "source": "agent",
            "message": "",
            "reasoning_content": "two files",
            "llm_call_count": 1,
            "extra": {"attempt": 2},
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "shell", "arguments": {"command": "cat a"}},
                {"tool_call_id": "c2", "function_name": "shell", "arguments": {"command": "cat b"}},
            ],
            "observation": {
                "results": [
                    {"source_call_id": "c1", "content": "alpha"},
                    {"source_call_id": "c2", "content": "no such file", "extra": {"is_error": True, "code": 1}},
                ]
            },
            "metrics": {"prompt_tokens": 100, "completion_tokens": 10, "cached_tokens": 40, "cost_usd": 0.5},
        },
        {
            "step_id": 4,
            "source": "agent",
            "model_name": "m-2",
            "message": "The first file says alpha.",
            "metrics": {"prompt_tokens": 120, "completion_tokens": 5, "extra": {"reasoning_tokens": 3}},
        },
    ],
    "final_metrics": {"total_prompt_tokens": 999, "total_completion_tokens": 99},
    "notes": "a note",
    "continued_trajectory_ref": "next.json",
    "extra": {"host": "h"},
}
CHILD = {
    "schema_version": "ATIF-v1.7",
    "trajectory_id": "sub-1",
    "agent": {"name": "helper", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Look it up."},
        {
            "step_id": 2,
            "source": "agent",
            "message": "It is 7.",
            "metrics": {"prompt_tokens": 9, "completion_tokens": 2},
        },
    ],
}
PARENT = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s-2",
    "agent": {"name": "boss", "version": "1"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "What is x?"},
        {
            "step_id": 2,
            "source": "agent",
            "message": "",
            "tool_calls": [{"tool_call_id": "d1", "function_name": "delegate", "arguments": {}}],
            "observation": {
                "results": [
                    {"source_call_id": "d1", "content": "7", "subagent_trajectory_ref": [{"trajectory_id": "sub-1"}]}
                ]
            },
        },
        {"step_id": 3, "source": "agent", "message": "x is 7."},
    ],
    "subagent_trajectories": [CHILD],
}


def changed(document, **values):
    return {**copy.deepcopy(document), **values}


def again(trace):
    (reader,) = (reader for reader in sentinel_trace_readers() if reader.name == "atif")
    (back,) = reader.read(BytesSource(data=reader.write(trace), name="run.json"))
    return back


class TestAtif(TraceReaderContract):
    def make(self) -> TraceReader:
        return sentinel_trace_readers()[0]

    def sample(self) -> bytes:
        return json.dumps([CLEAN, PARENT]).encode()

    def filename(self) -> str:
        return "trajectory.json"


def test_every_field(tools):
    trace = tools.one("atif", CLEAN)
    assert trace.trace_id == "t-1"
    assert [message.role for message in trace.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [message.content for message in trace.messages] == [
        "Fix bugs.", "Read it.", None, None, "The first file says alpha.",
    ]  # fmt: skip
    assert [message.details.origin for message in trace.messages] == [
        "$.steps[0]", "$.steps[1]", "$.steps[2]", "$.steps[2]", "$.steps[3]",
    ]  # fmt: skip
    asked, answered, said = trace.messages[2:]
    assert trace.messages[1].timestamp == "2026-01-01T00:00:00Z"
    assert [call.arguments for call in asked.tool_calls] == [{"command": "cat a"}, {"command": "cat b"}]
    assert asked.details.reasoning == "two files"
    assert (asked.details.model, said.details.model) == ("m-1", "m-2")
    assert asked.details.cost_usd == 0.5
    assert asked.metadata == {"llm_call_count": 1, "extra": {"attempt": 2}}
    assert [(result.content, result.success, result.metadata) for result in answered.tool_results] == [
        ("alpha", None, None),
        ("no such file", False, {"code": 1}),
    ]
    assert trace.details.available_tools[0].name == "shell"
    assert trace.metadata == {
        "agent": {"name": "fixer", "version": "3", "model_name": "m-1", "extra": {"k": 1}},
        "session_id": "s-1",
        "notes": "a note",
        "continued_trajectory_ref": "next.json",
        "extra": {"host": "h"},
    }


def test_tokens_are_the_sum_of_the_steps_and_cached_ones_a_part(tools):
    usage = tools.one("atif", CLEAN).token_usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.details.cached_tokens) == (220, 15, 40)
    assert usage.details.reasoning_tokens == 3


def test_final_totals_count_where_no_step_tells_its_own(tools):
    steps = [{"step_id": 1, "source": "agent", "message": "Done."}]
    usage = tools.one("atif", changed(CLEAN, steps=steps)).token_usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (999, 99)


def test_copied_context_counts_nothing(tools):
    steps = copy.deepcopy(CLEAN["steps"])
    steps[2]["is_copied_context"] = True
    trace = tools.one("atif", changed(CLEAN, steps=steps))
    assert trace.token_usage.prompt_tokens == 120
    assert [message.details.is_copied_context for message in trace.messages] == [False, False, True, True, False]


def test_clean_runs_give_no_finding(tools):
    assert tools.findings(tools.one("atif", PARENT)) == []


def test_a_delegate_is_a_child_of_its_call(tools):
    trace = tools.one("atif", PARENT)
    (child,) = trace.details.children
    assert (child.trace_id, child.details.parent_call_id) == ("sub-1", "d1")
    assert child.token_usage.prompt_tokens == 9
    assert trace.token_usage is None


def test_a_reference_that_leads_nowhere_is_counted(tools):
    trace = tools.one("atif", changed(PARENT, subagent_trajectories=None))
    assert trace.metadata["reading_gaps"] == [
        "1 sub-agent trajectories are missing: steps refer to them, but no file has them"
    ]


def test_a_file_beside_it_is_a_child(tools, tmp_path):
    from sentinel_core.traces.sources import FileSource

    main = changed(PARENT, subagent_trajectories=None)
    results = main["steps"][1]["observation"]["results"]
    results[0]["subagent_trajectory_ref"] = [{"trajectory_path": "sub.json"}, {"trajectory_path": "../../etc/passwd"}]
    (tmp_path / "main.json").write_text(json.dumps(main))
    looping = copy.deepcopy(CHILD)
    looping["steps"][0]["observation"] = {"results": [{"subagent_trajectory_ref": [{"trajectory_path": "main.json"}]}]}
    (tmp_path / "sub.json").write_text(json.dumps(looping))
    source = FileSource(path=tmp_path / "main.json", label="main.json")
    (trace,) = tools.reader("atif").read(source)
    (child,) = trace.details.children
    assert (child.trace_id, child.details.parent_call_id) == ("sub-1", "d1")
    assert trace.metadata["reading_gaps"] == [
        "1 sub-agent trajectories are missing: steps refer to them, but no file has them"
    ]
    assert child.metadata["reading_gaps"] == [
        "1 sub-agent trajectories are missing: steps refer to them, but no file has them"
    ]


def test_feedback_without_a_call_is_the_environments_word(tools):
    steps = [
        {"step_id": 1, "source": "agent", "message": "ls", "observation": {"results": [{"content": "a b"}]}},
        {"step_id": 2, "source": "agent", "message": "There are two."},
    ]
    trace = tools.one("atif", changed(CLEAN, steps=steps))
    assert [(message.role, message.content) for message in trace.messages][1] == ("user", "a b")
    assert trace.messages[1].metadata == {"feedback": True}
    assert again(trace) == trace


def test_steps_that_are_none_are_counted(tools):
    steps = [*CLEAN["steps"], 7, {"source": "robot", "message": "?"}]
    assert tools.one("atif", changed(CLEAN, steps=steps)).metadata["reading_gaps"] == [
        "2 steps could not be read: 5, 6"
    ]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (changed(CLEAN, schema_version="ATIF-v2.0"), "is not ATIF version 1 at $.schema_version"),
        (changed(CLEAN, steps={}), "expected a list of steps at $.steps"),
        ([3], "expected an object at $[0]"),
    ],
)
def test_what_is_no_trajectory_is_refused(tools, document, message):
    (error,) = tools.read("atif", document)
    assert isinstance(error, ReadError)
    assert error.message == message


def test_sub_agents_have_a_deepest_level(tools):
    document = changed(CHILD)
    for _ in range(40):
        document = changed(CHILD, subagent_trajectories=[document])
    trace = tools.one("atif", document)
    depth = 0
    while trace.details.children:
        depth, trace = depth + 1, trace.details.children[0]
    assert depth == 24
    assert trace.metadata["reading_gaps"] == ["sub-agents below depth 24 were not read"]


@pytest.mark.parametrize("document", [CLEAN, PARENT, CHILD])
def test_reading_what_was_written_gives_the_same(tools, document):
    trace = tools.one("atif", document)
    assert again(trace) == trace


FOREIGN = ExecutionTrace(
    trace_id="f",
    messages=(
        Message(role="user", content="Go."),
        Message(
            role="assistant",
            tool_calls=(
                ToolCall(id="a", name="x", timestamp="2026-01-01T00:00:01Z"),
                ToolCall(id="b", name="y", details=CallDetails(raw_arguments="{oops", result_expected=False)),
            ),
            details=MessageDetails(
                id="m1", model="m", duration_ms=12.5, cost_usd=0.25,
                usage=TokenUsage(prompt_tokens=5, completion_tokens=1, total_tokens=9),
            ),
        ),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="a", content="1", success=True),)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="zz", content="late", success=False),)),
        Message(role="assistant", content="Done."),
    ),
    token_usage=TokenUsage(prompt_tokens=50, completion_tokens=10),
    metadata={"label": 1},
    details=TraceDetails(
        outcome="max_turns",
        children=(
            ExecutionTrace(trace_id="kid", details=TraceDetails(parent_call_id="a")),
            ExecutionTrace(trace_id="kid", details=TraceDetails(parent_call_id="b")),
        ),
    ),
)  # fmt: skip


def test_a_foreign_trace_keeps_what_atif_can_hold():
    back = again(FOREIGN)
    assert [call for message in back.messages for call in message.tool_calls] == list(FOREIGN.messages[1].tool_calls)
    results = [result for message in back.messages for result in message.tool_results]
    assert [(result.tool_call_id, result.success) for result in results] == [("a", True), ("zz", False)]
    assert back.token_usage == FOREIGN.token_usage
    assert back.messages[1].details == attrs.evolve(FOREIGN.messages[1].details, origin="$.steps[1]")
    assert back.details.outcome == "max_turns"
    assert back.metadata["extra"] == {"label": 1}
    assert [(child.trace_id, child.details.parent_call_id) for child in back.details.children] == [
        ("kid", "a"),
        ("kid#2", "b"),
    ]
    assert again(back) == back


@pytest.mark.parametrize("trace", SAMPLES, ids=lambda trace: trace.trace_id)
def test_writing_is_stable(trace):
    back = again(trace)
    assert again(back) == back


@given(st.data())
@settings(max_examples=100)
def test_mutated_bytes_do_not_raise(tools, data):
    sample = json.dumps(PARENT if data.draw(st.booleans()) else CLEAN).encode()
    tools.survives("atif", tools.mutated(data.draw, sample))


def acting(calls, *results):
    made = [{"tool_call_id": f"c{number}", "function_name": "bash", "arguments": {}} for number in range(calls)]
    steps = [{"step_id": 1, "source": "user", "message": "Go."}]
    steps.append(
        {
            "step_id": 2,
            "source": "agent",
            "message": "I go.",
            "tool_calls": made,
            "observation": {"results": list(results)},
        }
    )
    return {"schema_version": "ATIF-v1.8", "session_id": "s", "agent": {"name": "a", "version": "1"}, "steps": steps}


def test_the_only_result_of_the_only_call_is_its_own(tools):
    trace = tools.one("atif", acting(1, {"content": "done"}))
    (result,) = trace.messages[2].tool_results
    assert (result.tool_call_id, result.content) == ("c0", "done")
    assert "reading_notes" not in trace.metadata


def test_results_that_name_none_of_several_calls_are_told(tools):
    trace = tools.one("atif", acting(2, {"content": "one"}, {"content": "two"}))
    assert [message.role for message in trace.messages] == ["user", "assistant", "user", "user"]
    assert trace.metadata["reading_notes"] == ["2 results of unnamed calls became user messages"]
