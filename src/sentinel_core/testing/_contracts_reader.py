"""The contract of every trace reader."""

from pathlib import Path
from typing import Any

import attrs

from sentinel_core.errors import InputError
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.host.judge import judge
from sentinel_core.host.plugins import installed
from sentinel_core.offers import ReadError, TraceReader
from sentinel_core.testing._contracts_base import Contract, require, require_taken
from sentinel_core.testing._unknown_kinds import calls_in, files_with_unknown_kinds, is_told
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import decode_trace, encode_trace
from sentinel_core.traces.problems import problem_of
from sentinel_core.traces.sources.memory import BytesSource

_SUREST = 100

__all__ = ["TraceReaderContract"]


class TraceReaderContract(Contract, given=("make", "sample", "filename")):
    """Subclass it, and give the reader and a file of its format, as bytes, with at least one trace in it."""

    def make(self) -> TraceReader:
        """The reader as the plugin offers it."""
        raise NotImplementedError("make() must return the TraceReader to test")

    def sample(self) -> bytes:
        """A whole file of this format."""
        raise NotImplementedError("sample() must return a file of this format")

    def filename(self) -> str:
        """What such a file is called."""
        return "sample"

    def read(self, data: bytes) -> list[ExecutionTrace | ReadError]:
        """Everything that the reader yields for some bytes."""
        return list(self.make().read(BytesSource(data=data, name=self.filename())))

    def test_judge_takes_what_it_reads(self, tmp_path: Path) -> None:
        """``judge()`` returns a report on a file of this format that contains one trace, if the reader is installed."""
        if not any(one.kind == "trace_readers" and one.name == self.make().name for one in installed()):
            return
        path = tmp_path / Path(self.filename()).name
        path.write_bytes(self.sample())
        outcomes = self.read(self.sample())
        if len(outcomes) == 1:
            require(judge(path).signal_scores, "judge() must return a report with scores")
            return
        try:
            judge(path)
        except InputError as error:
            require(
                f"contains {len(outcomes)} traces" in str(error), f"judge() must say how many traces there are: {error}"
            )

    def test_host_takes_it(self) -> None:
        """The host accepts the offer when it loads the plugin."""
        require_taken(self.make(), "trace_readers")

    def test_knows_its_own_format(self) -> None:
        """The sniff is a whole number from 1 to 100."""
        sure = self.make().sniff(self.sample()[:65536], self.filename())
        require(
            type(sure) is int and 1 <= sure <= _SUREST, f"sniff must be sure of its own format, 1 to 100, not {sure!r}"
        )

    def test_leaves_other_files_alone(self) -> None:
        """An empty file, prose and a picture are not traces."""
        for head in (b"", b"Dear diary, today I wrote no trace.", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", b"{}"):
            require(self.make().sniff(head, "other") == 0, f"sniff must return 0 for {head!r}")

    def test_reads_traces(self) -> None:
        """The sample contains only traces, each with an id."""
        outcomes = self.read(self.sample())
        require(outcomes, "the sample must contain at least one trace")
        for outcome in outcomes:
            require(
                isinstance(outcome, ExecutionTrace) and outcome.trace_id, f"expected a trace with an id, got {outcome}"
            )
            assert isinstance(outcome, ExecutionTrace)
            problem = problem_of(outcome)
            require(problem is None, f"the trace {outcome.trace_id!r:.40} is malformed: {problem}")

    def test_same_traces_twice(self) -> None:
        """Reading is repeatable."""
        require(self.read(self.sample()) == self.read(self.sample()), "the same bytes must give the same traces")

    def test_traces_survive_the_native_format(self) -> None:
        """The traces that the reader yields can be written and read again."""
        for outcome in self.read(self.sample()):
            if isinstance(outcome, ExecutionTrace):
                again = attrs.evolve(decode_trace(_written(outcome)), schema=outcome.schema)
                lost = "" if again == outcome else _difference(outcome, again, "trace")
                require(again == outcome, f"a trace must survive being written: {lost}")

    def test_no_call_is_lost_in_silence(self) -> None:
        """A call in a part, an event or a place of an unknown kind is read, or the trace says that something was not.

        For what was not read, nobody is accused: the installed signals find no more in it than in the sample.
        """
        outcomes = self.read(self.sample())
        calls, known = calls_in(outcomes), _accusations(outcomes)
        silent, accused = list[str](), list[str]()
        for changed in files_with_unknown_kinds(self.sample(), outcomes):
            source = BytesSource(data=changed.data, name=self.filename(), strict=True)
            found = list(self.make().read(source))
            if calls_in(found) < calls and not is_told(found):
                silent.append(changed.place)
            elif is_told(found) and (more := _accusations(found) - known):
                accused.append(f"{changed.place} ({', '.join(sorted(more))})")
        require(not silent, f"what is unknown must be refused or told in reading_gaps: {'; '.join(silent)}")
        require(not accused, f"what is unknown must not be held against the agent: {'; '.join(accused)}")

    def test_cut_file_does_not_raise(self) -> None:
        """A file cut at any point yields traces, or a ``ReadError`` that says what is wrong."""
        sample = self.sample()
        for size in range(0, len(sample), max(1, len(sample) // 50)):
            for outcome in self.read(sample[:size]):
                fits = isinstance(outcome, ExecutionTrace) or bool(outcome.message)
                require(fits, f"cut after {size} bytes: a ReadError must have a message")


def _accusations(outcomes: list[ExecutionTrace | ReadError]) -> set[str]:
    """The rules by which the installed signals find an error or a warning."""
    traces = [outcome for outcome in outcomes if isinstance(outcome, ExecutionTrace)]
    found = (finding for trace in traces for finding in evaluate_trace(trace).findings)
    return {finding.rule for finding in found if finding.severity != "note"}


def _written(trace: ExecutionTrace) -> bytes:
    try:
        return encode_trace(trace)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"the trace {trace.trace_id!r:.40} cannot be written: {error}") from None


def _difference(before: Any, after: Any, path: str) -> str:
    """Where two values that are not equal differ first, and how."""
    if type(before) is not type(after):
        return f"{path} is a {type(before).__name__} and comes back as a {type(after).__name__}"
    names: list[str] = [field.name for field in attrs.fields(type(before))] if attrs.has(type(before)) else []
    pairs = [(f"{path}.{name}", getattr(before, name), getattr(after, name)) for name in names]
    if isinstance(before, tuple) and len(before) == len(after):
        pairs = [(f"{path}[{place}]", *both) for place, both in enumerate(zip(before, after, strict=True))]
    for place, first, second in pairs:
        if first != second:
            return _difference(first, second, place)
    return f"{path} is {before!r:.60} and comes back as {after!r:.60}"
