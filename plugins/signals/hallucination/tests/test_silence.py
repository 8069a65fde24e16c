"""Texts of which no rule can find anything."""

import tomllib
from pathlib import Path

import pytest

import sentinel_signal_hallucination
from sentinel_signal_hallucination.english.silence import is_silent

BRANCHES = Path(sentinel_signal_hallucination.__file__).parent / "data" / "branches.toml"


def examples():
    rules = tomllib.loads(BRANCHES.read_text("utf-8")).values()
    return [text for branches in rules for _, *texts in branches.values() for text in texts]


@pytest.mark.parametrize("text", ["Which of the two files do you mean?", "Let me know.", "Hello! How can I help you?"])
def test_who_asks_says_nothing(text):
    assert is_silent(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "",
        "It is so.",
        "Committed!",
        "It’s live.",
        "Tests pass.",
        "See a/b.",
        "12",
        "`x`",
        "half past three",
        "é",
    ],
)
def test_what_may_tell_something_is_not_silent(text):
    assert not is_silent(text)


def test_no_example_of_a_finding_is_silent():
    assert examples()
    assert [text for text in examples() if is_silent(text)] == []
