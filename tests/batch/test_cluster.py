"""The engine on a Dask cluster: what it needs, what it refuses, and a plugin that crashes there."""

import pickle
import threading

import pytest

from sentinel_core.batch.fingerprint import fingerprint
from sentinel_core.batch.remote_task import Outcome, Setup, judge_on_worker
from sentinel_core.batch.split import Split, Task
from sentinel_core.judging.job import Plan
from sentinel_core.selection import Selection
from sentinel_core.settings import Layers, Setting
from sentinel_core.sources import FileSource

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
        'this process: is not set up as the client is: plugin "signals:loop" was loop 99 and is reliability-sentinel-'
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
