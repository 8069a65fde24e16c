"""What a change touches, by its words."""

import pytest
from tables import each_row

from sentinel_core.evaluate.facts.areas import CRITICAL_AREAS, RISKY_CHANGES, kinds_in


@each_row(
    ("table", "kind", "phrase"),
    [
        (table, kind, phrase)
        for table in (CRITICAL_AREAS, RISKY_CHANGES)
        for kind, phrases in table.items()
        for phrase in phrases
    ],
)
def test_every_phrase_is_found_whole_and_in_any_spelling(table, kind, phrase):
    for text in (phrase, phrase.upper(), f"The {phrase}.", phrase.replace(" ", "-"), phrase.replace(" ", "_")):
        assert kind in kinds_in(text, table)
    assert kind not in kinds_in(f"x{phrase}", {kind: (phrase,)})
    assert kind not in kinds_in(f"{phrase}x", {kind: (phrase,)})


@each_row("phrases", [p for table in (CRITICAL_AREAS, RISKY_CHANGES) for p in table.values()])
def test_tables_are_sorted_and_plain(phrases):
    assert list(phrases) == sorted(set(phrases))
    assert all(phrase == " ".join(phrase.casefold().split()) and phrase.isascii() for phrase in phrases)


@pytest.mark.parametrize("change", ["New author page", "Datastore icon", "A tokenizer", "Paymentless"])
def test_words_that_only_look_alike(change):
    assert kinds_in(change, CRITICAL_AREAS) == ()


@pytest.mark.parametrize(
    ("change", "touches"),
    [
        ("limits on the newest session", False),
        ("Session notes are kept", False),
        ("Session tokens expire", True),
        ("Ends every user session", True),
        ("Fixed session fixation", True),
    ],
)
def test_a_session_is_about_authentication_only_where_it_is_a_user_s(change, touches):
    assert ("authentication" in kinds_in(change, CRITICAL_AREAS)) is touches
