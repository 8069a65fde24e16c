"""The page of what is caught: each outcome has examples, for the hook and for CI, and a wrong claim about one is refused."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

import catches

OUTCOMES = {catches.CAUGHT, catches.NOTED, catches.MISSED}


def test_every_outcome_has_examples():
    assert {one.ci for one in catches.EXAMPLES} == {one.hook for one in catches.EXAMPLES} == OUTCOMES
    assert len({one.title for one in catches.EXAMPLES}) == len(catches.EXAMPLES) >= 15


@pytest.mark.parametrize("example", catches.EXAMPLES, ids=lambda one: one.title)
def test_it_is_as_the_page_says(example, monkeypatch):
    monkeypatch.setenv("SENTINEL_NO_CONFIG", "1")
    assert (example.by_hook()[0], example.in_ci()[0]) == (example.hook, example.ci)


def test_an_outcome_that_is_not_so_is_refused(monkeypatch):
    monkeypatch.setenv("SENTINEL_NO_CONFIG", "1")
    wrong = catches.EXAMPLES[0]._replace(hook=catches.MISSED)
    monkeypatch.setattr(catches, "EXAMPLES", (wrong,))
    with pytest.raises(ValueError, match="Tests that failed: the hook says"):
        catches.page()
