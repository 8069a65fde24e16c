import pytest
from tables import each_row

from sentinel_core import Attempt, History
from sentinel_core.testing import GuardrailContract
from sentinel_guardrail_rerun_limit import RerunLimitSettings, check, sentinel_guardrails


class TestContract(GuardrailContract):
    def make(self):
        (guardrail,) = sentinel_guardrails()
        return guardrail


def family(*loop_ids):
    return History(attempts=tuple(Attempt(loop_id=loop_id) for loop_id in loop_ids))


def numbered(attempts):
    return family(*(f"task_r{number}" for number in range(attempts)))


@each_row(
    ("max_reruns", "attempts", "action"),
    [
        (3, 0, "allow"),
        (3, 1, "allow"),
        (3, 3, "allow"),
        (3, 4, "finalize"),
        (3, 9, "finalize"),
        (0, 0, "allow"),
        (0, 1, "finalize"),
        (1, 1, "allow"),
        (1, 2, "finalize"),
    ],
)
def test_limit_holds_at_its_boundary(max_reruns, attempts, action):
    assert check(numbered(attempts), RerunLimitSettings(max_reruns=max_reruns)).action == action


def test_default_is_three():
    assert RerunLimitSettings().max_reruns == 3


def test_ruling_says_why():
    ruling = check(numbered(4), RerunLimitSettings())
    assert ruling.reason == "max_reruns_reached"
    assert ruling.detail == "The task has had 3 reruns; the limit is 3."


def test_attempt_recorded_twice_counts_once():
    assert check(family("task", "task_r1", "task_r1", "task"), RerunLimitSettings(max_reruns=2)).action == "allow"


def test_attempts_that_deny_being_reruns_count():
    attempts = tuple(Attempt(loop_id=name, rerun_of=None) for name in ("a", "b", "c"))
    assert check(History(attempts=attempts), RerunLimitSettings(max_reruns=2)).action == "finalize"


@pytest.mark.parametrize("max_reruns", [-1, 1.5, "3", None])
def test_unusable_limit_is_refused(max_reruns):
    with pytest.raises((TypeError, ValueError), match="max_reruns"):
        RerunLimitSettings(max_reruns=max_reruns)


def test_facts_are_told_whatever_it_rules():
    assert check(numbered(2), RerunLimitSettings()).facts == {"rerun_count": 1, "max_reruns": 3, "limit_reached": False}
    assert check(numbered(4), RerunLimitSettings()).facts == {"rerun_count": 3, "max_reruns": 3, "limit_reached": True}


def test_an_attempt_at_work_is_let_be():
    history = History(attempts=numbered(9).attempts, live=object())
    assert check(history, RerunLimitSettings()).action == "allow"
