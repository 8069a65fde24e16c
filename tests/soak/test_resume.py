"""A batch that is killed in its middle and resumed gives the bytes of one that was not; one whose input changed is refused,
and goes on where the input is again what it was.

With ``SENTINEL_SOAK=1`` (``make soak``) a batch of some minutes: 40,000 traces, 320 MB.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys

import pytest
from commanding import clean_environment, run_command

from sentinel_core.testing import exchange
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import encode_trace

pytestmark = [pytest.mark.unmeasured, pytest.mark.process]

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
TRACES = 40_000 if SOAK else 400
STEPS = 14  # some 8 kB a trace
# Ends the batch once as much of its output is written as is said.
DEATH = """
import os, signal, sys
parent, at_work = os.getpid(), []
def hook(event, arguments):
    if event in ("open", "os.rename") and not at_work and os.getpid() == parent and os.path.exists(".out.jsonl.partial"):
        at_work.append(event)
        if os.stat(".out.jsonl.partial").st_size >= {wanted}:
            os.kill(parent, signal.SIGKILL)
        at_work.clear()
import sentinel_core.judging.batch.run as run
run._BETWEEN_NOTES = run._SHARE_OF_NOTES = {notes}
sys.addaudithook(hook)
from sentinel_core.cli import main
main(sys.argv[1:])
"""


def line_of(number):
    talk = [exchange(f"c{step}", "get_order", {"order": step}, f"item {number} " * 40) for step in range(STEPS)]
    asked = Message(role="user", content=f"look at the orders of day {number}")
    messages = (asked, *(message for pair in talk for message in pair), Message(role="assistant", content="These."))
    return encode_trace(ExecutionTrace(trace_id=f"day-{number}", messages=messages)) + b"\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("resume")
    with (made / "in.jsonl").open("wb") as file:
        file.writelines(map(line_of, range(TRACES)))
    return made


@pytest.fixture(scope="module")
def undisturbed(folder):
    done = run_command(folder, "evaluate", "in.jsonl", "-o", "whole.jsonl", "-j", 2)
    assert done.returncode in (0, 1, 2), done.stderr
    return digest(folder / "whole.jsonl"), (folder / "whole.jsonl").stat().st_size


def digest(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def killed_at(folder, wanted):
    code = DEATH.format(wanted=wanted, notes=1 if SOAK else 0)
    command = [sys.executable, "-c", code, "evaluate", "in.jsonl", "-o", "out.jsonl", "-j", "2", "--resume"]
    done = subprocess.run(command, cwd=folder, env=clean_environment(), capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return (folder / ".out.jsonl.partial").stat().st_size


def resume(folder):
    return run_command(folder, "evaluate", "in.jsonl", "-o", "out.jsonl", "-j", 2, "--resume")


def test_killed_in_the_middle_changed_put_back_and_resumed(folder, undisturbed):
    wanted, size = undisturbed
    source = folder / "in.jsonl"
    data, times = source.read_bytes(), source.stat()
    kept = killed_at(folder, size // 2)
    assert kept >= size // 2
    first, _, rest = data.partition(b"\n")
    changes = {
        "a line more": data + line_of(TRACES),
        "a line less": rest,
        "another line": line_of(TRACES + 1) + rest,
        "the same lines in another order": rest + first + b"\n",
    }
    for name, changed in changes.items():
        source.write_bytes(changed)
        done = resume(folder)
        assert done.returncode == 3, name
        assert "--resume: the options or inputs differ from those of the started batch: " in done.stderr, name
        assert (folder / ".out.jsonl.partial").stat().st_size == kept, name
    source.write_bytes(data)
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    killed_at(folder, size * 3 // 4)
    done = resume(folder)
    assert done.returncode in (0, 1, 2), done.stderr
    assert digest(folder / "out.jsonl") == wanted
    assert json.loads((folder / "out.summary.json").read_bytes())["records"] == TRACES
