"""One record in many that cannot be read, or that a plugin dies of: everything else is judged, once."""

import json
import os
import shutil
import signal

import pytest

from sentinel_core.host import third_party
from sentinel_core.judging.batch import serve

pytestmark = pytest.mark.unmeasured

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
RECORDS = 10_000 if SOAK else 600
BAD = RECORDS * 3 // 4

WRECKER = """
import os
import signal
import time

from sentinel_core import Signal, hookimpl


def detect(index):
    if index.trace.trace_id in {names!r}:
        {deed}
    return 0.0


@hookimpl
def sentinel_signals():
    return [Signal(name="wrecker", summary="dies of one record", detect=detect)]
"""
SEGFAULT = "os.kill(os.getpid(), signal.SIGSEGV)"
ALONE = ("--plugins", "./wrecker.py,loop", "--weight", "wrecker=1")


@pytest.fixture
def wrecker(folder):
    def make(deed: str, *names: str) -> None:
        (folder / "wrecker.py").write_text(WRECKER.format(deed=deed, names=set(names)))

    return make


@pytest.fixture(scope="module")
def many(write, tools):
    """The lines of many records; the seventh repeats its calls so often that it fails."""
    lines = [tools.line_of(number, kilobytes=32 if number == 7 else 1) for number in range(1, RECORDS + 1)]
    write("many.jsonl", lines)
    return lines


def ids(found) -> list[object]:
    return [row.get("trace_id") for row in found]


def test_a_poisoned_line(inside, write, many, folder, tools):
    poisoned = [*many]
    poisoned[BAD] = b'{"trace_id": "x", "messages": [\xff\n'
    write("poisoned.jsonl", poisoned)
    done = inside("evaluate", "poisoned.jsonl", "-j", 2, "-o", "p.jsonl")
    found = tools.rows((folder / "p.jsonl").read_bytes())
    assert done.returncode == 3
    assert ids(found) == [f"day-{number}" if number - 1 != BAD else None for number in range(1, RECORDS + 1)]
    assert found[BAD]["error"]["line"] == BAD + 1
    assert done.stderr.startswith(f'sentinel: error: "poisoned.jsonl" line {BAD + 1}: is not JSON')
    summary = json.loads((folder / "p.summary.json").read_bytes())
    assert (summary["records"], summary["worst_verdict"]) == (RECORDS, "FAIL")
    assert [(row["file"], row["line"]) for row in summary["unreadable"]] == [("poisoned.jsonl", BAD + 1)]
    assert f"{RECORDS:,} traces: " in done.stderr
    assert " FAIL, 1 unreadable -> " in done.stderr


def test_a_plugin_that_segfaults_on_one_record(sentinel, many, folder, tools, wrecker):
    wrecker(SEGFAULT, f"day-{BAD}")
    done = sentinel("evaluate", "many.jsonl", "-j", 2, "-o", "s.jsonl", *ALONE)
    found = tools.rows((folder / "s.jsonl").read_bytes())
    assert done.returncode == 3
    assert ids(found) == [f"day-{number}" for number in range(1, RECORDS + 1)]
    (hurt,) = [row for row in found if row["failures"] or "error" in row]
    message = 'plugin "signals:wrecker" was killed by signal 11 (SIGSEGV)'
    assert hurt["error"] == {"message": message, "source": "many.jsonl", "line": BAD}
    assert (hurt["trace_id"], hurt["verdict"]) == (f"day-{BAD}", None)
    assert hurt["failures"][0]["error"] == "was killed by signal 11 (SIGSEGV)"
    assert f'sentinel: error: "many.jsonl" line {BAD}: {message}\n' in done.stderr
    assert 'signal "wrecker" failed on 1 record; the first error: was killed by signal 11' in done.stderr
    summary = json.loads((folder / "s.summary.json").read_bytes())
    assert (summary["records"], summary["worst_verdict"]) == (RECORDS, "FAIL")
    assert summary["failures"] == [
        {
            "signal": "wrecker",
            "records": 1,
            "first_error": "was killed by signal 11 (SIGSEGV)",
            "error_rows": [{"file": "many.jsonl", "line": BAD, "message": "was killed by signal 11 (SIGSEGV)"}],
        }
    ]
    alone = sentinel("evaluate", "many.jsonl", "--jsonl", "-j", 1, *ALONE)
    assert (alone.stdout.encode(), alone.returncode) == ((folder / "s.jsonl").read_bytes(), 3)


def test_a_worker_that_is_killed_from_outside_is_nobodys_fault(inside, many, folder, tools, wrecker):
    mark = folder / "killed"
    deed = f"p = {str(mark)!r}; e = os.path.exists(p); open(p, 'w').close(); e or os.kill(os.getpid(), signal.SIGKILL)"
    wrecker(deed, f"day-{BAD}")
    done = inside("evaluate", "many.jsonl", "-j", 2, "-o", "k.jsonl", *ALONE)
    assert mark.exists()
    found = tools.rows((folder / "k.jsonl").read_bytes())
    assert ids(found) == [f"day-{number}" for number in range(1, RECORDS + 1)]
    assert not any(row["failures"] for row in found)
    assert done.returncode == 2


def test_so_is_the_one_child_of_few_traces(inside, write, folder, tools, wrecker):
    mark = folder / "killed"
    deed = f"p = {str(mark)!r}; e = os.path.exists(p); open(p, 'w').close(); e or os.kill(os.getpid(), signal.SIGKILL)"
    wrecker(deed, "day-2")
    write("few.jsonl", [tools.line_of(number) for number in range(1, 4)])
    done = inside("evaluate", "few.jsonl", "--jsonl", *ALONE)
    assert mark.exists()
    found = tools.rows(done.stdout)
    assert ids(found) == ["day-1", "day-2", "day-3"]
    assert not any(row["failures"] for row in found)


@pytest.mark.parametrize(("left", "judged"), [(5, 5), (5.5, 5), (0, 0), (None, 0)])
@pytest.mark.parametrize("output", ["short.jsonl", "short.parquet", "short/"])
def test_a_file_that_is_cut_short_is_told_once(inside, write, folder, tools, monkeypatch, left, judged, output):
    """It is, as soon as it is known where its parts are; 14 records are in four."""
    lines = [tools.line_of(number, kilobytes=64) for number in range(1, 15)]
    path, cut = write("shrinks.jsonl", lines), serve._cut

    def then_shorten(*given):
        cut(*given)
        if left is None:
            path.unlink()
        else:
            os.truncate(path, int(left * len(lines[0])))

    monkeypatch.setattr(serve, "_cut", then_shorten)
    done = inside("evaluate", path.name, "-j", 1, "-o", output, "--output-format", output.partition(".")[2] or "jsonl")
    told = [line for line in done.stderr.splitlines() if line.startswith("sentinel: error: ")]
    reason = "changed while it was being read: the rest of it is missing"
    assert (done.returncode, told[-1]) == (3, f'sentinel: error: "shrinks.jsonl": {reason}')
    assert len(told) == (2 if left == 5.5 else 1)  # half of a line is told besides
    place = folder / "short" / "summary.json" if output == "short/" else folder / "short.summary.json"
    counts = json.loads(place.read_bytes())["verdicts"]
    assert (counts["PASS"], counts["unreadable"]) == (judged, len(told))
    if output == "short/":
        rows = [row for part in sorted((folder / "short").glob("part-*")) for row in tools.rows(part.read_bytes())]
        assert len(rows) == judged + len(told)
        shutil.rmtree(folder / "short")


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("time.sleep(99)", "did not finish within 2 s"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was killed by signal 9 (SIGKILL)"),
        ("os._exit(0)", "ended the process with exit code 0"),
    ],
)
def test_deaths_of_other_kinds(inside, write, folder, tools, wrecker, deed, words):
    wrecker(deed, "day-3", "day-4")
    write("few.jsonl", [tools.line_of(number) for number in range(1, 7)])
    done = inside("evaluate", "few.jsonl", "-j", 2, "--jsonl", "--timeout", 2, *ALONE)
    found = tools.rows(done.stdout)
    assert ids(found) == [f"day-{number}" for number in range(1, 7)]
    assert [row["error"]["line"] for row in found if "error" in row] == [3, 4]
    assert [[failure["error"] for failure in row["failures"]] for row in found] == [[], [], [words], [words], [], []]
    assert done.returncode == 3


def test_after_too_many_deaths_a_signal_is_not_asked_any_more(inside, write, folder, tools, wrecker, monkeypatch):
    wrecker("os._exit(1)", *[f"day-{number}" for number in range(2, 9)])
    write("few.jsonl", [tools.line_of(number) for number in range(1, 9)])
    monkeypatch.setattr(third_party, "_MOST_DEATHS", 2)
    done = inside("evaluate", "few.jsonl", "-j", 1, "--jsonl", *ALONE)
    found = tools.rows(done.stdout)
    assert ids(found) == [f"day-{number}" for number in range(1, 9)]
    assert done.returncode == 3
    assert [row["error"]["line"] for row in found[1:3]] == [2, 3]
    told = {row["failures"][0]["error"] for row in found[3:]}
    assert told == {"ended its process 2 times, and is not asked any more"}


def test_a_fault_of_no_plugin_gives_up_the_split(inside, write, tools, folder, monkeypatch):
    write("few.jsonl", [tools.line_of(number) for number in range(1, 9)])
    monkeypatch.setattr(serve, "rendered", lambda *_: 1 // 0)
    done = inside("evaluate", "few.jsonl", "-o", "fault.jsonl")
    (row,) = tools.rows((folder / "fault.jsonl").read_bytes())
    assert row["error"]["message"].startswith(
        'the judging process stopped while no plugin was running (the last was "signals:tool_misuse"): Zero'
    )
    assert done.returncode == 3


IMPORTS = {
    "ends": ("import os; os._exit(7)", 'plugin "./bad.py" ended the process with exit code 7; Sentinel stopped'),
    "raises": ("raise ValueError('odd')", 'plugin "./bad.py" cannot be imported: ValueError: odd'),
}


@pytest.mark.parametrize(("source", "words"), IMPORTS.values(), ids=list(IMPORTS))
def test_a_plugin_that_cannot_be_loaded(inside, write, folder, tools, source, words):
    (folder / "bad.py").write_text(source)
    write("few.jsonl", [tools.line_of(1)])
    done = inside("evaluate", "few.jsonl", "-o", "none.jsonl", "--plugins", "./bad.py")
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr
    assert not list(folder.glob("*none*"))


def test_an_installed_plugin_that_ends_the_process_is_told_once(sentinel, write, folder, tools, distribution):
    modules = {"bad_plugin": "import os; os._exit(7)"}
    path = distribution("bad-one", modules, {"sentinel.signals": {"aaa": "bad_plugin"}})
    write("few.jsonl", [tools.line_of(number, kilobytes=300) for number in range(4)])
    done = sentinel("evaluate", "few.jsonl", "-j", 2, "--jsonl", PYTHONPATH=str(path))
    assert done.stderr == ('sentinel: warning: plugin "signals:aaa" (bad-one 1.0) ended the process with exit code 7\n')
    assert [row["failures"][0]["signal_name"] for row in tools.rows(done.stdout)] == ["aaa"] * 4


def test_control_c(start, write, folder, tools, wrecker):
    wrecker("open('pid', 'w').write(str(os.getpid())); time.sleep(99)", "day-3")
    write("few.jsonl", [tools.line_of(number) for number in range(1, 7)])
    batch = start("evaluate", "few.jsonl", "-j", 2, "-o", "c.jsonl", *ALONE)
    assert tools.wait_until(lambda: (folder / "pid").exists() and (folder / "pid").read_text() != "")
    batch.send_signal(signal.SIGINT)
    _, err = batch.communicate()
    assert batch.returncode == 130
    assert "\nstopped; to continue: sentinel evaluate few.jsonl -j 2 -o c.jsonl " in err
    pid = int((folder / "pid").read_text())
    assert tools.wait_until(lambda: tools.is_gone(pid))
    assert not list(folder.glob("*c.jsonl*"))
