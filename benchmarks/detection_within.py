"""How well a score tells failed runs of a task from good runs of the same task, and by half of the tasks. Used by ``detect.py``."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from split import HALVES, split_by_task

__all__ = ["bounds_within", "print_halves", "within"]

_RESAMPLES = 400


class _Run(Protocol):
    @property
    def task(self) -> str: ...
    @property
    def failed(self) -> bool: ...
    @property
    def scores(self) -> dict[str, float]: ...


def _pairs(runs: Iterable[_Run], name: str) -> list[tuple[float, int]]:
    """For each task with both outcomes, the pairs in which the failed run is above the good one, ties counting half, and all pairs."""
    tasks: defaultdict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for run in runs:
        tasks[run.task][run.failed].append(run.scores[name])
    return [
        (sum((bad > good) + (bad == good) / 2 for bad in bads for good in goods), len(goods) * len(bads))
        for goods, bads in tasks.values()
        if goods and bads
    ]


def within(runs: Iterable[_Run], name: str) -> tuple[float, int] | None:
    """AUROC over pairs of runs of the same task, and the number of pairs; None where there is no pair."""
    pairs = _pairs(runs, name)
    return _share(pairs) if pairs else None


def _share(pairs: Sequence[tuple[float, int]]) -> tuple[float, int]:
    count = sum(many for _, many in pairs)
    return sum(won for won, _ in pairs) / count, count


def bounds_within(sets: Iterable[Sequence[_Run]], name: str) -> tuple[float, float, float]:
    """The mean over the sets that have pairs, and its 95% interval from a bootstrap over tasks."""
    by_set = [pairs for runs in sets if (pairs := _pairs(runs, name))]
    if not by_set:
        return 0.0, 0.0, 0.0
    draw = random.Random(20).choices
    drawn = sorted(_mean([draw(pairs, k=len(pairs)) for pairs in by_set]) for _ in range(_RESAMPLES))
    cut = round(0.025 * (_RESAMPLES - 1))
    return _mean(by_set), drawn[cut], drawn[-1 - cut]


def _mean(by_set: Sequence[Sequence[tuple[float, int]]]) -> float:
    return sum(_share(pairs)[0] for pairs in by_set) / len(by_set)


def print_halves(sets: Mapping[str, Sequence[_Run]], names: Sequence[str]) -> None:
    """The AUROC of each score overall and within tasks, on each half of the tasks, and the means over the sets."""
    columns = [(name, half) for name in names for half in HALVES]
    heads = "".join(f"{f'{name}, {half}':>20}" for name, half in columns)
    print(f"\nBy half of the tasks: overall, within tasks\n\n{'':22}{heads}")
    rows = {row: [_on_half(runs, name, half) for name, half in columns] for row, runs in sets.items()}
    rows["macro"] = [
        tuple(_known_mean(pair[part] for pair in column) for part in range(2))
        for column in zip(*rows.values(), strict=True)
    ]
    for row, pairs in rows.items():
        cells = (" ".join("    -" if value is None else f"{value:.3f}" for value in pair) for pair in pairs)
        print(f"{row:22}" + "".join(f"{cell:>20}" for cell in cells))


def _on_half(runs: Iterable[_Run], name: str, half: str) -> tuple[float | None, ...]:
    own = [run for run in runs if split_by_task(run.task) == half]
    good, bad = ([run.scores[name] for run in own if run.failed is failed] for failed in (False, True))
    won = sum((below < score) + (below == score) / 2 for score in bad for below in good)
    pair = within(own, name)
    return won / (len(good) * len(bad)) if good and bad else None, None if pair is None else pair[0]


def _known_mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
