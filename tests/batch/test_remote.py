"""Input and output at URLs. The file system in memory is seen by forked workers."""

import attrs
import fsspec
import pytest

from sentinel_core.batch import cluster
from sentinel_core.cli import main
from sentinel_core.errors import ConfigError, InputError
from sentinel_core.sources.remote import fetched, file_system, find_remote, remote_identity

COUNT = 14


@pytest.fixture(autouse=True)
def memory(tools):
    """Fourteen traces in one file, which is more than one split, and one in another."""
    system = fsspec.filesystem("memory")
    system.pipe_file("/in/a.jsonl", b"".join(tools.line_of(number, kilobytes=64) for number in range(COUNT)))
    system.pipe_file("/in/deep/b.json", tools.line_of(99))
    system.pipe_file("/in/readme.txt", b"no trace")
    yield system
    system.rm("/in", recursive=True)
    if system.exists("/out"):
        system.rm("/out", recursive=True)


@pytest.fixture
def evaluate(capfd):
    """The command in this process, whose memory it is."""

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(["evaluate", *map(str, arguments)])
        captured = capfd.readouterr()
        assert "Traceback" not in captured.err, captured.err
        return caught.value.code, *captured

    return run


@pytest.fixture
def expected(evaluate, memory, tmp_path):
    memory.get("/in", str(tmp_path / "in"), recursive=True)
    code, out, _ = evaluate(tmp_path / "in", "--jsonl", "-j", 1)
    assert code == 2
    return out.encode()


def test_a_folder_to_a_folder(evaluate, memory, expected):
    code, _, err = evaluate("memory://in", "-o", "memory://out/r/", "-j", 2)
    assert (code, err.splitlines()[0]) == (2, "15 traces: 13 PASS, 2 FAIL")
    parts = sorted(memory.glob("/out/r/part-*.jsonl"))
    assert len(parts) > 2
    assert b"".join(memory.cat_file(part) for part in parts) == expected
    assert memory.exists("/out/r/summary.json")
    code, _, err = evaluate("memory://in", "-o", "memory://out/r/", "-j", 2)
    assert (code, err) == (
        3,
        'sentinel: error: "memory://out/r/" is not empty (--resume goes on with the batch in it); give a new folder\n',
    )
    code, _, err = evaluate("memory://in", "-o", "memory://out/r/", "--resume")
    assert (code, err.splitlines()[-1]) == (2, "  all of it: memory://out/r/summary.json")


@pytest.mark.parametrize("place", ["memory://in/r/", "memory://in/r.jsonl"])
def test_what_a_batch_wrote_is_no_input_of_the_next(evaluate, memory, expected, place):
    assert evaluate("memory://in", "-o", place, "-j", 2)[0] == 2
    code, out, _ = evaluate("memory://in", "--jsonl", "-j", 2)
    assert (code, out.encode()) == (2, expected)


def test_an_output_that_is_an_input_is_refused(evaluate, memory):
    before = memory.cat_file("/in/a.jsonl")
    for place in ("memory://in/a.jsonl", "memory:///in/a.jsonl"):
        code, _, err = evaluate("memory://in/*.jsonl", "-o", place)
        assert (code, "is what is to be read, and would be replaced" in err) == (3, True)
    assert memory.cat_file("/in/a.jsonl") == before


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_a_glob_to_a_file(evaluate, memory, expected, name):
    code, _, err = evaluate("memory://in/*.jsonl", "memory://in/deep/b.json", "-o", f"memory://out/{name}", "-j", 2)
    assert (code, err.splitlines()[-1]) == (2, "  all of it: memory://out/r.summary.json")
    assert {path.rpartition("/")[2] for path in memory.ls("/out", detail=False)} == {name, "r.summary.json"}
    if name == "r.jsonl":
        assert memory.cat_file(f"/out/{name}") == expected


def test_a_file_without_an_ending_in_a_folder_with_one(evaluate, memory):
    place = "memory://out/of.it/r"
    code, _, err = evaluate("memory://in/deep/b.json", "-o", place, "--output-format", "jsonl")
    assert (code, err.splitlines()[-1]) == (0, f"  all of it: {place}.summary.json")
    assert sorted(memory.find("/out")) == ["/out/of.it/r", "/out/of.it/r.summary.json"]


def test_what_is_not_there(evaluate):
    code, _, err = evaluate("memory://in/deep/b.json", "memory://gone", "odd://x", "--jsonl")
    assert code == 3
    told = err.splitlines()
    assert told[0] == 'sentinel: error: "memory://gone": no such file or folder'
    assert told[1].startswith('sentinel: error: "odd://x" cannot be reached: ')


def test_a_file_that_goes_away(memory):
    (source,) = find_remote("memory://in/deep/b.json", strict=False, max_record=1)
    gone = attrs.evolve(source, url="memory://in/gone.json", label="memory://in/gone.json")
    beats = []
    with fetched((source, gone, InputError("odd")), lambda: beats.append(1)) as (copy, missing, odd):
        assert copy.path.read_bytes() == memory.cat_file("/in/deep/b.json")
        assert isinstance(missing, InputError)
        assert str(missing).startswith('"memory://in/gone.json" cannot be read: FileNotFoundError')
        assert str(odd) == "odd"
    assert len(beats) == 1
    assert not copy.path.exists()
    assert remote_identity(source.url) != ""
    assert remote_identity("odd://x") == ""


def test_without_the_packages(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"pip install 'reliability-sentinel\[dask\]'"):
        cluster._distributed()
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(InputError, match=r"pip install 'reliability-sentinel\[dask\]'"):
        file_system("s3://x")
