"""Spoils files and gives them to every trace reader; what comes out is judged and written, as ``sentinel evaluate`` would.

    python benchmarks/fuzz.py --seconds 600

starts from the readers' own samples (those of their contract tests) and from the real files that ``SENTINEL_FORMATS``
names. Every outcome is fine (traces, a ``ReadError``, nothing, ``OSError`` or ``EOFError`` for bytes that cannot be read)
but an exception of any other kind, a signal that fails, and an input that takes more than ten seconds of the processor.
Prints how many inputs each reader had and what came of them; exits 1 where something broke, with the input saved.
"""

import argparse
import hashlib
import importlib.util
import itertools
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType, ModuleType

import attrs
from mutations import mutated, shrunk

from sentinel_core.errors import InputError
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.offers import ReadError, TraceReader
from sentinel_core.testing import BytesSource, TraceReaderContract
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import encode_report, encode_trace
from sentinel_core.traces.sources import choose_reader

REPOSITORY = Path(__file__).parents[1]
FORMATS = Path(os.environ.get("SENTINEL_FORMATS", REPOSITORY.parent / "shared" / "data" / "formats"))
SLOWEST = 10.0
FOREIGN = 0.05
OUTCOMES = ("traces", "errors", "both", "nothing", "unreadable", "broken")


class TooSlowError(RuntimeError):
    """An input took too long. No ``TimeoutError``: that is an ``OSError``, and readers may say so of bytes."""


@attrs.frozen(kw_only=True)
class Seed:
    """A whole file of a format."""

    name: str
    data: bytes


@attrs.frozen(kw_only=True)
class Failure:
    """An input that broke a reader, or what comes after it."""

    reader: str
    name: str
    data: bytes
    error: str

    def save(self, folder: Path) -> Path:
        """Keep the input."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.reader}-{hashlib.sha256(self.data).hexdigest()[:12]}-{self.name}"
        path.write_bytes(self.data)
        return path


@attrs.define
class Result:
    """What came of all inputs: for each reader how many ended how; and what broke, by its place."""

    counts: dict[str, Counter[str]]
    failures: dict[str, Failure] = attrs.field(factory=dict)

    def add(self, reader: TraceReader, name: str, data: bytes, error: Exception) -> None:
        """Keep the smallest input of those that broke at one place."""
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{frame.filename}:{frame.lineno}: {type(error).__name__}"
        known = self.failures.get(place)
        if known is None or len(data) < len(known.data):
            told = "".join(traceback.format_exception(error))
            self.failures[place] = Failure(reader=reader.name, name=name, data=data, error=told)


def installed_readers() -> list[TraceReader]:
    """Every reader that is installed."""
    return [plugin.offer for plugin in load(select(Selection(), ("trace_readers",))[0])[0]]


def seeds(readers: Sequence[TraceReader]) -> dict[str, list[Seed]]:
    """Files to start from, by the reader that they are for."""
    found: dict[str, list[Seed]] = {reader.name: [] for reader in readers}
    for contract in _contracts():
        found[contract.make().name].append(Seed(name=contract.filename(), data=shrunk(contract.sample())))
    for path in sorted(FORMATS.rglob("*")):
        if path.is_file():
            source = BytesSource(data=path.read_bytes(), name=path.name)
            try:
                name = choose_reader(source, readers).name
            except InputError:  # a licence, which stands beside the files
                continue
            found[name].append(Seed(name=path.name, data=shrunk(source.data)))
    return found


def _contracts() -> Iterator[TraceReaderContract]:
    """The contract tests of the readers in this repository."""
    for folder in sorted(REPOSITORY.glob("plugins/readers/*/tests")):
        conftest = folder / "conftest.py"
        for path in (*([conftest] if conftest.is_file() else ()), *sorted(folder.glob("test_*.py"))):
            if path == conftest or "TraceReaderContract" in path.read_text(encoding="utf-8"):
                yield from _contracts_in(_module(path))


def _contracts_in(module: ModuleType) -> Iterator[TraceReaderContract]:
    contracts = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, TraceReaderContract)]
    yield from (contract() for contract in contracts if not contract.__subclasses__())  # else it is what others share


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"seeds_{path.parts[-3]}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fuzz(
    readers: Sequence[TraceReader], files: Mapping[str, Sequence[Seed]], *, seconds: float, seed: int = 0
) -> Result:
    """Spoil files for as long as told; the readers take turns. The inputs depend on nothing but ``seed``."""
    chance = Random(seed)
    result = Result(counts={reader.name: Counter() for reader in readers})
    everything = [one for own in files.values() for one in own]
    deadline = time.monotonic() + seconds
    for reader in itertools.cycle(readers):
        if time.monotonic() >= deadline:
            return result
        start = chance.choice(everything if chance.random() < FOREIGN else files[reader.name])
        data = mutated(start.data, chance)
        try:
            with _bounded(SLOWEST):
                outcome = _tried(reader, readers, BytesSource(data=data, name=start.name))
        except Exception as error:  # noqa: BLE001 - whatever was not foreseen is what is looked for
            outcome = "broken"
            result.add(reader, start.name, data, error)
        result.counts[reader.name][outcome] += 1
    return result


def _tried(reader: TraceReader, readers: Sequence[TraceReader], source: BytesSource) -> str:
    """How one input ended."""
    for other in readers:
        sure = other.sniff(source.data[:65536], source.name)
        assert 0 <= sure <= 100, f"{other.name} is {sure} sure"  # noqa: PLR2004 - per cent
    try:
        outcomes = list(reader.read(source))
    except (OSError, EOFError):
        return "unreadable"
    traces = [outcome for outcome in outcomes if isinstance(outcome, ExecutionTrace)]
    errors = [outcome for outcome in outcomes if isinstance(outcome, ReadError)]
    assert len(traces) + len(errors) == len(outcomes), "it gave neither a trace nor a ReadError"
    assert all(error.message for error in errors), "an error says nothing"
    for trace in traces:
        _judge(trace)
    if traces:
        return "both" if errors else "traces"
    return "errors" if errors else "nothing"


def _judge(trace: ExecutionTrace) -> None:
    """Everything that the host does with a trace. Half of a surrogate pair is no text, and the host says so by itself."""
    assert trace.trace_id, "a trace has no id"
    try:
        encode_trace(trace)
        report = evaluate_trace(trace)
    except UnicodeEncodeError:
        return
    assert not report.failures, report.failures
    encode_report(report)


@contextmanager
def _bounded(seconds: float) -> Iterator[None]:
    """Raises ``TooSlowError`` after so much time of the processor."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError(f"took more than {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def main() -> int:
    """Print the table; 1 where something broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", help="only this one")
    parser.add_argument("--save", type=Path, default=Path("fuzz-failures"), help="where inputs that break are kept")
    options = parser.parse_args()
    readers = installed_readers()
    files = seeds(readers)
    wanted = [reader for reader in readers if options.reader in (None, reader.name)]
    result = fuzz(wanted, files, seconds=options.seconds, seed=options.seed)
    print(f"{'reader':<18}{'files':>6}{'inputs':>9}" + "".join(f"{outcome:>12}" for outcome in OUTCOMES))
    for name, counts in result.counts.items():
        row = "".join(f"{counts[outcome]:>12,}" for outcome in OUTCOMES)
        print(f"{name:<18}{len(files[name]):>6}{counts.total():>9,}{row}")
    for failure in result.failures.values():
        print(f"\n{failure.save(options.save)}\n{failure.error}")
    return int(bool(result.failures))


if __name__ == "__main__":
    sys.exit(main())
