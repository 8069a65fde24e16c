"""Many traces through one process, two, and a Dask cluster of two: speed as ratios, and the memory of all processes.

The traces are real ones, each with an id of its own; ``SENTINEL_TRACES`` or ``--data`` names the folder of ``*.jsonl.gz``
files, and where there is none, traces of the same shape are made up. Exits with 1 where a bound is broken.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import attrs
from pipeline import DATA, read_lines

SENTINEL = Path(sys.executable).parent / "sentinel"
BOUNDS = {"two processes": 1.8, "dask, two workers": 1.5}
MOST_MEMORY = 400
MEGABYTE = 1 << 20
WAYS = {
    "one process": ("--jobs", "1"),
    "two processes": ("--jobs", "2"),
    "dask, two workers": ("--jobs", "2", "--engine", "dask"),
}


@attrs.frozen
class Run:
    """How long it took, the peak of what all processes together held, and what came out."""

    seconds: float
    megabytes: float
    digest: str


def write_traces(path: Path, count: int, lines: list[bytes]) -> None:
    """So many lines, each with an id of its own."""
    with path.open("wb") as file:
        for number in range(count):
            head, key, rest = lines[number % len(lines)].partition(b'"trace_id":')
            start = rest.index(b'"') + 1
            file.write(head + key + rest[:start] + b"%d-" % number + rest[start:] + b"\n")


def memory_of(pid: int) -> int:
    """Bytes that a process and all that it started hold, what they share counted once; 0 where that cannot be told."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return 0
    own = sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return own * 1024 + sum(memory_of(int(child)) for child in children)


def run(source: Path, options: tuple[str, ...]) -> Run:
    """One batch."""
    out = source.with_name("reports.jsonl")
    started, peak = time.monotonic(), 0
    command = [str(SENTINEL), "evaluate", str(source), "-o", str(out), *options]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, memory_of(process.pid))
            time.sleep(0.2)
    seconds = time.monotonic() - started
    if process.returncode not in (0, 1, 2):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    with out.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    out.unlink()
    return Run(seconds, peak / MEGABYTE, digest)


def report(runs: dict[str, list[Run]], count: int) -> list[str]:
    """Print the table; the bounds that are broken."""
    broken = []
    one = min(each.seconds for each in runs["one process"])
    for way, each in runs.items():
        seconds, megabytes = min(run.seconds for run in each), max(run.megabytes for run in each)
        bound = BOUNDS.get(way)
        told = f"{one / seconds:5.2f} x one process" + (f" (at least {bound})" if bound else "")
        print(f"  {way:<18} {seconds:7.1f} s {count / seconds:9,.0f} traces/s {told:<36} {megabytes:6.0f} MB")
        if bound and one / seconds < bound:
            broken.append(f"BROKEN {way}: {one / seconds:.2f} x, at least {bound}")
    most = max(each.megabytes for way in ("one process", "two processes") for each in runs[way])
    if most > MOST_MEMORY:
        broken.append(f"BROKEN {most:.0f} MB, at most {MOST_MEMORY}")
    if len({each.digest for way in runs.values() for each in way}) != 1:
        broken.append("BROKEN the reports differ")
    return broken


def main() -> int:
    """Print the table; 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--traces", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the input is made (default: the temporary folder)")
    arguments = parser.parse_args()
    name, lines = read_lines(arguments.data)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        source = Path(folder) / "traces.jsonl"
        write_traces(source, arguments.traces, lines)
        size = source.stat().st_size / MEGABYTE
        print(f"batch: {name}, {arguments.traces:,} traces, {size:,.0f} MB; memory is that of all processes")
        runs: dict[str, list[Run]] = {way: [] for way in WAYS}
        for _ in range(arguments.rounds):
            for way, options in WAYS.items():
                runs[way].append(run(source, options))
        broken = report(runs, arguments.traces)
    print(
        f"  memory at most {MOST_MEMORY} MB in one or two processes; one digest: {'; '.join(broken) or 'all bounds hold'}"
    )
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
