"""Whether a run that broke off can go on: told from its record, and found out by going on."""

import pytest
from reflection_in_run import Liar, Place, of, scores

from sentinel_agent.events import LoopDecided, RunEnded, RunResumed
from sentinel_agent.limits import judged_ends
from sentinel_agent.reflection.attempt_guard import Guardian
from sentinel_agent.run_progress import is_resumable, run_status
from sentinel_core.errors import ProviderError
from sentinel_core.guardrails.bound import BoundGuardrail
from sentinel_core.guardrails.facts import Ruling
from sentinel_core.host.panel import make_panel
from sentinel_core.host.settings import Layers
from sentinel_core.model import Reply

FINAL = frozenset({"max_turns"})


class Refusing(Liar):
    def complete(self, request, on_text=None):
        return Reply(content="No.", stop_reason="refusal")


class Down(Liar):
    def complete(self, request, on_text=None):
        raise ProviderError("the model is down")


def impatient(history):
    if history.live is None:
        return Ruling(action="finalize", reason="one is enough")
    return Ruling(action="stop_attempt", reason="enough")


@pytest.fixture
def place(make):
    """A place with this model, a guard or none, and what the guardrails say."""

    def at(model, *, guarded=True, check=None):
        orchestrator = make(None)
        if check is not None:
            orchestrator.guardrails = (BoundGuardrail(name="mine", check=check),)
        guardian = Guardian(
            panel=make_panel((), (), (), Layers()), guardrails=orchestrator.guardrails, orchestrator=orchestrator
        )
        return Place(guardian=guardian if guarded else None, model=model(), reflector=scores([(0.9, 0.0)]))

    return at


def run(at, past=()):
    family = at.family(past=past)
    family.final = FINAL
    return family.run().events


@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "unguarded"])
@pytest.mark.parametrize(
    ("model", "check"),
    [
        (lambda: Liar(lies="always"), None),  # without a report
        (lambda: Liar(lies="never"), None),
        (Refusing, None),
        (Down, None),
        (lambda: Liar(lies="never"), impatient),
    ],
    ids=["no report", "report", "refused", "model error", "stopped"],
)
def test_a_run_cut_anywhere_is_resumable_exactly_where_resuming_does_something(place, model, check, guarded):
    judged = judged_ends(FINAL) if guarded else frozenset()
    events = run(place(model, guarded=guarded, check=check))
    for cut in range(1, len(events) + 1):
        past = tuple(events[:cut])
        more = [event for event in run(place(model, guarded=guarded, check=check), past)[cut:] if not _is_marker(event)]
        assert is_resumable(past, judged=judged) is bool(more), past[-1]


def _is_marker(event):
    return isinstance(event, RunResumed)


def test_killed_before_it_was_judged_it_is_interrupted(place):
    events = run(place(lambda: Liar(lies="always")))
    assert of(LoopDecided, events)
    cut = of(RunEnded, events)[0].sequence + 1
    told = run_status(events[:cut], None, judged=judged_ends(FINAL))
    assert (told["state"], told["resumable"]) == ("interrupted", True)
    told = run_status(events[:cut], None, judged=())
    assert (told["state"], told["resumable"]) == ("completed", False)
