"""A plugin that ends, hangs or crashes its process costs its record, and nothing else."""

import json

import pytest

from sentinel_core.host import third_party

pytestmark = pytest.mark.unmeasured

WRECKER = """
import os
import signal
import sys
import time

from sentinel_core import Signal, hookimpl


def detect(index):
    deed = index.messages[0].content.partition(" ")[2]
    exec(deed)
    return 0.0


@hookimpl
def sentinel_signals():
    return [Signal(name="wrecker", summary="does as it is told", detect=detect)]
"""
DEEDS = {
    "ends": ("os._exit(0)", "ended the process with exit code 0"),
    "crashes": ("os.kill(os.getpid(), signal.SIGSEGV)", "was killed by signal 11 (SIGSEGV)"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "shuts the pipe": ("os.closerange(3, 256); time.sleep(99)", "was killed by signal 9 (SIGKILL)"),
    "raises": ("raise SystemExit(0)", "raised SystemExit: 0"),
    "prints": ("print('PASS')", "wrote to standard output, which is for reports only"),
    "writes frames": ("os.write(1, b'F' * 99)", None),
    "moves": ("os.chdir('/')", "changed the working directory"),
    "eats memory": ("x = [bytes(1 << 26) for _ in range(9999)]", "raised MemoryError"),
}
NOT_FATAL = {DEEDS[name][0] for name in ("raises", "prints", "moves")}  # the process lives: a failure of the signal


@pytest.fixture
def wrecked(inside, folder, write, knob):
    """Judges records of which each carries a deed for the wrecker."""
    (folder / "wrecker.py").write_text(WRECKER)

    def run(*deeds: str, options: tuple[str, ...] = ()):
        write("t.jsonl", *[f"0 {deed}" for deed in deeds])
        plugins = knob[1].replace("./knob.py", "./knob.py,./wrecker.py")
        arguments = ("--plugins", plugins, *knob[2:], "--max-memory-mb", "512", "--jsonl", *options)
        done = inside("evaluate", "t.jsonl", *arguments)
        return done, [json.loads(line) for line in done.stdout.splitlines()]

    return run


def failures(reports: list[dict[str, object]]) -> list[list[str]]:
    return [[failure["error"] for failure in report["failures"]] for report in reports]


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(("deed", "words"), DEEDS.values(), ids=list(DEEDS))
def test_one_record_of_many(wrecked, deed, words, weighted):
    options = ("--weight", "wrecker=1") if weighted else ()
    done, reports = wrecked("pass", deed, "pass", options=options)
    assert [report["trace_id"] for report in reports] == ["t0", "t1", "t2"]
    assert [len(errors) for errors in failures(reports)] == [0, int(words is not None), 0]
    assert words is None or words in failures(reports)[1][0]
    assert [report["verdict"] for report in reports] == ["PASS", None if weighted and words else "PASS", "PASS"]
    fatal = weighted and deed not in NOT_FATAL and words is not None
    assert [report.get("error") for report in reports] == [
        None,
        {"message": f'plugin "signals:wrecker" {words}', "source": "t.jsonl", "line": 2} if fatal else None,
        None,
    ]
    assert ('sentinel: error: "t.jsonl" line 2: plugin "signals:wrecker"' in done.stderr) == fatal
    assert done.returncode == (3 if weighted and words else 0)


def test_a_hang_is_ended_at_the_time_limit(wrecked):
    done, reports = wrecked("pass", "time.sleep(99)", "pass", options=("--timeout", "3", "--weight", "wrecker=1"))
    assert done.returncode == 3
    assert failures(reports) == [[], ["did not finish within 3 s"], []]
    assert [report["trace_id"] for report in reports] == ["t0", "t1", "t2"]


def test_many_deaths_in_a_row(wrecked):
    done, reports = wrecked(*["os._exit(1)"] * 4, "pass")
    assert done.returncode == 0
    assert failures(reports) == [["ended the process with exit code 1"]] * 4 + [[]]
    assert [report["trace_id"] for report in reports] == [f"t{number}" for number in range(5)]


def test_after_too_many_deaths_it_is_not_asked_any_more(wrecked, monkeypatch):
    monkeypatch.setattr(third_party, "_MOST_DEATHS", 2)
    done, reports = wrecked(*["os._exit(1)"] * 4)
    assert done.returncode == 0
    assert [report["trace_id"] for report in reports] == ["t0", "t1", "t2", "t3"]
    assert failures(reports)[1:3] == [
        ["ended the process with exit code 1"],
        ["ended its process 2 times, and is not asked any more"],
    ]


def test_two_that_die_on_the_same_record(inside, folder, write, knob):
    for name in ("one", "two"):
        (folder / f"{name}.py").write_text(WRECKER.replace('"wrecker"', f'"{name}"'))
    write("t.jsonl", "0 os._exit(1)", "0 pass")
    plugins = knob[1].replace("./knob.py", "./knob.py,./one.py,./two.py")
    done = inside("evaluate", "t.jsonl", "--plugins", plugins, *knob[2:], "--jsonl")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [[failure["signal_name"] for failure in report["failures"]] for report in reports] == [["one", "two"], []]
    assert done.returncode == 0


OFFER = """
from sentinel_core import Signal, hookimpl

@hookimpl
def sentinel_signals():
    return [Signal(name="printer", summary="prints when it is imported", detect=lambda index: 0.0)]
"""

AT_IMPORT = {
    "ends": (
        "import os; os._exit(0)",
        'plugin "./bad.py" ended the process with exit code 0; Sentinel stopped (use --plugins',
    ),
    "raises": ("raise ValueError('odd')", 'plugin "./bad.py" cannot be imported: ValueError: odd'),
    "prints": (f"print('PASS')\n{OFFER}", "wrote to standard output, which is for reports only"),
    "interrupts": ("raise KeyboardInterrupt", 'plugin "./bad.py" KeyboardInterrupt'),
    "hangs": ("import time; time.sleep(99)", 'plugin "./bad.py" did not finish within 2 s'),
}


@pytest.mark.parametrize(("source", "words"), AT_IMPORT.values(), ids=list(AT_IMPORT))
def test_a_file_that_goes_wrong_at_import(inside, folder, write, source, words):
    (folder / "bad.py").write_text(source)
    write("t.json", "0")
    done = inside("evaluate", "t.json", "--plugins", "./bad.py", "--json", "--timeout", "2")
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr


BROKEN = """
import os
from sentinel_core import Signal, hookimpl

{at_import}


def detect(index):
    if "wreck" in index.messages[0].content:
        os._exit(5)
    return 0.0


@hookimpl
def sentinel_signals():
    return [Signal(name="{name}", summary="s", detect=detect)]
"""


def test_installed_ones_that_go_wrong_cost_the_others_nothing(sentinel, distribution, write, knob):
    names = {"aaa": "os._exit(7)", "bbb": "raise ValueError('half \\ud800')", "ccc": ""}
    modules = {f"broken_{name}": BROKEN.format(name=name, at_import=deed) for name, deed in names.items()}
    points = {"sentinel.signals": {name: f"broken_{name}" for name in names}}
    path = distribution("broken-ones", modules, points)
    write("t.jsonl", "0 wreck", "0")
    done = sentinel("evaluate", "t.jsonl", *knob, "--jsonl", PYTHONPATH=str(path))
    assert done.returncode == 0
    assert done.stderr == (
        'sentinel: warning: plugin "signals:aaa" (broken-ones 1.0) ended the process with exit code 7\n'
        'sentinel: warning: plugin "signals:bbb" (broken-ones 1.0) cannot be imported: ValueError: half ?\n'
    )
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [[failure["signal_name"] for failure in report["failures"]] for report in reports] == [
        ["aaa", "bbb", "ccc"],
        ["aaa", "bbb"],
    ]
    assert all(failure["advisory"] for report in reports for failure in report["failures"])


NEEDY = """
import attrs
from sentinel_core import Signal, hookimpl


@attrs.frozen(kw_only=True)
class Settings:
    key: str


@hookimpl
def sentinel_signals():
    return [Signal(name="needy", summary="s", detect=lambda index, settings: 0.0, settings=Settings)]
"""


def test_one_that_lacks_a_setting_costs_the_others_nothing(sentinel, distribution, write, knob):
    path = str(distribution("needy", {"fake_needy": NEEDY}, {"sentinel.signals": {"needy": "fake_needy"}}))
    write("t.json", "0")
    done = sentinel("evaluate", "t.json", *knob, PYTHONPATH=path)
    assert done.returncode == 0
    assert '✗ advisory signal "needy" (needy 1.0) needs the setting "signals.needy.key"' in done.stdout
    assert sentinel("evaluate", "t.json", *knob, "--weight", "needy=1", PYTHONPATH=path).returncode == 3
    given = ("--weight", "needy=1", "--set", "needy.key=k")
    assert sentinel("evaluate", "t.json", *knob, *given, PYTHONPATH=path).returncode == 0
    shown = sentinel("config", "show", PYTHONPATH=path)
    assert shown.returncode == 0
    assert 'needs the setting "signals.needy.key"' in shown.stdout


def test_no_plugin_at_work(inside, write, monkeypatch):
    from sentinel_core.judging import job

    monkeypatch.setattr(job, "rendered", lambda *_: 1 // 0)
    write("t.jsonl", "0", "0")
    done = inside("evaluate", "t.jsonl", "--json")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(
        'sentinel: error: the judging process stopped after 0 records, at "t.jsonl", while no plugin was running (the last was "signals:tool_misuse"): ZeroDivisionError'
    )


def test_a_time_limit_with_no_plugin_at_work_is_named_with_the_file(inside, write, monkeypatch):
    import time

    from sentinel_core.judging import job

    write("t.jsonl", "0", "0")
    idle, last = "while no plugin was running", ' (the last was "signals:tool_misuse")'
    limit = ": did not finish within 3 s (--timeout sets the time limit for one record)\n"
    monkeypatch.setattr(job, "rendered", lambda *_: time.sleep(60))
    done = inside("evaluate", "t.jsonl", "--timeout", 3)
    assert done.returncode == 3
    assert (
        done.stderr
        == f'sentinel: error: the judging process stopped after 0 records, at "t.jsonl", {idle}{last}{limit}'
    )
    monkeypatch.setattr(job, "prepare", lambda *_: time.sleep(60))
    done = inside("evaluate", "t.jsonl", "t.jsonl", "--timeout", 3)
    assert done.stderr == f"sentinel: error: the judging process stopped before reading 2 files {idle}{limit}"
