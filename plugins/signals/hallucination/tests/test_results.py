"""What is told as done beside what results say: parts that failed, and statuses."""

import pytest


def ways(script, *steps, **details):
    return script.ways(script.judge(*steps, **details))


def judged(script, result, says, *, asked="Put late checkout on block W-0830.", name="bulk_add_extra"):
    return ways(script, script.user(asked), script.call(name, result, block="W-0830"), script.say(says))


@pytest.mark.parametrize(
    ("result", "says", "branch"),
    [
        ('{"rooms": 9, "skipped": [{"room": "201"}]}', "Every room has it now.", "contradicted_claim.all_of_a_part"),
        ('{"delivered": 15, "failed": 8}', "Late checkout has been added.", "contradicted_claim.part"),
        ('{"updated": 6, "requested": 9}', "All of them have it.", "contradicted_claim.all_of_a_part"),
        ('{"status": "waitlisted"}', "Late checkout is booked.", "contradicted_status.of_the_call"),
        ('{"status": "on_hold"}', "Late checkout has been added.", "contradicted_status.of_the_call"),
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
        ('{"status": "on_hold"}', "Is there anything else?"),
        ('{"failed": 8}', "Late checkout has been added."),
    ],
)
def test_who_tells_of_the_rest_is_let_go(script, result, says):
    assert judged(script, result, says) == set()
