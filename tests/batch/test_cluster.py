"""The engine on a Dask cluster: what it needs, what it refuses, and a plugin that crashes there."""

import json
import pickle
import select
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from commanding import COMMAND

from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.judging.batch import cluster
from sentinel_core.judging.batch.remote_task import Outcome, Setup, judge_on_worker
from sentinel_core.judging.batch.report_fingerprint import fingerprint
from sentinel_core.judging.batch.split import Split, Task
from sentinel_core.judging.job import Plan
from sentinel_core.traces.sources import FileSource

pytestmark = pytest.mark.unmeasured

DIES = """
import os

from sentinel_core import Signal, hookimpl


def detect(index):
    if index.trace.trace_id == "day-7":
        os.kill(os.getpid(), 11)
    return 0.0


@hookimpl
def sentinel_signals():
    return [Signal(name="dies", summary="dies of one record", detect=detect)]
"""


def test_a_cluster_on_this_machine_and_a_plugin_that_segfaults(start, sentinel, write, folder, tools):
    (folder / "dies.py").write_text(DIES)
    path = write("few.jsonl", [tools.line_of(number) for number in range(20)])
    options = ("--jsonl", "--plugins", str(folder / "dies.py"), "--weight", "dies=1")
    first = f"import fsspec; fsspec.filesystem('memory').put({str(path)!r}, '/in/few.jsonl')"
    batch = start("evaluate", "memory:///in/few.jsonl", "--engine", "dask", "-j", 2, *options, first=first)
    out, err = batch.communicate()
    found = tools.rows(out)
    assert (len(found), batch.returncode) == (20, 3), err
    message = 'plugin "signals:dies" was killed by signal 11 (SIGSEGV)'
    assert [row["error"] for row in found if "error" in row] == [{"message": message, "source": "few.jsonl", "line": 8}]
    assert err == f'sentinel: error: "memory:///in/few.jsonl" line 8: {message}\n'
    for alone in ((), ("-j", 1)):
        assert sentinel("evaluate", "few.jsonl", *options, *alone).stdout == out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--engine", "dask:tcp://127.0.0.1:1"), 'the scheduler "tcp://127.0.0.1:1" cannot be reached'),
        (("--engine", "spark"), '--engine "spark": choose local, dask or dask:SCHEDULER'),
        (("--engine", "local:4"), '--engine "local:4": choose local, dask or dask:SCHEDULER'),
    ],
)
def test_engines_that_are_not_there(sentinel, write, tools, arguments, words):
    write("few.jsonl", [tools.line_of(number) for number in range(3)])
    done = sentinel("evaluate", "few.jsonl", *arguments, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s")
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr


SLOW = """
import time

from sentinel_core import Signal, hookimpl


def detect(index):
    with open({log!r}, "a") as log:
        log.write("judged\\n")
    time.sleep(0.1)
    return 0.0


@hookimpl
def sentinel_signals():
    return [Signal(name="slow", summary="takes its time", detect=detect)]
"""


@pytest.fixture
def dask(tmp_path):
    """Starts ``dask scheduler`` or ``dask worker``; what still runs in the end is killed."""
    started = []

    def run(kind: str, *arguments: object) -> subprocess.Popen[bytes]:
        command = [COMMAND.with_name("dask"), kind, "--no-dashboard", *map(str, arguments)]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()


def test_a_scheduler_without_workers_that_ends_in_the_middle(dask, start, sentinel, write, folder, tools, tmp_path):
    log, where = tmp_path / "log", tmp_path / "scheduler.json"
    (folder / "slow.py").write_text(SLOW.format(log=str(log)))
    write("night.jsonl", [tools.line_of(number, kilobytes=64) for number in range(60)])
    work = ("evaluate", "night.jsonl", "-o", "lost.jsonl", "--plugins", "slow.py", "--weight", "slow=1")
    scheduler = dask("scheduler", "--port", 0, "--scheduler-file", where)
    assert tools.wait_until(lambda: where.exists() and where.read_text().rstrip().endswith("}"))  # whole
    address = json.loads(where.read_text())["address"]
    batch = start(*work, "--engine", f"dask:{address}")
    assert select.select([batch.stderr], [], [], 60)[0], "nothing is said"
    assert batch.stderr.readline() == f'sentinel: warning: waiting for workers of "{address}"\n'
    dask("worker", address, "--no-nanny", "--nthreads", 1)
    assert tools.wait_until(lambda: log.exists() and len(log.read_bytes().splitlines()) > 15)
    scheduler.kill()
    _, err = batch.communicate()
    lost = f'sentinel: error: the connection to the scheduler "{address}" was lost; --resume continues after the results that were already written to -o\n'
    assert (batch.returncode, err) == (3, lost)
    assert sentinel(*work, "--resume", "-j", 2).returncode == 2
    found = tools.rows((folder / "lost.jsonl").read_bytes())
    assert [row["trace_id"] for row in found] == [f"day-{number}" for number in range(60)]


def test_standard_input_stays_here(sentinel, tools):
    done = sentinel("evaluate", "-", "--engine", "dask", stdin=tools.line_of(1))
    assert (done.returncode, done.stdout) == (3, "")
    assert '"stdin": a cluster cannot read standard input or a pipe; give a file' in done.stderr


@pytest.fixture
def plan():
    return Plan(sources=(), layers=Layers(), selection=Selection.parse("loop"), format="jsonl")


def asked(plan, task, **changed):
    setup = Setup(plan=plan, fingerprint={**fingerprint(plan), **changed}, timeout=60, memory=1 << 32)
    return Outcome.unpacked(judge_on_worker(setup.packed(), task))


def test_a_worker_with_other_plugins_refuses(plan):
    outcome = asked(plan, Task(split=Split(number=0, key="0-0")), **{'plugin "signals:loop"': "loop 99"})
    assert outcome.refused is not None
    assert outcome.refused.startswith(
        'this process: is not set up like the client: plugin "signals:loop" was loop 99 and is reliability-sentinel-'
    )


@pytest.mark.parametrize(
    ("key", "value", "differs"),
    [
        ("store", "elsewhere.sqlite3", False),
        ("reflector", "llm", False),
        ("timeout", 5.0, False),
        ("agent.max_turns", 3, False),
        ("weights.loop", 0.5, True),
        ("signals.loop.message_limit", 5, True),
        ("profile", "other.toml", True),
    ],
)
def test_only_settings_that_show_in_reports_tell_workers_apart(plan, key, value, differs):
    layers = Layers(values={key: Setting(key=key, value=value, origin="sentinel.toml")})
    assert (fingerprint(plan._replace(layers=layers)) != fingerprint(plan)) is differs


def test_a_file_that_cannot_be_fetched_is_not_cut(plan):
    gone = FileSource(path=Path("gone"), label="memory://gone.jsonl", url="memory://gone.jsonl", size=1 << 20)
    outcome = asked(plan, Task(split=Split(number=-1, key="0-1", sources=(gone,)), cut=1 << 18))
    assert (outcome.refused, outcome.parts) == (None, [])


def test_files_that_a_worker_does_not_have(plan, tmp_path):
    profile = Setting(key="profile", value=str(tmp_path / "own.toml"), origin="--profile")
    layers = Layers(values={"profile": profile})
    here = plan._replace(selection=Selection.parse(f"loop,{tmp_path}/own.py,own.deep"), layers=layers)
    there = {"profile": f"{profile.value} (0123)", f'plugin "{tmp_path}/own.py"': "0123", 'plugin "own.deep"': "0123"}
    assert asked(here, Task(split=Split(number=0, key="0-0")), **there).refused == (
        f'this process: plugin "{tmp_path}/own.py", plugin "own.deep", profile "{profile.value}": '
        "not found on the worker; every worker needs the same files"
    )


def test_files_named_from_here_are_found_from_another_folder(plan, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    layers = Layers(values={"profile": Setting(key="profile", value="own.toml", origin="--profile")})
    there = cluster._portable(plan._replace(selection=Selection.parse("loop,./own.py,own.deep"), layers=layers))
    assert there.selection.items == ("loop", str(tmp_path / "own.py"), "own.deep")
    assert there.layers.host().profile == str(tmp_path / "own.toml")
    standard = Layers(values={"profile": Setting(key="profile", value="rs1", origin="--profile")})
    assert cluster._portable(plan._replace(selection=Selection(), layers=standard)).layers == standard


@pytest.mark.parametrize(
    "changed", ["whole/deep.py", "whole/deep/__init__.py", "whole/deep/in/more.py", "part/in/deep.py"]
)
def test_a_plugin_in_a_module_that_changed_is_another(plan, monkeypatch, tmp_path, changed):
    path = tmp_path / changed
    path.parent.mkdir(parents=True)
    if changed.startswith("whole"):
        (tmp_path / "whole/__init__.py").write_text("raise RuntimeError")
    if "deep/" in changed:
        (tmp_path / "whole/deep/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    target = "part.in.deep" if changed.startswith("part") else "whole.deep"
    own = plan._replace(selection=Selection.parse(target))
    seen = []
    for text in ("", "1", "2"):
        path.write_text(text)
        seen.append(fingerprint(own)[f'plugin "{target}"'])
    assert len(set(seen)) == 3
    assert "not found" not in seen
    assert "whole" not in sys.modules
    for wrong in ("nothing.there", "__main__.there", "json.there"):
        assert fingerprint(plan._replace(selection=Selection.parse(wrong)))[f'plugin "{wrong}"'] == "not found"


def test_many_threads_of_one_worker(plan, write, tools):
    path = write("few.jsonl", [tools.line_of(number) for number in range(8)])
    task = Task(split=Split(number=0, key="0-1", sources=(FileSource(path=path, label="few.jsonl"),)))
    outcomes = []
    threads = [threading.Thread(target=lambda: outcomes.append(asked(plan, task))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {outcome.items for outcome in outcomes} == {outcomes[0].items}
    assert (len(outcomes), outcomes[0].written, outcomes[0].refused) == (2, 8, None)
    assert pickle.loads(outcomes[0].packed()) == outcomes[0]
