"""Figures with their uncertainty, and tests for whether a difference is more than noise. Pure, and the same every time."""

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "bootstrap_interval",
    "cohen_kappa",
    "holm",
    "mean",
    "pass_all",
    "pass_at",
    "sign_flip_test",
    "stratified_test",
    "wilson_interval",
]

_Z95 = 1.959963984540054
_RESAMPLES = 2000
_FLIPS = 20_000
_MOST_SUMS = 10_000
_SCALE = 10**9
_SLACK = 1e-9

Interval = tuple[float, float]


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean, summed exactly. Raises ``ZeroDivisionError`` for no values."""
    return math.fsum(values) / len(values)


def wilson_interval(successes: int, n: int) -> Interval:
    """95% score interval of a proportion (Wilson 1927). (0, 1) without observations."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = successes / n, _Z95 * _Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == n else min(1.0, middle + half)
    return low, high


def bootstrap_interval(values: Sequence[float]) -> Interval:
    """95% percentile interval of the mean over scenarios; the resamples are the same every time."""
    if len(set(values)) == 1:
        return values[0], values[0]
    chance = random.Random(20260131)  # noqa: S311 - a resample, no secret
    means = sorted(math.fsum(chance.choices(values, k=len(values))) / len(values) for _ in range(_RESAMPLES))
    return means[round(0.025 * _RESAMPLES)], means[round(0.975 * _RESAMPLES) - 1]


def pass_at(passed: int, n: int, k: int) -> float:
    """pass@k: the chance that at least one of ``k`` trials passes, unbiased from ``passed`` of ``n`` (Chen et al. 2021)."""
    _check(passed, n, k)
    return 1.0 - math.comb(n - passed, k) / math.comb(n, k)


def pass_all(passed: int, n: int, k: int) -> float:
    """pass^k: the chance that all of ``k`` trials pass, unbiased from ``passed`` of ``n`` (Yao et al. 2024)."""
    _check(passed, n, k)
    return math.comb(passed, k) / math.comb(n, k)


def _check(passed: int, n: int, k: int) -> None:
    if not (0 <= passed <= n and 1 <= k <= n):
        raise ValueError(f"need 0 <= passed <= n and 1 <= k <= n, got passed={passed}, n={n}, k={k}")


def stratified_test(strata: Iterable[tuple[int, int, int, int]]) -> float:
    """Exact one-sided p that the second side passes this seldom by chance, given each scenario's own difficulty.

    A stratum is (passed, n) before and (passed, n) after. Within one, under no difference, the number that passed after
    is hypergeometric; the sum over strata is their convolution. With one trial a side this is McNemar's exact test, with
    one stratum Fisher's.
    """
    observed, distribution = 0, {0: 1.0}
    for passed_before, n_before, passed_after, n_after in strata:
        observed += passed_after
        distribution = _convolved(distribution, _hypergeometric(passed_before + passed_after, n_before, n_after))
    return min(1.0, math.fsum(chance for total, chance in distribution.items() if total <= observed))


def _hypergeometric(passed: int, n_before: int, n_after: int) -> dict[int, float]:
    ways = math.comb(n_before + n_after, passed)
    least, most = max(0, passed - n_before), min(passed, n_after)
    return {
        here: math.comb(n_after, here) * math.comb(n_before, passed - here) / ways for here in range(least, most + 1)
    }


def _convolved(first: Mapping[int, float], second: Mapping[int, float]) -> dict[int, float]:
    made: defaultdict[int, float] = defaultdict(float)
    for total, chance in first.items():
        for more, its in second.items():
            made[total + more] += chance * its
    return dict(made)


def sign_flip_test(differences: Iterable[float]) -> float:
    """One-sided p that the mean of paired differences is this low by chance: each may as well have had the other sign.

    Exact while the sum has at most 10,000 possible values, else from 20,000 random flips with a fixed seed.
    """
    scaled = [round(difference * _SCALE) for difference in differences if abs(difference) > _SLACK]
    observed = sum(scaled)
    slack = len(scaled)
    distribution = {0: 1.0}
    for value in map(abs, scaled):
        distribution = _convolved(distribution, {-value: 0.5, value: 0.5})
        if len(distribution) > _MOST_SUMS:
            return _sampled(scaled, observed + slack)
    return min(1.0, math.fsum(chance for total, chance in distribution.items() if total <= observed + slack))


def _sampled(values: Sequence[int], most: int) -> float:
    chance = random.Random(20260201)  # noqa: S311 - a resample, no secret
    total = sum(map(abs, values))
    hits = 0
    for _ in range(_FLIPS):
        flips = chance.getrandbits(len(values))
        positive = sum(abs(value) for place, value in enumerate(values) if flips >> place & 1)
        hits += 2 * positive - total <= most
    return (hits + 1) / (_FLIPS + 1)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """p-values adjusted for asking several questions at once (Holm 1979): each at most 1, in the same order."""
    adjusted: dict[str, float] = {}
    worst = 0.0
    for place, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: (item[1], item[0]))):
        worst = max(worst, min(1.0, (len(p_values) - place) * p))
        adjusted[name] = worst
    return {name: adjusted[name] for name in p_values}


def cohen_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Agreement of two raters beyond chance (Cohen 1960); None if undefined: no pairs, or all alike."""
    n = len(pairs)
    if not n:
        return None
    agreed = sum(first == second for first, second in pairs) / n
    yes_first, yes_second = sum(first for first, _ in pairs) / n, sum(second for _, second in pairs) / n
    expected = yes_first * yes_second + (1 - yes_first) * (1 - yes_second)
    return None if expected == 1 else (agreed - expected) / (1 - expected)
