import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import each_row

from sentinel_core import ExecutionTrace, ReadError
from sentinel_core.testing import BytesSource, work_of
from sentinel_core.traces.codec import encode_trace
from sentinel_readers_frameworks import sentinel_trace_readers

pytestmark = pytest.mark.unmeasured

DATA = Path(__file__).parent / "data"
READERS = {reader.name: reader for reader in sentinel_trace_readers()}
SAMPLES = [(path.name.rpartition("-")[0], path.read_bytes()) for path in sorted(DATA.iterdir())]
ODD = [None, 0, "", "x", [], {}, [[]], {"a": None}, 10**30]


def outcomes(reader, data):
    found = list(READERS[reader].read(BytesSource(data=data)))
    for outcome in found:
        assert isinstance(outcome, (ExecutionTrace, ReadError))
        if isinstance(outcome, ExecutionTrace):
            assert outcome.trace_id
            encode_trace(outcome)
    return found


@settings(max_examples=150)
@given(st.sampled_from(SAMPLES), st.data())
def test_mutated_bytes_never_raise(sample, data):
    reader, content = sample
    start = data.draw(st.integers(0, len(content)))
    length = data.draw(st.integers(0, 60))
    put = data.draw(st.one_of(st.binary(max_size=20), st.sampled_from([b"null", b"{}", b"[]", b"1", b'""', b"\n"])))
    outcomes(reader, content[:start] + put + content[start + length :])


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def kinds_of_places(value):
    """Of the places that differ by their positions in lists alone, the last; of all, if ``make soak`` asks."""
    if os.environ.get("SENTINEL_SOAK") == "1":
        return list(places(value))
    return list({tuple(key for key in path if isinstance(key, str)): path for path in places(value)}.values())


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize(("reader", "content"), SAMPLES, ids=[f"{name}-{at}" for at, (name, _) in enumerate(SAMPLES)])
def test_any_value_in_any_place_never_raises(reader, content):
    try:
        values = [json.loads(content)]
    except ValueError:
        values = [json.loads(line) for line in content.splitlines()[:-1]]
    for at, value in enumerate(values):
        before, after = ["".join(f"{json.dumps(one)}\n" for one in part) for part in (values[:at], values[at + 1 :])]
        for path in kinds_of_places(value):
            for odd in ODD:
                outcomes(reader, f"{before}{json.dumps(replaced(value, path, odd))}\n{after}".encode())


@given(st.binary(max_size=200))
@settings(max_examples=60)
def test_any_bytes_never_raise(data):
    for name, reader in READERS.items():
        outcomes(name, data)
        assert 0 <= reader.sniff(data, "x") <= 100


def chain(number):
    """Runs each within the one before: a tool in a model call in a tool, and so on."""
    kinds = ("tool", "llm")
    return [
        {
            "id": f"r{at}",
            "trace_id": "t",
            "parent_run_id": f"r{at - 1}" if at else None,
            "run_type": kinds[at % 2],
            "name": "deep",
            "inputs": {"messages": [{"role": "user", "content": f"{at}"}]},
            "outputs": {"output": "done"},
        }
        for at in range(number)
    ]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_of_thousands_of_parents_is_read(backwards):
    def log(length):
        runs = chain(length)
        return json.dumps(runs[::-1] if backwards else runs).encode()

    short, long = log(100), log(800)
    assert work_of(lambda: outcomes("langsmith", long)) < 10 * work_of(lambda: outcomes("langsmith", short))
    (trace,) = outcomes("langsmith", log(4_000))
    depth, level = 0, [trace]
    while level:
        depth += 1
        level = [child for one in level for child in one.details.children]
    assert depth == 9


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_parents_in_a_circle_are_read(size):
    runs = chain(size)
    runs[0]["parent_run_id"] = f"r{size - 1}"
    (trace,) = outcomes("langsmith", json.dumps(runs).encode())
    assert trace.messages


@each_row(("reader", "content"), SAMPLES)
def test_repeating_reads_alike(reader, content):
    assert outcomes(reader, content) == outcomes(reader, content)
