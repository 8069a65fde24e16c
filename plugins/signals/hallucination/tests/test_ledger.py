"""The ledger: each claim with the fact that answers it."""

import pytest

from sentinel_core import TraceIndex
from sentinel_core.offers import Signal
from sentinel_signal_hallucination import sentinel_signals

(SIGNAL,) = sentinel_signals()
assert isinstance(SIGNAL, Signal)


def ledger(trace):
    index = TraceIndex(trace)
    return list(SIGNAL.ledger(index, SIGNAL.detect(index, SIGNAL.settings()).findings))


def answers(script, *steps, **details):
    return [(entry.kind, entry.answer) for entry in ledger(script.trace(*steps, **details))]


def order(script):
    return script.user("Cancel order W1029384 and tell me the refund.")


def test_a_call_backs_what_it_did(script):
    steps = order(script), script.call("cancel_order", '{"status": "cancelled", "refund": 45.10}', order_id="W1029384")
    (entry,) = ledger(script.trace(*steps, script.say("I've cancelled your order.")))
    assert (entry.kind, entry.answer, entry.message_index) == ("action", "backed", 3)
    assert entry.record == 'the call to "cancel_order" worked'
    assert entry.record_index == 1
    assert entry.call_id
    assert entry.rule is None


def test_the_call_with_the_value_backs_it(script):
    calls = [script.call("cancel_order", "{}", order_id=name) for name in ("W1029384", "W5550123")]
    (entry,) = ledger(script.trace(order(script), *calls, script.say("I've cancelled order W1029384.")))
    assert entry.record_index == 1


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("The refund is $45.10.", "backed"),
        ("The refund is 45.1 dollars.", "backed"),
        ("That is $40.10 after a fee of $5.", "backed"),
        ("The refund is $77.31.", "absent"),
    ],
)
def test_values_are_looked_up_in_any_spelling(script, said, expected):
    steps = order(script), script.call("look_up_order", '{"refund": 45.10}', order_id="W1029384")
    assert answers(script, *steps, script.say(said)) == [("value", expected)]


def test_a_finding_decides_the_answer(script):
    tools = {"available_tools": (script.tool("cancel_order"),)}
    steps = order(script), script.call("get_order", '{"status": "open"}'), script.say("I've cancelled your order.")
    (entry,) = ledger(script.trace(*steps, **tools))
    assert (entry.answer, entry.rule) == ("absent", "claim_without_call")


def test_a_failed_call_contradicts(script):
    steps = (
        order(script),
        script.call("cancel_order", "HTTP 500", success=False),
        script.say("I've cancelled your order."),
    )
    assert answers(script, *steps) == [("action", "contradicted")]


@pytest.mark.parametrize(("output", "expected"), [("12 passed in 0.1s", "backed"), ("collecting ...", "not_checkable")])
def test_a_check_is_answered_by_its_last_run(script, output, expected):
    steps = script.user("Fix it."), script.call("Bash", output, command="pytest"), script.say("All tests pass.")
    assert answers(script, *steps) == [("check", expected)]


def test_a_check_that_no_call_ran_is_not_checkable(script):
    assert answers(script, script.user("Fine?"), script.say("All tests pass.")) == [("check", "not_checkable")]


@pytest.mark.parametrize(
    "said",
    [
        "Shall I cancel your order?",
        "Here is what I can do for you.",
        "I've cancelled order W1, then W2. Shall I proceed?",
    ],
)
def test_what_claims_nothing_has_no_entry(script, said):
    assert answers(script, order(script), script.call("get_order", '{"id": 1}'), script.say(said)) == []


def test_commands_may_have_done_it(script):
    steps = script.user("Deploy it."), script.call("Bash", "ok", command="./x.sh"), script.say("I deployed the app.")
    (entry,) = ledger(script.trace(*steps))
    assert (entry.answer, entry.record) == ("not_checkable", 'no call of its kind; "Bash" may have done it')


def test_a_result_may_tell_of_it(script):
    steps = order(script), script.call("get_order", '{"event": "order cancelled"}')
    (entry,) = ledger(script.trace(*steps, script.say("Your order has been cancelled.")))
    assert (entry.answer, entry.record) == ("backed", "a result tells of it")


def test_sub_agents_have_their_own_claims(script):
    steps = order(script), script.call("cancel_order", "{}", order_id="W1029384"), script.say("I've cancelled it.")
    parent = script.trace(script.user("Delegate."), script.say("Sure."), children=(script.trace(*steps),))
    (entry,) = ledger(parent)
    assert tuple(entry.trace_path) == (0,)


def test_a_long_talk_has_a_bounded_ledger(script):
    steps = order(script), script.call("cancel_order", "{}", order_id="W1029384")
    said = script.say("\n".join(f"I've cancelled order number {number}." for number in range(900)))
    assert len(answers(script, *steps, said)) <= 300
