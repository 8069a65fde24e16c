"""Instructions of each layer from the bytes of a trace to those of its report, as a ratio to ``orjson.loads`` of the same bytes.

valgrind's callgrind counts them, so that a row hardly differs from run to run. Every trace is judged once: others of all sets warm up
what a long process has anyway (imports, compiled expressions, words that were seen), and then the layers of some are counted one after
the other in the same process. What several layers need of an index is made by the first of them that asks. "claims" is the signal
``hallucination``.

``SENTINEL_TRACES`` or ``--data`` names the folder of ``*.jsonl.gz`` traces.
"""

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import attrs
import orjson

from sentinel_core.evaluate.evaluator import BoundSignal, Panel, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.in_process import _installed_panel
from sentinel_core.judging.job import tune_gc
from sentinel_core.testing import exchange
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import decode_trace, encode_report, encode_trace

DATA = Path(os.environ.get("SENTINEL_TRACES", Path(__file__).parents[2] / "shared" / "data" / "traces"))
TRIVIAL = "trivial"
BOUNDS = {
    "tau_airline_gpt4o": 31.0,
    "fireact": 27.5,
    "mint": 51.0,
    "ats_injected": 20.0,
    "whowhen": 60.0,
    TRIVIAL: 25.0,
}
MOST, FLOORS = 40, 10
SIGNALS = {"hallucination": "claims"}
_One, _Other = TypeVar("_One"), TypeVar("_Other")
_PART = re.compile(r"^(?:summary|totals): (\d+)$", re.MULTILINE)


def trivial_lines() -> Iterable[bytes]:
    """Traces of some 400 bytes: a question, a call, its result and the answer."""
    for number in range(2 * MOST):
        asked = Message(role="user", content=f"Where is order {1000 + number}?")
        told = Message(role="assistant", content=f"Order {1000 + number} holds two books.")
        messages = (asked, *exchange("c1", "get_order", {"order": 1000 + number}, '{"books": 2}'), told)
        yield encode_trace(ExecutionTrace(trace_id=f"trivial-{number}", messages=messages))


def read_lines(folder: Path, name: str) -> list[bytes]:
    """Evenly chosen traces of a set: those to warm up with, and as many to count."""
    if name == TRIVIAL:
        return list(trivial_lines())
    with gzip.open(folder / f"{name}.jsonl.gz") as stream:
        lines = stream.read().splitlines()
    return lines[:: 1 + len(lines) // (2 * MOST + 1)]


def mark() -> None:
    """The C function at which callgrind begins the next count."""
    os.getppid()


def replayed(panel: Panel, answers: dict[str, dict[int, object]]) -> Panel:
    """The panel with signals that answer what they answered before: what is left is the evaluator's own work."""

    def bind(signal: BoundSignal) -> BoundSignal:
        known = answers[signal.name]
        return attrs.evolve(signal, detect=lambda index: known[id(index)])

    return attrs.evolve(panel, signals=tuple(map(bind, panel.signals)))


def run_layers(folder: Path, name: str) -> list[str]:
    """Run one layer after the other over every second trace of a set, with a mark before each; the names of what the marks begin."""
    panel = _installed_panel()
    if panel.failures:
        raise RuntimeError(f"not all signals were loaded: {panel.failures}")
    present = [one for one in BOUNDS if one == TRIVIAL or (folder / f"{one}.jsonl.gz").is_file()]
    for line in (line for one in present for line in read_lines(folder, one)[::2]):
        orjson.loads(line)
        encode_report(evaluate(TraceIndex(decode_trace(line)), panel))
    counted, names = read_lines(folder, name)[1::2], list[str]()

    def count(name: str, work: Callable[[_One], _Other], ones: Iterable[_One]) -> list[_Other]:
        names.append(name)
        mark()
        return [work(one) for one in ones]

    tune_gc()
    count("orjson.loads", orjson.loads, counted * FLOORS)
    traces = count("decoding", decode_trace, counted)
    indexes = count("index", TraceIndex, traces)
    answers = dict[str, dict[int, object]]()
    for signal in panel.signals:
        found = count(SIGNALS.get(signal.name, signal.name), signal.detect, indexes)
        answers[signal.name] = dict(zip(map(id, indexes), found, strict=True))
    again = replayed(panel, answers)
    evaluate(indexes[0], again)
    reports = count("evaluator", lambda index: evaluate(index, again), indexes)
    count("encoding", encode_report, reports)
    mark()
    return names


def counted_layers(valgrind: str, folder: Path, name: str) -> dict[str, float]:
    """Instructions of each layer, as a ratio to ``orjson.loads``."""
    with tempfile.TemporaryDirectory() as temporary:
        tool = [valgrind, "--tool=callgrind", "--dump-before=getppid", f"--callgrind-out-file={temporary}/counts"]
        work = [sys.executable, __file__, "--data", str(folder), "--count", name]
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        done = subprocess.run([*tool, *work], env=environment, capture_output=True, text=True, check=False)
        parts = sorted(Path(temporary).glob("counts.*"), key=lambda part: int(part.suffix[1:]))
        counts = [int(found[-1]) for part in parts if (found := _PART.findall(part.read_text("utf-8", "replace")))]
    names = done.stdout.split("\n")[:-1]
    if done.returncode or len(counts) < len(names) + 1:
        raise RuntimeError(f"valgrind told no counts of {name}: {done.stderr[-500:]}")
    layers = dict(zip(names, counts[1:], strict=False))
    floor = layers.pop("orjson.loads") / FLOORS
    return {layer: count / floor for layer, count in layers.items()}


def print_table(rows: dict[str, dict[str, float]]) -> bool:
    """A row for each layer, a column for each set; True where all bounds hold."""
    print("instructions, x orjson.loads of the same bytes, each trace judged once")
    print(f"  {'':<14}" + "".join(f"{name:>19}" for name in rows))
    for layer in next(iter(rows.values())):
        print(f"  {layer:<14}" + "".join(f"{row[layer]:19.2f}" for row in rows.values()))
    totals = {name: sum(row.values()) for name, row in rows.items()}
    print(f"  {'all':<14}" + "".join(f"{total:19.2f}" for total in totals.values()))
    print(f"  {'bound':<14}" + "".join(f"{BOUNDS[name]:19.1f}" for name in rows))
    broken = [name for name, total in totals.items() if total > BOUNDS[name]]
    print(f"  BROKEN: {', '.join(broken)}" if broken else "  all bounds hold")
    return not broken


def main() -> int:
    """Print the table; 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", action="append", metavar="SET", help="only this set; may be given again")
    parser.add_argument("--count", metavar="SET", help="only run the layers over this set, as valgrind watches")
    arguments = parser.parse_args()
    if arguments.count is not None:
        print("\n".join(run_layers(arguments.data, arguments.count)))
        return 0
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("instructions: skipped, for valgrind is missing; install it: apt-get install valgrind")
        return 0
    rows = dict[str, dict[str, float]]()
    for name in arguments.only or BOUNDS:
        if name != TRIVIAL and not (arguments.data / f"{name}.jsonl.gz").is_file():
            print(
                f"instructions, {name}: skipped, for {arguments.data} does not have it; SENTINEL_TRACES names the folder"
            )
            continue
        rows[name] = counted_layers(valgrind, arguments.data, name)
    return int(bool(rows) and not print_table(rows))


if __name__ == "__main__":
    sys.exit(main())
