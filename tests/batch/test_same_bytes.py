"""The same reports, byte for byte, whoever did the work, and however often it was stopped.

With ``SENTINEL_SOAK=1`` (``make soak``) there are 20,000 traces and ten kills at random points.
"""

import fcntl
import json
import os
import random
import shutil
import signal
import threading
from collections import Counter

import pytest

pytestmark = pytest.mark.unmeasured

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
TRACES = 20_000 if SOAK else 300
KILLS = 10 if SOAK else 2
STEP = 1 if SOAK else 19
# Notes what is done after every split, where it usually does so every second.
EAGER = "import sentinel_core.judging.batch.run as run; run._BETWEEN_NOTES = run._SHARE_OF_NOTES = 0"
INPUTS = ("a.jsonl", "b.jsonl", "small")


@pytest.fixture(scope="module")
def expected(folder, tools, sentinel):
    """The reports that one process gives."""
    lines = [tools.line_of(number, kilobytes=4) for number in range(TRACES)]
    half = TRACES // 2
    (folder / "a.jsonl").write_bytes(b"".join(lines[:half]))
    (folder / "b.jsonl").write_bytes(b"".join([b"\n", b'{"trace_id": 5}\n', *lines[half:-10]]))
    (folder / "small").mkdir()
    for number, line in enumerate(lines[-10:]):
        (folder / f"small/{number}.json").write_bytes(line)
    done = sentinel("evaluate", *INPUTS, "--jsonl", "--jobs", 1)
    assert done.returncode == 3
    assert done.stderr.startswith('sentinel: error: "b.jsonl" line 2: ')
    assert len(tools.rows(done.stdout)) == TRACES + 1
    return done.stdout.encode()


def test_one_process_two_and_a_cluster(sentinel, expected, folder, tools, cluster):
    plain = sentinel("evaluate", *INPUTS, "--jsonl", "-j", 2)
    assert tools.digest(plain.stdout.encode()) == tools.digest(expected)
    told = set()
    for name, options in {"two": ("-j", 2), "dask": ("--engine", f"dask:{cluster}")}.items():
        done = sentinel("evaluate", *INPUTS, "-o", f"{name}.jsonl", *options)
        assert done.returncode == 3, done.stderr
        assert tools.digest((folder / f"{name}.jsonl").read_bytes()) == tools.digest(expected)
        told.add((folder / f"{name}.summary.json").read_bytes())
    assert len(told) == 1


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
SLOW_RECORDS = 120


def test_a_worker_of_the_cluster_that_is_killed(start, write, folder, tools, cluster):
    log = folder / "log"
    log.touch()
    (folder / "slow.py").write_text(SLOW.format(log=str(log)))
    write("t.jsonl", [tools.line_of(number, kilobytes=16) for number in range(SLOW_RECORDS)])
    options = ("-o", "night/", "--plugins", "slow.py", "--weight", "slow=1")  # workers are in another folder
    batch = start("evaluate", "t.jsonl", "--engine", f"dask:{cluster}", *options)
    assert tools.wait_until(lambda: in_the_middle(log) is not None)
    os.kill(in_the_middle(log), signal.SIGKILL)
    _, err = batch.communicate()
    found = [row for part in sorted(folder.glob("night/part-*")) for row in tools.rows(part.read_bytes())]
    assert [row.get("trace_id") for row in found] == [f"day-{number}" for number in range(SLOW_RECORDS)], err
    assert json.loads((folder / "night/summary.json").read_bytes())["records"] == SLOW_RECORDS
    assert len(log.read_bytes().splitlines()) > SLOW_RECORDS  # some were judged again


def in_the_middle(log) -> int | None:
    """The Dask worker that has judged some records of its first split, and not all."""
    judged = Counter(int(line.split()[0]) for line in log.read_text().splitlines())
    return next((pid for pid, count in judged.items() if 3 <= count <= 10), None)


def test_parts_together_are_the_file(sentinel, expected, folder):
    assert sentinel("evaluate", *INPUTS, "-o", "parts/", "-j", 2).returncode == 3
    parts = sorted(folder.glob("parts/part-*.jsonl"))
    assert len(parts) > 5
    assert b"".join(part.read_bytes() for part in parts) == expected


# Kills the process when as much of the output is written: seen from outside, a batch may have ended before the signal comes.
DEATH_AT = f"""
import glob, os, signal
{EAGER}
def written():
    paths = glob.glob("out/part-*") if {{folder}} else [".out.jsonl.partial"]
    return sum(os.stat(path).st_size for path in paths if os.path.exists(path))
at_work = []
def hook(event, arguments):
    if event in ("open", "os.rename", "os.remove") and not at_work and os.getpid() == parent:
        at_work.append(event)
        if written() >= {{wanted}}:
            os.kill(parent, signal.SIGKILL)
        at_work.clear()
parent = os.getpid()
sys.addaudithook(hook)
"""


@pytest.mark.parametrize("output", ["out.jsonl", "out/"])
def test_resumed_after_kills(start, sentinel, expected, folder, output):
    points = sorted(random.Random(output).sample(range(5, 95), KILLS))
    for point in points:
        death = DEATH_AT.format(folder=output == "out/", wanted=len(expected) * point // 100)
        batch = start("evaluate", *INPUTS, "-o", output, "-j", 2, "--resume", first=death)
        _, err = batch.communicate()
        assert batch.returncode == -signal.SIGKILL, err
        assert not (folder / "out.jsonl").exists()
    done = sentinel("evaluate", *INPUTS, "-o", output, "-j", 1, "--resume")
    assert done.returncode == 3, done.stderr
    assert whole(folder, output) == expected
    assert f"{TRACES + 1:,} traces: " in done.stderr
    left = {path.name for path in folder.iterdir() if "out" in path.name} - {output.rstrip("/")}
    assert left == (set() if output == "out/" else {"out.summary.json"})
    assert not list(folder.glob("out/.*"))
    remove(folder)


def whole(folder, output) -> bytes:
    paths = sorted(folder.glob("out/part-*")) if output == "out/" else [folder / "out.jsonl"]
    return b"".join(path.read_bytes() for path in paths)


# Kills the process at the Nth time that it opens, renames or removes something in the folder of the output.
DEATH = """
import os, signal
from sentinel_core.judging.batch import run
run._BETWEEN_NOTES = run._SHARE_OF_NOTES = 0
left, parent = [{point}], os.getpid()
def hook(event, arguments):
    if event in ("open", "os.rename", "os.remove", "os.truncate") and "out" in str(arguments[0]) and os.getpid() == parent:
        left[0] -= 1
        if not left[0]:
            os.kill(parent, signal.SIGKILL)
sys.addaudithook(hook)
"""


@pytest.mark.parametrize("output", ["out.jsonl", "out/", *(["out.parquet"] if SOAK else [])])
def test_a_kill_at_each_step(start, inside, folder, tools, output):
    (folder / "t.jsonl").write_bytes(b"".join(tools.line_of(number, kilobytes=64) for number in range(14)))
    inside("evaluate", "t.jsonl", "-o", output, "-j", 1)
    expected = results(folder)
    assert len(expected) >= 2
    point = died = 0
    while died == point:
        remove(folder)
        point += STEP
        batch = start("evaluate", "t.jsonl", "-o", output, "-j", 1, first=DEATH.format(point=point))
        batch.communicate()
        if batch.returncode == -signal.SIGKILL:
            died = point
            done = inside("evaluate", "t.jsonl", "-o", output, "-j", 1, "--resume")
            assert done.returncode == 2, (point, done.stderr)
        assert results(folder) == expected, point
    assert died >= STEP
    remove(folder)


def results(folder) -> list[bytes]:
    paths = [*folder.glob("out/part-*"), *folder.glob("out/summary.json"), *folder.glob("out.*")]
    return [path.read_bytes() for path in sorted(paths)]


def remove(folder) -> None:
    shutil.rmtree(folder / "out", ignore_errors=True)
    for path in [*folder.glob("out.*"), *folder.glob(".out*")]:
        path.unlink()


def test_the_children_of_a_batch_that_was_killed_may_take_a_moment_to_leave(folder, inside, tools):
    """They share its lock."""
    (folder / "left.jsonl").write_bytes(tools.line_of(1))
    partial = folder / ".left-out.jsonl.partial"
    partial.touch()
    held = partial.open("rb")
    fcntl.flock(held, fcntl.LOCK_EX)
    threading.Timer(0.5, held.close).start()
    assert inside("evaluate", "left.jsonl", "-o", "left-out.jsonl").returncode == 0
