"""Batches as users run them: the installed command, in a folder of its own."""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
from commanding import clean_environment, run_command, runner_inside, warmed

from sentinel_core.testing import exchange
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import encode_trace

SOAK = os.environ.get("SENTINEL_SOAK") == "1"


_warm = pytest.fixture(scope="session", autouse=True)(warmed)


def line_of(number: int, *, kilobytes: int = 2) -> bytes:
    """A trace of about so many kB; every seventh repeats its calls."""
    steps = kilobytes * 2
    orders = [0 if number % 7 == 0 else step for step in range(steps)]
    talk = [exchange(f"c{step}", "get_order", {"order": order}, "item " * 40) for step, order in enumerate(orders)]
    asked = Message(role="user", content=f"look at the orders of day {number}")
    answer = Message(role="assistant", content="These are the orders.")
    messages = (asked, *(message for pair in talk for message in pair), answer)
    return encode_trace(ExecutionTrace(trace_id=f"day-{number}", messages=messages)) + b"\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """One for all tests of a file: each takes names of its own."""
    return tmp_path_factory.mktemp("folder")


@pytest.fixture(scope="module")
def write(folder) -> Callable[..., Path]:
    """Writes lines to a file."""

    def make(name: str, lines: Iterable[bytes]) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(lines))
        return path

    return make


@pytest.fixture(scope="module")
def sentinel(folder) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the installed command to its end."""
    return partial(run_command, folder)


@pytest.fixture
def inside(folder, monkeypatch, capfd) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The same in this process, for what depends on no process of its own; its workers are real all the same."""
    return runner_inside(folder, monkeypatch, capfd)


@pytest.fixture
def start(folder):
    """Starts the command in a Python of its own, after ``first`` has run there; what still runs in the end is killed."""
    started = []

    def run(*arguments: object, first: str = "", **environ: str) -> subprocess.Popen[str]:
        code = f"import sys\n{first}\nfrom sentinel_core.cli import main\nmain(sys.argv[1:])"
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=clean_environment(**environ),
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


CLUSTER = """
import sys

import dask
from distributed import LocalCluster

dask.config.set({"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"})
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> str:
    """The address of a real one of two workers, each a process that is started again when it dies.

    It has a process of its own, for its threads would be in the way of tests that fork.
    """
    script = tmp_path_factory.mktemp("cluster") / "cluster.py"
    script.write_text(CLUSTER)
    command = [sys.executable, script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=script.parent) as own:
        yield own.stdout.readline().strip()
        own.stdin.close()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def rows(data: bytes | str) -> list[dict[str, object]]:
    return [json.loads(line) for line in data.splitlines()]


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> bool:
    """True as soon as the condition holds; False where it does not within the time."""
    deadline = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return held


@pytest.fixture(scope="session")
def tools():
    """The helpers above, for tests of this folder."""
    return sys.modules[__name__]


def is_gone(pid: int) -> bool:
    """True for a process that is not there, or that is dead and not yet collected by the system."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
