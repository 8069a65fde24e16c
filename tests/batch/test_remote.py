"""Input and output at URLs. The file system in memory is seen by forked workers."""

import errno
import json
import os
import tempfile

import attrs
import fsspec
import pytest
from fsspec.registry import known_implementations

from sentinel_core.cli import batch_options as batching
from sentinel_core.cli import main
from sentinel_core.errors import ConfigError, InputError
from sentinel_core.judging.batch import cluster, remote_outputs
from sentinel_core.traces.sources import FileSource
from sentinel_core.traces.sources.remote import fetched, file_system, find_remote, remote_identity

pytestmark = pytest.mark.unmeasured

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
    assert (code, err.splitlines()[0]) == (2, "15 traces: 13 PASS, 2 FAIL -> memory://out/r/")
    parts = sorted(memory.glob("/out/r/part-*.jsonl"))
    assert len(parts) > 2
    assert b"".join(memory.cat_file(part) for part in parts) == expected
    assert memory.exists("/out/r/summary.json")
    code, _, err = evaluate("memory://in", "-o", "memory://out/r/", "-j", 2)
    assert (code, err) == (
        3,
        'sentinel: error: "memory://out/r/" is not empty (--resume continues the batch in it); give a new folder\n',
    )
    code, _, err = evaluate("memory://in", "-o", "memory://out/r/", "--resume")
    assert (code, err.splitlines()[-1]) == (2, "  full summary: memory://out/r/summary.json")


@pytest.mark.parametrize("place", ["memory://in/r/", "memory://in/r.jsonl"])
def test_what_a_batch_wrote_is_no_input_of_the_next(evaluate, memory, expected, place):
    assert evaluate("memory://in", "-o", place, "-j", 2)[0] == 2
    code, out, _ = evaluate("memory://in", "--jsonl", "-j", 2)
    assert (code, out.encode()) == (2, expected)


def test_an_output_at_a_url_that_is_an_input_by_its_path_is_refused(sentinel, write, folder, tools):
    path = write("in.jsonl", [tools.line_of(1)])
    before = (folder / "in.jsonl").read_bytes()
    done = sentinel("evaluate", "in.jsonl", "-o", f"file://{folder}/in.jsonl")
    assert (done.returncode, "is also an input and would be replaced" in done.stderr) == (3, True), path
    assert (folder / "in.jsonl").read_bytes() == before


def test_an_output_of_a_kind_that_needs_more_than_a_path_is_told_in_a_line(sentinel, write, tools):
    write("in.jsonl", [tools.line_of(1)])
    done = sentinel("evaluate", "in.jsonl", "in.jsonl", "-o", "reference://x.jsonl")
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (3, "", False)
    assert '"reference://x.jsonl" cannot be written' in done.stderr


def test_an_output_that_is_an_input_is_refused(evaluate, memory):
    before = memory.cat_file("/in/a.jsonl")
    for place in ("memory://in/a.jsonl", "memory:///in/a.jsonl"):
        code, _, err = evaluate("memory://in/*.jsonl", "-o", place)
        assert (code, "is also an input and would be replaced" in err) == (3, True)
    assert memory.cat_file("/in/a.jsonl") == before


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_a_glob_to_a_file(evaluate, memory, expected, name):
    code, _, err = evaluate("memory://in/*.jsonl", "memory://in/deep/b.json", "-o", f"memory://out/{name}", "-j", 2)
    assert (code, err.splitlines()[-1]) == (2, "  full summary: memory://out/r.summary.json")
    assert {path.rpartition("/")[2] for path in memory.ls("/out", detail=False)} == {name, "r.summary.json"}
    if name == "r.jsonl":
        assert memory.cat_file(f"/out/{name}") == expected


def test_a_file_without_an_ending_in_a_folder_with_one(evaluate, memory):
    place = "memory://out/of.it/r"
    code, _, err = evaluate("memory://in/deep/b.json", "-o", place, "--output-format", "jsonl")
    assert (code, err.splitlines()[-1]) == (0, f"  full summary: {place}.summary.json")
    assert sorted(memory.find("/out")) == ["/out/of.it/r", "/out/of.it/r.summary.json"]


@pytest.fixture
def no_work(monkeypatch):
    """Judging anything is an error."""

    def begun(*_given, **_named):
        raise AssertionError("the work has begun")

    monkeypatch.setattr(batching, "pooled", begun)


@pytest.mark.usefixtures("no_work")
def test_an_output_that_cannot_be_written_is_told_before_any_work(evaluate, memory, monkeypatch):
    def read_only(_system, _path, mode="rb", **_named):
        raise NotImplementedError

    with monkeypatch.context() as patched:
        patched.setattr(type(memory), "_open", read_only)
        code, _, err = evaluate("memory://in/deep/b.json", "-o", "memory://out/r.jsonl")
    reason = "NotImplementedError: the file system is read-only"
    assert (code, err) == (3, f'sentinel: error: "memory://out/r.jsonl" cannot be written: {reason}\n')
    monkeypatch.setattr(type(memory), "rm", read_only)
    code, _, err = evaluate("memory://in/deep/b.json", "-o", "memory://out/r.jsonl")
    assert (code, reason in err) == (3, True)


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_what_cannot_be_sent_in_the_end_is_kept_here(evaluate, memory, monkeypatch, tmp_path, name):
    def full(*_given, **_named):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(type(memory), "mv", full)
    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "NamedTemporaryFile", full)
        _, _, err = evaluate("memory://in/deep/b.json", "-o", f"memory://out/{name}")
    assert err.endswith("; the reports could not be saved on this machine either: No space left on device\n")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code, _, err = evaluate("memory://in/deep/b.json", "-o", f"memory://out/{name}")
    (kept,) = tmp_path.glob(f"sentinel-*-{name}")
    told = err.splitlines()[-1]
    assert code == 3
    assert told.startswith(f'sentinel: error: "memory://out/{name}" cannot be written: OSError: [Errno 28]')
    assert told.endswith(f'; the reports are in "{kept}"')
    if name == "r.jsonl":
        assert json.loads(kept.read_bytes())["trace_id"] == "day-99"
    else:
        assert kept.read_bytes().startswith(b"PAR1")


def test_no_bucket_is_made(memory, monkeypatch):
    """A store of buckets has paths without a slash before them, and would make what is missing of them."""
    made = []
    monkeypatch.setattr(type(memory), "makedirs", lambda _system, path, **_named: made.append(path))
    for path in ("bucket/r.jsonl", "bucket/deep/r.jsonl", "/out/deep/r.jsonl"):
        place = remote_outputs._Place("memory://out/r.jsonl")
        place.path = path
        place.attempt()
        place.write_bytes(path, b"whole")
    assert made == ["/out/deep", "/out/deep"]
    memory.rm("/bucket", recursive=True)


def test_what_is_not_there(evaluate):
    code, _, err = evaluate("memory://in/deep/b.json", "memory://gone", "odd://x", "--jsonl")
    assert code == 3
    told = err.splitlines()
    assert told[0] == 'sentinel: error: "memory://gone": no such file or folder'
    assert told[1].startswith('sentinel: error: "odd://x": cannot be reached: ')


def test_a_file_that_goes_away(memory):
    (source,) = find_remote("memory://in/deep/b.json", strict=False, max_record=1, left_out={})
    gone = attrs.evolve(source, url="memory://in/gone.json", label="memory://in/gone.json")
    beats = []
    with fetched((source, gone, InputError("odd")), lambda: beats.append(1)) as (copy, missing, odd):
        assert copy.path.read_bytes() == memory.cat_file("/in/deep/b.json")
        assert isinstance(missing, InputError)
        assert str(missing).startswith('"memory://in/gone.json": cannot be read: FileNotFoundError')
        assert str(odd) == "odd"
    assert len(beats) == 1
    assert not copy.path.exists()
    assert remote_identity(source.url) != ""
    assert remote_identity("odd://x") == ""


def test_a_large_file_that_cannot_be_fetched_costs_no_other(evaluate, memory, monkeypatch):
    opened = type(memory)._open

    def refusing(system, path, *given, **named):
        if path == "/in/a.jsonl":
            raise PermissionError("forbidden")
        return opened(system, path, *given, **named)

    monkeypatch.setattr(type(memory), "_open", refusing)
    code, out, err = evaluate("memory://in", "--jsonl", "-j", 2)
    reason = "cannot be read: PermissionError: forbidden"
    assert (code, err) == (3, f'sentinel: error: "memory:///in/a.jsonl": {reason}\n')
    failed, judged = (json.loads(line) for line in out.splitlines())
    assert failed["error"] == {"message": reason, "source": "a.jsonl", "line": None}
    assert judged["trace_id"] == "day-99"


@pytest.mark.parametrize("place", ["", "*.json"])
def test_an_entry_of_a_folder_that_cannot_be_read_costs_no_other(tmp_path, tools, place):
    (tmp_path / "a.json").write_bytes(tools.line_of(1))
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    for name, target in {"good": "a.json", "gone": "nothing", "to_folder": "folder.json"}.items():
        (tmp_path / f"{name}.json").symlink_to(target)
    url = f"file://{tmp_path}/"
    found = list(find_remote(f"{url}{place}", strict=False, max_record=1, left_out={}))
    size = (tmp_path / "a.json").stat().st_size
    assert [(one.label, one.size) for one in found if isinstance(one, FileSource)] == [
        (f"{url}a.json", size),
        (f"{url}good.json", size),
    ]
    gone, pipe = (str(one) for one in found if isinstance(one, InputError))
    assert gone.startswith(f'"{url}gone.json": cannot be read: FileNotFoundError')
    assert pipe == f'"{url}pipe.json": is not a file'


def test_a_listing_that_tells_no_sizes(memory, monkeypatch):
    """As those of web servers are: each file is asked for its size, and may be gone by then."""
    listed = type(memory).find

    def find(system, path, **named):
        found = listed(system, path, **named)
        gone = {"/in/gone.json": {"type": "file"}}
        return {name: {"type": entry["type"], "size": None} for name, entry in found.items()} | gone

    monkeypatch.setattr(type(memory), "find", find)
    first, second, third = find_remote("memory://in", strict=False, max_record=1, left_out={})
    assert (first.size, second.size) == (memory.size("/in/a.jsonl"), memory.size("/in/deep/b.json"))
    assert str(third).startswith('"memory:///in/gone.json": cannot be read: FileNotFoundError')


def test_without_the_packages(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"pip install 'reliability-sentinel\[dask\]'"):
        cluster._distributed()
    monkeypatch.setitem(known_implementations, "far", {"class": "far.Far", "err": "Install far"})
    with pytest.raises(InputError, match=r'^"far://x": cannot be reached: Install far$'):
        file_system("far://x")
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(InputError, match=r"pip install 'reliability-sentinel\[dask\]'"):
        file_system("s3://x")
