"""What a person is told of how a run ended."""

import json

import attrs
import pytest
from agent_odd import RELEASES, SENTINEL, the_run

from sentinel_agent.attempt_loop import AttemptFacts
from sentinel_agent.run_summary import RunSummary, render_run

SUMMARY = {
    "run_id": "r",
    "release_id": "v1",
    "provider": "p",
    "answer": "",
    "severity": "high",
    "findings": ("x",),
    "report_id": "v1-1",
    "report_path": None,
    "trace_path": "r.trace.json",
    "error": None,
    "evidence_severity": "high",
    "summary_fetched": True,
}


@pytest.mark.parametrize(
    ("outcome", "cause", "told"),
    [
        ("max_cost", "the run spent $2; the limit is $1", "max_cost: the run spent $2; the limit is $1"),
        ("truncated", "a tool failed", "truncated: the model's last reply was cut off"),
        ("max_tool_calls", "", "max_tool_calls"),
    ],
)
def test_a_report_of_a_run_that_was_cut_short(outcome, cause, told):
    shown = render_run(RunSummary(outcome=outcome, cause=cause, **SUMMARY))
    assert shown.splitlines()[:3] == [
        "Release v1: high risk",
        f"  ! the run was ended by {told}; the investigation behind the report is unfinished",
        "  - x",
    ]


def test_a_reflector_that_failed_is_told_after_one_good_attempt_too():
    note = "The rules rated the attempt instead of a model: provider said 500"
    only = AttemptFacts(loop_id="r", verdict="PASS", decision="finalize", reason="thresholds_met", reflection_note=note)
    shown = render_run(RunSummary(outcome="completed", attempts=(only,), **SUMMARY))
    assert f"    {note}\n" in shown
    silent = attrs.evolve(only, reflection_note="")
    assert "attempt 1" not in render_run(RunSummary(outcome="completed", attempts=(silent,), **SUMMARY))


@pytest.mark.unmeasured
def test_a_report_by_an_agent_that_fetched_nothing_is_told_as_that(sentinel, command):
    done = sentinel(*command, "--no-reflect", "--fail-on-risk", "medium", ODD="blind")
    assert done.returncode == 3
    assert "! not delivered: nothing was investigated: get_release_summary gave no summary" in done.stdout
    assert "its report was not delivered: nothing was investigated" in done.stderr
    found = json.loads(sentinel(*command, "--no-reflect", "--json", ODD="blind").stdout)
    assert (found["severity"], len(found["objections"]), found["resumable"]) == (None, 1, False)


@pytest.mark.unmeasured
def test_a_report_of_a_run_that_met_a_limit_is_told_as_unfinished(sentinel, command):
    told = "the run was ended by max_turns: the model was asked 2 times, which is the limit; the investigation behind the report is unfinished"
    assert f"  ! {told}\n" in sentinel(*command, "--max-turns", "2").stdout
    assert "the run was ended by" not in sentinel(*command, "--max-turns", "3").stdout


@pytest.mark.unmeasured
def test_a_cost_that_nobody_knows_is_told_once_where_it_is_limited(sentinel, command):
    told = "the cost of this model is unknown, so --max-cost has no effect; use --max-t"
    blank, counted, priced = (sentinel(*command, "--max-cost", "0.0001", ODD=odd) for odd in ("", "count", "price"))
    assert (blank.stderr.count(told), blank.stderr.count(f"{told}urns\n")) == (1, 1)
    assert (counted.stderr.count(told), counted.stderr.count(f"{told}okens\n")) == (1, 1)
    assert (priced.stderr.count(told), "(outcome: max_cost)" in priced.stderr) == (0, True)
    assert sentinel(*command).stderr == ""
    rules = sentinel(SENTINEL, "run", "v2.1.0", "--releases", RELEASES, "--provider", "offline", "--max-cost", "1")
    assert rules.stderr == ""


@pytest.mark.unmeasured
def test_a_run_that_breaks_off_after_its_report_left_says_so_and_how_to_go_on(sentinel, command, tmp_path):
    (tmp_path / "file").touch()
    done = sentinel(*command, "--record", "file/record.jsonl")
    run_id, filed = the_run(tmp_path)["run_id"], '.sentinel/reports/RR-v2.1.0-1.json"'
    assert f'the report v2.1.0-1 was delivered to "{filed}; the work so far is saved; to continue: ' in done.stderr
    assert done.stderr.endswith(f"sentinel run --resume {run_id}\n")
    again = sentinel(SENTINEL, "run", "--resume", run_id, "--plugins", "./odd.py")
    assert (again.returncode, "report v2.1.0-1" in again.stdout) == (1, True), again.stderr
    assert [one.name for one in (tmp_path / ".sentinel" / "reports").glob("*.json")] == ["RR-v2.1.0-1.json"]


@pytest.mark.unmeasured
def test_a_resumption_that_breaks_off_says_how_to_go_on(sentinel, command, tmp_path):
    (tmp_path / ".sentinel").mkdir()
    (tmp_path / ".sentinel" / "runs").touch()
    first = sentinel(*command)
    told = f"; the work so far is saved; to continue: sentinel run --resume {the_run(tmp_path)['run_id']}\n"
    again = sentinel(SENTINEL, "run", "--resume", the_run(tmp_path)["run_id"], "--plugins", "./odd.py")
    assert [(done.returncode, done.stderr.endswith(told)) for done in (first, again)] == [(3, True)] * 2, again.stderr


@pytest.mark.unmeasured
def test_a_resumption_that_is_refused_is_not_told_to_go_on(sentinel, command, tmp_path):
    sentinel(*command)
    done = sentinel(SENTINEL, "run", "--resume", the_run(tmp_path)["run_id"], "--provider", "offline")
    assert (done.returncode, "to go on" in done.stderr) == (3, False), done.stderr


def test_a_report_of_a_whole_run_is_shown_alone():
    assert "!" not in render_run(RunSummary(outcome="completed", cause="a tool failed", **SUMMARY))
