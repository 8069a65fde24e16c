import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_command_suite.statistics import (
    bootstrap_interval,
    cohen_kappa,
    holm,
    mean,
    pass_all,
    pass_at,
    sign_flip_test,
    stratified_test,
    wilson_interval,
)


def test_wilson_as_in_the_literature():
    low, high = wilson_interval(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(0, 20)[0] == 0.0
    assert wilson_interval(20, 20)[1] == 1.0


@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_holds_the_share(passed, n):
    passed = min(passed, n)
    low, high = wilson_interval(passed, n)
    assert 0 <= low <= passed / n <= high <= 1


@pytest.mark.parametrize(("n", "passed", "k"), [(5, 3, 2), (4, 0, 3), (6, 6, 6), (7, 2, 1)])
def test_pass_at_k_counts_all_choices(n, passed, k):
    trials = [place < passed for place in range(n)]
    chosen = list(itertools.combinations(trials, k))
    assert pass_at(passed, n, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_all(passed, n, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@pytest.mark.parametrize(("passed", "n", "k"), [(3, 2, 1), (1, 2, 3), (-1, 2, 1), (1, 2, 0)])
def test_pass_at_k_refuses_nonsense(passed, n, k):
    with pytest.raises(ValueError, match="need 0 <= passed"):
        pass_at(passed, n, k)


def test_one_trial_a_side_is_mcnemar():
    strata = [(1, 1, 0, 1)] * 6 + [(0, 1, 1, 1)] * 1 + [(1, 1, 1, 1)] * 20
    exact = sum(math.comb(7, more) for more in (0, 1)) / 2**7
    assert stratified_test(strata) == pytest.approx(exact)


def test_one_stratum_is_fisher():
    exact = math.comb(5, 0) * math.comb(5, 5) / math.comb(10, 5)
    assert stratified_test([(5, 5, 0, 5)]) == pytest.approx(exact)
    assert stratified_test([]) == 1.0


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0]), max_size=9))
def test_sign_flips_are_all_counted(differences):
    flips = list(itertools.product((1, -1), repeat=len(differences)))
    sums = [math.fsum(sign * one for sign, one in zip(signs, differences, strict=True)) for signs in flips]
    expected = sum(one <= math.fsum(differences) + 1e-9 for one in sums) / len(sums)
    assert sign_flip_test(differences) == pytest.approx(expected)


def test_many_odd_differences_are_sampled_the_same_every_time():
    chance = random.Random(3)
    differences = [chance.random() - 0.5 for _ in range(40)]
    p = sign_flip_test(differences)
    assert p == sign_flip_test(differences)
    assert 0.01 < p < 0.99
    assert sign_flip_test([-abs(one) for one in differences]) < 0.001


def test_holm():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})
    assert holm({}) == {}
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}


def test_kappa():
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert cohen_kappa(pairs) == pytest.approx(0.4)
    assert cohen_kappa([]) is None
    assert cohen_kappa([(True, True)]) is None
    assert cohen_kappa([(True, False), (False, True)]) == -1.0


def test_bootstrap_holds_the_mean_and_repeats_itself():
    values = [0.0, 1.0, 1.0, 0.5, 0.75] * 4
    low, high = bootstrap_interval(values)
    assert low < mean(values) < high
    assert (low, high) == bootstrap_interval(values)
    assert bootstrap_interval([0.5, 0.5]) == (0.5, 0.5)
