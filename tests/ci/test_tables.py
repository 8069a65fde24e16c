"""A test of a table judges all rows, and fails with those that do not hold."""

import inspect

import pytest
from tables import each_row


def test_all_rows_are_judged_and_those_that_fail_are_shown():
    seen = []

    @each_row("number", [1, 2, 3, 4])
    def test(number):
        seen.append(number)
        assert number % 2
        if number == 3:
            pytest.fail("three")

    with pytest.raises(BaseExceptionGroup, match="3 rows do not hold") as caught:
        test()
    assert seen == [1, 2, 3, 4]
    assert [error.__notes__ for error in caught.value.exceptions] == [
        [f"in the row {{'number': {number}}}"] for number in (2, 3, 4)
    ]


def test_tables_multiply_and_the_rest_is_left_to_pytest():
    seen = []

    @each_row(("a", "b"), [(1, 2), pytest.param(3, 4, id="with a name")])
    @each_row("c", "xy")
    def test(fixture, a, b, c):
        seen.append((fixture, a, b, c))

    assert list(inspect.signature(test).parameters) == ["fixture"]
    test(fixture=0)
    assert sorted(seen) == [(0, 1, 2, "x"), (0, 1, 2, "y"), (0, 3, 4, "x"), (0, 3, 4, "y")]


def test_a_row_with_a_mark_a_table_without_rows_and_an_unknown_name_are_refused():
    for names, rows in (("a", [pytest.param(1, marks=pytest.mark.exhaustive)]), ("a", []), ("b", [1])):
        with pytest.raises(AssertionError):
            each_row(names, rows)(lambda a: None)
