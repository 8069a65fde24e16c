"""The step that broke."""

import pytest

from sentinel_core import ExecutionTrace, Finding, Message, ToolCall, ToolResult, TraceDetails, TraceIndex
from sentinel_core.evaluate.attribution import attribute
from sentinel_core.evaluate.evaluator import BoundSignal, Panel, evaluate
from sentinel_core.profile import RS1
from sentinel_core.report import Attribution, Detection


def said(text, **metadata):
    return Message(role="assistant", content=text, metadata=metadata or None)


def called(key, name="run", result="ok", text=""):
    made = Message(role="assistant", content=text, tool_calls=(ToolCall(id=key, name=name),))
    back = Message(role="tool", tool_results=(ToolResult(tool_call_id=key, content=result),))
    return [made] if result is None else [made, back]


def index(*messages, details=None):
    return TraceIndex(ExecutionTrace(trace_id="t", messages=messages, details=details))


def error(place, rule="tool_misuse.failed_call", severity="error", path=()):
    return Finding(rule=rule, severity=severity, text="x", message_index=place, trace_path=path)


RUN = index(Message(role="user", content="Go."), said("Plan."), *called("a", result=None), *called("b"), said("Done."))


def test_the_first_error_is_the_step():
    found = attribute(RUN, [error(5), error(3), error(1, "loop.cycle", "warning")])
    assert found == Attribution(message_index=3, agent=None, basis="tool_misuse.failed_call")


def test_a_failed_call_that_was_neither_repaired_nor_told_is_the_step():
    assert attribute(RUN, [error(5, severity="warning"), error(3, "loop.cycle", "warning")]).message_index == 5
    assert attribute(RUN, [error(5, severity="note")]).basis == "first call that was carried out"


def test_how_a_run_ended_is_not_where_it_broke():
    found = attribute(RUN, [error(5, rule="ending.broken_off")])
    assert found == Attribution(message_index=3, agent=None, basis="first call that was carried out")


def test_without_an_error_the_first_call_that_was_carried_out():
    assert attribute(RUN, []).message_index == 3


def test_without_a_call_the_first_reply():
    talk = index(said("The task is this."), said("I think it is 4.", speaker="Expert"), said("Yes."))
    assert attribute(talk, []) == Attribution(message_index=1, agent="Expert", basis="first reply")
    assert attribute(index(said("4.")), []).message_index == 0


def test_an_agent_that_did_nothing_has_no_step():
    assert attribute(index(Message(role="user", content="Go.")), []) is None


def family():
    child = ExecutionTrace(
        trace_id="searcher",
        messages=(Message(role="user", content="Search."), said("I found 3.")),
        details=TraceDetails(parent_call_id="b"),
    )
    return index(*called("b", name="delegate"), details=TraceDetails(children=(child,)))


def test_a_delegated_call_is_the_first_reply_of_the_sub_agent():
    expected = Attribution(message_index=1, agent="searcher", basis="first reply of the sub-agent")
    assert attribute(family(), []) == expected


def test_an_error_in_a_sub_agent_names_it():
    found = attribute(family(), [error(0, path=(0,))])
    assert found == Attribution(message_index=0, agent="searcher", basis="tool_misuse.failed_call")


@pytest.mark.parametrize(("score", "asked", "is_there"), [(0.0, False, False), (0.0, True, True), (0.8, False, True)])
def test_it_stands_where_there_is_something_to_find_or_somebody_asked(score, asked, is_there):
    signal = BoundSignal(name="loop", detect=lambda _: Detection(score=score))
    panel = Panel(signals=(signal,), profile=RS1, left_out=frozenset(RS1.weights), attributes_all=asked)
    report = evaluate(RUN, panel)
    assert (report.attribution is not None) is is_there


def test_a_secret_in_the_agents_name_is_taken_out():
    from sentinel_core.runtime.redact import redacted

    talk = index(said("Task."), said("4.", speaker="sk-ant-api03-" + "a1B2" * 20))
    signal = BoundSignal(name="loop", detect=lambda _: Detection(score=0.9))
    report = evaluate(talk, Panel(signals=(signal,), profile=RS1, left_out=frozenset(RS1.weights)))
    assert "a1B2" in report.attribution.agent
    assert "a1B2" not in redacted(report).attribution.agent


def test_only_the_sub_agent_that_the_call_started_is_asked():
    def child(key, text):
        return ExecutionTrace(trace_id=key, messages=[said(text)], details=TraceDetails(parent_call_id=key))

    children = (child("other", "Not mine."), child("b", "It is 4."))
    run = index(*called("b", name="delegate"), details=TraceDetails(children=children))
    assert attribute(run, []) == attribute(run.children[1], [])


def spoken(name, text="I found 3.", role="assistant"):
    return Message(role=role, content=text, name=name)


def asks(tool, key="b", **told):
    return Message(role="assistant", tool_calls=(ToolCall(id=key, name=tool),), **told)


def answered(name=None, key="b"):
    return Message(role="tool", tool_results=(ToolResult(tool_call_id=key, content="3"),), name=name)


REPLY = "first reply of the called agent"


@pytest.mark.parametrize("tool", ["WebSurfer", "web_surfer", "Web Surfer"])
def test_the_reply_of_an_agent_that_has_the_called_tools_name(tool):
    run = index(Message(role="user", content="Go."), asks(tool), spoken("Planner"), spoken("WebSurfer"))
    assert attribute(run, []) == Attribution(message_index=3, agent="WebSurfer", basis=REPLY)
    run = index(spoken("WebSurfer", "Hello."), asks(tool), answered(), said("Seen.", speaker="WebSurfer"))
    assert attribute(run, []) == Attribution(message_index=3, agent="WebSurfer", basis=REPLY)


def test_an_agent_that_never_replied_is_not_the_step():
    run = index(spoken("WebSurfer", "Hello."), asks("WebSurfer"), answered())
    assert attribute(run, []) == Attribution(message_index=1, agent=None, basis="first call that was carried out")


def test_a_result_is_an_agents_reply_where_the_caller_has_a_name_and_the_tool_is_like_none():
    run = index(asks("WebSurfer", name="Planner"), answered("WebSurfer"))
    assert attribute(run, []) == Attribution(message_index=1, agent="WebSurfer", basis=REPLY)
    for tool, told in (("WebSurfer", {}), ("search", {"name": "Planner"})):
        run = index(asks(tool, **told), answered(tool))
        assert attribute(run, []).basis == "first call that was carried out"


def test_a_call_that_came_first_is_the_step_all_the_same():
    run = index(asks("run", "a"), answered(key="a"), asks("WebSurfer"), spoken("WebSurfer"))
    assert attribute(run, []).message_index == 0


def test_the_reply_of_an_agent_that_was_addressed_by_name():
    orders = said("Search it.", speaker="Planner", recipient="WebSurfer")
    run = index(Message(role="user", content="Go."), said("A plan.", speaker="Planner"), orders, spoken("WebSurfer"))
    assert attribute(run, []) == Attribution(message_index=3, agent="WebSurfer", basis=REPLY)
    odd = index(said("Task."), said("A plan.", speaker="Planner", recipient=3), said("Done."))
    assert attribute(odd, []) == Attribution(message_index=1, agent="Planner", basis="first reply")
