"""What a run's reflection takes is the run's own: counted, told in telemetry, and no reason to begin what cannot be paid."""

import attrs
import pytest
from reflection_in_run import Liar, Place, of, scores

from sentinel_agent.attempt_loop import attempts_of
from sentinel_agent.events import AttemptReflected, GuardrailChecked, LoopDecided, ReflectorAsked
from sentinel_agent.limits import used_in
from sentinel_agent.reflection.attempt_guard import Guardian
from sentinel_agent.reflection.by_model import ModelReflector
from sentinel_agent.telemetry.metrics import metrics_of
from sentinel_agent.telemetry.spans import conversations, spans_of
from sentinel_core.errors import NetworkError
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import installed, load
from sentinel_core.host.settings import Layers
from sentinel_core.model import Reply
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import TokenUsage, ToolCall

SCORES = {"alignment_score": 0.9, "drift_score": 0.0, "summary_valid": True}


def answer(**arguments):
    call = ToolCall(id="1", name="record_reflection", arguments=arguments)
    usage = TokenUsage(prompt_tokens=100, completion_tokens=20)
    return Reply(tool_calls=(call,), usage=usage, cost_usd=0.5, model="judge-1")


@pytest.fixture(scope="module")
def panel():
    return make_panel(*load(installed(("signals",))), (), Layers())


@pytest.fixture
def family(make, panel):
    """A family whose reflector is a model with this script."""

    def begin(*script, settings=None, past=(), **options):
        orchestrator = make(None)
        guardian = Guardian(panel=panel, guardrails=orchestrator.guardrails, orchestrator=orchestrator)
        at = Place(guardian=guardian, model=Liar(lies="never"))
        made = at.family(past=past, settings=settings or AgentSettings(), **options)
        made.reflector = ModelReflector(model=ScriptedModel(script), on_answer=made.investigation.record.emit)
        return made

    return begin


def test_each_answer_of_the_reflector_is_in_the_record_and_counts(family):
    events = family(answer(alignment_score=7), answer(**SCORES), answer(bias_tags=[])).run().events
    asked = of(ReflectorAsked, events)
    assert [one.persona for one in asked] == ["SAGE", "SAGE", "PESSIMIST"]
    used = used_in(events)
    assert (used.tokens, used.cost_usd) == (360, 1.5)
    assert asked[-1].sequence < of(AttemptReflected, events)[0].sequence


def test_what_was_spent_before_the_reflector_failed_counts(family):
    events = family(answer(**SCORES), NetworkError("gone")).run().events
    assert used_in(events).tokens == 120
    assert of(AttemptReflected, events)[0].note.startswith("The rules rated the attempt")


def test_it_stays_counted_in_a_resumed_run(family):
    class Killed(BaseException):
        pass

    seen = []

    def kill(event):
        seen.append(event)
        if isinstance(event, ReflectorAsked):
            raise Killed

    with pytest.raises(Killed):
        family(answer(**SCORES), observers=(kill,)).run()
    resumed = family(answer(**SCORES), answer(bias_tags=[]), past=tuple(seen)).run()
    assert [one.persona for one in of(ReflectorAsked, resumed.events)] == ["SAGE", "SAGE", "PESSIMIST"]
    assert used_in(resumed.events).tokens == 360


def test_metrics_have_its_tokens_and_costs(family):
    events = family(answer(**SCORES), answer(bias_tags=[])).run().events
    (conversation,) = conversations(events)
    metrics = {metric.name: metric for metric in metrics_of(spans_of(conversation))}
    (cost,) = [
        point
        for point in metrics["sentinel.client.cost"].points
        if point.attributes.get("gen_ai.response.model") == "judge-1"
    ]
    assert cost.values == (0.5, 0.5)
    tokens = [point.values for point in metrics["gen_ai.client.token.usage"].points]
    assert tokens == [(100.0, 100.0), (20.0, 20.0)]


@pytest.mark.parametrize(
    ("limit", "reason", "detail"),
    [
        ({"max_total_tokens": 200}, "max_total_tokens", "the run used 240 tokens; the limit is 200."),
        ({"max_cost_usd": 0.9}, "max_cost", "the run spent $1; the limit is $0.9."),
    ],
)
def test_no_rerun_is_begun_that_could_not_ask(family, limit, reason, detail):
    bad = {**SCORES, "alignment_score": 0.1}
    result = family(answer(**bad), answer(bias_tags=[]), settings=AgentSettings(**limit)).run()
    (decided,) = of(LoopDecided, result.events)
    assert (decided.decision, decided.reason, decided.detail) == ("finalize", reason, detail)
    assert ("host", "finalize") in {(one.guardrail, one.action) for one in of(GuardrailChecked, result.events)}
    assert result.severity == "medium"


def test_nothing_is_spent_on_reflecting_once_all_is_spent(family):
    class Dear(Liar):
        def complete(self, request, on_text=None):
            return attrs.evolve(super().complete(request), usage=TokenUsage(prompt_tokens=100))

    dear = family(settings=AgentSettings(max_total_tokens=250))
    dear.investigation.model = Dear(lies="never")
    events = dear.run().events
    (attempt,) = attempts_of(events)
    assert (attempt.outcome, attempt.decision) == ("completed", "finalize")
    assert (
        "The rules rated the attempt instead of a model: the run used 300 tokens; the limit is 250."
        in attempt.reflection_note
    )
    by_rules = family(settings=AgentSettings(max_total_tokens=250))
    by_rules.reflector = scores([(0.1, 0.0)])
    assert of(AttemptReflected, by_rules.run().events)[0].alignment_score == 0.1
