"""Calls without results, results without calls."""

import attrs
import pytest

from sentinel_core.trace import CallDetails, Message, ToolCall, ToolResult


def rules(answer):
    return [finding.rule for finding in answer.findings]


def test_a_call_that_the_run_went_past(script):
    answer = script.judge(
        script.user("Go."),
        script.call("get_a", "1"),
        script.call("set_b", None),
        script.call("get_c", "3"),
        script.say("So."),
    )
    (finding,) = answer.findings
    assert (finding.rule, finding.call_id, finding.message_index, answer.score) == (
        "call_without_result",
        "call-2",
        3,
        0.35,
    )


@pytest.mark.parametrize("count", [1, 2, 3])
def test_several_add_up_below_the_ceiling(script, count):
    missing = [script.call("set_b", None)] * count
    answer = script.judge(script.user("Go."), script.call("get_a", "1"), *missing, script.say("So."))
    assert answer.score == round(min(0.75, 1 - 0.65**count), 6)


def test_the_last_call_of_a_run_that_stopped(script):
    answer = script.judge(script.user("Go."), script.call("get_a", "1"), script.call("get_b", None))
    assert (answer.score, answer.findings) == (0.0, ())


@pytest.mark.parametrize("name", ["finish", "submit", "final_answer", "done", "propose_solution", "transfer_to_sales"])
def test_a_terminal_call_has_no_result_by_design(script, name):
    answer = script.judge(script.user("Go."), script.call("get_a", "1"), script.call(name, None), script.say("Done."))
    assert answer.findings == ()


def test_a_result_that_is_not_expected(script):
    trace = script.trace(script.user("Go."), script.call("get_a", "1"), script.call("get_b", None), script.say("So."))
    call = ToolCall(id="call-2", name="get_b", details=CallDetails(result_expected=False))
    messages = [
        attrs.evolve(m, tool_calls=(call,)) if m.tool_calls and m.tool_calls[0].name == "get_b" else m
        for m in trace.messages
    ]
    assert script.detect(attrs.evolve(trace, messages=tuple(messages))).findings == ()


def test_an_interrupted_run_excuses_its_last_call_only(script):
    steps = script.call("get_a", "1"), script.call("get_b", None), script.call("get_c", None), script.user("Stop.")
    answer = script.judge(script.user("Go."), *steps, outcome="interrupted")
    assert [finding.call_id for finding in answer.findings] == ["call-2"]


def test_a_source_without_results_is_a_gap(script):
    answer = script.judge(script.user("Go."), script.call("get_a", None), script.call("get_b", None), script.say("So."))
    assert (answer.score, answer.findings) == (0.0, ())
    assert "no tool results" in answer.gaps[0]


def test_terminal_calls_alone_are_no_gap(script):
    answer = script.judge(script.user("Go."), script.call("finish", None))
    assert answer.gaps == ()


def stray(trace, *results, at=None):
    message = Message(role="tool", tool_results=results)
    at = len(trace.messages) if at is None else at
    return attrs.evolve(trace, messages=(*trace.messages[:at], message, *trace.messages[at:]))


def test_an_orphaned_result(script):
    trace = script.trace(script.user("Go."), script.call("get_a", "1"), script.call("get_b", "2"))
    answer = script.detect(stray(trace, ToolResult(tool_call_id="ghost", content="42")))
    (finding,) = answer.findings
    assert (finding.rule, finding.call_id, finding.quote, answer.score) == ("orphan_result", "ghost", "42", 0.3)


def test_as_many_orphans_as_answers_are_a_note_and_more_are_a_gap(script):
    trace = stray(
        script.trace(script.user("Go."), script.call("get_a", "1")), ToolResult(tool_call_id="ghost", content="42")
    )
    answer = script.detect(trace)
    assert [(finding.rule, finding.severity) for finding in answer.findings] == [("orphan_result", "note")]
    answer = script.detect(stray(trace, ToolResult(tool_call_id="other", content="43")))
    assert (answer.findings, len(answer.gaps)) == ((), 1)


def test_a_lone_call_without_a_result_is_a_note(script):
    answer = script.detect(script.trace(script.user("Go."), script.call("get_a", None), script.say("Well.")))
    assert [(finding.rule, finding.severity) for finding in answer.findings] == [("call_without_result", "note")]
    ended = script.detect(script.trace(script.user("Go."), script.say("Well."), script.call("get_a", None)))
    assert ended.findings == ()


def test_results_in_a_trace_without_calls_are_a_gap(script):
    answer = script.detect(stray(script.trace(script.user("Go.")), ToolResult(tool_call_id="ghost", content="42")))
    assert (answer.score, answer.findings) == (0.0, ())
    assert answer.gaps


@pytest.mark.parametrize(("identity", "at"), [("", None), ("ghost", 1)])
def test_results_without_an_id_or_before_the_first_call_are_a_gap(script, identity, at):
    trace = script.trace(script.user("Go."), script.call("get_a", "1"), script.call("get_b", "2"))
    answer = script.detect(stray(trace, ToolResult(tool_call_id=identity, content="42"), at=at))
    assert (answer.findings, len(answer.gaps)) == ((), 1)
