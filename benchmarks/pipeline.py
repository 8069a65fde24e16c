"""From bytes of real traces to report bytes on one core, as a ratio to ``orjson.loads`` of the same lines.

Prints the cost of each stage: CPU time of passes over all lines, the median of many, the passes of all stages by turns. So each
stage finds the processor's caches and branch predictors as it left them, but for the traces that it has seen in between.

The last stage also takes out secrets and what a terminal would act on. ``SENTINEL_TRACES`` or ``--data`` names the folder of
``*.jsonl.gz`` traces; where there is none, traces of the same shape are made up.
"""

import argparse
import gzip
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import orjson

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.job import fewer_collections
from sentinel_core.runtime.printable import printable_json
from sentinel_core.runtime.redact import redacted
from sentinel_core.testing import exchange
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import decode_trace, encode_report, encode_trace

Stage = Callable[[bytes], object]

BOUND = 5.0
ROUNDS = 41
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


def median_passes(stages: dict[str, Stage], lines: list[bytes]) -> dict[str, float]:
    """Nanoseconds of CPU time over all lines."""
    passes: dict[str, list[int]] = {stage: [] for stage in stages}
    for _ in range(ROUNDS):
        for stage, work in stages.items():
            start = time.process_time_ns()
            for line in lines:
                work(line)
            passes[stage].append(time.process_time_ns() - start)
    return {stage: statistics.median(times) for stage, times in passes.items()}


def main() -> int:
    """Print the table; 1 where the whole pipeline is above its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    name, lines = read_lines(parser.parse_args().data)
    stages: dict[str, Stage] = {
        "orjson.loads": orjson.loads,
        "msgspec, untyped": msgspec.json.decode,
        "decode": decode_trace,
        "decode + index": lambda line: TraceIndex(decode_trace(line)),
        "decode + index + four signals": lambda line: evaluate_trace(decode_trace(line)),
        "bytes to report bytes": lambda line: encode_report(evaluate_trace(decode_trace(line))),
        "the same, as a command writes": lambda line: printable_json(
            encode_report(redacted(evaluate_trace(decode_trace(line))))
        ),
    }
    fewer_collections()
    times = median_passes(stages, lines)
    floor, whole = times["orjson.loads"], times["bytes to report bytes"]
    print(f"pipeline: {name}, {len(lines)} traces, {sum(map(len, lines)) / len(lines) / 1000:.1f} kB each")
    for stage, taken in times.items():
        print(f"  {stage:<31} {taken / floor:6.2f} x orjson.loads {taken / len(lines) / 1000:8.0f} us a trace")
    print(f"  {len(lines) / whole * 1e9:,.0f} traces/s on one core")
    print(f"  bound {BOUND} x: {'holds' if whole <= BOUND * floor else 'BROKEN'}")
    return int(whole > BOUND * floor)


if __name__ == "__main__":
    sys.exit(main())
