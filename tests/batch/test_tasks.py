"""Runs of one task beside each other."""

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, TraceIndex, evaluate_trace
from sentinel_core.evaluate.agreement import disagreements, outcome_key, score_beside_others
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
    assert disagreements(["x", None, None]) == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="two or more runs"):
        disagreements(["x"])


def said(text):
    return Message(role="assistant", content=text)


def key(*messages):
    return outcome_key(TraceIndex(ExecutionTrace(trace_id="t", messages=messages)))


def test_what_a_run_came_to():
    assert key(said("It is  FOUR.")) == key(said("it is: four"))
    assert key(said("It is four.")) != key(said("It is five."))
    assert outcome_key(TraceIndex(run("a", "4.5 km!"))) == outcome_key(TraceIndex(run("b", "4.5  km")))


def test_of_prose_no_two_texts_are_alike():
    assert key(said("one two " * 10)) != key(said("two one " * 10))
    assert key(said("one two " * 11)) == key(said("two one " * 11))


def test_of_a_patch_the_changed_lines_count():
    def handed_in(patch):
        call = Message(role="assistant", tool_calls=(ToolCall(id="s", name="submit"),))
        return key(call, Message(role="tool", tool_results=(ToolResult(tool_call_id="s", content=patch),)))

    one = handed_in("diff --git a/x.py b/x.py\n@@ -1 +1 @@\n-a\n+b = 1\n")
    assert one == handed_in("diff --git a/x.py b/x.py\n@@ -7 +7 @@\n-a\n+b  = 1\n")
    assert one != handed_in("diff --git a/x.py b/x.py\n@@ -1 +1 @@\n-a\n+b = 2\n")


def test_what_was_done_to_the_world_counts_in_any_order():
    def did(*pairs):
        calls = tuple(ToolCall(id=str(at), name=name, arguments={"to": to}) for at, (name, to) in enumerate(pairs))
        results = tuple(
            ToolResult(
                tool_call_id=call.id,
                content="no" if call.name == "book_seat" else "ok",
                success=call.name != "book_seat",
            )
            for call in calls
        )
        return key(
            Message(role="assistant", tool_calls=calls), Message(role="tool", tool_results=results), said("x " * 30)
        )

    assert did(("send_mail", "a"), ("cancel_order", "b")) == did(
        ("cancel_order", "b"), ("get_user", "c"), ("send_mail", "a")
    )
    assert did(("send_mail", "a")) != did(("send_mail", "b"))
    assert did(("send_mail", "a")) == did(("send_mail", "a"), ("book_seat", "b"), ("get_user", "c"))


def test_prose_in_arguments_is_not_compared():
    def filed(**arguments):
        return key(Message(role="assistant", tool_calls=(ToolCall(id="f", name="file_report", arguments=arguments),)))

    long, other = "so it goes " * 9, "as it went " * 9
    assert filed(level="high", why=[{"text": long}]) == filed(level="high", why=[{"text": other}])
    assert filed(level="high", why=long) != filed(level="low", why=long)
    assert filed(level="high", why="one") != filed(level="high", why="two")


def test_two_runs_that_ended_badly_do_not_agree():
    document = compared(
        [run("one", ""), run("two", "", words="So."), run("three", "4"), run("four", "4", words="So.")]
    ).document()
    assert {row["trace_id"]: row["disagreement"] for row in document["disagree"]} == {
        "one": 1.0,
        "two": 1.0,
        "three": 0.666666667,
        "four": 0.666666667,
    }


def test_disagreement_only_adds():
    assert [score_beside_others(0.5, share) for share in (0.0, 0.5, 1.0)] == [0.5, 0.525, 0.55]
    assert score_beside_others(1.0, 1.0) == 1.0


def test_who_disagrees_comes_first_and_runs_that_say_the_same_count_each():
    same = [run(name, "4", words="So.") for name in ("one", "two", "three", "four", "five")]
    document = compared([*same, run("odd", "5"), run("alone", "9", task="b")]).document()
    assert (document["task_key"], document["tasks"], document["runs"]) == ("metadata.group", 1, 6)
    assert [(row["trace_id"], row["disagreement"]) for row in document["disagree"]] == [
        ("odd", 1.0),
        *((name, 0.2) for name in ("one", "two", "three", "four", "five")),
    ]


def timed(trace, *times):
    messages = (attrs.evolve(one, timestamp=time) for one, time in zip(trace.messages, times, strict=True))
    return attrs.evolve(trace, messages=tuple(messages))


TIMES = ("2026-01-01T10:00:00Z", "2026-01-01T10:00:03Z")


@pytest.mark.parametrize(
    ("copy", "runs"),
    [
        (run("one", "4", words="So."), 2),  # of the same id
        (timed(run("copy", "4"), *TIMES), 2),  # of the same times
        (timed(run("other", "5"), *TIMES), 3),
        (timed(run("later", "4"), TIMES[0], "2026-01-01T10:00:04Z"), 3),
        (timed(run("other", "4", words="So."), *TIMES), 3),  # two runs of a clock that only tells seconds
        (timed(run("unrecorded", "4"), None, None), 3),
    ],
)
def test_a_copy_of_a_run_counts_once(copy, runs):
    first = timed(run("one", "4"), *TIMES)
    assert compared([first, run("odd", "5"), copy]).document()["runs"] == runs
    assert compared([copy, run("odd", "5"), first]).document()["runs"] == runs
    assert compared([first, run("odd", "5"), copy, first, copy]).document()["runs"] == runs


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
    assert "  agreement by metadata.group: 3 runs of 1 tasks that have two or more" in done.stderr.splitlines()
    assert "    two ends differently from 2 of 2 other runs of its task" in done.stderr.splitlines()
    summary = json.loads((write("x", []).parent / "tasks-out.summary.json").read_text())
    assert summary["agreement"]["disagree"][0]["trace_id"] == "two"
