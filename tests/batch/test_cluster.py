"""The engine on a Dask cluster: real workers, really killed."""

import json
import os
import pickle
import signal
import threading
from collections import Counter

import pytest

from sentinel_core.batch.fingerprint import fingerprint
from sentinel_core.batch.remote_task import Outcome, Setup, judge_on_worker
from sentinel_core.batch.split import Split, Task
from sentinel_core.judging.job import Plan
from sentinel_core.selection import Selection
from sentinel_core.settings import Layers
from sentinel_core.sources import FileSource

SLOW = """
import os
import time

from sentinel_core import Signal, hookimpl


def detect(index):
    with open({log!r}, "a") as log:
        log.write(f"{{os.getppid()}} {{index.trace.trace_id}}\\n")
    time.sleep(0.05)
    return 0.0


@hookimpl
def sentinel_signals():
    return [Signal(name="slow", summary="takes its time", detect=detect)]
"""
RECORDS = 120


def test_a_worker_that_is_killed(start, sentinel, write, folder, tools, cluster):
    log = folder / "log"
    log.touch()
    (folder / "slow.py").write_text(SLOW.format(log=str(log)))
    write("t.jsonl", [tools.line_of(number, kilobytes=16) for number in range(RECORDS)])
    options = ("-o", "out/", "--plugins", str(folder / "slow.py"), "--weight", "slow=1")
    batch = start("evaluate", "t.jsonl", "--engine", f"dask:{cluster.scheduler_address}", *options)
    assert tools.wait_until(lambda: in_the_middle(log) is not None)
    os.kill(in_the_middle(log), signal.SIGKILL)
    _, err = batch.communicate()
    found = [row for part in sorted(folder.glob("out/part-*")) for row in tools.rows(part.read_bytes())]
    assert [row.get("trace_id") for row in found] == [f"day-{number}" for number in range(RECORDS)], err
    assert json.loads((folder / "out/summary.json").read_bytes())["records"] == RECORDS
    assert len(log.read_bytes().splitlines()) > RECORDS  # some were judged again


def in_the_middle(log) -> int | None:
    """The Dask worker that has judged some records of its first split, and not all."""
    judged = Counter(int(line.split()[0]) for line in log.read_text().splitlines())
    return next((pid for pid, count in judged.items() if 3 <= count <= 10), None)


def test_a_plugin_that_segfaults_costs_one_record(sentinel, write, folder, tools, cluster):
    source = SLOW.replace("time.sleep(0.05)", 'index.trace.trace_id == "day-7" and os.kill(os.getpid(), 11)')
    (folder / "dies.py").write_text(source.format(log=os.devnull))
    write("few.jsonl", [tools.line_of(number) for number in range(20)])
    options = ("--jsonl", "--plugins", str(folder / "dies.py"), "--weight", "slow=1")
    done = sentinel("evaluate", "few.jsonl", "--engine", f"dask:{cluster.scheduler_address}", *options)
    found = tools.rows(done.stdout)
    assert [row["trace_id"] for row in found if row["failures"]] == ["day-7"]
    assert len(found) == 20
    assert done.returncode == 3
    assert done.stdout == sentinel("evaluate", "few.jsonl", *options).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("few.jsonl", "--engine", "dask:tcp://127.0.0.1:1"), 'the scheduler "tcp://127.0.0.1:1" cannot be reached'),
        (("few.jsonl", "--engine", "spark"), '--engine "spark": choose local, dask or dask:SCHEDULER'),
        (("few.jsonl", "--engine", "local:4"), '--engine "local:4": choose local, dask or dask:SCHEDULER'),
    ],
)
def test_engines_that_are_not_there(sentinel, write, tools, arguments, words):
    write("few.jsonl", [tools.line_of(number) for number in range(3)])
    done = sentinel("evaluate", *arguments, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s")
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr


def test_standard_input_stays_here(sentinel, tools, cluster):
    done = sentinel("evaluate", "-", "--engine", f"dask:{cluster.scheduler_address}", stdin=tools.line_of(1))
    assert (done.returncode, done.stdout) == (3, "")
    assert '"-": a cluster cannot read standard input or a pipe; give a file' in done.stderr


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


def test_many_threads_of_one_worker(plan, write, tools):
    path = write("few.jsonl", [tools.line_of(number) for number in range(20)])
    task = Task(split=Split(number=0, key="0-1", sources=(FileSource(path=path, label="few.jsonl"),)))
    outcomes = []
    threads = [threading.Thread(target=lambda: outcomes.append(asked(plan, task))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {outcome.items for outcome in outcomes} == {outcomes[0].items}
    assert (len(outcomes), outcomes[0].written, outcomes[0].refused) == (3, 20, None)
    assert pickle.loads(outcomes[0].packed()) == outcomes[0]
