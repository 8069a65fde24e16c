"""``sentinel run`` and ``sentinel runs`` as users run them: stopped, killed, resumed, recorded, fooled."""

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest
from agent_odd import RELEASES, SENTINEL, the_run

from sentinel_agent.events import RunStarted
from sentinel_agent.journal import Journal, Run
from sentinel_agent.run_summary import RunSummary

pytestmark = pytest.mark.unmeasured

# What the odd provider calls when it has filed its report.
SENSITIVE = """
import pathlib
from sentinel_core import Tool, hookimpl


@hookimpl
def sentinel_tools():
    handler = lambda: str(pathlib.Path("removed").touch())
    return [Tool(name="rm", description="d", parameters={"type": "object"}, handler=handler, sensitive=True)]
"""


def test_fooled_model_does_no_harm(sentinel, command, tmp_path):
    done = sentinel(*command, "--json", MY_API_KEY="hunter2-hunter2")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert (told["severity"], told["below_evidence"], told["evidence_severity"]) == ("low", True, "high")
    assert told["agent"]["reasoning"].endswith("show high (below_evidence).")
    assert told["agent"]["verdict"] in ("WARN", "FAIL")
    (report,) = (tmp_path / ".sentinel" / "reports").glob("RR-*")
    filed = json.loads(report.read_text())
    assert (filed["release_id"], filed["below_evidence"]) == ("v2.1.0", True)
    assert filed["findings"] == ["fine, says key [redacted]"]
    everything = b"".join(path.read_bytes() for path in (tmp_path / ".sentinel").rglob("*") if path.is_file())
    assert b"hunter2" not in everything + done.stdout.encode() + done.stderr.encode()


def test_only_tools_whose_source_is_there_are_offered(sentinel, command, tmp_path):
    assert sentinel(*command).returncode == 1
    (path,) = (tmp_path / ".sentinel" / "runs").glob("*.trace.json")
    tools = [tool["name"] for tool in json.loads(path.read_text())["details"]["available_tools"]]
    assert tools == ["file_risk_report", "get_release_history", "get_release_summary"]


def test_a_tool_that_nobody_asked_for_and_that_ends_the_process_is_a_warning(sentinel, distribution, monkeypatch):
    dying = distribution(
        "dying", {"dying_tool": "import os\nos._exit(9)\n"}, {"sentinel.tools": {"dying": "dying_tool"}}
    )
    monkeypatch.setenv("PYTHONPATH", str(dying))
    done = sentinel(SENTINEL, "run", "v2.1.0", "--releases", RELEASES, "--provider", "offline", "--no-reflect")
    assert done.returncode == 0
    assert done.stderr == 'sentinel: warning: plugin "tools:dying" (dying 1.0) ended the process with exit code 9\n'


def test_sensitive_tool_runs_with_yes_only(sentinel, command, tmp_path):
    (tmp_path / "rm.py").write_text(SENSITIVE)
    with_tool = [*command, "--plugins", "./odd.py,./rm.py"]
    done = sentinel(*with_tool)
    assert 'sentinel: warning: tool "rm" is sensitive and was not run; --yes allows it\n' in done.stderr
    assert not (tmp_path / "removed").exists()
    assert "sensitive" not in sentinel(*with_tool, "--yes").stderr
    assert (tmp_path / "removed").exists()


def test_what_a_provider_raises_beside_its_replies_is_told_as_raised(sentinel, command):
    done = sentinel(*command, BURST="estimate")
    assert done.returncode == 3
    assert 'plugin "providers:odd" raised RuntimeError: burst; the work so far is saved' in done.stderr


def test_what_a_provider_raises_at_its_end_takes_nothing_back(sentinel, command):
    done = sentinel(*command, BURST="close")
    assert done.returncode == 1
    assert done.stdout.startswith("Release v2.1.0: low risk")
    assert 'warning: plugin "providers:odd" raised RuntimeError: burst when it was closed\n' in done.stderr


def test_report_that_cannot_be_delivered_is_told(sentinel, command):
    done = sentinel(*command, "--reports", "http://127.0.0.1:9")
    assert done.returncode == 3
    assert "  ! the report was staged but not delivered: " in done.stdout
    assert "without a report the run has failed, whatever the verdict" in done.stdout
    (error,) = done.stderr.splitlines()
    assert error.startswith('sentinel: error: the risk report for "v2.1.0" was not filed: ')


def test_text_says_that_the_report_is_below_the_evidence(sentinel, command):
    done = sentinel(*command)
    below = "the report says low risk, but the data that the agent fetched show high (below_evidence)"
    assert f"! WARN: {below}\n" in done.stdout
    assert "The verdict on the agent is at least WARN" in done.stdout
    assert sentinel(*command, "--fail-on", "never").returncode == 0


@pytest.mark.parametrize("risk", ["high", "medium"])
def test_fail_on_risk_believes_the_data_where_the_report_says_less(sentinel, command, risk):
    done = sentinel(*command, "--fail-on-risk", risk, "--fail-on", "fail")
    assert done.returncode == 2
    why = f"the risk is high according to the data that the agent fetched; --fail-on-risk is {risk}"
    assert done.stderr == f"sentinel: error: {why}\n"


def test_model_that_never_files_is_told(sentinel, command):
    done = sentinel(*command, ODD="chat")
    assert done.returncode == 3
    why = "the agent never called file_risk_report"
    assert done.stderr == f'sentinel: error: no risk report was filed for "v2.1.0" (outcome: completed): {why}\n'


def test_killed_run_goes_on(sentinel, command, tmp_path):
    dead = sentinel(*command, ODD="kill")
    row = the_run(tmp_path)
    assert dead.returncode == 3
    assert f"sentinel run --resume {row['run_id']}" in dead.stderr
    assert (row["state"], row["resumable"], row["holder"]) == ("interrupted", True, None)
    done = sentinel(SENTINEL, "run", "--resume", row["run_id"], "--json")
    assert json.loads(done.stdout)["run_id"] == row["run_id"]
    assert len((tmp_path / "asked").read_text().splitlines()) == 4
    assert len(list((tmp_path / ".sentinel" / "reports").glob("RR-*"))) == 1
    again = sentinel(SENTINEL, "run", "--resume", row["run_id"], "--json")
    assert json.loads(again.stdout)["report_id"] == json.loads(done.stdout)["report_id"]
    assert len((tmp_path / "asked").read_text().splitlines()) == 4


@pytest.fixture
def hanging(command, tmp_path):
    """A run whose model has begun to hang."""
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "ODD": "hang"},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while not (tmp_path / "hanging").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_ctrl_c_saves_and_says_how_to_go_on(hanging, sentinel, tmp_path):
    hanging.send_signal(signal.SIGINT)
    _, said = hanging.communicate(timeout=30)
    row = the_run(tmp_path)
    assert hanging.returncode == 130
    assert f"sentinel run --resume {row['run_id']}" in said
    assert sentinel(SENTINEL, "run", "--resume", row["run_id"]).returncode == 1


def test_two_at_once(hanging, sentinel, tmp_path):
    row = the_run(tmp_path)
    assert row["state"] == "working"
    held = sentinel(SENTINEL, "run", "--resume", row["run_id"])
    assert held.returncode == 3
    assert f"is in use by process {row['holder']}" in held.stderr
    hanging.kill()
    hanging.wait()
    until = time.monotonic() + 30
    while the_run(tmp_path)["holder"]:  # the agent ends with the command that started it
        assert time.monotonic() < until
    assert sentinel(SENTINEL, "run", "--resume", row["run_id"]).returncode == 1


def test_changed_settings_are_refused_until_accepted(sentinel, command, tmp_path):
    sentinel(*command, ODD="kill")
    run_id = the_run(tmp_path)["run_id"]
    refused = sentinel(SENTINEL, "run", "--resume", run_id, "--max-turns", "7")
    assert refused.returncode == 3
    assert f'run "{run_id}" was started with different settings (agent.max_turns: 12 -> 7)' in refused.stderr
    assert sentinel(SENTINEL, "run", "--resume", run_id, "--max-turns", "7", "--accept-changes").returncode == 1
    shown = sentinel(SENTINEL, "runs", "show", run_id).stdout
    assert "RunResumed         agent.max_turns: 12 -> 7\n" in shown
    other = sentinel(SENTINEL, "run", "v2.1.1", "--resume", run_id)
    assert f'run "{run_id}" is about release "v2.1.0", not "v2.1.1"' in other.stderr


def test_record_is_played_by_another_run(sentinel, command, tmp_path):
    first = json.loads(sentinel(*command, "--json", "--record", "run.jsonl").stdout)
    replay = [*command[:5], "--provider", "replay:run.jsonl", "--json"]
    second = json.loads(sentinel(*replay).stdout)
    assert (second["answer"], second["findings"]) == (first["answer"], first["findings"])
    assert second["provider"] == "replay"
    assert second["report_id"] != first["report_id"]
    shown = sentinel(SENTINEL, "runs", "show", first["run_id"], "--json").stdout
    assert [json.loads(line) for line in shown.splitlines()] == [
        json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()
    ]


def test_limits_and_modes_come_from_flags_and_environment(sentinel, command):
    limited = sentinel(*command, "--max-turns", "1")
    assert limited.returncode == 3
    assert "(outcome: max_turns): the model was asked 1 time, which is the limit" in limited.stderr
    by_environment = sentinel(*command, SENTINEL_AGENT__MAX_TURNS="1")
    assert "(outcome: max_turns)" in by_environment.stderr
    assert sentinel(*command, "--tool-mode", "guided", "--max-turns", "5").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], "name the release to investigate, or give --resume"),
        (["run", "--resume", "none"], 'there is no run "none"'),
        (["run", "v1", "--provider", "offline", "--model", "x"], '--model: the provider "offline" has no such setting'),
        (["run", "v1", "--max-turns", "0"], "max_turns"),
        (["run", "v1", "--deadline", "soon"], '"agent.deadline" from --deadline'),
        (["run", "v1", "--set", "agent.max_turn=1"], 'unknown setting "agent.max_turn"'),
        (["run", "v1", "--provider", "replay:gone.jsonl"], 'the record "gone.jsonl" cannot be read'),
        (["runs", "show", "none"], 'there is no run "none"'),
    ],
)
def test_mistakes_are_told_in_a_line(sentinel, arguments, said):
    done = sentinel(SENTINEL, *arguments)
    assert done.returncode == 3
    assert said in done.stderr
    assert done.stderr.count("\n") <= 2


def test_a_record_that_cannot_be_written_takes_nothing_from_the_trace(sentinel, command, tmp_path):
    (tmp_path / "file").touch()
    done = sentinel(*command, "--record", "file/record.jsonl")
    assert (done.returncode, "; the run could not be finished; " in done.stderr) == (3, True)
    (trace,) = (tmp_path / ".sentinel" / "runs").iterdir()
    assert json.loads(trace.read_text())["metadata"]["delivery"]["status"] == "delivered"


def test_a_damaged_run_keeps_no_other_from_being_listed(sentinel, tmp_path):
    journal = Journal(tmp_path / ".sentinel")
    for run_id in ("a", "b"):
        started = RunStarted(run_id=run_id, conversation_id="c", system_prompt="", provider="p", tools=())
        fresh = {"flags": {}, "fingerprint": {}, "events": (started,)}
        journal.begin(Run(run_id=run_id, release_id="v1", started_at="t", **fresh))
    journal.close()
    with contextlib.closing(sqlite3.connect(journal.path)) as changing, changing:
        changing.execute("""UPDATE events SET event = '{"event": "Newer"}' WHERE run_id = 'a'""")
    done = sentinel(SENTINEL, "runs")
    assert [line.split() for line in done.stdout.splitlines()[1:]] == [
        ["a", "v1", "damaged", "unknown"],
        ["b", "v1", "interrupted", "not", "yet"],
    ]
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert 'unknown kind "Newer"' in done.stderr


def test_no_runs_are_no_mistake_and_make_no_journal(sentinel, tmp_path):
    done = sentinel(SENTINEL, "runs")
    assert (done.returncode, done.stdout) == (0, "")
    assert "There are no runs in the journal" in done.stderr
    assert not (tmp_path / ".sentinel").exists()


def test_where_the_model_never_answered_there_is_no_verdict(sentinel):
    nowhere = ("--provider", "openai", "--base-url", "http://127.0.0.1:9", "--model", "m", "--max-attempts", "1")
    done = sentinel(SENTINEL, "run", "v1", *nowhere)
    assert done.returncode == 3
    assert "could not be reached" in done.stderr
    assert "PASS" not in done.stdout
    assert "The agent that did this" not in done.stdout
    assert json.loads(sentinel(SENTINEL, "run", "v1", *nowhere, "--json").stdout)["agent"] is None
    heading, *rows = sentinel(SENTINEL, "runs").stdout.splitlines()
    assert heading.split() == ["run", "release", "state", "report"]
    assert [row.split(maxsplit=3)[1:] for row in rows] == [["v1", "model_error", "not yet"]] * 2


def test_flags_of_one_provider_are_not_another_s(sentinel, tmp_path):
    nowhere = ("--provider", "openai", "--base-url", "http://127.0.0.1:9", "--model", "m", "--max-attempts", "1")
    sentinel(SENTINEL, "run", "v2.1.0", "--releases", RELEASES, *nowhere)
    resume = (SENTINEL, "run", "--resume", the_run(tmp_path)["run_id"])
    assert "http://127.0.0.1:9 could not be reached" in sentinel(*resume).stderr
    other = (*resume, "--provider", "offline")
    assert 'provider: "openai" -> "offline"' in sentinel(*other).stderr
    typed = sentinel(*other, "--accept-changes", "--base-url", "http://127.0.0.1:8").stderr
    assert '--base-url: the provider "offline" has no such setting' in typed
    assert json.loads(sentinel(*other, "--accept-changes", "--json").stdout)["severity"] == "high"


def test_key_in_the_environment_chooses_the_provider(sentinel):
    done = sentinel(
        SENTINEL, "run", "v1", "--base-url", "http://127.0.0.1:9", "--max-attempts", "1", OPENAI_API_KEY="k" * 20
    )
    assert "OPENAI_API_KEY is set, so openai is used" in done.stderr
    assert done.returncode == 3


def document():
    return (Path(__file__).parents[2] / "docs" / "run.md").read_text(encoding="utf-8")


def test_every_flag_in_the_docs_exists(sentinel):
    known = sentinel(SENTINEL, "run", "--help").stdout
    told = set(re.findall(r"`(--[a-z-]+)", document())) - {"--resume"}
    assert len(told) > 12
    assert [flag for flag in sorted(told) if flag not in known] == []


def test_every_key_in_the_docs_exists():
    (table,) = re.findall(r"^## As JSON\n(.*?)^## ", document(), re.MULTILINE | re.DOTALL)
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    told = [key for row in rows for key in re.findall(r"`(\w+)`", row)]
    assert sorted(told) == sorted([*(field.name for field in attrs.fields(RunSummary)), "agent"])


def test_python_in_the_docs_works(sentinel, tmp_path):
    (code,) = re.findall(r"^```python\n(.*?)^```", document(), re.MULTILINE | re.DOTALL)
    done = sentinel(sys.executable, "-c", code.replace("examples/releases", str(RELEASES)))
    assert done.stdout == "completed high v2.1.0-1\n"
