"""Runs of one task beside each other."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, TraceIndex, evaluate_trace
from sentinel_core.evaluate.agreement import disagreements, outcome_key
from sentinel_core.judging.batch.tasks import Tasks


def run(name, answer, task="a", words="", *, asked="How many?"):
    call = ToolCall(id="c", name="finish", arguments={"answer": answer})
    messages = (Message(role="user", content=asked), Message(role="assistant", content=words, tool_calls=(call,)))
    return ExecutionTrace(trace_id=name, messages=messages, metadata={"group": task})


def compared(traces, key="metadata.group", start=0):
    tasks = Tasks()
    for number, trace in enumerate(traces, start + 1):
        tasks.add(key, trace, evaluate_trace(trace), "a.jsonl", number)
    return tasks


def test_the_share_of_the_others_that_came_to_something_else():
    assert disagreements(["x", "x", "y"]) == [0.5, 0.5, 1.0]
    assert disagreements(["x", "x"]) == [0.0, 0.0]
    with pytest.raises(ValueError, match="two runs"):
        disagreements(["x"])


def key(*messages):
    return outcome_key(TraceIndex(ExecutionTrace(trace_id="t", messages=messages)))


def test_what_a_run_came_to():
    assert key(Message(role="assistant", content="It is  FOUR.")) == "it is four"
    assert outcome_key(TraceIndex(run("a", "4.5 km!"))) == "4.5 km"
    patch = "diff --git a/x.py b/x.py\n+1\ndiff --git a/w.py b/w.py\n+2\n"
    call = Message(role="assistant", tool_calls=(ToolCall(id="s", name="submit"),))
    back = Message(role="tool", tool_results=(ToolResult(tool_call_id="s", content=patch),))
    assert key(call, back) == "w.py x.py"
    assert key(call) == ""


def test_who_disagrees_comes_first_and_copies_count_once():
    same = [run("one", "4", words="So."), run("two", "4", words="Well."), run("copy", "4", words="So.")]
    document = compared([*same, run("odd", "5"), run("alone", "9", task="b")]).document()
    assert (document["task_key"], document["tasks"], document["runs"]) == ("metadata.group", 1, 3)
    assert [(row["trace_id"], row["disagreement"]) for row in document["disagree"]] == [
        ("odd", 1.0),
        ("one", 0.5),
        ("two", 0.5),
    ]


def test_the_users_first_message_may_be_the_task():
    traces = [run("one", "4", task="a"), run("two", "5", task="b"), run("three", "5", asked="Where?")]
    document = compared(traces, "request").document()
    assert (document["tasks"], document["runs"]) == (1, 2)


def test_runs_that_tell_no_task_are_passed_over():
    assert compared([run("one", "4"), run("two", "5")], "metadata.other.name").document()["runs"] == 0


def test_nobody_asked():
    assert (Tasks().document(), list(Tasks().lines())) == (None, [])


RUNS = [
    run("one", "4"),
    run("two", "5"),
    run("three", "4", words="So."),
    run("b", "4", task="b"),
    run("c", "1", task="b"),
]


@given(st.lists(st.sampled_from(RUNS), max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_the_same_for_any_split(traces, cuts):
    merged, start = Tasks(key="metadata.group"), 0
    for end in [*sorted(cuts), len(traces)]:
        merged.merge(compared(traces[start:end], start=min(start, end)))
        start = max(start, end)
    whole = compared(traces)
    assert list(merged.lines())[1:] == list(whole.lines())[1:]


def test_the_command_tells_it(sentinel, write):
    from sentinel_core.traces.codec import encode_trace

    write("tasks.jsonl", [encode_trace(one) + b"\n" for one in (RUNS[0], RUNS[1], RUNS[2])])
    done = sentinel("evaluate", "tasks.jsonl", "--task-key", "metadata.group", "-o", "tasks-out.jsonl")
    assert "  agreement by metadata.group: 3 runs of 1 tasks with two or more" in done.stderr.splitlines()
    assert "    two ends differently from 2 of 2 other runs of its task" in done.stderr.splitlines()
    summary = json.loads((write("x", []).parent / "tasks-out.summary.json").read_text())
    assert summary["agreement"]["disagree"][0]["trace_id"] == "two"
