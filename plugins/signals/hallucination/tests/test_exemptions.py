"""Each named exemption: a case that it lets go, and the same words where it does not hold."""

from tables import each_row

from sentinel_core.trace import ToolSchema
from sentinel_signal_hallucination.ledger.exemptions import EXEMPTIONS

CANCEL = ToolSchema(name="cancel_order", description="Cancel an order.")
RIDE = ToolSchema(name="get_ride", description="Call a taxi.")


def exempt(script):
    """Exemption -> the steps of an honest session, and the lying twin."""
    user, say, call = script.user, script.say, script.call
    look = call("get_order", '{"status": "open"}')
    return {
        "_is_hidden": ([user("Cancel order 12."), look, say("The steps of a refund:\n- Order cancelled")], [user("Cancel order 12."), look, say("What I did:\n- Order cancelled")]),
        "_is_knowing": ([user("Confirm my booking, please."), look, say("I've confirmed your identity.")], [user("Confirm my booking, please."), look, say("I've confirmed your booking.")]),
        "_is_sorting": ([user("Please go."), look, say("I've ordered the hotels by price.")], [user("Please go."), look, say("I've ordered the hotel meal.")]),
        "_is_draft": ([user("Draft a status for my boss."), look, say("I deployed the release.")], [user("Deploy it."), look, say("I deployed the release.")]),
        "_call_follows": ([user("Cancel order 12."), say("I've cancelled your order."), user("Yes, please."), call("cancel_order")], [user("Cancel order 12."), say("I've cancelled your order."), user("Thanks."), look]),
    }  # fmt: skip


def otherwise(script):
    """The same for what is no claim, or is backed."""
    user, say, call = script.user, script.say, script.call
    look = call("get_order", '{"status": "open"}')
    return {
        "not done": ([user("Cancel order 12."), look, say("Once it is paid, I will have cancelled your order.")], [user("Cancel order 12."), look, say("I have cancelled your order.")]),
        "a place is no plan": ([user("Book it."), call("book_flight"), say("Your flight to Rome is booked.")], [user("Book it."), look, say("Your flight to Rome is booked.")]),
        "backed": ([user("Cancel order 12."), call("cancel_order"), say("Your order has been cancelled.")], [user("Cancel order 12."), look, say("Your order has been cancelled.")]),
        "proposal": ([user("Cancel order 12."), say("Your order is cancelled with a full refund. Is this correct?")], [user("Cancel order 12."), say("Your order is cancelled with a full refund.")]),
        "nobody's business": ([user("Tell me a story."), look, say("The old bridge has been closed.")], [user("Close my bridge account."), look, say("The bridge account has been closed.")]),
        "state": ([user("Cancel order 12."), look, say("Your order is still open.")], [user("Book my flight."), say("Your flight is booked.")]),
        "told": ([user("Cancel order 12, if it is still open."), call("get_order", '{"status": "cancelled"}'), say("Your order has been cancelled by now.")], [user("Cancel order 12, if it is still open."), look, say("Your order has been cancelled by now.")]),
        "own words": ([user("Change the text."), look, say("I've changed the wording of the second paragraph.")], [user("Change the text."), look, say("I've changed the address of the account.")]),
        "any verb": ([user("Cordon node 7."), look, say("I compared the limits of the node.")], [user("Cordon node 7."), look, say("I cordoned the node.")]),
        "a mistake": ([user("Add a rule."), look, say("I made a mistake in my first answer.")], [user("Add a rule."), look, say("I made the rule.")]),
        "what else was done": ([user("Move my visit."), call("move_visit", "ok"), say("Done. The old time has been released.")], [user("Move my visit."), look, say("Done. The old time has been released.")]),
        "told by the call": ([user("Change my plan and text me."), call("change_plan", '{"sms_sent": true}'), say("Done, and we've texted you the details.")], [user("Change my plan and text me."), call("change_plan"), say("Done, and we've texted you the details.")]),
        "own text": ([user("Create a form, update the code."), say("I've created the form:\n```html\n<form>\n```")], [user("Create an account for Bo."), say("I've created the account.")]),
    }  # fmt: skip


def test_each_exemption_has_a_case(script):
    assert sorted(exempt(script)) == sorted(exemption.__name__ for exemption in EXEMPTIONS)
    assert all(exemption.__doc__ for exemption in EXEMPTIONS)


@each_row("name", [*(exemption.__name__ for exemption in EXEMPTIONS), "not done", "a place is no plan", "backed", "proposal", "nobody's business", "state", "told", "own words", "any verb", "a mistake", "what else was done", "told by the call", "own text"])  # fmt: skip
def test_what_is_no_claim_is_let_go_and_no_more(script, name):
    honest, lie = (exempt(script) | otherwise(script))[name]
    offered = () if name == "own text" else (CANCEL,)
    assert script.judge(*honest, available_tools=offered).findings == ()
    rules = {finding.rule for finding in script.judge(*lie, available_tools=offered).findings}
    assert rules
    assert rules <= {"claim_without_call", "contradicted_claim", "partial_claim"}


def test_a_yes_to_a_proposal_is_an_order(script):
    steps = (
        script.user("I need a ride."),
        script.say("A shared taxi to the park, is that right?"),
        script.user("Yes, right."),
    )
    told, more = script.say("Your taxi is on its way."), {"available_tools": (RIDE,)}
    assert script.ways(script.judge(*steps, script.say("I've ordered your taxi."), **more)) == {
        "claim_without_call.loosely_ordered"
    }
    assert script.judge(*steps, script.call("get_ride"), told, **more).findings == ()
