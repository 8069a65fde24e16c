"""From bytes of real traces to report bytes on one core, as a ratio to ``orjson.loads`` of the same lines.

The bound of the whole pipeline is one of instructions, as valgrind's cachegrind counts them: they are the same on every machine
and in every run. CPU time is printed for each stage: passes over all lines, the median of many, the passes of all stages by turns.
It swings, so only a wide bound is set on it: one for each set of traces that is there.

The last stage also takes out secrets and what a terminal would act on. ``SENTINEL_TRACES`` or ``--data`` names the folder of
``*.jsonl.gz`` traces; where there is none, traces of the same shape are made up.
"""

import argparse
import gzip
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import orjson

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.job import tune_gc
from sentinel_core.runtime.printable import printable_json
from sentinel_core.runtime.redact import redacted
from sentinel_core.testing import exchange
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import decode_trace, encode_report, encode_trace

Stage = Callable[[bytes], object]

BOUND, BOUND_OF_A_SET = 5.0, 20.0
ROUNDS, ROUNDS_OF_A_SET, MOST_BYTES, FLOOR_PASSES = 41, 3, 4_000_000, 20
DATA = Path(os.environ.get("SENTINEL_TRACES", Path(__file__).parents[2] / "shared" / "data" / "traces"))
SET = "tau_airline_gpt4o.jsonl.gz"


def made_up_lines() -> list[bytes]:
    """84 conversations of 26 messages with results of 2 kB."""
    lines = []
    for number in range(84):
        steps = (
            exchange(f"c{step}", "get_order", {"order": number * 100 + step}, f'{{"items": "{"item " * 400}"}}')
            for step in range(8)
        )
        talk = (Message(role="user" if turn % 2 else "assistant", content=f"turn {turn} " * 12) for turn in range(10))
        messages = (*(message for step in steps for message in step), *talk)
        lines.append(encode_trace(ExecutionTrace(trace_id=f"made-{number}", messages=messages)))
    return lines


def read_lines(folder: Path) -> tuple[str, list[bytes]]:
    """Name and lines of the traces to measure with."""
    path = folder / SET
    if not path.is_file():
        return "made up", made_up_lines()
    with gzip.open(path) as stream:
        return path.name, stream.read().splitlines()


def whole_pipeline(line: bytes) -> bytes:
    """From the bytes of a trace to those of its report, with all built-in signals."""
    return encode_report(evaluate_trace(decode_trace(line)))


def median_passes(stages: dict[str, Stage], lines: list[bytes], rounds: int) -> dict[str, float]:
    """Nanoseconds of CPU time over all lines."""
    passes: dict[str, list[int]] = {stage: [] for stage in stages}
    for _ in range(rounds):
        for stage, work in stages.items():
            start = time.process_time_ns()
            for line in lines:
                work(line)
            passes[stage].append(time.process_time_ns() - start)
    return {stage: statistics.median(times) for stage, times in passes.items()}


def counted(valgrind: str, folder: Path, passes: int, floor_passes: int) -> int:
    """Instructions of a process of its own that makes so many passes of the pipeline and of ``orjson.loads``."""
    with tempfile.TemporaryDirectory() as temporary:
        tool = [valgrind, "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={temporary}/counts"]
        work = [sys.executable, __file__, "--data", str(folder), "--passes", str(passes), str(floor_passes)]
        done = subprocess.run(
            [*tool, *work], env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=True
        )
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if found is None:
        raise RuntimeError(f"valgrind told no count of instructions: {done.stderr[-500:]}")
    return int(found[1].replace(",", ""))


def instruction_ratio(folder: Path) -> float | None:
    """Instructions of one more pass of the pipeline, as a ratio to one of ``orjson.loads``; None without valgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    base = counted(valgrind, folder, 1, 0)
    whole = counted(valgrind, folder, 2, 0) - base
    return whole / (counted(valgrind, folder, 1, FLOOR_PASSES) - base) * FLOOR_PASSES


def make_passes(lines: list[bytes], passes: int, floor_passes: int) -> None:
    """What is counted."""
    for _ in range(passes):
        for line in lines:
            whole_pipeline(line)
    for _ in range(floor_passes):
        for line in lines:
            orjson.loads(line)


def ratio_of_set(path: Path) -> float:
    """CPU time over a set, or over every n-th trace of a large one."""
    with gzip.open(path) as stream:
        lines = stream.read().splitlines()
    some = lines[:: 1 + sum(map(len, lines)) // MOST_BYTES]
    times = median_passes({"floor": orjson.loads, "whole": whole_pipeline}, some, ROUNDS_OF_A_SET)
    return times["whole"] / times["floor"]


def print_stages(name: str, lines: list[bytes]) -> None:
    """CPU time of each stage."""
    stages: dict[str, Stage] = {
        "orjson.loads": orjson.loads,
        "msgspec, untyped": msgspec.json.decode,
        "decode": decode_trace,
        "decode + index": lambda line: TraceIndex(decode_trace(line)),
        "decode + index + four signals": lambda line: evaluate_trace(decode_trace(line)),
        "bytes to report bytes": whole_pipeline,
        "the same, as a command writes": lambda line: printable_json(
            encode_report(redacted(evaluate_trace(decode_trace(line))))
        ),
    }
    times = median_passes(stages, lines, ROUNDS)
    print(f"pipeline: {name}, {len(lines)} traces, {sum(map(len, lines)) / len(lines) / 1000:.1f} kB each")
    for stage, taken in times.items():
        print(f"  {stage:<31} {taken / times['orjson.loads']:6.2f} x orjson.loads {taken / len(lines) / 1000:8.0f} us")
    print(f"  {len(lines) / times['bytes to report bytes'] * 1e9:,.0f} traces/s on one core")


def verdict(ratio: float, bound: float) -> str:
    """The end of a line."""
    return f"{ratio:6.2f} x, bound {bound:g} x: {'holds' if ratio <= bound else 'BROKEN'}"


def main() -> int:
    """Print the tables; 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--passes", type=int, nargs=2, metavar=("PIPELINE", "FLOOR"), help="only make these passes")
    arguments = parser.parse_args()
    name, lines = read_lines(arguments.data)
    tune_gc()
    if arguments.passes is not None:
        make_passes(lines, *arguments.passes)
        return 0
    print_stages(name, lines)
    ratios = [(ratio_of_set(path), path) for path in sorted(arguments.data.glob("*.jsonl.gz"))]
    for ratio, path in ratios:
        print(f"  CPU time, {path.name.removesuffix('.jsonl.gz'):<24} {verdict(ratio, BOUND_OF_A_SET)}")
    counts = instruction_ratio(arguments.data)
    if counts is None:
        print("  instructions: not counted, for valgrind is missing; install it: apt-get install valgrind")
    else:
        print(f"  instructions, {name:<21} {verdict(counts, BOUND)}")
    return int((counts or 0.0) > BOUND or any(ratio > BOUND_OF_A_SET for ratio, _ in ratios))


if __name__ == "__main__":
    sys.exit(main())
