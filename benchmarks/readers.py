"""What decoding costs in each format, as a ratio to ``orjson.loads`` of the same bytes.

``SENTINEL_FORMATS`` names a folder with a subfolder for each kind of real file; formats of which none is known to be there
are measured with made-up ones. A format without a row is an error. The file is measured from bytes in memory: the floor
and the reader take turns, and the best of many rounds counts for each, as load on the machine only adds.
"""

import gzip
import io
import os
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import attrs
import orjson
from format_samples import format_samples

from sentinel_core.errors import InputError
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.judging.job import tune_gc
from sentinel_core.offers import TraceReader
from sentinel_core.testing import SAMPLES, BytesSource
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import encode_trace
from sentinel_core.traces.sources import choose_reader

BOUNDS = {"native": 4.0}
BOUND = 10.0
SECONDS = 0.3
FEWEST = 25
SMALLEST = 20_000
SHARED = Path(__file__).parents[2] / "shared" / "data"
FORMATS = Path(os.environ.get("SENTINEL_FORMATS", SHARED / "formats"))
TRACES = Path(os.environ.get("SENTINEL_TRACES", SHARED / "traces"))


@attrs.frozen(kw_only=True)
class Row:
    """What one file cost, by the name of the reader that took it."""

    reader: str
    ratio: float
    size: int
    title: str

    @property
    def bound(self) -> float:
        """The most that decoding may cost."""
        return BOUNDS.get(self.reader, BOUND)

    @property
    def verdict(self) -> str:
        """Nothing for a file too small to count."""
        return "" if self.size < SMALLEST else "holds" if self.ratio <= self.bound else "BROKEN"

    def __str__(self) -> str:
        return f"  {self.reader:<16} {self.ratio:6.2f}  {self.size:>9,} bytes  {self.title[:48]:<48} {self.verdict}"


def timed(work: Callable[[], object]) -> float:
    """Seconds of this process on a processor: what else runs on the machine takes none of them."""
    start = time.process_time()
    work()
    return time.process_time() - start


def ratio(work: Callable[[], object], base: Callable[[], object]) -> float:
    """What the work costs in terms of the base: the best of each, measured in turns for a third of a second or so."""
    rounds = [(timed(work), timed(base)) for _ in range(FEWEST)]
    end = time.process_time() + SECONDS
    while time.process_time() < end:
        rounds.append((timed(work), timed(base)))
    works, bases = zip(*rounds, strict=True)
    return float(min(works) / min(bases))


def floor(data: bytes) -> Callable[[], object]:
    """Parsing the same bytes: a document, lines, or the members of an archive."""
    if data.startswith(b"PK"):

        def members() -> None:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for name in archive.namelist():
                    orjson.loads(archive.read(name))

        return members
    try:
        orjson.loads(data)
    except ValueError:
        return lambda: [orjson.loads(line) for line in data.splitlines() if line.strip()]
    return lambda: orjson.loads(data)


def measured(name: str, data: bytes, readers: list[TraceReader]) -> Row | None:
    """What the reader costs that takes the bytes; None where none does."""
    source = BytesSource(data=data, name=name)
    try:
        reader = choose_reader(source, readers)
    except InputError:
        return None
    outcomes = list(reader.read(source))
    if not any(isinstance(outcome, ExecutionTrace) for outcome in outcomes):
        return None
    cost = ratio(lambda: list(reader.read(source)), floor(data))
    return Row(reader=reader.name, ratio=cost, size=len(data), title=name)


def samples() -> dict[str, bytes]:
    """Files to measure with: our own samples, made larger, real ones where there are any, and made-up ones."""
    found = {"samples.jsonl": b"\n".join(encode_trace(trace) for trace in SAMPLES * 20)}
    native = TRACES / "tau_airline_gpt4o.jsonl.gz"
    if native.is_file():
        found["tau_airline.jsonl"] = gzip.decompress(native.read_bytes())
    for path in sorted(FORMATS.rglob("*")):
        if path.is_file() and path.suffix in (".json", ".jsonl", ".traj", ".eval"):
            found[path.name] = path.read_bytes()
    return found | {f"made up: {name}": data for name, data in format_samples().items()}


def main() -> int:
    """Print the table; 1 where a file of some size is above its format's bound, or a format has no such file."""
    chosen, _ = select(Selection(), ("trace_readers",))
    readers = [plugin.offer for plugin in load(chosen)[0]]
    print(f"readers: x orjson.loads of the same bytes (files under {SMALLEST:,} bytes do not count)")
    tune_gc()
    rows = []
    for name, data in samples().items():
        row = measured(name, data, readers)
        if row is not None:
            rows.append(row)
            print(row)
    missing = {reader.name for reader in readers} - {row.reader for row in rows if row.verdict}
    for name in sorted(missing):
        print(f"  {name:<16} NOT MEASURED: no file of {SMALLEST:,} bytes or more")
    # Where the real files are not at hand, their formats go unmeasured; where they are, that is a fault.
    return int((bool(missing) and FORMATS.is_dir()) or any(row.verdict == "BROKEN" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
