"""What the tests of all five readers share."""

import json
from collections.abc import Callable

import pytest
from hypothesis import strategies as st

from sentinel_core import ExecutionTrace, ReadError, evaluate_trace
from sentinel_core.testing import BytesSource
from sentinel_core.traces.codec import encode_trace
from sentinel_readers_benchmarks import sentinel_trace_readers

READERS = {reader.name: reader for reader in sentinel_trace_readers()}
SWAPS = (b"null", b"[]", b"{}", b'""', b"-1", b"1e9", b'"x"', b"true", b"[[[]]]", b'{"a":{"b":[1]}}')


def read(name: str, document: object, filename: str = "run.json") -> list[ExecutionTrace | ReadError]:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return list(READERS[name].read(BytesSource(data=data, name=filename)))


def one(name: str, document: object, filename: str = "run.json") -> ExecutionTrace:
    (trace,) = read(name, document, filename)
    assert isinstance(trace, ExecutionTrace), trace
    return trace


def findings(trace: ExecutionTrace) -> list[str]:
    return [finding.rule for finding in evaluate_trace(trace).findings]


def mutated(draw: Callable[[st.SearchStrategy], object], sample: bytes) -> bytes:
    """Some values swapped for others, some bytes lost, and perhaps the end."""
    parts = sample.split(b":")
    for _ in range(draw(st.integers(0, 4))):
        position = draw(st.integers(1, len(parts) - 1))
        tail = parts[position].lstrip()
        rest = tail[tail.find(b",") :] if b"," in tail else tail[-1:]
        parts[position] = draw(st.sampled_from(SWAPS)) + rest
    data = b":".join(parts)
    if draw(st.booleans()):
        start = draw(st.integers(0, len(data)))
        data = data[:start] + draw(st.binary(max_size=4)) + data[start + draw(st.integers(0, 9)) :]
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


def survives(name: str, data: bytes, filename: str = "run.json") -> None:
    """Whatever the bytes are, there are traces that can be written and judged, and errors that say something."""
    for outcome in read(name, data, filename):
        if isinstance(outcome, ReadError):
            assert outcome.message
        else:
            assert encode_trace(outcome)
            assert READERS["atif"].write(outcome)


class Tools:
    """The helpers above, for tests: folders of tests are no packages."""

    reader = staticmethod(lambda name: READERS[name])
    read = staticmethod(read)
    one = staticmethod(one)
    findings = staticmethod(findings)
    mutated = staticmethod(mutated)
    survives = staticmethod(survives)


@pytest.fixture(scope="session")
def tools() -> type[Tools]:
    return Tools
