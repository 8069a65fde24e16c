"""A short run of ``make fuzz``, and proof that it would find what it looks for."""

import importlib
from pathlib import Path
from random import Random

import pytest

from sentinel_core import TraceReader

pytestmark = pytest.mark.unmeasured

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SECONDS = 5


@pytest.fixture
def tools(monkeypatch):
    """The scripts ``fuzz`` and ``mutations``; they stand in no package."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("fuzz"), importlib.import_module("mutations")


@pytest.mark.exhaustive
def test_no_spoiled_file_breaks_a_reader(tools):
    fuzz, _ = tools
    readers = fuzz.installed_readers()
    files = fuzz.seeds(readers)
    assert [name for name, own in files.items() if not own] == []
    result = fuzz.fuzz(readers, files, seconds=SECONDS)
    assert [failure.error for failure in result.failures.values()] == []
    assert all(sum(counts.values()) for counts in result.counts.values())  # each reader had its turn


def test_the_same_seed_spoils_in_the_same_way(tools):
    _, mutations = tools
    data = b'{"a": [1, {"b": "c"}]}\n{"d": null}\n'
    first, second, other = (
        [mutations.mutated(data, chance) for _ in range(50)] for chance in (Random(1), Random(1), Random(2))
    )
    assert first == second != other
    assert len(set(first)) > 40


def loops(source):
    while True:
        pass


def gives_nonsense(source):
    yield 1


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda source: [{}[source.data]], "KeyError"),
        (gives_nonsense, "neither a trace nor a ReadError"),
        (loops, "TooSlowError: took more than 0.2 s"),
    ],
)
def test_what_breaks_is_found_and_kept(tools, read, words, tmp_path, monkeypatch):
    fuzz, _ = tools
    monkeypatch.setattr(fuzz, "SLOWEST", 0.2)
    reader = TraceReader(name="bad", summary="s", sniff=lambda head, name: 1, read=read)
    result = fuzz.fuzz([reader], {"bad": [fuzz.Seed(name="a.json", data=b"[1, 2]")]}, seconds=0.05)
    (failure,) = result.failures.values()
    assert words in failure.error
    assert result.counts["bad"]["broken"] == result.counts["bad"].total() > 0
    assert failure.save(tmp_path).read_bytes() == failure.data
