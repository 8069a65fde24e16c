"""The first look may find too much, but must miss nothing that the second would judge."""

import pytest

from sentinel_signal_hallucination.families import BY_VERB
from sentinel_signal_hallucination.places import SOURCES_BY_FAMILY, deeds_in, leanings_in

_OPENINGS = (
    "I",
    "I've",
    "I’ve",
    "I have just",
    "We",
    "We have already",
    "and we",
    "and we've now",
    "Successfully",
    "It has been",
    "It has been quickly",
    "It is now",
    "It was",
    "They were both",
)


@pytest.mark.parametrize("verb", sorted(BY_VERB))
def test_every_verb_is_seen_after_every_opening(verb: str) -> None:
    missed = [opening for opening in _OPENINGS if BY_VERB[verb] not in dict(deeds_in(f"{opening} {verb} it.")).values()]
    assert missed == []


@pytest.mark.parametrize("first", ["checked", "found", "made"])
def test_a_chained_verb_is_seen_after_any_past_form(first: str) -> None:
    assert BY_VERB["filed"] in dict(deeds_in(f"I {first} the log and filed a report.")).values()


@pytest.mark.parametrize("text", ["", "I need it.", "I will book it.", "It was fine.", "It was found and filed."])
def test_what_is_no_deed_is_not_seen(text: str) -> None:
    assert deeds_in(text) == []


def test_leaning_names_the_family_of_the_tools() -> None:
    text = "According to the search results it rains. All tests passed."
    places = [place for family, rows in SOURCES_BY_FAMILY for place in leanings_in(text, family, rows, len(text))]
    assert [families[0].name for _, families in places] == ["run", "search"]


def test_leaning_is_sought_before_the_stop_only() -> None:
    text = "All tests passed. All tests passed."
    ((family, rows),) = [pair for pair in SOURCES_BY_FAMILY if pair[0].name == "run"]
    assert [place for place, _ in leanings_in(text, family, rows, 17)] == [text.index("ests")]
