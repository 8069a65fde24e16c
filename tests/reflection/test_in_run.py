"""A run's family in this process: why an attempt is tried again, what it is told, and how every family ends."""

from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reflection_in_run import Liar, Place, of, scores

from sentinel_agent.attempt_loop import attempts_of
from sentinel_agent.events import (
    AttemptJudged,
    AttemptReflected,
    DeliveryStarted,
    GuardrailChecked,
    LoopDecided,
    MessageReceived,
    RunStarted,
)
from sentinel_agent.feedback import BEGIN
from sentinel_agent.reflection.attempt_guard import Guardian, Overriding
from sentinel_agent.resume import is_over
from sentinel_agent.run_summary import RunSummary
from sentinel_command_run.run import _why_no_report
from sentinel_core.errors import ProviderError, StoreError, WorkerDied
from sentinel_core.evaluate.evaluator import evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.guardrails.bound import BoundGuardrail
from sentinel_core.guardrails.facts import Ruling
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.reflect_by_rules import reflect_by_rules
from sentinel_core.guardrails.store import open_store
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import installed, load
from sentinel_core.host.settings import HostSettings, Layers


@pytest.fixture(scope="module")
def panel():
    return make_panel(*load(installed(("signals",))), (), Layers())


@pytest.fixture
def place(panel, make):
    def at(model=None, guards=None, store=None, reflector=reflect_by_rules, overriding=None, **limits):
        orchestrator = make(store, **limits)
        if guards is not None:
            orchestrator.guardrails = tuple(guards)
        guardian = Guardian(
            panel=panel, guardrails=orchestrator.guardrails, orchestrator=orchestrator, overriding=overriding
        )
        return Place(guardian=guardian, model=model or Liar(), reflector=reflector)

    return at


def test_a_flagged_attempt_is_tried_again_with_the_reason_in_its_prompt_and_improves(place):
    at = place(Liar(lies="until told"))
    result = at.family().run()
    first, second = attempts_of(result.events)
    assert (first.verdict, first.decision, first.reason) == ("FAIL", "rerun", "alignment_threshold_not_met")
    assert (second.verdict, second.decision, second.reason) == ("PASS", "finalize", "thresholds_met")
    assert (second.loop_id, second.rerun_of) == (f"{first.loop_id}_r1", first.loop_id)
    plain, told = at.model.tasks
    assert told.startswith(plain)
    assert "alignment_threshold_not_met" in told.removeprefix(plain)
    assert f"{BEGIN}\n- hallucination." in told
    assert "Say that something was done only after" in told
    assert at.filed == ["medium"]
    assert (result.run_id, result.trace.trace_id, result.severity) == (first.loop_id, second.loop_id, "medium")
    assert [trace.trace_id for trace in at.kept] == [first.loop_id, second.loop_id]
    assert [decided.decision for decided in at.told] == ["rerun", "finalize"]


def test_a_good_attempt_is_the_only_one(place):
    at = place(Liar(lies="never"))
    (only,) = attempts_of(at.family().run().events)
    assert (only.verdict, only.decision, only.reason, only.alignment_score) == ("PASS", "finalize", "thresholds_met", 1)
    assert at.filed == ["medium"]


def test_one_that_never_improves_ends_by_the_limit_and_delivers_nothing(place):
    at = place(reflector=scores([(0.5, 0.0)]))
    result = at.family().run()
    facts = attempts_of(result.events)
    assert [one.decision for one in facts] == ["rerun"] * 3 + ["finalize"]
    assert (facts[-1].reason, facts[-1].loop_id) == ("max_reruns_reached", f"{facts[0].loop_id}_r3")
    assert (at.filed, result.delivery, result.report) == ([], None, None)


def test_the_same_finding_three_times_is_an_echo(place):
    facts = attempts_of(place().family().run().events)
    assert [one.reason for one in facts] == ["alignment_threshold_not_met"] * 2 + ["bias_echo"]
    assert "hallucination.claim_without_call" in facts[-1].bias_tags


def test_one_that_never_improves_tires(place):
    at = place(reflector=scores([(0.5, 0.5)]), rerun_limit__max_reruns=5)
    facts = attempts_of(at.family().run().events)
    assert len(facts) == 5
    assert facts[-1].reason == "reflection_fatigue"


def test_the_same_bias_again_and_again_is_an_echo(place):
    at = place(reflector=scores([(0.1, 0.0), (0.2, 0.0), (0.3, 0.0)], tags=("haste",)), rerun_limit__max_reruns=9)
    facts = attempts_of(at.family().run().events)
    assert [one.reason for one in facts] == ["alignment_threshold_not_met"] * 2 + ["bias_echo"]


def test_only_the_last_attempts_report_is_delivered_once(place):
    at = place(Liar(lies="never"), reflector=scores([(0.1, 0.0), (0.9, 0.0)]))
    result = at.family().run()
    assert len(attempts_of(result.events)) == 2
    assert at.filed == ["medium"]
    (started,) = of(DeliveryStarted, result.events)
    assert started.sequence > of(LoopDecided, result.events)[-1].sequence


def test_a_report_of_an_attempt_that_was_not_accepted_stays_here_and_is_told(place):
    class Forgetful(Liar):
        def complete(self, request, on_text=None):
            self.lies = "always" if "another attempt" in request.messages[0].content else "never"
            return super().complete(request)

    at = place(Forgetful(), reflector=scores([(0.1, 0.0), (0.9, 0.0)]))
    result = at.family().run()
    assert [one.staged for one in attempts_of(result.events)] == ["medium", None, None, None]
    assert (at.filed, result.delivery) == ([], None)
    said = _why_no_report(RunSummary.of(result, "liar", Path("trace"), judged=()), HostSettings())
    assert said.endswith("; attempt 1 had staged one (medium risk), but was not accepted")


def test_every_event_stands_before_what_follows_from_it(place):
    at = place(Liar(lies="until told"))
    kinds = [
        type(event)
        for event in at.family().run().events
        if isinstance(event, RunStarted | AttemptJudged | AttemptReflected | LoopDecided | DeliveryStarted)
    ]
    once = [AttemptJudged, AttemptReflected, LoopDecided]
    assert kinds == [RunStarted, *once, RunStarted, *once, DeliveryStarted]


def test_what_guardrails_say_between_attempts_is_in_the_record(place):
    at = place(rerun_limit__max_reruns=0)
    result = at.family().run()
    checked = {event.guardrail: event for event in of(GuardrailChecked, result.events)}
    assert (checked["rerun_limit"].action, checked["rerun_limit"].live) == ("finalize", False)
    assert checked["bias_echo"].action == "allow"


@pytest.mark.parametrize("cut", range(1, 40))
def test_broken_off_anywhere_it_comes_to_the_same_decisions(place, cut):
    whole = place(Liar(lies="until told")).family().run()
    if cut >= len(whole.events):
        pytest.skip(f"the run has {len(whole.events)} events")
    at = place(Liar(lies="until told"))
    seen = []
    asked_reflector = []

    def reflector(trace, report):
        asked_reflector.append(trace.trace_id)
        return reflect_by_rules(trace, report)

    class Killed(BaseException):
        pass

    def kill(event):
        seen.append(event)
        if len(seen) == cut:
            raise Killed

    at.reflector = reflector
    with pytest.raises(Killed):
        at.family(observers=(kill,)).run()
    at.filed.clear()
    result = at.family(past=tuple(seen)).run()
    assert attempts_of(result.events) == attempts_of(whole.events)
    assert is_over(result.events)
    for kind in (AttemptJudged, AttemptReflected, LoopDecided, GuardrailChecked, RunStarted, MessageReceived):
        assert len(of(kind, result.events)) == len(of(kind, whole.events)), kind
    assert sum(isinstance(event, AttemptReflected) for event in seen) + len(asked_reflector) >= 2
    assert result.trace.messages[1].content == whole.trace.messages[1].content
    assert len(of(DeliveryStarted, result.events)) == 1


def test_a_rerun_that_was_granted_is_not_over(place):
    events = place(Liar(lies="until told")).family().run().events
    decided = of(LoopDecided, events)[0]
    assert not is_over(events[: decided.sequence + 1])
    assert is_over(events)


def test_a_recorded_decision_stands_without_a_guard(place):
    events = place(Liar(lies="until told")).family().run().events
    past = events[: of(LoopDecided, events)[0].sequence + 1]
    at = place(Liar(lies="until told"))
    at.guardian = None
    result = at.family(past=past).run()
    assert [one.decision for one in attempts_of(result.events)] == ["rerun", None]
    assert "alignment_threshold_not_met" in at.model.tasks[0]


def test_without_a_guard_there_is_one_attempt_and_no_decision(place):
    at = place(Liar(lies="never"))
    at.guardian = None
    result = at.family().run()
    (only,) = attempts_of(result.events)
    assert (only.outcome, only.verdict, only.decision) == ("completed", None, None)
    assert at.filed == ["medium"]


def test_an_attempt_that_can_go_on_is_not_decided_upon(place):
    class Down(Liar):
        def complete(self, request, on_text=None):
            raise ProviderError("the model is down")

    result = place(Down()).family().run()
    assert result.outcome == "model_error"
    assert not of(LoopDecided, result.events)


def test_a_guard_that_dies_ends_the_family_and_the_report_is_delivered(place):
    at = place(Liar(lies="never"))

    class Dead:
        def watch(self, trace):
            raise WorkerDied("was killed")

        judge = settle = watch

    at.guardian = Dead()
    result = at.family().run()
    (only,) = attempts_of(result.events)
    assert (only.decision, only.reason, only.detail) == ("finalize", "guardrail_failed", "was killed")
    assert at.filed == ["medium"]
    assert at.said == [
        "the attempt is no longer monitored: was killed",
        "no rerun, because the attempt could not be decided on: was killed",
    ]


def test_a_guardrail_that_fails_and_a_store_that_cannot_be_read_mean_the_end(place):
    def broken(_history):
        raise RuntimeError("no idea")

    class Unreadable:
        def family_of(self, loop_id):
            raise StoreError("the disk is gone")

    for at in (
        place(guards=[BoundGuardrail(name="mine", check=lambda h: Ruling(action="allow") if h.live else broken(h))]),
        place(store=Unreadable()),
    ):
        (only,) = attempts_of(at.family().run().events)
        assert (only.decision, only.reason) == ("finalize", "guardrail_failed")
        assert "no idea" in only.detail or "the disk is gone" in only.detail


@pytest.mark.parametrize("lies", ["never", "until told"])
def test_a_guardrail_that_fails_at_work_stops_nothing_is_told_once_and_ends_the_family(place, lies):
    def broken(history):
        raise RuntimeError("no idea")

    mine = BoundGuardrail(name="mine", check=lambda h: broken(h) if h.live else Ruling(action="allow"))
    at = place(Liar(lies=lies), guards=[mine])
    at.guardian.warn = at.said.append
    result = at.family().run()
    (only,) = attempts_of(result.events)
    assert (only.outcome, only.stopped_by, only.decision) == ("completed", None, "finalize")
    assert only.reason == ("thresholds_met" if lies == "never" else "guardrail_failed")
    assert at.filed == (["medium"] if lies == "never" else [])
    (why,) = [event.detail for event in of(GuardrailChecked, result.events)]
    assert why.startswith('Guardrail "mine" raised RuntimeError: no idea (test_in_run.py:')
    assert at.said == [f"{why} The attempt continues, but there will be no rerun."]


def test_without_a_store_every_attempt_is_the_last(place, panel):
    at = place()
    at.guardian = Guardian(panel=panel, problem="no store")
    (only,) = attempts_of(at.family().run().events)
    assert (only.reason, only.detail) == ("guardrail_failed", "no store")


def test_a_report_that_was_staged_before_a_guardrail_stopped_the_attempt_is_delivered_and_marked(place):
    def late(history):
        staged = history.live is not None and history.live.metadata.total_tool_calls >= 2
        return Ruling(action="finalize", reason="enough", detail="Enough.") if staged else Ruling(action="allow")

    at = place(Liar(lies="never"))
    at.guardian.guardrails = at.guardian.orchestrator.guardrails = (BoundGuardrail(name="late", check=late),)
    result = at.family().run()
    (only,) = attempts_of(result.events)
    assert (only.outcome, only.staged is None) == ("stopped", False)
    assert (result.delivery.status, result.severity) == ("delivered", only.staged)
    (started,) = (event for event in result.events if isinstance(event, DeliveryStarted))
    assert started.arguments["findings"][-1].startswith("unfinished: a guardrail stopped the agent before it was done")


@pytest.mark.parametrize(("action", "attempts"), [("stop_attempt", 4), ("finalize", 1)])
def test_a_guardrail_stops_an_attempt_at_work(place, action, attempts):
    def impatient(history):
        enough = history.live is not None and history.live.metadata.total_messages >= 4
        return Ruling(action=action, reason="enough", detail="Enough.") if enough else Ruling(action="allow")

    at = place(Liar(lies="never"))
    limit = next(one for one in at.guardian.guardrails if one.name == "rerun_limit")
    guards = (BoundGuardrail(name="impatient", check=impatient), limit)
    at.guardian.guardrails = at.guardian.orchestrator.guardrails = guards
    result = at.family().run()
    facts = attempts_of(result.events)
    assert len(facts) == attempts
    assert {(one.outcome, one.stopped_by) for one in facts} == {("stopped", "impatient")}
    assert facts[-1].reason == ("enough" if action == "finalize" else "max_reruns_reached")
    live = [event for event in of(GuardrailChecked, result.events) if event.live]
    assert [(event.action, event.detail) for event in live] == [(action, "Enough.")] * attempts
    assert at.filed == []


def test_live_and_batch_agree_on_every_prefix_of_a_run(place, panel):
    looked = []

    class Looking(Guardian):
        def watch(self, trace):
            checked = super().watch(trace)
            looked.append((trace, self._live.report))
            return checked

    at = place(Liar(lies="until told"))
    at.guardian = Looking(panel=panel, guardrails=at.guardian.guardrails, orchestrator=at.guardian.orchestrator)
    at.family().run()
    assert len(looked) == 5
    for trace, report in looked:
        whole = next(one for one in at.kept if one.trace_id == trace.trace_id)
        count = report.metadata.total_messages
        batch = attrs.evolve(trace, messages=whole.messages[:count])
        assert report == evaluate(TraceIndex(batch), panel)


def test_an_override_gives_one_more_attempt_once_and_is_on_record(place):
    why = Overriding(kinds=("override_max_reruns",), by="ada", reason="The tests were flaky.")
    store = open_store("memory:")
    at = place(store=store, overriding=why, reflector=scores([(0.5, 0.0)]), rerun_limit__max_reruns=1)
    facts = attempts_of(at.family().run().events)
    assert [one.decision for one in facts] == ["rerun", "rerun", "finalize"]
    assert facts[1].detail.endswith("Overridden by ada.")
    (override,) = store.family_of(facts[0].loop_id).overrides
    assert (override.actor, override.reason) == ("ada", "The tests were flaky.")
    assert "override" in "".join(row.body for row in store.audit())


@settings(max_examples=15)
@given(
    pairs=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8),
    limit=st.integers(0, 4),
    tags=st.lists(st.sampled_from(["haste", "anchor"]), unique=True),
)
def test_every_family_ends(pairs, limit, tags):
    guardian = Guardian(panel=make_panel((), (), (), Layers()), **_deciding(limit))
    at = Place(guardian=guardian, model=Liar(), reflector=scores(pairs, tags=tuple(tags)))
    facts = attempts_of(at.family().run().events)
    assert 1 <= len(facts) <= limit + 1
    assert [one.decision for one in facts] == ["rerun"] * (len(facts) - 1) + ["finalize"]


def _deciding(limit):
    def check(history):
        reached = not history.live and len(history.attempts) > limit
        return Ruling(action="finalize", reason="max_reruns_reached") if reached else Ruling(action="allow")

    guards = (BoundGuardrail(name="limit", check=check),)
    return {"guardrails": guards, "orchestrator": Orchestrator(store=open_store("memory:"), guardrails=guards)}
