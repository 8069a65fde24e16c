"""Completions, redeliveries, overrides and restarts in any order, against a model that is a few lines long."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sentinel_core.guardrails.audit import audit_problems
from sentinel_core.guardrails.bound import bind_guardrails
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.store import open_store
from sentinel_core.host.plugins import installed, load
from sentinel_core.host.settings import Layers

LIMIT, ECHO = 3, 3
OURS = bind_guardrails(*load(installed(("guardrails",))), Layers())
ROOTS = st.sampled_from(["a", "b"])
SCORES = st.sampled_from([0.2, 0.5, 0.7, 0.9])
TAGS = st.sets(st.sampled_from(["haste", "pride"]))


class Model:
    """What a family should be: scores and tags of each attempt, answers, and pending overrides of the limit."""

    def __init__(self):
        self.attempts, self.tags, self.answers = [], [], []
        self.pending = 0

    def next_decision(self, elsewhere):
        if self.attempts[-1] >= 0.75:
            return "thresholds_met"
        own = set().union(*self.tags)
        if any(sum(tag in tags for tags in (*self.tags, *elsewhere)) >= ECHO for tag in own):
            return "bias_echo"
        if len(self.attempts) - 1 >= LIMIT and not self.pending:
            return "max_reruns_reached"
        return "fatigue" if self.fatigue() >= 50 else "rerun"

    def fatigue(self):
        percent = 0
        for before, after in zip(self.attempts, self.attempts[1:], strict=False):
            percent = max(0, percent + (-5 if round(after * 100) - round(before * 100) >= 5 else 15))
        return percent


class Loops(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.models = {}
        self.open()

    def open(self):
        store = open_store(str(Path(self.folder.name) / "loops.sqlite3"))
        self.loops = Orchestrator(store=store, guardrails=OURS, now=lambda: datetime(2026, 1, 1, tzinfo=UTC))

    def teardown(self):
        self.loops.store.close()
        self.folder.cleanup()

    def elsewhere(self, root):
        """The tags of each loop of the other families: a bias is counted in the whole store."""
        return [tags for other, model in self.models.items() if other != root for tags in model.tags]

    @rule(root=ROOTS, score=SCORES, tags=TAGS)
    def attempt(self, root, score, tags):
        model = self.models.setdefault(root, Model())
        if len(model.attempts) > len(model.answers) or (
            model.answers and model.answers[-1]["decision_result"]["decision"] == "finalize"
        ):
            return
        loop_id = model.answers[-1]["decision_result"]["new_loop_id"] if model.answers else root
        self.loops.submit(loop_id, Reflection(alignment_score=score, drift_score=0.2, bias_tags=tuple(sorted(tags))))
        model.attempts.append(score)
        model.tags.append(tags)

    @rule(root=ROOTS)
    def complete(self, root):
        model = self.models.get(root)
        if model is None or len(model.attempts) == len(model.answers):
            return
        expected = model.next_decision(self.elsewhere(root))
        loop_id = model.answers[-1]["decision_result"]["new_loop_id"] if model.answers else root
        answer = self.loops.complete(loop_id)
        model.answers.append(answer)
        self.agree(model, answer["decision_result"], expected)

    def agree(self, model, told, expected):
        if expected == "rerun":
            assert told["decision"] == "rerun"
            pending = [
                one for one in self.loops.store.family_of(told["original_loop_id"]).overrides if not one.spent_on
            ]
            model.pending = len(pending)
        else:
            assert told["decision"] == "finalize"
            assert told["rerun_reason"] == expected.replace("fatigue", "reflection_fatigue")

    @rule(root=ROOTS, number=st.integers(0, 9))
    def redeliver(self, root, number):
        model = self.models.get(root)
        if model is None or not model.answers:
            return
        answer = model.answers[number % len(model.answers)]
        if answer is model.answers[-1] and model.pending:
            return
        assert self.loops.complete(answer["loop_id"]) == answer

    @rule(root=ROOTS)
    def override(self, root):
        model = self.models.get(root)
        if model is None or not model.attempts:
            return
        self.loops.override(root, {"override_max_reruns": True}, actor="me", reason="go")
        model.pending = 1

    @precondition(lambda self: any(model.pending for model in self.models.values()))
    @rule(root=ROOTS)
    def complete_again_after_an_override(self, root):
        model = self.models.get(root)
        if model is None or not model.pending or not model.answers or len(model.attempts) > len(model.answers):
            return
        expected = model.next_decision(self.elsewhere(root))
        before = model.answers[-1]
        answer = self.loops.complete(before["loop_id"])
        if before["decision_result"]["decision"] == "rerun" or expected != "rerun":
            assert answer == before
            return
        model.answers[-1] = answer
        self.agree(model, answer["decision_result"], expected)

    @rule()
    def restart(self):
        self.loops.store.close()
        self.open()

    @invariant()
    def the_audit_is_whole(self):
        families = self.loops.store.families()
        assert list(audit_problems(families, self.loops.store.audit())) == []

    @invariant()
    def ids_are_in_a_row(self):
        for root, model in self.models.items():
            ids = [answer["loop_id"] for answer in model.answers]
            assert ids == [root, *(f"{root}_r{number}" for number in range(1, len(ids)))][: len(ids)]


TestLoops = Loops.TestCase
TestLoops.settings = settings(
    max_examples=40, stateful_step_count=40, database=None, suppress_health_check=list(HealthCheck)
)
