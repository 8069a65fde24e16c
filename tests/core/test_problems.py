"""A trace that a program made by hand: what is none of its type's values is refused by name, and never judged."""

import pytest
from tables import each_row

from sentinel_core import (
    RS1,
    ExecutionTrace,
    Message,
    MessageDetails,
    Signal,
    ToolCall,
    ToolResult,
    ToolSchema,
    TraceDetails,
    evaluate_trace,
)
from sentinel_core.traces.problems import check_trace

LIE = "I've cancelled order 17 and sent you a confirmation email."


def trace_of(*messages, **fields):
    return ExecutionTrace(
        trace_id="t", messages=(Message(role="user", content="Cancel order 17."), *messages), **fields
    )


def answered(*, called="c1", **fields):
    call = ToolCall(id="c1", name="cancel_order", arguments={"order_id": 17})
    result = ToolResult(tool_call_id=called, **fields)
    asked, told = Message(role="assistant", tool_calls=(call,)), Message(role="tool", tool_results=(result,))
    return trace_of(asked, told, Message(role="assistant", content=LIE))


ROLES = "expected one of system, user, assistant, tool"
WRONG = {
    "a role of LangChain": (
        trace_of(Message(role="ai", content=LIE)),
        ValueError,
        f"messages[1].role is 'ai' (a str); {ROLES}",
    ),
    "a role of Gemini": (trace_of(Message(role="model", content=LIE)), ValueError, "messages[1].role is 'model' "),
    "a role in capitals": (trace_of(Message(role="Assistant", content=LIE)), ValueError, ROLES),
    "a role that is a list": (trace_of(Message(role=["ai"], content=LIE)), ValueError, "messages[1].role is ['ai'] "),
    "a status": (
        answered(success="error"),
        TypeError,
        "messages[2].tool_results[0].success is 'error' (a str); expected True or False or None",
    ),
    "a status that is an object": (answered(success={}), TypeError, "tool_results[0].success is {} (a dict)"),
    "a status that nobody asked for": (
        answered(called="c2", success="ok"),
        TypeError,
        "tool_results[0].success is 'ok'",
    ),
    "blocks for text": (
        trace_of(Message(role="assistant", content=[{"type": "text", "text": LIE}])),
        TypeError,
        f"messages[1].content is {str([{'type': 'text', 'text': LIE}])[:60]}... (a list); expected text or None",
    ),
    "a number for text": (
        trace_of(Message(role="assistant", content=5)),
        TypeError,
        "messages[1].content is 5 (an int)",
    ),
    "a message that is a dict": (
        trace_of({"role": "assistant", "content": LIE}),
        TypeError,
        f"messages[1] is {str({'role': 'assistant', 'content': LIE})[:60]}... (a dict); expected a Message",
    ),
    "a call that is a dict": (
        trace_of(Message(role="assistant", tool_calls=({"id": "c1"},))),
        TypeError,
        "messages[1].tool_calls[0] is {'id': 'c1'} (a dict); expected a ToolCall",
    ),
    "one call and no tuple": (
        trace_of(Message(role="assistant", tool_calls=ToolCall(id="c1", name="x"))),
        TypeError,
        "expected a tuple",
    ),
    "usage that is a dict": (
        trace_of(Message(role="assistant", content="x"), token_usage={}),
        TypeError,
        "token_usage is {}",
    ),
    "a sub-agent's role": (
        trace_of(details=TraceDetails(children=(trace_of(Message(role="ai", content=LIE)),))),
        ValueError,
        "details.children[0].messages[1].role is 'ai'",
    ),
    "a list": (
        [Message(role="assistant", content=LIE)],
        TypeError,
        "trace is of type list; expected an ExecutionTrace",
    ),
    "arguments as text": (
        trace_of(Message(role="assistant", tool_calls=(ToolCall(id="c1", name="x", arguments='{"path": "/a"}'),))),
        TypeError,
        """messages[1].tool_calls[0].arguments is '{"path": "/a"}' (a str); expected a dict""",
    ),
    "arguments that hold half a character": (
        trace_of(Message(role="assistant", tool_calls=(ToolCall(id="c1", name="x", arguments={"a": "\ud800"}),))),
        ValueError,
        "messages[1].tool_calls[0].arguments contains half of a surrogate pair, which is not valid text",
    ),
    "no calls": (trace_of(Message(role="assistant", content="x", tool_calls=None)), TypeError, "tool_calls is None"),
    "no results": (trace_of(Message(role="tool", tool_results=None)), TypeError, "tool_results is None"),
    "a result that is an object": (answered(content={"a": 1}), TypeError, "tool_results[0].content is {'a': 1} "),
    "a result that is nothing": (answered(content=None), TypeError, "tool_results[0].content is None "),
    "a result that is a number": (answered(content=5), TypeError, "tool_results[0].content is 5 (an int)"),
    "a result's metadata": (answered(metadata=[1]), TypeError, "tool_results[0].metadata is [1] (a list)"),
    "a status that is 1": (answered(success=1), TypeError, "tool_results[0].success is 1 (an int)"),
    "bytes for text": (trace_of(Message(role="user", content=b"x")), TypeError, "messages[1].content is b'x' "),
    "no bytes for text": (trace_of(Message(role="user", content=b"")), TypeError, "messages[1].content is b'' "),
    "an id that is a number": (ExecutionTrace(trace_id=3), TypeError, "trace_id is 3 (an int); expected text"),
    "no metadata": (trace_of(metadata=None), TypeError, "metadata is None (a NoneType); expected a dict"),
    "a message's metadata": (trace_of(Message(role="user", content="x", metadata="y")), TypeError, "metadata is 'y' "),
    "no id": (ExecutionTrace(trace_id=""), ValueError, "trace_id is required"),
}


@each_row(("trace", "kind", "words"), WRONG.values())
def test_wrong_values_are_named_and_not_judged(trace, kind, words):
    with pytest.raises(kind) as caught:
        evaluate_trace(trace)
    assert words in str(caught.value)


def test_what_is_right_is_judged():
    assert evaluate_trace(answered(success=False, content="Error: no such order.")).verdict == "FAIL"
    more = {"details": TraceDetails(available_tools=(ToolSchema(name="cancel_order"),))}
    assert evaluate_trace(trace_of(Message(role="assistant", content=LIE), **more)).verdict == "FAIL"


FULL = trace_of(
    Message(role="assistant", content="x", tool_calls=[], details=MessageDetails(cost_usd=1, duration_ms=0.5)),
    details=TraceDetails(available_tools=(ToolSchema(name="x", parameters={"type": "object"}),)),
)


def test_a_whole_number_is_a_number_and_a_list_a_tuple():
    check_trace(FULL)
    assert evaluate_trace(FULL).verdict == "PASS"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"duration_ms": True}, "messages[1].details.duration_ms is True (a bool); expected a number or None"),
        ({"is_copied_context": 1}, "messages[1].details.is_copied_context is 1 (an int); expected True or False"),
    ],
)
def test_numbers_and_truths_are_told_apart(fields, words):
    with pytest.raises(TypeError) as caught:
        check_trace(trace_of(Message(role="user", details=MessageDetails(**fields))))
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"profile": "rs1"}, "profile is 'rs1'; expected a Profile, such as sentinel_core.RS1"),
        ({"signals": ["loop"]}, "signals contains 'loop'; expected only objects of type Signal"),
        ({"signals": iter(["loop"])}, "signals contains 'loop'; expected only objects of type Signal"),
    ],
)
def test_wrong_options_are_named(options, words):
    with pytest.raises(TypeError) as caught:
        evaluate_trace(FULL, **options)
    assert str(caught.value) == words
    assert evaluate_trace(FULL, profile=RS1).trace_id == "t"


def test_a_trace_without_an_id_is_malformed():
    with pytest.raises(ValueError, match=r"^trace_id is empty; every trace needs one$"):
        check_trace(ExecutionTrace(trace_id=""))


def half(name="apology"):
    return Signal(name=name, summary="s", detect=lambda _index: 0.5)


def test_signals_may_come_from_a_generator():
    report = evaluate_trace(FULL, signals=(signal for signal in [half("loop")]))
    assert [score.signal_name for score in report.signal_scores] == ["loop"]


def test_two_signals_of_one_name_are_refused():
    with pytest.raises(ValueError, match=r'^two signals are named "apology"; each name must be unique$'):
        evaluate_trace(FULL, signals=[half(), half()])


def test_a_signal_that_breaks_on_a_right_trace_is_a_failure_in_the_report():
    def broken(index):
        return index.nothing

    signal = Signal(name="loop", summary="x", detect=broken)
    assert [failure.signal_name for failure in evaluate_trace(FULL, signals=[signal]).failures] == ["loop"]
