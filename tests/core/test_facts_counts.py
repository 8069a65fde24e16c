"""Whether a run was of a part of the tests."""

import pytest

from sentinel_core.evaluate.facts.counts import is_selected


@pytest.mark.parametrize(
    "command", ["pytest -k cart", "pytest tests/test_a.py", "go test -run Cart ./...", "pytest a.py::b"]
)
def test_a_path_or_a_name_selects(command):
    assert is_selected(command, "3 passed")


@pytest.mark.parametrize("command", ["pytest", "pytest -m unit", "npm test", "go test ./..."])
def test_all_of_a_suite_is_whole(command):
    assert not is_selected(command, "30 passed")


def test_what_was_deselected_tells_it():
    assert is_selected("pytest -m unit", "30 passed, 2 deselected")
