"""Attempts that come to their end and hand nothing in."""

import attrs
import pytest
from reflection_in_run import Liar, Place, of, scores

from sentinel_agent.attempt_loop import attempts_of
from sentinel_agent.events import AttemptReflected
from sentinel_agent.reflection.attempt_guard import Guardian
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.host.panel import make_panel
from sentinel_core.host.settings import Layers

GOOD = scores([(1.0, 0.0)])


@pytest.fixture
def place(make):
    def at(lies, reflector=GOOD):
        orchestrator = make()
        panel = make_panel((), (), (), Layers())
        guardian = Guardian(panel=panel, guardrails=orchestrator.guardrails, orchestrator=orchestrator)
        return Place(guardian=guardian, model=Liar(lies=lies), reflector=reflector)

    return at


def test_an_attempt_that_staged_nothing_is_tried_again_and_told_why(place):
    at = place("until told")
    result = at.family().run()
    first, second = attempts_of(result.events)
    assert (first.staged, first.decision, first.reason) == (None, "rerun", "summary_invalid")
    assert (first.summary_valid, first.reflection_note) == (False, "The attempt ended without a staged report.")
    assert (second.staged, second.decision, second.reason) == ("medium", "finalize", "thresholds_met")
    assert "It staged no report. Call file_risk_report" in at.model.tasks[1]
    assert at.filed == ["medium"]


def test_one_that_never_stages_ends_by_the_limit(place):
    at = place("always")
    facts = attempts_of(at.family().run().events)
    assert [one.reason for one in facts] == ["summary_invalid"] * 3 + ["max_reruns_reached"]
    assert at.filed == []


def test_fixed_rules_are_not_asked_to_do_otherwise(place):
    at = place("always")
    family = at.family()
    family.deterministic = True
    (only,) = attempts_of(family.run().events)
    assert (only.summary_valid, only.reflection_note, only.decision) == (True, "", "finalize")


def test_what_the_reflector_says_of_itself_stays(place):
    def noting(_trace, _report):
        return Reflection(
            alignment_score=1.0, drift_score=0.0, note="The rules rated the attempt instead of a model: why."
        )

    reflected = of(AttemptReflected, place("always", noting).family().run().events)
    said = "The rules rated the attempt instead of a model: why. The attempt ended without a staged report."
    assert {one.note for one in reflected} == {said}


def test_an_end_by_a_limit_is_told_as_that(place):
    at = place("always")
    family = at.family()
    family.investigation.settings = attrs.evolve(family.investigation.settings, max_turns=1)
    (only,) = attempts_of(family.run().events)
    assert (only.outcome, only.reflection_note, only.reason) == ("max_turns", "", "thresholds_met")
