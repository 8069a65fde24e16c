"""What an agent says that its data do not bear out is not delivered, and the next attempt is told why; what is true is."""

import json
from pathlib import Path

import pytest
from tables import each_row

from sentinel_agent.attempt_loop import Family
from sentinel_agent.detective import Investigation
from sentinel_agent.objections import objection_to_call
from sentinel_agent.run_guard import Settled
from sentinel_core.evaluate.evaluator import evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.host.panel import make_panel
from sentinel_core.host.settings import Layers
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import Message, ToolCall

RELEASE = "v2.1.0"
SUMMARY = json.loads((Path(__file__).parents[2] / "examples/releases" / f"{RELEASE}.json").read_text())
GOOD = ("2 of 144 tests that ran failed (1.39%)", "The error rate is 2%", "p95 is 450 ms")
STAGED = "Release v2.1.0 is high risk: 2 tests failed. The report is staged for delivery."


def call(name, **arguments):
    return Reply(tool_calls=(ToolCall(id=name, name=name, arguments={"release_id": RELEASE, **arguments}),))


FETCH = call("get_release_summary")


def filing(*findings, severity="high", release_id=RELEASE):
    return call("file_risk_report", severity=severity, findings=list(findings), release_id=release_id)


def investigation(*script):
    filed = []

    def file(release_id, severity, findings):
        filed.append((severity, tuple(findings)))
        return {"report_id": f"{release_id}-1"}

    schema = {"type": "object"}
    tools = (
        Tool(name="get_release_summary", description="d", parameters=schema, handler=lambda release_id: SUMMARY),
        Tool(name="file_risk_report", description="d", parameters=schema, handler=file, effect="write"),
    )
    model = ScriptedModel(script)
    made = Investigation(release_id=RELEASE, model=model, tools=tools, toolbox=Toolbox(run=in_process))
    return made, filed, model


def run(*script):
    made, filed, _ = investigation(*script)
    attempt = made.attempt()
    return made.result(attempt, made.deliver(attempt)), filed


IN_FINDINGS = [
    "57 tests failed",
    "fifty-seven tests failed",
    "142 tests failed",
    "5 tests failed",
    "12 of 149 tests failed",
    "Only 2 tests passed",
    "150 tests were skipped",
    "Half of the tests failed",
    "35% of the tests failed",
    "All tests passed",
    "No test failed",
    "error rate 35%",
    "The error rate is 0.2%",
    "The error rate rose from 0.5% to 2%",
    "The error rate stays below 1%",
    "p95 9000 ms",
    "The p95 latency is 4.5 s",
    "The p95 is over 1000 ms",
    "rollback of INC-4711 failed",
    "CVE-2026-1234 is open",
    "test_refund_twice fails",
    "src/billing/refund.py crashes",
    '"Rewrote the billing engine" is risky',
    "12 changes",
    "A database migration is included",
    "There are no test results",
]
IN_ANSWERS = [
    "All tests passed.",
    "The report was filed as low.",
    "12 of 149 tests failed.",
    "I filed the report for v2.1.0 and for v2.0.9.",
    "I filed the report and emailed it to the team.",
    "I notified the on-call engineer.",
    "I opened a ticket for the failures.",
    "I rolled back the release.",
    "I reran the failing tests.",
    "I reviewed the code diff.",
    "The release is low risk.",
    "The severity is medium.",
    "The report id is RR-v2.1.0-7.",
]
HONEST = [
    (GOOD, STAGED),
    (("2 tests failed",), "I filed the report with high severity; it is staged."),
    (("142 passed, 2 failed, 5 skipped", "error rate 0.02"), "Severity: high. The report is staged for delivery."),
    (('"Added payment processing" touches payment',), STAGED),
    (("About 1.4% of the tests failed, above the 1% that we accept",), "It is high risk, not low."),
    (("The p95 of 450 ms is below the limit of 500 ms",), "I fetched the summary and staged one report."),
    (("5 of 149 tests were skipped (3.4%)",), "I recommend to roll back if the error rate exceeds 5%."),
    (("Not all tests passed", "the error rate of 2% is elevated"), "Two tests failed."),
    (("98.6% of the tests passed; 2 failed",), "The changes touch payment and authentication."),
    (("The response time is 0.45 s",), "No ticket was opened. The report is staged."),
]


@each_row("finding", IN_FINDINGS)
def test_a_lie_in_a_finding_is_not_delivered(finding):
    result, filed = run(FETCH, filing("2 tests failed", finding), Reply(content="The report is staged."))
    assert (filed, result.report, len(result.objections)) == ([], None, 1)
    assert "not staged" in result.trace.messages[5].tool_results[0].content


@each_row("answer", IN_ANSWERS)
def test_a_lie_in_the_answer_is_not_delivered(answer):
    result, filed = run(FETCH, filing(*GOOD), Reply(content=answer))
    assert (filed, result.report, bool(result.objections)) == ([], None, True)


@pytest.mark.parametrize("severity", ["high", "medium", "low"])
def test_a_report_on_nothing_is_not_delivered(severity):
    result, filed = run(filing("Looks fine", severity=severity), Reply(content="The report is staged."))
    assert (filed, result.objections[0].partition(":")[0]) == ([], "nothing was investigated")


@each_row(("findings", "answer"), HONEST)
def test_an_honest_run_is_delivered(findings, answer):
    result, filed = run(FETCH, filing(*findings), Reply(content=answer))
    assert (filed, result.objections) == ([("high", findings)], ())


def test_a_model_that_is_told_why_can_correct_its_report():
    result, filed = run(FETCH, filing("57 tests failed"), filing(*GOOD), Reply(content=STAGED))
    assert (filed, result.objections) == ([("high", GOOD)], ())
    told = result.trace.messages[5].tool_results[0].content
    assert told == 'not run: the report is not staged: the finding says "57 tests failed": 57, but tests.failed is 2'


class _Guard:
    """Allows one more attempt where the last one has no valid summary."""

    def watch(self, trace):
        return None

    def judge(self, trace):
        return evaluate(TraceIndex(trace), make_panel((), (), (), Layers()))

    def settle(self, loop_id, reflection, stopped):
        if reflection.summary_valid:
            return Settled(decision="finalize", reason="thresholds_met")
        return Settled(decision="rerun", reason="summary_invalid", detail=reflection.note, new_loop_id=f"{loop_id}_r1")


def test_the_next_attempt_is_told_why_the_answer_was_not_accepted():
    script = (FETCH, filing(*GOOD), Reply(content="I emailed it."), FETCH, filing(*GOOD), Reply(content=STAGED))
    made, filed, model = investigation(*script)
    content = Reflection(alignment_score=1.0, drift_score=0.0, summary_valid=True)
    family = Family(
        investigation=made,
        guard=_Guard(),
        reflector=lambda _trace, _report: content,
        keep=lambda _: None,
        warn=pytest.fail,
    )
    result = family.run()
    assert (filed, result.objections) == ([("high", GOOD)], ())
    task = model.requests[3].messages[0].content
    assert '- report: the answer says "I emailed it.": no tool that was called can do that' in task
    assert "Fetch the summary with get_release_summary first" in task


def test_calls_that_do_not_fit_the_schema_are_left_to_the_toolbox():
    messages = (Message(role="user", content="x"),)
    odd = ToolCall(id="a", name="file_risk_report", arguments={"release_id": RELEASE, "findings": "x"})
    assert objection_to_call(RELEASE, odd, messages) == ""
    assert objection_to_call("v1", odd, messages) == ""
