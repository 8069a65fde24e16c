"""``sentinel run`` tries again: as users run it, killed in the middle, resumed, overridden, told not to."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from forked_commands import COMMAND, run_to_end

RELEASES = Path(__file__).parents[2] / "examples" / "releases"
# Claims to have filed, and files only once it is told that it did not; with LIES=always never. Answers as SAGE too.
LIAR = """
import os
from sentinel_core import Capabilities, Message, Provider, Reply, ToolCall, hookimpl

def call(name, **arguments):
    return Reply(tool_calls=(ToolCall(id="c" + name, name=name, arguments=arguments),), stop_reason="tool_calls")

class Liar:
    def complete(self, request, on_text=None):
        if request.tools and request.tools[0].name == "record_reflection":
            if "bias_tags" in request.tools[0].parameters["properties"]:
                return call("record_reflection", bias_tags=["Haste"])
            if os.environ.get("LIES") == "always":
                return Reply(content="no idea")
            return call("record_reflection", alignment_score=0.9, drift_score=0.1, summary_valid=True)
        with open("asked", "a") as file:
            file.write("asked\\n")
        task = request.messages[0].content
        turn = sum(message.role == "assistant" for message in request.messages)
        if turn == 0 or os.environ.get("LIES") == "in circles":
            return call("get_release_summary", release_id="v2.1.0")
        if os.environ.get("LIES") == "always" or "another attempt" not in task:
            return Reply(content="I filed the risk report with file_risk_report, and it was delivered. The risk is high.")
        if turn == 1:
            return call("file_risk_report", release_id="v2.1.0", severity="high", findings=["2 of 144 tests failed"])
        return Reply(content="The severity is high; the report is staged.")

    def estimate_tokens(self, messages):
        return 1

    def get_capabilities(self):
        return Capabilities()

    def close(self):
        pass

@hookimpl
def sentinel_providers():
    return [Provider(name="liar", summary="liar", connect=Liar)]
"""
IMPATIENT = """
from sentinel_core import Guardrail, Ruling, hookimpl

def check(history):
    if history.live is not None and history.live.metadata.total_messages >= 4:
        return Ruling(action="finalize", reason="enough", detail="Enough.")
    return Ruling(action="allow")

@hookimpl
def sentinel_guardrails():
    return [Guardrail(name="impatient", summary="impatient", check=check)]
"""
DYING = """
import os
from sentinel_core import Guardrail, hookimpl

@hookimpl
def sentinel_guardrails():
    return [Guardrail(name="dying", summary="dies", check=lambda history: os._exit(7))]
"""
FAILING = """
import os
from sentinel_core import Guardrail, Ruling, hookimpl

def check(history):
    return {"mute": Ruling(action="finalize"), "none": None}[os.environ["ANSWER"]]

@hookimpl
def sentinel_guardrails():
    return [Guardrail(name="failing", summary="fails", check=check)]
"""
# The command, with SIGKILL at a point that no plugin reaches.
KILLED = """
import os, signal, sys
from sentinel_agent.detective import Investigation
from sentinel_core.cli import main
from sentinel_command_run.guard_process import GuardProcess

def kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

attempt, settle = Investigation.attempt, GuardProcess.settle

def attempt_or_die(self, note="", **options):
    return kill() if options else attempt(self, note, **options)

def settle_and_die(self, *arguments):
    settle(self, *arguments)
    kill()

point = sys.argv.pop(1)
if point == "before the rerun":
    Investigation.attempt = attempt_or_die
elif point == "before the decision is recorded":
    GuardProcess.settle = settle_and_die
elif point == "before the judgment":
    GuardProcess.judge = kill
else:
    GuardProcess.settle = kill
main()
"""
POINTS = ("before the rerun", "before the decision is recorded", "before the decision", "before the judgment")


pytestmark = pytest.mark.unmeasured


@pytest.fixture
def sentinel(tmp_path):
    """Runs the command with the liar as its provider, in an empty folder."""
    (tmp_path / "liar.py").write_text(LIAR)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SENTINEL_")}

    def run(*arguments, start=(COMMAND,), code=0, **environ):
        done = run_to_end(*start, *arguments, cwd=tmp_path, timeout=120, env={**kept, **environ})
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def lying(*more, plugins=("./liar.py",)):
    return ("run", "v2.1.0", "--releases", RELEASES, "--plugins", ",".join(plugins), "--provider", "liar", *more)


def reports(place):
    return sorted(path.name for path in (place / ".sentinel" / "reports").glob("RR-*"))


def found(done):
    return json.loads(done.stdout)


def test_it_tries_again_with_the_reason_improves_and_delivers_once(sentinel, tmp_path):
    done = sentinel(*lying())
    assert "✓ PASS" in done.stdout
    assert re.search(
        r"attempt 1  \S+  FAIL, alignment 0.15, drift 0, no valid summary, bias hallucination.claim_without_call",
        done.stdout,
    )
    assert "    rerun: alignment_threshold_not_met. Alignment is 0.15; at least 0.75 is needed." in done.stdout
    assert re.search(r"attempt 2  \S+_r1  PASS, alignment 1, drift 0\n    finalize: thresholds_met", done.stdout)
    assert re.search(r"Attempt \S+: rerun, alignment_threshold_not_met", done.stderr)
    assert len(reports(tmp_path)) == 1
    first, second = sorted((tmp_path / ".sentinel" / "runs").glob("*.trace.json"))
    root = first.name.removesuffix(".trace.json")
    assert second.name == f"{root}_r1.trace.json"
    task = json.loads(second.read_text())["messages"][1]["content"]
    assert "(alignment_threshold_not_met)" in task
    assert "- hallucination.claim_without_call: " in task
    loops = json.loads(sentinel("loops", "show", root, "--json").stdout)["loops"]
    assert [loop["loop_id"] for loop in loops] == [root, f"{root}_r1"]
    assert sentinel("audit", "verify").returncode == 0
    shown = sentinel("runs", "show", root).stdout
    assert shown.count("LoopDecided") == shown.count("AttemptJudged") == shown.count("AttemptReflected") == 2
    assert sentinel("evaluate", first, code=2)


def test_as_json_the_family_is_there(sentinel):
    told = found(sentinel(*lying("--json")))
    first, second = told["attempts"]
    assert (first["verdict"], first["decision"], first["rerun_of"]) == ("FAIL", "rerun", None)
    assert (second["verdict"], second["reason"], second["rerun_of"]) == ("PASS", "thresholds_met", first["loop_id"])
    assert told["run_id"] == first["loop_id"]
    assert told["agent"]["verdict"] == "PASS"
    assert told["agent"]["trace_id"] == second["loop_id"]


@pytest.mark.parametrize(
    ("flags", "attempts", "reason"),
    [
        ((), 3, "bias_echo"),
        (("--max-reruns", "1"), 2, "max_reruns_reached"),
        (("--max-reruns", "5", "--set", "bias_echo.bias_repetition_threshold=99"), 5, "reflection_fatigue"),
    ],
)
def test_one_that_never_improves_ends(sentinel, tmp_path, flags, attempts, reason):
    done = sentinel(*lying("--json", *flags), LIES="always", code=3)
    told = found(done)["attempts"]
    assert (len(told), told[-1]["decision"], told[-1]["reason"]) == (attempts, "finalize", reason)
    assert "no risk report was filed" in done.stderr
    assert reports(tmp_path) == []


def test_an_attempt_that_met_a_limit_of_the_users_is_the_last(sentinel, tmp_path):
    done = sentinel(*lying("--json", "--max-turns", "1"), code=3)
    (only,) = found(done)["attempts"]
    assert (only["outcome"], only["decision"]) == ("max_turns", None)
    assert "(outcome: max_turns): the model was asked 1 time, which is the limit" in done.stderr
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_without_reflection_it_is_one_attempt(sentinel, tmp_path):
    (only,) = found(sentinel(*lying("--json", "--no-reflect"), code=3))["attempts"]
    assert (only["outcome"], only["verdict"], only["decision"]) == ("completed", None, None)
    assert not (tmp_path / ".sentinel" / "loops.sqlite3").exists()


def test_a_replay_of_one_attempt_has_nothing_left_to_decide(sentinel):
    sentinel(*lying("--no-reflect", "--record", "run.jsonl"), code=3)
    sentinel("run", "v2.1.0", "--releases", RELEASES, "--provider", "replay:run.jsonl", code=3)
    rows = json.loads(sentinel("runs", "--json").stdout)
    assert [(row["state"], row["resumable"]) for row in rows] == [("completed", False)] * 2


@pytest.mark.parametrize("point", POINTS)
def test_killed_around_the_decision_it_resumes_to_the_same(sentinel, tmp_path, point):
    (tmp_path / "killed.py").write_text(KILLED)
    done = sentinel(*lying("--json"), start=(sys.executable, "killed.py", point), code=3)
    run_id = re.search(r"--resume (\S+)", done.stderr)[1]
    asked = (tmp_path / "asked").read_text()
    assert len(asked.splitlines()) == 2
    (row,) = json.loads(sentinel("runs", "--json").stdout)
    assert row["resumable"] is True
    told = found(sentinel("run", "--resume", run_id, "--json"))
    assert [one["decision"] for one in told["attempts"]] == ["rerun", "finalize"]
    assert told["attempts"][1]["loop_id"] == f"{run_id}_r1"
    assert len((tmp_path / "asked").read_text().splitlines()) == 5
    assert len(reports(tmp_path)) == 1
    assert len(json.loads(sentinel("loops", "show", run_id, "--json").stdout)["loops"]) == 2
    assert found(sentinel("run", "--resume", run_id, "--json"))["attempts"] == told["attempts"]
    assert len(reports(tmp_path)) == 1


def test_an_override_needs_who_and_why_and_is_on_record(sentinel):
    limited = lying("--json", "--max-reruns", "0", "--override-max-reruns")
    for missing in ((), ("--by", "ada"), ("--reason", "flaky tests")):
        assert "--override-max-reruns needs --by WHO and --reason WHY" in sentinel(*limited, *missing, code=3).stderr
    told = found(sentinel(*limited, "--by", "ada", "--reason", "flaky tests"))["attempts"]
    assert [one["decision"] for one in told] == ["rerun", "finalize"]
    assert "Overridden by ada." in told[0]["detail"]
    shown = json.loads(sentinel("loops", "show", told[0]["loop_id"], "--json").stdout)
    (override,) = shown["overrides"]
    assert (override["actor"], override["reason"], override["spent_on"]) == ("ada", "flaky tests", told[0]["loop_id"])
    assert sentinel("audit", "verify").returncode == 0


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--by", "ada"), "--by and --reason are for an override"),
        (("--no-reflect", "--max-reruns", "2"), "--max-reruns cannot be combined with --no-reflect"),
        (("--no-reflect", "--override-fatigue"), "--override-fatigue cannot be combined with --no-reflect"),
        (("--max-reruns", "many"), '"guardrails.rerun_limit.max_reruns" from --max-reruns'),
        (("--max-reruns", "2", "--plugins", "no:rerun_limit"), 'the guardrail "rerun_limit" is left out'),
        (("--override-fatigue", "--by", "x" * 200, "--reason", "y"), "at $.override_by"),
        (("--reflector", "fortune"), "--reflector"),
        (("--store", "mysql://here"), 'no store "mysql://here"'),
        (("--provider", "replay:r.jsonl", "--reflector", "llm"), "a replay has no model"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anybody_is_asked(sentinel, tmp_path, flags, problem):
    (tmp_path / "r.jsonl").write_text('{"sentinel_record": 1}\n')
    done = sentinel("run", "v2.1.0", "--releases", RELEASES, *flags, code=3)
    assert problem in done.stderr
    assert not (tmp_path / ".sentinel" / "reports").exists()


def test_a_store_that_cannot_be_read_is_said_and_the_report_is_delivered(sentinel, tmp_path):
    (tmp_path / "broken").write_text("this is no database, and it is long enough to be read as one" * 99)
    done = sentinel("run", "v2.1.0", "--releases", RELEASES, "--store", "broken", "--json")
    assert "there will be no reruns" in done.stderr
    (only,) = found(done)["attempts"]
    assert (only["decision"], only["reason"]) == ("finalize", "guardrail_failed")
    assert len(reports(tmp_path)) == 1


def test_without_any_guardrail_nothing_is_tried_again(sentinel):
    names = ("bias_echo", "live_stop", "reflection_fatigue", "rerun_limit")
    listed = sentinel("plugins", "--json").stdout
    without = tuple(f"no:{name}" for name in names if f'"{name}"' in listed)
    done = sentinel(*lying("--json", plugins=("./liar.py", *without)), code=3)
    assert "nothing would end the reruns" in done.stderr
    assert len(found(done)["attempts"]) == 1


def test_a_guardrail_stops_the_attempt_at_work_and_ends_the_family(sentinel, tmp_path):
    (tmp_path / "impatient.py").write_text(IMPATIENT)
    done = sentinel(*lying("--json", plugins=("./liar.py", "./impatient.py")), code=3)
    (only,) = found(done)["attempts"]
    assert (only["outcome"], only["stopped_by"], only["reason"]) == ("stopped", "impatient", "enough")


def test_an_attempt_that_goes_in_circles_is_stopped_and_tried_again(sentinel, tmp_path):
    done = sentinel(*lying("--json", "--max-turns", "40", "--max-reruns", "1"), LIES="in circles", code=3)
    told = found(done)["attempts"]
    assert [(one["outcome"], one["stopped_by"]) for one in told] == [("stopped", "live_stop")] * 2
    assert [(one["decision"], one["reason"]) for one in told][1] == ("finalize", "max_reruns_reached")
    assert told[0]["drift_score"] >= 0.8
    assert len((tmp_path / "asked").read_text().splitlines()) < 40
    assert reports(tmp_path) == []


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("raise", r"raised KeyError: 'raise' \(failing\.py:\d+\)"),
        ("none", "returned NoneType; expected a Ruling"),
        ("mute", 'returned the ruling "finalize" without a reason'),
    ],
)
def test_a_guardrail_that_fails_is_named_once_and_the_report_is_delivered(sentinel, tmp_path, answer, why):
    (tmp_path / "failing.py").write_text(FAILING)
    plugins = ("--provider", "offline", "--plugins", "./failing.py")
    done = sentinel("run", "v2.1.0", "--releases", RELEASES, *plugins, ANSWER=answer)
    (line,) = done.stderr.splitlines()
    told = rf'sentinel: warning: Guardrail "failing" {why}\. The attempt continues, but there will be no rerun\.'
    assert re.fullmatch(told, line)
    assert len(reports(tmp_path)) == 1


def test_a_guardrail_that_dies_is_named_and_the_report_is_delivered(sentinel, tmp_path):
    (tmp_path / "dying.py").write_text(DYING)
    done = sentinel("run", "v2.1.0", "--releases", RELEASES, "--plugins", "./dying.py", "--json")
    assert 'plugin "guardrails:dying" ended the process with exit code 7' in done.stderr
    (only,) = found(done)["attempts"]
    assert (only["decision"], only["reason"]) == ("finalize", "guardrail_failed")
    assert len(reports(tmp_path)) == 1


def test_the_runs_model_reflects_and_where_it_cannot_the_rules_do(sentinel):
    told = found(sentinel(*lying("--json", "--reflector", "llm")))["attempts"]
    assert [one["reflection_persona"] for one in told] == ["SAGE", "SAGE"]
    assert "haste" in told[0]["bias_tags"]
    assert (told[1]["alignment_score"], told[1]["reason"]) == (0.9, "thresholds_met")
    (only,) = found(sentinel(*lying("--json", "--reflector", "llm", "--max-reruns", "0"), LIES="always", code=3))[
        "attempts"
    ]
    assert only["reflection_persona"] == "RULES"
    assert (
        "The rules rated the attempt instead of a model: SAGE gave no usable answer"
        in sentinel(*lying("--reflector", "llm", "--max-reruns", "0"), LIES="always", code=3).stdout
    )
    assert only["reflection_note"].startswith(
        "The rules rated the attempt instead of a model: SAGE gave no usable answer"
    )
