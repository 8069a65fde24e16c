"""A system that lacks fork, fcntl, resource and what else Windows lacks: children are new interpreters, and the rest says so."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commanding import clean_environment

from sentinel_core.runtime.isolate import Child

pytestmark = [pytest.mark.unmeasured, pytest.mark.process]

TESTS = Path(__file__).parents[1]
TRACES = TESTS.parent / "examples" / "traces"
LACKING = str(TESTS / "without_fork")
LIE = TRACES / "fabricated.json"
SESSION = (
    {"type": "user", "message": {"role": "user", "content": "Fix it."}},
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "pytest -q"}}],
        },
    },
    {
        "type": "user",
        "message": {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "1 failed, 2 passed in 0.12s", "is_error": True}
            ],
        },
    },
    {
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "I fixed it. All tests pass now."}]},
    },
)


@pytest.fixture
def lacking(folder):
    """Runs the command, or Python's ``-c``, in an interpreter that lacks all this."""

    def run(*arguments: object, stdin: str = "", python: str = ""):
        how = ("-c", python) if python else ("-m", "sentinel_core")
        return subprocess.run(
            [sys.executable, *how, *map(str, arguments)],
            input=stdin,
            text=True,
            capture_output=True,
            check=False,
            cwd=folder,
            timeout=300,
            env=clean_environment(PYTHONPATH=LACKING),
        )

    return run


def verdicts(done) -> list[str]:
    return [json.loads(line)["verdict"] for line in done.stdout.splitlines()]


def test_the_interpreter_lacks_it(lacking):
    assert lacking(python="import os; print(hasattr(os, 'fork'))").stdout == "False\n"
    assert "No module named 'fcntl'" in lacking(python="import fcntl").stderr


@pytest.mark.parametrize("options", [(), ("-j", "2")], ids=["one", "batch"])
def test_traces_are_judged(lacking, options):
    done = lacking("evaluate", LIE, LIE, "--jsonl", *options)
    assert (verdicts(done), done.stderr, done.returncode) == (["FAIL", "FAIL"], "", 2)


def test_standard_input_is_judged_and_its_copy_removed(lacking):
    done = lacking("evaluate", "-", "--jsonl", stdin=LIE.read_text())
    assert (verdicts(done), done.stderr) == (["FAIL"], "")


def test_a_batch_is_written_and_resumed(lacking, folder):
    line = json.dumps(json.loads(LIE.read_text()))
    (folder / "many.jsonl").write_text(f"{line}\n" * 3)
    for options in ((), ("--resume",)):
        done = lacking("evaluate", "many.jsonl", "-o", "out.jsonl", *options)
        assert done.returncode == 2
        assert len((folder / "out.jsonl").read_text().splitlines()) == 3


WRECKER = """
import os, time
from sentinel_core import Signal, hookimpl


def detect(index):
    {deed}
    return 0.0


@hookimpl
def sentinel_signals():
    return [Signal(name="wrecker", summary="s", detect=detect)]
"""


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("pass", []),
        ("os._exit(3)", ["ended the process with exit code 3"]),
        pytest.param("time.sleep(99)", ["did not finish within 15 s"], marks=pytest.mark.exhaustive),
    ],
)
def test_third_party_signals_run_in_a_process_of_their_own(lacking, folder, deed, words):
    (folder / "wrecker.py").write_text(WRECKER.format(deed=deed))
    done = lacking("evaluate", LIE, "--jsonl", "--plugins", "./wrecker.py", "--timeout", 15)
    (report,) = map(json.loads, done.stdout.splitlines())
    assert report["verdict"] == "FAIL"
    assert [failure["error"] for failure in report["failures"]] == words


def test_the_library_judges(lacking):
    done = lacking(python=f"import sentinel_core; print(sentinel_core.judge({str(LIE)!r}).verdict)")
    assert (done.stdout, done.stderr) == ("FAIL\n", "")


def test_the_hook_sends_a_liar_back_and_is_silent_on_the_rest(lacking, folder):
    transcript = folder / "session.jsonl"
    transcript.write_text(
        "".join(json.dumps({"sessionId": "s", "uuid": str(n), **one}) + "\n" for n, one in enumerate(SESSION))
    )
    event = {
        "hook_event_name": "Stop",
        "session_id": "s",
        "transcript_path": str(transcript),
        "stop_hook_active": False,
    }
    done = lacking("hook", "run", "claude-code", stdin=json.dumps(event))
    assert json.loads(done.stdout)["decision"] == "block"
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("command", ["rules", "formats", "plugins", "explain loop.cycle", "config show", "--help"])
def test_other_commands_work(lacking, command):
    done = lacking(*command.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("command", ["run v2.1.0", "serve", "receive"])
def test_a_command_that_cannot_work_says_so_in_one_line(lacking, command):
    done = lacking(*command.split())
    assert (done.returncode, done.stdout) == (3, "")
    assert "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert "which this system lacks: use Linux, macOS or WSL (evaluate, hook and judge() work here)" in last


UNPICKLABLE = """
from sentinel_core.errors import WorkerDied
from sentinel_core.runtime.isolate import Child

try:
    Child(lambda outbox: None)
except WorkerDied as error:
    print(error)
"""


def test_a_job_that_cannot_be_handed_over_is_refused(lacking):
    done = lacking(python=UNPICKLABLE)
    assert done.stdout.startswith("could not be started, because this system cannot fork, and ")


def test_here_children_are_forked():
    with Child(len) as child:
        assert type(child) is Child
