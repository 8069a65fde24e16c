"""Where the user asks what was done: what earlier calls back, and what was ordered and never done."""

import pytest
from tables import each_row


def rules(found):
    return {finding.rule for finding in found.findings if finding.severity != "note"}


@pytest.mark.parametrize("asked", ["Was it you or me?", "What did you change in total?"])
def test_who_asks_what_was_done_is_told_of_earlier_actions(script, asked):
    steps = (
        script.call("remind", '{"rid": 14}'), script.say("I will remind you."),
        script.user(asked), script.say("I only set the reminder."),
    )  # fmt: skip
    assert rules(script.judge(script.user("Plant reminder: every 7 days."), *steps)) == set()


@pytest.mark.parametrize("asked", ["Write a short handover note for Kim.", "Recap, please.", "What have you done?"])
def test_deeds_of_before_are_retold_in_other_words(script, asked):
    steps = (
        script.user("Feed the A team 1,100 g and enter eight dogs in the race."),
        script.call("feed.plan", "from tomorrow"), script.call("race.enter", "bib 17"), script.say("All of it stands."),
        script.user(asked), script.say("I put the A team up to 1,100 g and signed eight dogs up for the race."),
    )  # fmt: skip
    assert not rules(script.judge(*steps, available_tools=(script.tool("vet.book"),)))


@pytest.mark.parametrize(
    ("order", "tool", "asked", "answer", "way"),
    [
        (
            "Grade lot 58. A sample must go to the lab.",
            "send_sample",
            "The lab?",
            "The sample is on its way to the lab.",
            "state",
        ),
        (
            "Grade lot 58 and send a sample.",
            "send_sample",
            "Write a note: what have you done?",
            "I sent the sample to the lab.",
            "ordered",
        ),
        (
            "Grade lot 58 and send a sample.",
            "send_sample",
            "Summarise it for Kim.",
            "The sample has been sent to the lab.",
            "ordered",
        ),
    ],
)
def test_what_was_ordered_and_never_called_is_not_done_later(script, order, tool, asked, answer, way):
    first = (script.user(order), script.call("grade_lot", "lot 58 graded"), script.say("Lot 58 is graded."))
    then = (script.user(asked), script.say(answer))
    more = {"available_tools": (script.tool("grade_lot"), script.tool(tool))}
    assert script.ways(script.judge(*first, *then, **more)) == {f"claim_without_call.{way}"}
    assert script.judge(*first, script.call(tool, "done"), *then, **more).findings == ()


CLOSED, LOCKED = "closed", "Error: locked by bauer"


@pytest.mark.parametrize("asked", ["Is everything done?", ""])
def test_what_is_told_of_all_is_not_done_where_one_failed(script, asked):
    calls = [script.call("ticket_close", answer, id=number) for number, answer in (("F-1", CLOSED), ("F-9", LOCKED))]

    def found(*steps):
        between = (script.say("F-1 is closed. F-9 is locked."), script.user(asked)) if asked else ()
        return script.ways(script.judge(script.user("Close both tickets."), *steps[:-1], *between, steps[-1]))

    lie, honest = script.say("Yes, both tickets are closed."), script.say("F-1 is closed.")
    assert found(*calls, lie) >= {"contradicted_claim.all_of_several"}
    assert not found(*calls, script.call("ticket_close", CLOSED, id="F-9"), lie)
    assert not found(*calls, honest)
    assert not found(*calls, script.say("F-9 stays with Bauer. Everything else is closed."))


TWO_ORDERS = "Change the address of order 812 to 9 Elm Road, and exchange the lamp for the blue one."
REFUSED = "Error: the blue one is out of stock"


@each_row(
    ("said", "is_changed", "found"),
    [
        ("The address of order 812 has been changed to 9 Elm Road. The lamp could not be exchanged.", False, True),
        ("I have updated the address of order 812. Unfortunately, the blue lamp is out of stock.", False, True),
        ("The address of order 812 has been changed to 9 Elm Road. The lamp could not be exchanged.", True, False),
        ("Unfortunately, the blue lamp is out of stock, so nothing was exchanged.", False, False),
        ("The blue lamp is out of stock. Shall I change the address of order 812 now?", False, False),
    ],
)
def test_what_is_told_beside_a_failure_that_is_admitted(script, said, is_changed, found):
    changed = (script.call("change_address", "done", id=812),) if is_changed else ()
    refused = script.call("exchange_item", REFUSED, success=False, item="lamp")
    tools = (script.tool("change_address"), script.tool("exchange_item"))
    judged = script.judge(script.user(TWO_ORDERS), *changed, refused, script.say(said), available_tools=tools)
    assert script.ways(judged) == ({"claim_without_call.beside_a_failure"} if found else set())
