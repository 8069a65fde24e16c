"""The first look may find too much, but must miss nothing that the second would judge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_signal_hallucination.claims import claims_in
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
    "I've **just**",
    "It has been **quickly**",
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


@pytest.mark.parametrize(
    "after",
    ["on 2024-05-11.", "by the airline.", "yesterday.", "within the last 24 hours.", "two years ago.", "this morning."],
)
def test_what_was_done_in_the_passive_at_a_time_or_by_another_is_no_claim(after: str) -> None:
    text = f"Your reservation was created {after}"
    assert deeds_in(text) == []
    assert list(claims_in(text, range(len(text)))) == []


@pytest.mark.parametrize("after", [". By the way, it rains.", " for you.", " by me.", "\nBefore that, it rained."])
def test_a_time_or_another_in_the_next_sentence_takes_nothing_from_a_claim(after: str) -> None:
    text = f"Your reservation was cancelled{after}"
    assert [claim.verb for claim in claims_in(text, [place for place, _ in deeds_in(text)])] == ["cancelled"]


_PIECES = (
    *("I", "I've", "We have", " we", "Your order", "the ticket", "was", "were", "has been", "is now", "Successfully"),
    *(
        "quickly",
        "also",
        "not",
        "if",
        "cancelled",
        "**cancelled**",
        "**quickly",
        "booked",
        "sent",
        "filed a report",
        "made",
        "your order",
        "the email",
    ),
    *("on 5 May", "by", "by me", "last week", "and", ", and", "`code`", '"said"', ".", "?", "!", "\n", ":", ";"),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=20).map(" ".join))
def test_the_first_look_misses_no_claim(text: str) -> None:
    def told(openings: list[int]) -> list[tuple[str, str, str, str]]:
        return [(claim.verb, claim.noun, claim.voice, claim.sentence) for claim in claims_in(text, openings)]

    assert told(sorted({place for place, _ in deeds_in(text)})) == told(list(range(len(text))))
