"""What the system does to the command: Ctrl-C, closed pipes, full disks, closed streams."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.unmeasured

RELEASES = Path(__file__).parents[2] / "examples" / "releases"
COMMAND = Path(sys.executable).parent / "sentinel"
TIMEOUT = 120
SLOW = """
import os
import pathlib
import time

from sentinel_core import Signal, hookimpl


def detect(index):
    pathlib.Path("started").write_text(str(os.getpid()))
    time.sleep(99)
    return 0.0


@hookimpl
def sentinel_signals():
    return [Signal(name="slow", summary="s", detect=detect)]
"""


@pytest.fixture
def shell(folder, knob):
    """Runs a line of shell in which ``sentinel`` is the installed command, and ``judge`` judges with the knob alone."""

    def run(line: str, *, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("SENTINEL_")}
        script = f'set -o pipefail; sentinel() {{ {shlex.quote(str(COMMAND))} "$@"; }}; judge() {{ sentinel evaluate "$@" {shlex.join(knob)}; }}; {line}'
        done = subprocess.run(
            ["bash", "-c", script],
            input=stdin,
            capture_output=True,
            cwd=folder,
            timeout=TIMEOUT,
            check=False,
            env=environ,
        )
        err = done.stderr.decode()
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(line, done.returncode, done.stdout.decode(), err)

    return run


def wait_for(path: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if path.exists() and path.read_text():
            return path.read_text()
        time.sleep(0.02)
    pytest.fail(f"{path} never came")


def is_gone(pid: int) -> bool:
    """True for a process that is not there, or that is dead and not yet collected by the system."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize("output", [(), ("-o", "out.txt")])
def test_control_c_is_130(folder, write, output):
    (folder / "slow.py").write_text(SLOW)
    write("t.jsonl", "0", "0")
    command = [
        COMMAND,
        "evaluate",
        "t.jsonl",
        "--plugins",
        "./slow.py,no:cost,no:hallucination,no:loop,no:tool_misuse",
        "--jsonl",
        *output,
    ]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        child = int(wait_for(folder / "started"))
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err) == (130, b"", b"\n")
    assert is_gone(child)
    assert sorted(path.name for path in folder.iterdir() if "out" in path.name) == []


def test_a_closed_pipe_is_141(shell, write):
    write("t.jsonl", *["0"] * 400)
    done = shell("judge t.jsonl --jsonl | head -c 1")
    assert (done.returncode, done.stdout, done.stderr) == (141, "{", "")


@pytest.mark.parametrize(
    ("line", "code", "lines"),
    [
        ("judge t.json gone.json --jsonl", 3, 2),
        ("judge gone.json t.json -o out.json --json", 3, 0),
        ("nonsense", 3, 0),
        ("judge t.json --weight nope=1", 3, 0),
        ("config", 3, 0),
        ("judge t.json -o out.json --json", 0, 0),
        ("judge t.json -o out.jsonl", 0, 0),
    ],
)
def test_full_standard_error_takes_no_report_and_is_never_a_verdict(shell, write, line, code, lines):
    write("t.json", "0")
    done = shell(f"{line if line.startswith('judge') else f'sentinel {line}'} 2> /dev/full")
    assert (done.returncode, len(done.stdout.splitlines())) == (code, lines)


def test_full_standard_error_ends_no_run(shell):
    done = shell(f"sentinel run v2.1.0 --fail-on never --releases {RELEASES} 2> /dev/full")
    assert (done.returncode, done.stdout.partition("\n")[0]) == (0, "Release v2.1.0: high risk")


@pytest.mark.parametrize("arguments", [["nonsense"], ["evaluate", "gone.json"]])
def test_a_closed_pipe_at_standard_error_is_141(folder, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([COMMAND, *arguments], cwd=folder, stderr=writer, timeout=TIMEOUT, check=False)
    os.close(writer)
    assert done.returncode == 141


def test_a_closed_pipe_before_help(shell):
    done = shell("(sleep 0.3; sentinel --help) | true")
    assert done.returncode in (0, 141)
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", ["judge t.json", "judge t.json --json", "sentinel --help", "sentinel plugins"])
def test_a_full_disk_is_3(shell, write, arguments):
    write("t.json", "0")
    done = shell(f"{arguments} > /dev/full")
    assert done.returncode == 3
    assert done.stderr == "sentinel: error: standard output: No space left on device\n" * done.stderr.count("\n")
    assert done.stderr.count("\n") in (1, 2)


@pytest.mark.parametrize(
    ("streams", "code", "words"),
    [
        ("<&-", 0, ""),
        (">&-", 3, "sentinel: error: standard output: Bad file descriptor\n"),
        ("2>&-", 0, ""),
        ("<&- >&- 2>&-", 3, ""),
    ],
)
def test_closed_streams(shell, write, streams, code, words):
    write("t.json", "0")
    done = shell(f"judge t.json {streams}")
    assert done.returncode == code
    assert bool(done.stdout) == (">&-" not in streams.replace("2>&-", ""))
    assert done.stderr == "" or set(done.stderr.splitlines(keepends=True)) == {words}


def test_a_closed_standard_input_is_empty(shell):
    done = shell("judge - <&-")
    assert (done.returncode, done.stderr) == (3, 'sentinel: error: "stdin": is empty: nothing to check\n')


def test_what_another_command_writes(shell, write):
    write("t.jsonl", "0", "0")
    done = shell("judge --jsonl <(gzip -c t.jsonl)")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 2)
