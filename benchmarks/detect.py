"""How well the signals tell failed runs from successful ones, on labelled traces of other people's agents.

    python benchmarks/detect.py [--data DIR] [--resamples N] [--write]

Each ``*.jsonl.gz`` under the data folder is a set: one trace a line, in Sentinel's own format, with the label
``metadata.labels.success`` and the task ``metadata.group``. A conversation that a set holds several times counts once. For each
set that has both labels, the area under the ROC curve (AUROC: how often a failed run scores above a successful one, ties
counting half) is printed for the triage score, the overall score, each signal, and the bare number of messages, with a 95%
interval from a bootstrap over tasks. The second table compares runs of the same task only, the third says on how many failed
and good runs each verdict is given, the fourth has the triage score by half of the tasks (``split.py``), the fifth the steps that are
right on annotated runs. A trace without a label or without messages is left out. Ends with 1 where a demand of ``TARGETS`` is not met, where a signal is inverted (its
interval lies below 0.5) on any set, or where a signal that must be above 0.5 on two sets is not. ``effort`` is a prior that is
inverted where runs fail by stopping early; it is not held to that.
"""

import argparse
import gzip
import hashlib
import json
import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs
from detection_card import FIGURES, PAGE, render
from detection_claims import claims, print_claims
from detection_steps import count_steps, print_steps
from detection_within import bounds_within, print_halves, within

from sentinel_core import ExecutionTrace, Signal, TraceIndex, evaluate_trace
from sentinel_core.evaluate.agreement import came_to, disagreements, score_beside_others
from sentinel_core.host.plugins import installed, load
from sentinel_core.trace import canonical
from sentinel_core.traces.codec import decode_trace

TARGETS = {
    "macro of triage": 0.75,
    "macro of triage within tasks": 0.67,
    "sets on which triage is above the message count": 7,
    "macro beside other runs of the task": 0.78,
    "macro beside other runs of the task, within tasks": 0.72,
    "precision of FAIL": 0.98,
    "mean recall of FAIL": 0.15,
    "sets on which the recall of FAIL is 0.2 or more": 4,
}
LEAST_RECALL = 0.2
MUST_DETECT = ("hallucination", "loop", "tool_misuse")
LEAST_SETS = 2
CHANCE = 0.5
DEFAULT_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "traces"
LENGTH, OVERALL, TRIAGE, BESIDE = "messages", "overall", "triage", "agreement"
PRIORS = (LENGTH, "effort")


@attrs.frozen(kw_only=True)
class Run:
    """One trace's task, what it came to, label (True: it failed), verdict, and scores by name; an unmeasured signal scores 0, as in the overall."""

    task: str
    outcome: str | None
    failed: bool
    verdict: str | None
    scores: dict[str, float]
    rules: frozenset[str]


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
    parser.add_argument("--write", action="store_true", help="keep the figures, and write docs/detection.md from them")
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
    print_verdicts(sets)
    print_halves(sets, (LENGTH, TRIAGE))
    print_steps(count_steps(options.data))
    told = claims(options.data)
    print_claims(told)
    if options.write:
        FIGURES.write_text(json.dumps({**card(areas, sets), "claims": told}, indent=1) + "\n")
        PAGE.write_text(render(json.loads(FIGURES.read_text())))
    return verdict(areas, sets)


def read_sets(folder: Path) -> Iterator[tuple[str, list[Run]]]:
    """The sets in which some runs failed and some did not, by name."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path) as lines:
            runs = compared([judge(trace) for trace in once(map(decode_trace, lines)) if is_labelled(trace)])
        if len({run.failed for run in runs}) == 2:  # noqa: PLR2004 - both labels
            yield path.name.removesuffix(".jsonl.gz"), runs


def once(traces: Iterable[ExecutionTrace]) -> Iterator[ExecutionTrace]:
    """The traces without copies: some sets log a finished run again in every later trial, which would tell the label."""
    seen = set[bytes]()
    for trace in traces:
        said = [
            (
                one.role,
                one.content,
                [(call.name, call.arguments) for call in one.tool_calls],
                [r.content for r in one.tool_results],
            )
            for one in trace.messages
        ]
        key = hashlib.sha256(canonical(said)).digest()
        if key not in seen:
            seen.add(key)
            yield trace


def is_labelled(trace: ExecutionTrace) -> bool:
    """False for a run that has no label, and for one that never began."""
    return bool(trace.messages) and "success" in (trace.metadata.get("labels") or {})


def judge(trace: ExecutionTrace) -> Run:
    """Evaluate one trace with the installed signals. Raises ``RuntimeError`` where a signal failed."""
    report = evaluate_trace(trace)
    if report.failures or report.overall_score is None:
        raise RuntimeError(f"{trace.trace_id!r} could not be evaluated: {report.failures or report.reasoning}")
    scores = {LENGTH: float(len(trace.messages)), TRIAGE: report.triage_score or 0.0, OVERALL: report.overall_score}
    scores |= {signal.signal_name: signal.score or 0.0 for signal in report.signal_scores}
    failed = not trace.metadata["labels"]["success"]
    rules = frozenset(finding.rule for finding in report.findings)
    outcome = came_to(TraceIndex(trace), report)
    return Run(
        task=trace.metadata["group"],
        outcome=outcome,
        failed=failed,
        verdict=report.verdict,
        scores=scores,
        rules=rules,
    )


def compared(runs: list[Run]) -> list[Run]:
    """With a score more: the triage score beside the other runs of the task, or as it is where there are none."""
    tasks: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs:
        tasks[run.task].append(run)
    for several in tasks.values():
        shares = disagreements([run.outcome for run in several]) if len(several) > 1 else [0.0]
        for run, share in zip(several, shares, strict=True):
            run.scores[BESIDE] = score_beside_others(run.scores[TRIAGE], share)
    return runs


def measure(runs: list[Run], resamples: int) -> dict[str, Area]:
    """Each score's AUROC. A resample draws tasks, not runs: runs of one task are no independent evidence."""
    tasks = sorted({run.task for run in runs})
    number = {task: position for position, task in enumerate(tasks)}
    own = [number[run.task] for run in runs]
    failed = [run.failed for run in runs]
    levels = {name: ranked([run.scores[name] for run in runs]) for name in runs[0].scores}
    whole = {name: area(of, failed, [1] * len(runs)) for name, of in levels.items()}
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
    return {name: Area(value=whole[name], resampled=drawn[name]) for name in levels}


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


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean; 0 where there is nothing."""
    return sum(values) / len(values) if values else 0.0


def macro(sets: Sequence[dict[str, Area]]) -> dict[str, Area]:
    """The mean over sets, resample by resample."""
    return {
        name: Area(
            value=mean([areas[name].value for areas in sets]),
            resampled=[mean(several) for several in zip(*(areas[name].resampled for areas in sets), strict=True)],
        )
        for name in sets[0]
    }


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


def caught(runs: Sequence[Run], *verdicts: str) -> tuple[int, int]:
    """On how many failed and on how many good runs one of these verdicts is given."""
    given = [run.failed for run in runs if run.verdict in verdicts]
    return sum(given), len(given) - sum(given)


def print_verdicts(sets: dict[str, list[Run]]) -> None:
    """The table of verdicts: counts, and the share of all failed and of all good runs."""
    print(
        f"\nFAIL, and WARN or FAIL, on failed and on good runs\n\n{'':22}{'failed':>8}{'good':>8}{'FAIL':>24}{'WARN or FAIL':>24}"
    )
    for row, runs in sets.items():
        failed = sum(run.failed for run in runs)
        good = len(runs) - failed
        cells = []
        for verdicts in (("FAIL",), ("FAIL", "WARN")):
            bad_hits, good_hits = caught(runs, *verdicts)
            cells.append(f"{bad_hits} ({bad_hits / failed:.2f}), {good_hits} ({good_hits / good:.2f})")
        print(f"{row:22}{failed:>8}{good:>8}" + "".join(f"{cell:>24}" for cell in cells))


def figures(areas: dict[str, dict[str, Area]], sets: dict[str, list[Run]]) -> dict[str, float]:
    """What ``TARGETS`` asks for."""
    inside = {
        name: [pair[0] for runs in sets.values() if (pair := within(runs, name)) is not None]
        for name in (TRIAGE, BESIDE)
    }
    hits = [caught(runs, "FAIL") for runs in sets.values()]
    recalls = [hit[0] / sum(run.failed for run in runs) for hit, runs in zip(hits, sets.values(), strict=True)]
    above = [by_name[TRIAGE].value > by_name[LENGTH].value for row, by_name in areas.items() if row != "macro"]
    all_hits = sum(map(sum, hits))
    return {
        "macro of triage": areas["macro"][TRIAGE].value,
        "macro of triage within tasks": mean(inside[TRIAGE]),
        "sets on which triage is above the message count": sum(above),
        "macro beside other runs of the task": areas["macro"][BESIDE].value,
        "macro beside other runs of the task, within tasks": mean(inside[BESIDE]),
        "precision of FAIL": sum(bad for bad, _ in hits) / all_hits if all_hits else 0.0,
        "mean recall of FAIL": mean(recalls),
        "sets on which the recall of FAIL is 0.2 or more": sum(recall >= LEAST_RECALL for recall in recalls),
    }


def card(areas: dict[str, dict[str, Area]], sets: dict[str, list[Run]]) -> dict[str, object]:
    """What ``sentinel rules`` and ``docs/detection.md`` are made of."""
    found = figures(areas, sets)
    by_length = [pair[0] for runs in sets.values() if (pair := within(runs, LENGTH)) is not None]
    everyone = [run for runs in sets.values() for run in runs]
    failed = sum(run.failed for run in everyone)
    rules = sorted(f"{signal.name}.{rule.id}" for signal in signals() for rule in signal.rules)
    return {
        "summary": {
            "precision": round(found["precision of FAIL"], 3),
            "recall": round(found["mean recall of FAIL"], 3),
            "triage": round(areas["macro"][TRIAGE].value, 3),
            "messages": round(areas["macro"][LENGTH].value, 3),
            "triage_within": round(found["macro of triage within tasks"], 3),
            "messages_within": round(mean(by_length), 3),
            "agreement": round(areas["macro"][BESIDE].value, 3),
            "agreement_within": round(found["macro beside other runs of the task, within tasks"], 3),
            "above": int(found["sets on which triage is above the message count"]),
        },
        "sets": {name: card_row(areas[name], runs) for name, runs in sets.items()},
        "signals": {name: card_signal(name, area, list(sets.values())) for name, area in areas["macro"].items()},
        "rules": {"base": round(failed / len(everyone), 3), "fired": {rule: fired(everyone, rule) for rule in rules}},
    }


def card_signal(name: str, area: Area, sets: Sequence[list[Run]]) -> dict[str, object]:
    """One score's figures; ``fired`` counts the failed and good runs with a finding of the signal, None for what is no signal."""
    value, *bounds = bounds_within(sets, name)
    hit = [run.failed for runs in sets for run in runs if any(rule.startswith(f"{name}.") for rule in run.rules)]
    return {
        "fired": None if name in (LENGTH, OVERALL, TRIAGE, BESIDE) else (sum(hit), len(hit) - sum(hit)),
        "auroc": round(area.value, 3),
        "interval": [round(bound, 2) for bound in area.bounds],
        "within": round(value, 3),
        "within_interval": [round(bound, 2) for bound in bounds],
    }


def signals() -> list[Signal]:
    """The installed ones, whose rules are counted, those that never fired too."""
    return [plugin.offer for plugin in load(installed(("signals",)))[0]]


def card_row(by_name: dict[str, Area], runs: list[Run]) -> dict[str, object]:
    """One set's figures."""
    failed = sum(run.failed for run in runs)
    pair = within(runs, TRIAGE)
    return {
        "failed": failed,
        "good": len(runs) - failed,
        "messages": round(by_name[LENGTH].value, 3),
        "triage": round(by_name[TRIAGE].value, 3),
        "interval": [round(bound, 2) for bound in by_name[TRIAGE].bounds],
        "within": None if pair is None else round(pair[0], 3),
        "FAIL": caught(runs, "FAIL"),
        "WARN": caught(runs, "FAIL", "WARN"),
    }


def fired(runs: Sequence[Run], rule: str) -> tuple[int, int]:
    """On how many failed and good runs the rule has a finding."""
    bad = sum(run.failed for run in runs if rule in run.rules)
    return bad, sum(rule in run.rules for run in runs) - bad


def verdict(areas: dict[str, dict[str, Area]], sets: dict[str, list[Run]]) -> int:
    """Say what the figures mean; 1 where a demand is not met."""
    problems = [
        f"{name} is inverted on {row}: {by_name[name].value:.3f}"
        for row, by_name in areas.items()
        for name in by_name
        if name not in PRIORS and by_name[name].bounds[1] < CHANCE
    ]
    macro_of = areas["macro"]
    print(
        f"\nmacro of the overall score {macro_of[OVERALL].value:.3f}, of the message count {macro_of[LENGTH].value:.3f}"
    )
    for name, value in figures(areas, sets).items():
        print(f"{name}: {value:.3f} (wanted: {TARGETS[name]:g})")
        if value < TARGETS[name]:
            problems.append(f"{name} is {value:.3f}; wanted are {TARGETS[name]:g}")
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
