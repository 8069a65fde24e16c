import attrs
import pytest
from tables import each_row

from sentinel_core import Attempt, History
from sentinel_core.testing import GuardrailContract
from sentinel_guardrail_reflection_fatigue import ReflectionFatigueSettings, check, fatigue_of, sentinel_guardrails


class TestContract(GuardrailContract):
    def make(self):
        (guardrail,) = sentinel_guardrails()
        return guardrail


def family(*scores, **more):
    attempts = (
        Attempt(loop_id=f"task_r{number}", alignment_score=alignment, drift_score=drift)
        for number, (alignment, drift) in enumerate(scores)
    )
    return History(attempts=tuple(attempts), **more)


def fatigue(*scores, **settings):
    return check(family(*scores), ReflectionFatigueSettings(**settings)).facts["reflection_fatigue"]


def test_the_first_attempt_starts_at_zero():
    assert fatigue() == fatigue((0.1, 0.9)) == 0.0


def test_without_improvement_it_rises_and_at_the_limit_it_finalizes():
    rulings = [check(family(*[(0.5, 0.5)] * count), ReflectionFatigueSettings()) for count in range(1, 6)]
    assert [ruling.facts["reflection_fatigue"] for ruling in rulings] == [0.0, 0.15, 0.3, 0.45, 0.6]
    assert [ruling.action for ruling in rulings] == ["allow"] * 4 + ["finalize"]
    assert rulings[-1].reason == "reflection_fatigue"
    assert rulings[-1].detail == "The attempts no longer improve: fatigue is 0.60; the limit is 0.5."
    assert rulings[-1].facts == {
        "reflection_fatigue": 0.6,
        "previous_fatigue": 0.45,
        "fatigue_increment": 0.15,
        "fatigue_increased": True,
        "improvement_detected": False,
        "threshold_exceeded": True,
        "critical_threshold": 0.5,
        "max_fatigue": 1.0,
        "force_finalize": True,
    }


@each_row(
    ("before", "after", "improved"),
    [
        ((0.25, 0.5), (0.30, 0.5), True),
        ((0.25, 0.5), (0.2999999, 0.5), False),
        ((0.5, 0.30), (0.5, 0.25), True),
        ((0.5, 0.1), (0.5, 0.05), True),
        ((0.5, 0.5), (0.45, 0.45), True),
        ((0.5, 0.5), (0.46, 0.54), False),
        ((0.5, 0.5), (0.55, 0.55), True),
        ((0.5, 0.3), (0.56, 0.4), True),
        ((0.5, 0.5), (0.60, 0.55), True),
        ((0.5, 0.5), (0.41, 0.40), True),
        ((None, None), (1.0, 0.0), False),
        ((0.5, 0.5), (None, 0.40), True),
    ],
)
def test_what_counts_as_improvement(before, after, improved):
    facts = check(family(before, after), ReflectionFatigueSettings()).facts
    assert facts["improvement_detected"] == improved
    assert facts["fatigue_increment"] == (-0.05 if improved else 0.15)


def test_a_trade_counts_unless_improvement_must_be_paired():
    trade = ((0.5, 0.5), (0.55, 0.55), (0.5, 0.5), (0.55, 0.55), (0.5, 0.5))
    assert fatigue(*trade) == 0.0
    assert fatigue(*trade, paired_improvement=True) == 0.6


def test_one_score_that_improves_decays_fatigue_whatever_the_other_does():
    assert fatigue((0.5, 0.3), (0.5, 0.3), (0.56, 0.4)) == 0.1
    assert fatigue((0.5, 0.3), (0.5, 0.3), (0.56, 0.4), paired_improvement=True) == 0.3


def test_it_decays_and_is_clamped():
    assert fatigue((0.5, 0.5), (0.5, 0.5), (0.6, 0.5)) == 0.1
    assert fatigue((0.5, 0.5), (0.6, 0.5), (0.7, 0.5)) == 0.0
    assert fatigue(*[(0.5, 0.5)] * 9) == 1.0
    assert fatigue(*[(0.5, 0.5)] * 9, max_fatigue=0.7) == 0.7


def test_the_lower_of_the_two_limits_holds():
    attempts = family(*[(0.5, 0.5)] * 3)
    for name in ("critical_threshold", "fatigue_threshold"):
        assert check(attempts, ReflectionFatigueSettings(**{name: 0.3})).action == "finalize"
    raised = ReflectionFatigueSettings(critical_threshold=0.9, fatigue_threshold=0.9)
    assert check(family(*[(0.5, 0.5)] * 6), raised).action == "allow"


def test_an_attempt_that_was_recorded_twice_counts_once():
    once = family((0.5, 0.5), (0.5, 0.5))
    twice = History(attempts=(*once.attempts, once.attempts[1]))
    assert check(twice, ReflectionFatigueSettings()) == check(once, ReflectionFatigueSettings())


def test_an_attempt_at_work_is_let_be():
    tired = attrs.evolve(family(*[(0.5, 0.5)] * 9), live=object())
    assert check(tired, ReflectionFatigueSettings()).action == "allow"


@each_row("field", attrs.fields(ReflectionFatigueSettings))
@each_row("value", [-0.1, 1.1, float("nan"), "x", None])
def test_unusable_settings_are_refused(field, value):
    with pytest.raises((TypeError, ValueError)):
        ReflectionFatigueSettings(**{field.name: value})


@pytest.mark.parametrize(("unknown", "improved"), [("no_improvement", False), ("worst", True)])
def test_an_unknown_score_may_count_as_the_worst(unknown, improved):
    attempts = [Attempt(loop_id="a"), Attempt(loop_id="b", alignment_score=0.2, drift_score=0.9)]
    assert fatigue_of(attempts, ReflectionFatigueSettings(unknown_scores=unknown)).improved is improved
