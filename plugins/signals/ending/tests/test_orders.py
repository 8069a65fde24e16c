"""An order that nothing carried out, and a go-ahead that nobody answered."""

import pytest
from tables import each_row

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, TraceDetails, TraceIndex
from sentinel_core.trace import GAPS
from sentinel_signal_ending import detect

PROPOSED = "I can cancel order 12 and refund $20. Shall I proceed?"


def asked(text):
    return Message(role="user", content=text)


def said(text):
    return Message(role="assistant", content=text)


def called(name, result="ok", *, success=None, key="c"):
    made = Message(role="assistant", tool_calls=(ToolCall(id=key, name=name, arguments={"order": 12}),))
    return made, Message(role="tool", tool_results=(ToolResult(tool_call_id=key, content=result, success=success),))


def found(*messages, outcome=None, metadata=None):
    details = None if outcome is None else TraceDetails(outcome=outcome)
    trace = ExecutionTrace(trace_id="t", messages=messages, details=details, metadata=metadata or {})
    return detect(TraceIndex(trace))


def rules(*messages, **more):
    return [finding.rule for finding in found(*messages, **more).findings]


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        (PROPOSED, "Yes, please proceed."),
        (PROPOSED, "yes"),
        (PROPOSED, "Sure, thanks!"),
        (PROPOSED, "That works. Please go ahead and use the card on file."),
        ("The total is $40. Would you like me to book it?", "Yes please, the window seat."),
        ("I'll move the meeting to Friday. Is that correct?", "Correct."),
        ('The migration is ready. Reply "yes" and I run it.', "Yes.\n[END]"),
    ],
)
def test_a_run_that_ends_with_the_users_go_ahead(offer, answer):
    ended = found(asked("Hello, it is about order 12."), said(offer), asked(answer))
    assert [(one.rule, one.severity, one.message_index, one.quote) for one in ended.findings] == [
        ("unanswered_go_ahead", "warning", 2, answer)
    ]
    assert ended.score == 0.8


@each_row(
    ("offer", "answer"),
    [
        (PROPOSED, "No, please leave it as it is."),
        (PROPOSED, "How do I proceed? Is the refund immediate?"),
        (PROPOSED, "Before you proceed I want to see the receipt."),
        (PROPOSED, "Do not go ahead."),
        (PROPOSED, "..."),
        ("Your order is cancelled. Can I help you with anything else?", "Okay, that's all. Have a nice day!"),
        ("Your order is cancelled.", "Great, thank you!"),
        ("Your order is cancelled.", "Yes"),
    ],
)
def test_another_last_word_of_the_user_is_no_go_ahead(offer, answer):
    assert rules(asked("Hello, it is about order 12."), said(offer), asked(answer)) == []


def test_a_go_ahead_that_was_answered_is_not_unanswered():
    talk = (asked("Hello."), said(PROPOSED), asked("Yes, go ahead."))
    assert rules(*talk, said("I cannot do that.")) == ["order_not_carried_out"]
    assert rules(*talk, *called("get_order"), said("It is open.")) == ["order_not_carried_out"]
    assert rules(*talk, *called("cancel_order"), said("Done.")) == []


def test_a_run_that_goes_on_or_was_not_read_whole_did_not_end_there():
    talk = (asked("Hello."), said(PROPOSED), asked("Yes, go ahead."))
    assert rules(*talk, outcome="running") == ["order_not_carried_out"]
    assert rules(*talk, outcome="Interrupted") == ["order_not_carried_out"]
    assert rules(*talk, metadata={GAPS: ["2 messages"]}) == []
    assert rules(*talk, outcome="completed") == ["unanswered_go_ahead"]


@pytest.mark.parametrize(
    "order",
    ["Please cancel order 12.", "I'd like to return the lamp", "Hi! Could you book the blue room?", "Refund it now."],
)
def test_an_order_that_only_reading_calls_follow(order):
    ended = found(asked(order), *called("get_order", "open"), said("It is open."))
    assert [(one.rule, one.severity, one.message_index) for one in ended.findings] == [
        ("order_not_carried_out", "note", 0)
    ]
    assert ended.score == 0.125


@each_row(
    "asking",
    [
        "What is the status of order 12?",
        "Order 12 has not come yet.",
        "Order 12 is late, why?",
        "If it is open, cancel order 12.",
        "Write a poem about the sea.",
        "#CANCEL#",
        "[Cancel pressed by the user]",
        "Cancel!",
        "!",
    ],
)
def test_a_question_a_condition_or_a_marker_orders_nothing(asking):
    assert rules(asked(asking), *called("get_order", "open"), said("It is open.")) == []


def test_an_order_to_an_agent_of_which_no_tool_is_known_may_be_one_for_words():
    assert rules(asked("Please cancel order 12."), said("You can do so on the page of your orders.")) == []


def test_what_failed_did_not_carry_out_the_order():
    order = asked("Please cancel order 12.")
    failed = called("cancel_order", "not allowed", success=False)
    assert "order_not_carried_out" in rules(order, *failed, said("I could not cancel it."))
    again = called("cancel_order", "cancelled", key="d")
    assert rules(order, *failed, *again, said("Done.")) == []


@pytest.mark.parametrize("tool", ["cancel_order", "transfer_to_human", "execute_code", "submit"])
def test_a_call_that_may_have_changed_something_carries_it_out(tool):
    assert rules(asked("Please cancel order 12."), *called(tool), said("Done.")) == []


def test_a_thought_carries_nothing_out():
    talk = (asked("Please cancel order 12."), *called("think"), said("Done."))
    assert rules(*talk) == ["order_not_carried_out"]


def test_only_what_comes_after_the_last_order_counts():
    first = (asked("Please cancel order 12."), *called("cancel_order"), said("Done."))
    assert rules(*first, asked("Now refund the other one, too."), said("Your refunds are listed online.")) == [
        "order_not_carried_out"
    ]
    assert rules(*first, asked("Thank you!"), said("You are welcome.")) == []


def test_an_order_that_was_taken_back_is_none():
    talk = (asked("Please cancel order 12."), *called("get_order"), said("The refund takes 7 days. Shall I proceed?"))
    assert rules(*talk, asked("Then leave it as it is."), said("It stays as it is.")) == []
    assert rules(*talk, asked("Hm, 7 days."), said("Yes, 7.")) == ["order_not_carried_out"]
