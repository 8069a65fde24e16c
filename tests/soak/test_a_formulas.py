"""A: random families against the source's formulas, written anew and in whole numbers: fatigue, bias over the whole project,
the limit, and what an override lifts.
"""

import pytest
from soaking import chance_of, numbers, seeds

from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.store import open_store

FAMILIES, ATTEMPTS = 5, 9
KINDS = ("override_fatigue", "override_max_reruns", "override_bias_echo")
TAGS = ("confirmation", "anchoring", "recency", "optimism")


class Source:
    """What the source says, in hundredths."""

    def __init__(self):
        self.sightings = {}  # tag -> loops
        self.fatigue = {}
        self.scores = {}

    def complete(self, root, loop_id, alignment, drift, tags, number):
        """The decision and the fatigue after this attempt."""
        if root in self.scores:
            before = self.scores[root]
            improved = alignment - before[0] >= 5 or before[1] - drift >= 5
            self.fatigue[root] = min(100, max(0, self.fatigue[root] + (-5 if improved else 15)))
        else:
            self.fatigue[root] = 0
        self.scores[root] = (alignment, drift)
        for tag in set(tags):
            self.sightings.setdefault(tag, set()).add(loop_id)
        return self.is_over(root, number, alignment, drift), self.fatigue[root] / 100

    def is_over(self, root, number, alignment, drift):
        echo = any(len(self.sightings.get(tag, ())) >= 3 for tag in self.tags_of(root))
        wanted = alignment < 75 or drift > 25
        return not wanted or echo or number >= 3 or self.fatigue[root] >= 50

    def tags_of(self, root):
        return [
            tag
            for tag, loops in self.sightings.items()
            if any(loop == root or loop.startswith(f"{root}_r") for loop in loops)
        ]


@pytest.mark.parametrize("seed", seeds(20, 2_000))
def test_a_project_of_random_families(seed, make):
    chance, source, store = chance_of("families", seed), Source(), open_store("memory:")
    orchestrator = make(store)
    for family in range(FAMILIES):
        root = loop_id = f"loop{family}"
        for number, alignment, drift in zip(
            range(ATTEMPTS), numbers(chance, ATTEMPTS), numbers(chance, ATTEMPTS), strict=True
        ):
            tags = chance.sample(TAGS, chance.choice((0, 0, 0, 1, 2)))
            orchestrator.submit(
                loop_id, Reflection(alignment_score=alignment, drift_score=drift, bias_tags=tuple(tags))
            )
            answer = orchestrator.complete(loop_id)
            over, fatigue = source.complete(root, loop_id, round(100 * alignment), round(100 * drift), tags, number)
            told = (seed, family, number, answer)
            assert answer["reflection_result"]["reflection_fatigue"] == fatigue, told
            assert (answer["decision_result"]["decision"] == "finalize") == over, told
            loop_id = answer["decision_result"]["new_loop_id"]
            assert (loop_id is None) == over
            if over:
                break
        else:
            pytest.fail(f"family {family} of seed {seed} never ended")


@pytest.mark.parametrize("seed", seeds(5, 300))
def test_every_family_ends_whatever_is_overridden(seed, make):
    chance, orchestrator = chance_of("overrides", seed), make()
    loop_id, count = "loop", 0
    while loop_id is not None:
        orchestrator.submit(loop_id, Reflection(alignment_score=0.5, drift_score=0.5, bias_tags=("same",)))
        if chance.random() < 0.98:
            orchestrator.override(loop_id, dict.fromkeys(KINDS, True), actor="ada", reason=f"to see {count}")
        loop_id = orchestrator.complete(loop_id)["decision_result"]["new_loop_id"]
        count += 1
        assert count <= 101
