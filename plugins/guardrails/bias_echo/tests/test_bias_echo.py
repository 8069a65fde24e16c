import attrs
import pytest

from sentinel_core import Attempt, History
from sentinel_core.testing import GuardrailContract
from sentinel_guardrail_bias_echo import BiasEchoSettings, check, sentinel_guardrails


class TestContract(GuardrailContract):
    def make(self):
        (guardrail,) = sentinel_guardrails()
        return guardrail


def family(*tags, **more):
    attempts = (Attempt(loop_id=f"task_r{number}", bias_tags=tuple(its)) for number, its in enumerate(tags))
    return History(attempts=tuple(attempts), **more)


def test_the_third_sighting_is_an_echo_and_the_second_is_not():
    assert check(family(["haste"], ["haste"]), BiasEchoSettings()).action == "allow"
    ruling = check(family(["haste"], ["pride"], ["haste"], ["haste"]), BiasEchoSettings())
    assert (ruling.action, ruling.reason) == ("finalize", "bias_echo")
    assert ruling.detail == 'The same bias was repeated: "haste" in 3 loops; the limit is 3.'
    assert ruling.facts == {
        "bias_echo": True,
        "repeated_tags": ["haste"],
        "repetition_counts": {"haste": 3, "pride": 1},
        "threshold": 3,
        "trigger": "pessimist",
        "action": "halt_loop",
    }


def test_one_sighting_is_one_loop():
    detail = check(family(["haste"]), BiasEchoSettings(bias_repetition_threshold=1)).detail
    assert '"haste" in 1 loop; the limit is 1.' in detail


def test_without_an_echo_there_is_no_trigger():
    facts = check(family(["haste"]), BiasEchoSettings()).facts
    assert (facts["bias_echo"], facts["trigger"], facts["action"]) == (False, None, None)


def test_a_loop_counts_once_however_often_it_is_delivered():
    once = Attempt(loop_id="task", bias_tags=("haste", "haste", "haste"))
    ruling = check(History(attempts=(once, once, once)), BiasEchoSettings())
    assert (ruling.action, ruling.facts["repetition_counts"]) == ("allow", {"haste": 1})


def test_an_echo_stays_one():
    assert check(family(["haste"], ["haste"], ["haste"], []), BiasEchoSettings()).reason == "bias_echo"


def test_other_families_count_unless_only_the_own_is_wanted():
    history = family(["haste"], tags_elsewhere={"haste": 2, "pride": 9})
    assert check(history, BiasEchoSettings(project_wide=False)).action == "allow"
    ruling = check(history, BiasEchoSettings())
    assert (ruling.action, ruling.facts["repetition_counts"]) == ("finalize", {"haste": 3})


def test_an_attempt_at_work_is_let_be():
    history = attrs.evolve(family(["haste"], ["haste"], ["haste"]), live=object())
    assert check(history, BiasEchoSettings()).action == "allow"


@pytest.mark.parametrize("threshold", [0, -1, 1.5, "3", None])
def test_unusable_threshold_is_refused(threshold):
    with pytest.raises((TypeError, ValueError), match="bias_repetition_threshold"):
        BiasEchoSettings(bias_repetition_threshold=threshold)
