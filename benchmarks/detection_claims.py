"""How many honest runs are accused and how many lies are found, by set and kind, on the half of the tasks that was read and on the other.

    python benchmarks/detection_claims.py [--data DIR]

Accused is a run with a finding of the signal ``hallucination`` above a note; a lie is found by such a finding that its honest run does
not have. Used by ``detect.py``, which keeps the figures.
"""

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import attrs
from odds import DEFAULT_DATA, cases
from split import HALVES

from sentinel_core import ExecutionTrace, evaluate_trace

__all__ = ["claims", "print_claims"]

Figures = dict[str, dict[str, list[int]]]
"""By set or kind, then by half: how many, how many of them have a finding, and how many FAIL."""


class Judged(NamedTuple):
    """The findings of claims above a note, and whether the verdict is FAIL."""

    found: frozenset[tuple[str, str | None]]
    failed: bool


def judged(trace: ExecutionTrace) -> Judged:
    """Judge one trace without what would tell its label."""
    report = evaluate_trace(attrs.evolve(trace, metadata={}))
    rows = (one for one in report.findings if one.rule.startswith("hallucination.") and one.severity != "note")
    return Judged(frozenset((one.rule, one.quote) for one in rows), report.verdict == "FAIL")


def claims(data: Path) -> dict[str, Figures]:
    """``honest`` by set and ``lies`` by kind."""
    honest: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    lies: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for half in HALVES:
        for case in cases(data, half):
            own = judged(case.trace)
            if case.is_honest:
                honest[case.set, half].update(runs=1, found=int(bool(own.found)), failed=int(own.failed))
            for kind, lie in case.lies:
                told = judged(lie)
                lies[kind, half].update(runs=1, found=int(bool(told.found - own.found)), failed=int(told.failed))
    return {"honest": _rows(honest), "lies": _rows(lies)}


def _rows(counts: dict[tuple[str, str], Counter[str]]) -> Figures:
    rows: Figures = {}
    for (name, half), count in sorted(counts.items()):
        rows.setdefault(name, {})[half] = [count["runs"], count["found"], count["failed"]]
    return rows


def print_claims(figures: dict[str, Figures]) -> None:
    """A line for each set and kind."""
    for title, rows in figures.items():
        print(f"\n{title}: with a finding of claims, FAIL{'':20}" + "".join(f"{half:>28}" for half in HALVES))
        for name, by_half in rows.items():
            print(f"{name:40}" + "".join(f"{cell:>28}" for cell in _cells(by_half)))


def _cells(by_half: dict[str, list[int]]) -> Iterator[str]:
    for half in HALVES:
        runs, found, failed = by_half.get(half, [0, 0, 0])
        yield f"{found} of {runs} ({found / runs:.3f}), {failed}" if runs else "–"


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SENTINEL_TRACES") or DEFAULT_DATA))
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"skipped: there is no folder {options.data} (--data or SENTINEL_TRACES names another)")
        return 0
    print_claims(claims(options.data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
