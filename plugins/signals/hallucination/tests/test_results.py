"""What is told as done beside what results say: parts that failed, statuses, other things of a list; and tools that were never called."""

import pytest


def ways(script, *steps, **details):
    return script.ways(script.judge(*steps, **details))


CASES = '[{"case_no": "SO-7713", "applicant": "Farid Aziz"}, {"case_no": "SO-7731", "applicant": "Farah Aziz"}]'


def judged(script, result, says, *, asked="Put late checkout on block W-0830.", name="bulk_add_extra"):
    return ways(script, script.user(asked), script.call(name, result, block="W-0830"), script.say(says))


@pytest.mark.parametrize(
    ("result", "says", "branch"),
    [
        ('{"rooms": 9, "skipped": [{"room": "201"}]}', "Every room has it now.", "contradicted_claim.all_of_a_part"),
        ('{"delivered": 15, "failed": 8}', "Late checkout has been added.", "contradicted_claim.part"),
        ('{"updated": 6, "requested": 9}', "All of them have it.", "contradicted_claim.all_of_a_part"),
        ('{"status": "waitlisted"}', "Late checkout is booked.", "contradicted_status.of_the_call"),
        ('{"status": "on_hold"}', "Everyone can stay longer.", "contradicted_status.of_the_call"),
    ],
)
def test_what_the_result_denies_is_not_done(script, result, says, branch):
    assert judged(script, result, says) == {branch}


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ('{"rooms": 9, "skipped": [{"room": "201"}]}', "Every room but 201 has it now."),
        ('{"delivered": 15, "failed": 8}', "It went to 15, and 8 did not get it."),
        ('{"delivered": 15, "failed": 0, "errors": []}', "Everyone has it now."),
        ('{"updated": 6, "requested": 9}', "Six of nine rooms have it."),
        ('{"status": "waitlisted"}', "It is on the waiting list."),
        ('{"status": "confirmed"}', "Late checkout is booked."),
    ],
)
def test_who_tells_of_the_rest_is_let_go(script, result, says):
    assert judged(script, result, says) == set()


def closed(script, says, case="SO-7713"):
    look, close = script.call("search_case", CASES), script.call("update_case", '{"ok": true}', case_no=case)
    return ways(script, script.user("Close the case of Farah Aziz."), look, close, script.say(says))


def test_another_thing_of_the_list_is_told(script):
    assert closed(script, "Farah Aziz's case has been closed.") == {"wrong_value.name"}
    assert closed(script, "Farah Aziz's case has been closed.", "SO-7731") == set()
    assert closed(script, "The case of Farid Aziz has been closed, not that of Farah Aziz.") == set()


@pytest.mark.parametrize(("says", "found"), [("All three readings have been submitted.", {"left_one.count"}), ("Both readings have been submitted.", set())])  # fmt: skip
def test_things_are_counted(script, says, found):
    calls = [script.call("submit_reading", '{"ok": true}', meter=meter) for meter in ("E-9917", "G-2205")]
    assert ways(script, script.user("Submit my readings."), *calls, script.say(says)) == found


@pytest.mark.parametrize(
    ("says", "found"),
    [
        ("I checked the delivery date, and the label is RL-90417.", {"claim_without_call.look"}),
        ("Once I've checked the delivery date, the label RL-90417 is valid.", set()),
        ("The label is RL-90417.", set()),
    ],
)
def test_a_look_needs_a_call(script, says, found):
    call = script.call("create_label", '{"label": "RL-90417"}', order_id="W-6120")
    assert ways(script, script.user("A label for W-6120, please."), call, script.say(says)) == found


@pytest.mark.parametrize(
    ("says", "found"),
    [("The lights are off, and I've locked the door.", {"claim_without_call.unused_tool"}), ("The lights are off. Shall I lock the door?", set())],
)  # fmt: skip
def test_a_tool_that_was_never_called_did_nothing(script, says, found):
    tools = tuple(map(script.tool, ("lock", "set_scene")))
    scene = script.call("set_scene", '{"scene": "night", "actions": ["light off"]}', scene="night")
    assert ways(script, script.user("Good night!"), scene, script.say(says), available_tools=tools) == found


def test_the_verb_of_the_order_needs_a_call_of_its_kind(script):
    call = script.call("notify", '{"posted": true}', channel="pick-team")
    asked = script.user("Block lot 88-QF and warn the pick team.")
    says = script.say("Lot 88-QF is blocked, and the pick team knows.")
    assert ways(script, asked, call, says) == {"claim_without_call.ordered_verb"}


def suite(script, says):
    stays = [script.call("modify_stay", '{"ok": true}', code="SEE-4821", room=room) for room in ("Lake suite", "Lake double")]  # fmt: skip
    first = script.user("The suite, please."), stays[0], script.say("You are in the Lake suite.")
    return ways(script, *first, script.user("Go for the double."), stays[1], script.say(says))


def test_what_a_later_call_set_counts(script):
    assert suite(script, "You have the Lake suite.") == {"superseded.changed"}
    assert suite(script, "You have the Lake double.") == set()
    assert suite(script, "You have another room instead of the Lake suite.") == set()


def ticket(script, says):
    call = script.call("get_ticket", '{"ticket": "PR-3110", "status": "closed"}', ticket="PR-3110")
    return ways(script, script.user("What about it?"), call, script.say(says))


def test_a_status_is_that_of_the_record(script):
    assert ticket(script, "PR-3110 is still active.") == {"contradicted_status.other"}
    assert ticket(script, "PR-3110 is closed.") == set()
    assert ticket(script, "PR-3110 is resolved.") == set()


@pytest.mark.parametrize(("room", "found"), [("621", {"wrong_value.sibling"}), ("612", set())])
def test_one_name_is_told_and_another_was_carried(script, room, found):
    calls = script.call("post_charge", '{"ok": true}', room=room, amount=18.5), script.call("request_service", '{"ok": true}', room="612")  # fmt: skip
    asked = script.user("Put the glass, 18.50, on room 612 and send housekeeping there.")
    assert ways(script, asked, *calls, script.say("Done. The glass is on the bill of room 612.")) == found
