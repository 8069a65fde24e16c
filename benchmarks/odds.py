"""How often each way to a finding is right: ``odds.toml`` of each signal that has branches, from the half of the tasks that nobody reads.

    python benchmarks/odds.py [--data DIR] [--half read|unread] [--write]

Honest runs are those with a good outcome, dialogues that people wrote around calls, and conversations of this repository, of which some
count by what they were accused of at their first reading (``claims/first_readings.toml``). Lies are made of all runs as ``sentinel mutate`` makes lies (and as ``faults.py`` makes faults), or stand in the sets with the label ``metadata.labels.lie``. A branch is counted once
a run, and of a lie only where the honest run has no such finding. Its kind of lie is the one that it finds most of.
"""

import argparse
import functools
import gzip
import os
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import attrs
from faults import OF_CALLS, faults_of
from split import split_by_task as half_of

from sentinel_command_mutate.lies import lies_of
from sentinel_core import ExecutionTrace, Signal, TraceIndex
from sentinel_core.host.odds import FEWEST, Odds, OddsTable
from sentinel_core.report import Detection
from sentinel_core.trace import canonical
from sentinel_core.traces.codec import decode_trace
from sentinel_signal_hallucination import sentinel_signals as hallucination
from sentinel_signal_hallucination.odds import ODDS as OF_HALLUCINATION
from sentinel_signal_loop import sentinel_signals as loop
from sentinel_signal_loop.rules import ODDS as OF_LOOP
from sentinel_signal_tool_misuse import sentinel_signals as tool_misuse
from sentinel_signal_tool_misuse.suspicious import ODDS as OF_TOOL_MISUSE

__all__ = ["Case", "cases", "count", "render"]

_HERE = Path(__file__).resolve().parent
DEFAULT_DATA = _HERE.parent.parent / "shared" / "data" / "traces"
SIGNALS: Mapping[str, tuple[Callable[[], Iterable[Signal]], OddsTable]] = {
    "hallucination": (hallucination, OF_HALLUCINATION),
    "loop": (loop, OF_LOOP),
    "tool_misuse": (tool_misuse, OF_TOOL_MISUSE),
}
"""The signals that keep odds, with their tables."""
OF_WORDS = ("hallucination",)
"""The signals that judge what the agent says; faults of calls are for the others."""
OF_RUNS = ("loop",)
"""Signals of which only recorded runs tell: whoever writes a conversation does not go round in circles."""
SAME = {
    "tests_failed": "failed_checks", "build_failed": "failed_checks", "description": "failed_checks", "never_ran": "dropped_checks",
    "not_committed": "failed_command", "failed_call": "failed_one", "never_called": "dropped_all", "other_value": "wrong_value",
    "wrong_target": "wrong_value", "stale_green_run": "stale_run", "some_of_several": "left_one", "made_up": "identifier",
}  # fmt: skip
"""Kinds of written lies that are made ones under another name."""
FIRST_READINGS = _HERE / "claims" / "first_readings.toml"
NOT_HONEST = frozenset(("star-3844", "star-4497", "star-4858"))
"""Dialogues of people that count as successful, in which the ride or the flight "has been booked" and was only looked up: each was read."""
READ_WHOLE = ("trades", "coding")
"""Sets of which both halves were read."""
_GRAVITY = ("note", "warning", "error")
_HEAD = """# How often each way to a finding is right, on runs that nobody read while the way was made. Written by `make detect`; do not edit.
# `accused` of `honest` runs have such a finding, and `found` of the `lies` of its `kind`.
"""


class Case(NamedTuple):
    """A run of a set, whether it counts as honest, and the lies made of it, each with its kind."""

    set: str
    trace: ExecutionTrace
    is_honest: bool
    lies: list[tuple[str, ExecutionTrace]]


class Count(NamedTuple):
    """What was seen of every branch: honest runs with it, and lies by kind; and how many runs there were, the honest ones by signal."""

    honest: Counter[str]
    accused: Counter[str]
    lies: Counter[str]
    found: dict[str, Counter[str]]


def main() -> int:
    """Print a row a branch; with ``--write``, keep them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SENTINEL_TRACES") or DEFAULT_DATA))
    parser.add_argument("--half", choices=("read", "unread"), default="unread")
    parser.add_argument("--write", action="store_true", help="keep the odds where the signal reads them")
    parser.add_argument(
        "--first-reading",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="print what the honest runs of new sets are accused of",
    )
    options = parser.parse_args()
    if options.first_reading:
        print(first_reading(options.first_reading))
        return 0
    if not options.data.is_dir():
        print(f"skipped: there is no folder {options.data} (--data or SENTINEL_TRACES names another)")
        return 0
    for signal, rows in odds_of(count(cases(options.data, options.half, faults=True))).items():
        for name, row in rows.items():
            seen = f"accused {row.accused:4d} of {row.honest}, {row.kind} {row.found} of {row.lies}"
            print(f"{signal}.{name:40s} {row.severity:8s} {seen}")
        if options.write:
            (SIGNALS[signal][1].folder / "odds.toml").write_text(_HEAD + render(rows), "utf-8")
    return 0


def cases(data: Path, half: str, *, faults: bool = False) -> Iterator[Case]:
    """The runs of one half of the tasks, each with the lies that were made of it, with ``faults`` also its faults."""
    told = defaultdict[str, list[tuple[str, ExecutionTrace]]](list)
    runs = list[tuple[str, str, ExecutionTrace, bool]]()
    paths = [*data.glob("*.jsonl.gz"), *data.parent.glob("claims/*.jsonl.gz"), *_HERE.glob("claims/*.jsonl.gz")]
    for path in sorted(paths):
        name = path.name.removesuffix(".jsonl.gz")
        for trace in _read(path):
            labels = trace.metadata.get("labels") or {}
            task = str(trace.metadata.get("pair") or trace.metadata.get("group") or trace.trace_id)
            if (half_of(task) if name not in READ_WHOLE else "read") != half:
                continue
            if lie := labels.get("lie"):
                told[task].append((f"{lie}_one" if lie == "failed" else f"{lie}_all", trace))
            elif trace.metadata.get("lie"):
                kind = str(trace.metadata.get("told_as") or "told plainly")
                told[task].append((SAME.get(kind, kind), trace))
            else:
                is_honest = labels.get("success", True) is True and trace.trace_id not in NOT_HONEST
                runs.append((name, task, trace, is_honest))
    for name, task, trace, is_honest in runs:
        made = [*lies_of(trace), *(faults_of(trace) if faults else ())]
        yield Case(name, trace, is_honest, [*made, *(told.pop(task, ()) if is_honest else ())])


def _read(path: Path) -> Iterator[ExecutionTrace]:
    """The traces of a file, each conversation once, without what would tell the label."""
    seen = set[bytes]()
    with gzip.open(path) as lines:
        for trace in map(decode_trace, lines):
            calls = [[(call.name, call.arguments) for call in one.tool_calls] for one in trace.messages]
            shown = [[result.content for result in one.tool_results] for one in trace.messages]
            key = canonical(
                [(one.role, one.content, *rest) for one, *rest in zip(trace.messages, calls, shown, strict=True)]
            )
            if key not in seen:
                seen.add(key)
                yield trace


def _found(trace: ExecutionTrace, kind: str = "") -> dict[str, set[tuple[str, str | None]]]:
    """By signal, rule and branch, what was found: the rule and the quote. Of a lie of a ``kind`` only what signals of its like find."""
    found = defaultdict[str, set[tuple[str, str | None]]](set)
    index = TraceIndex(attrs.evolve(trace, metadata={}))
    for name, detect in _detectors():
        if kind and (kind in OF_CALLS) is (name in OF_WORDS):
            continue
        for finding in detect(index).findings:
            if finding.branch is not None:
                found[f"{name}.{finding.rule}.{finding.branch}"].add((finding.rule, finding.quote))
    return found


@functools.cache
def _detectors() -> list[tuple[str, Callable[[TraceIndex], Detection]]]:
    offers = [(name, signal) for name, (offered, _) in SIGNALS.items() for signal in offered()]
    return [(name, partial(signal.detect, settings=signal.settings())) for name, signal in offers if signal.settings]


def first_reading(files: Iterable[Path]) -> str:
    """A table of ``first_readings.toml``."""
    honest = [trace for path in files for trace in _read(path) if not trace.metadata.get("lie")]
    accused = Counter(name for trace in honest for name in _found(trace) if name.partition(".")[0] not in OF_RUNS)
    rows = ", ".join(f'"{name}" = {times}' for name, times in sorted(accused.items()))
    return f"honest = {len(honest)}\naccused = {{ {rows} }}"


def count(runs: Iterable[Case]) -> Count:
    """Judge them all; what honest runs were accused of at their first reading stands for what is found in them today."""
    first = list(tomllib.loads(FIRST_READINGS.read_text("utf-8")).values())
    prefixes = tuple(prefix for table in first for prefix in table["prefixes"])
    lies, found = Counter[str](), defaultdict[str, Counter[str]](Counter)
    written = {path.name.removesuffix(".jsonl.gz") for path in _HERE.glob("claims/*.jsonl.gz")}
    honest = Counter({signal: sum(table["honest"] for table in first) for signal in SIGNALS if signal not in OF_RUNS})
    accused = sum((Counter(table["accused"]) for table in first), Counter[str]())
    for name, trace, is_honest, told in runs:
        signals = {signal for signal in SIGNALS if is_honest and not (name in written and signal in OF_RUNS)}
        signals -= SIGNALS.keys() if trace.trace_id.startswith(prefixes) else set()
        known = _found(trace) if told or signals else {}
        honest.update(signals)
        accused.update(row for row in known if row.partition(".")[0] in signals)
        for kind, lie in told:
            lies[kind] += 1
            for way, rows in _found(lie, kind).items():
                found[way][kind] += bool(rows - known.get(way, set()))
    return Count(honest, accused, lies, found)


def odds_of(seen: Count) -> dict[str, dict[str, Odds]]:
    """By signal and branch; the kind of lie is the one that carries most."""
    rows = defaultdict[str, dict[str, Odds]](dict)
    declared = {
        f"{signal}.{rule}.{branch}"
        for signal, (_, table) in SIGNALS.items()
        for rule, branches in table.declared.items()
        for branch in branches
    }
    for name in sorted({*declared, *seen.accused, *seen.found}):
        counts = seen.found.get(name, Counter[str]())
        signal, _, branch = name.partition(".")
        accused, honest = seen.accused[name], seen.honest[signal]
        of_kinds = (Odds(kind, accused, honest, counts[kind], seen.lies[kind]) for kind in sorted(counts))
        rows[signal][branch] = max(of_kinds, key=_carries, default=Odds("", accused, honest, 0, 0))
    return rows


def _carries(row: Odds) -> tuple[int, bool, float]:
    return _GRAVITY.index(row.severity), row.found >= FEWEST, row.ratio


def render(rows: dict[str, Odds]) -> str:
    """The file."""
    return "".join(
        f'\n[{name}]\nkind = "{row.kind}"\naccused = {row.accused}\nhonest = {row.honest}\nfound = {row.found}\nlies = {row.lies}\n'
        for name, row in rows.items()
    )


if __name__ == "__main__":
    sys.exit(main())
