"""Whether a run was of a part of the tests."""

import pytest

from sentinel_core.evaluate.facts.counts import can_be_sum, failures_in, is_of_one_package, is_selected, others_in


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


@pytest.mark.parametrize(
    "command",
    [
        "cargo test -p core",
        "mvn -q -pl core test",
        "go test ./pkg/a",
        "dotnet test tests/A",
        "./gradlew :app:test",
        "pnpm --filter ui test",
    ],
)
def test_a_package_of_several_is_a_part(command):
    assert is_of_one_package(command)


@pytest.mark.parametrize(
    "command",
    [
        "cargo test --workspace",
        "mvn test",
        "go test ./...",
        "dotnet test A.sln",
        "dotnet test",
        "gradle test",
        "pnpm -r test",
    ],
)
def test_all_packages_are_no_part(command):
    assert not is_of_one_package(command)


def test_what_did_not_pass_is_counted_apart():
    assert others_in("42 passed, 6 skipped, 1 xfailed in 2s") == (6, 1)
    assert (failures_in("3 failed, 9 passed"), failures_in("96% tests passed, 2 tests failed out of 47")) == (3, 2)
    assert failures_in("9 passed, 0 failed") == 0


def test_some_of_the_parts_make_up_a_sum_and_many_may_make_up_any():
    assert can_be_sum(5, [2, 3, 7])
    assert not can_be_sum(6, [2, 3, 7])
    assert not can_be_sum(6, [100] * 10)
    assert can_be_sum(6, [100] * 11)
