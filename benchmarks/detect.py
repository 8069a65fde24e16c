"""How well the signals tell failed runs from successful ones, on labelled traces of other people's agents.

    python benchmarks/detect.py [--data DIR] [--resamples N]

Each ``*.jsonl.gz`` under the data folder is a set: one trace a line, in Sentinel's own format, with the label
``metadata.labels.success`` and the task ``metadata.group``. For each set that has both labels, the area under the ROC curve
(AUROC: how often a failed run scores above a successful one, ties counting half) is printed for the overall score, each
signal, and the bare number of messages, with a 95% interval from a bootstrap over tasks. The second table compares runs of
the same task only. Ends with 1 where a signal is inverted (its interval lies below 0.5) on any set, where the macro of the
overall score does not beat the bar, or where a signal that must be above 0.5 on two sets is not.
"""

import argparse
import gzip
import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

from sentinel_core import ExecutionTrace, evaluate_trace
from sentinel_core.traces.codec import decode_trace

BAR = 0.598
BAR_SOURCE = "RS-1 taken literally, on these sets"
MUST_DETECT = ("hallucination", "loop", "tool_misuse")
LEAST_SETS = 2
CHANCE = 0.5
DEFAULT_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "traces"
LENGTH, OVERALL = "messages", "overall"


@attrs.frozen(kw_only=True)
class Run:
    """One trace's task, label (True: it failed) and scores by name; an unmeasured signal scores 0, as in the overall."""

    task: str
    failed: bool
    scores: dict[str, float]


@attrs.frozen(kw_only=True)
class Area:
    """An AUROC with the areas of its resamples."""

    value: float
    resampled: list[float]

    @property
    def bounds(self) -> tuple[float, float]:
        """The 95% interval: the 2.5th and 97.5th percentile of the resamples."""
        ordered = sorted(self.resampled)
        cut = round(0.025 * (len(ordered) - 1))
        return ordered[cut], ordered[-1 - cut]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables and what they mean; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SENTINEL_TRACES") or DEFAULT_DATA))
    parser.add_argument("--resamples", type=int, default=400)
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        print(f"skipped: there is no folder {options.data} (--data or SENTINEL_TRACES names another)")
        return 0
    sets = dict(read_sets(options.data))
    if not sets:
        print(f"skipped: no set with both labels under {options.data}")
        return 0
    areas = {name: measure(runs, options.resamples) for name, runs in sets.items()}
    areas["macro"] = macro(list(areas.values()))
    print_areas(areas)
    print_within(sets)
    return verdict(areas)


def read_sets(folder: Path) -> Iterator[tuple[str, list[Run]]]:
    """The sets in which some runs failed and some did not, by name."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path) as lines:
            runs = [judge(decode_trace(line)) for line in lines]
        if len({run.failed for run in runs}) == 2:  # noqa: PLR2004 - both labels
            yield path.name.removesuffix(".jsonl.gz"), runs


def judge(trace: ExecutionTrace) -> Run:
    """Evaluate one trace with the installed signals. Raises ``RuntimeError`` where a signal failed."""
    report = evaluate_trace(trace)
    if report.failures or report.overall_score is None:
        raise RuntimeError(f"{trace.trace_id!r} could not be evaluated: {report.failures or report.reasoning}")
    scores = {LENGTH: float(len(trace.messages)), OVERALL: report.overall_score}
    scores |= {signal.signal_name: signal.score or 0.0 for signal in report.signal_scores}
    return Run(task=trace.metadata["group"], failed=not trace.metadata["labels"]["success"], scores=scores)


def measure(runs: list[Run], resamples: int) -> dict[str, Area]:
    """Each score's AUROC. A resample draws tasks, not runs: runs of one task are no independent evidence."""
    tasks = sorted({run.task for run in runs})
    number = {task: position for position, task in enumerate(tasks)}
    own = [number[run.task] for run in runs]
    failed = [run.failed for run in runs]
    levels = {name: ranked([run.scores[name] for run in runs]) for name in runs[0].scores}
    once = {name: area(of, failed, [1] * len(runs)) for name, of in levels.items()}
    drawn: dict[str, list[float]] = {name: [] for name in levels}
    generator = random.Random(20)
    while len(drawn[OVERALL]) < resamples:
        times = [0] * len(tasks)
        for task in generator.choices(range(len(tasks)), k=len(tasks)):
            times[task] += 1
        weights = [times[task] for task in own]
        if {label for label, weight in zip(failed, weights, strict=True) if weight} == {True, False}:
            for name, of in levels.items():
                drawn[name].append(area(of, failed, weights))
    return {name: Area(value=once[name], resampled=drawn[name]) for name in levels}


def ranked(values: Sequence[float]) -> list[int]:
    """Each value's place among the distinct values, from 0."""
    place = {value: position for position, value in enumerate(sorted(set(values)))}
    return [place[value] for value in values]


def area(levels: Sequence[int], failed: Sequence[bool], weights: Sequence[int]) -> float:
    """AUROC of weighted runs: the share of pairs (failed, successful) in which the failed one is on the higher level."""
    bad, good = [0] * (max(levels) + 1), [0] * (max(levels) + 1)
    for level, label, weight in zip(levels, failed, weights, strict=True):
        (bad if label else good)[level] += weight
    below, won = 0, 0.0
    for bad_here, good_here in zip(bad, good, strict=True):
        won += bad_here * (below + good_here / 2)
        below += good_here
    return won / (sum(bad) * below)


def macro(sets: Sequence[dict[str, Area]]) -> dict[str, Area]:
    """The mean over sets, resample by resample."""

    def mean(values: Iterable[float]) -> float:
        return sum(values) / len(sets)

    return {
        name: Area(
            value=mean(areas[name].value for areas in sets),
            resampled=[mean(several) for several in zip(*(areas[name].resampled for areas in sets), strict=True)],
        )
        for name in sets[0]
    }


def within(runs: Sequence[Run], name: str) -> tuple[float, int] | None:
    """AUROC over pairs of runs of the same task, and the number of pairs; None where there is no pair."""
    tasks: defaultdict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for run in runs:
        tasks[run.task][run.failed].append(run.scores[name])
    pairs = [(bad, good) for goods, bads in tasks.values() for bad in bads for good in goods]
    if not pairs:
        return None
    return sum((bad > good) + (bad == good) / 2 for bad, good in pairs) / len(pairs), len(pairs)


def print_areas(areas: dict[str, dict[str, Area]]) -> None:
    """The table of AUROCs with their intervals."""
    names = list(areas["macro"])
    print(f"AUROC, failed against successful runs [95% interval]\n\n{'':22}" + "".join(f"{name:>22}" for name in names))
    for row, by_name in areas.items():
        cells = (
            f"{by_name[name].value:.3f} [{by_name[name].bounds[0]:.2f}, {by_name[name].bounds[1]:.2f}]"
            for name in names
        )
        print(f"{row:22}" + "".join(f"{cell:>22}" for cell in cells))


def print_within(sets: dict[str, list[Run]]) -> None:
    """The table of AUROCs within tasks, for the sets that have tasks with both outcomes."""
    names = list(next(iter(sets.values()))[0].scores)
    print(f"\nThe same, among runs of the same task only (pairs)\n\n{'':22}" + "".join(f"{name:>22}" for name in names))
    for row, runs in sets.items():
        found = [within(runs, name) for name in names]
        if found[0] is not None:
            print(f"{row:22}" + "".join(f"{f'{pair[0]:.3f} ({pair[1]})':>22}" for pair in found if pair))


def verdict(areas: dict[str, dict[str, Area]]) -> int:
    """Say what the figures mean; 1 where a demand is not met."""
    overall = areas["macro"][OVERALL]
    problems = [
        f"{name} is inverted on {row}: {by_name[name].value:.3f}"
        for row, by_name in areas.items()
        for name in by_name
        if name != LENGTH and by_name[name].bounds[1] < CHANCE
    ]
    if overall.value <= BAR:
        problems.append(f"the macro of the overall score is {overall.value:.3f}; the bar is {BAR} ({BAR_SOURCE})")
    print(f"\nmacro of the overall score {overall.value:.3f}, of the message count {areas['macro'][LENGTH].value:.3f}")
    print(f"bar {BAR} ({BAR_SOURCE})")
    for name in MUST_DETECT:
        above = [row for row, by_name in areas.items() if row != "macro" and by_name[name].value > CHANCE]
        sure = [row for row in above if areas[row][name].bounds[0] > CHANCE]
        print(f"{name} is above {CHANCE} on {len(above)} sets, on {len(sure)} with its whole interval")
        if len(above) < LEAST_SETS:
            problems.append(f"{name} is above {CHANCE} on {len(above)} sets; it must be on {LEAST_SETS}")
    print("\n".join(f"not met: {problem}" for problem in problems) or "all demands are met")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
