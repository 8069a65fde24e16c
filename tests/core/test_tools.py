"""What a tool can do, from its name and its description."""

import pytest

from sentinel_core.evaluate.tools import facts_of


@pytest.mark.parametrize("name", ["___", "123"])
def test_a_name_without_a_word_says_nothing(name):
    facts = facts_of(name)
    assert (facts.effect, facts.verbs, facts.objects) == ("unknown", frozenset(), frozenset())


@pytest.mark.parametrize(
    "description", ["Book a cab.", "Books a cab.", "Use this tool to book a cab.", "This tool will book a cab."]
)
def test_a_description_says_what_a_vague_name_does_not(description):
    facts = facts_of("helper", description)
    assert (facts.effect, facts.verbs) == ("writes", {"book"})
    assert "cab" in facts.objects


def test_the_verb_stands_where_a_verb_stands():
    assert facts_of("cancel_reservation").verbs == {"cancel"}
    assert facts_of("get_booking").effect == "reads"
