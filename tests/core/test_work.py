"""Counted work: the same each time, and a square shows."""

import sys

import pytest

from sentinel_core.testing import work_of


def linear(length):
    return lambda: [abs(number) for number in range(length)]


def squared(length):
    return lambda: [abs(one - other) for one in range(length) for other in range(length)]


def test_the_count_is_the_same_each_time():
    assert work_of(linear(100)) == work_of(linear(100)) >= 100


@pytest.mark.parametrize(("work", "growth"), [(linear, 8), (squared, 64)])
def test_it_grows_as_the_work_does(work, growth):
    assert work_of(work(160)) / work_of(work(20)) == pytest.approx(growth, rel=0.25)


def test_what_raises_is_passed_on_and_no_longer_counted():
    with pytest.raises(ZeroDivisionError):
        work_of(lambda: 1 / 0)
    assert sys.getprofile() is None
