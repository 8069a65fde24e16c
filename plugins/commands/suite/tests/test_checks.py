import pytest
from tables import each_row

from sentinel_command_suite.checks_rest import check_decision, check_errors, check_rubric, check_sweep
from sentinel_command_suite.checks_tools import check_tools
from sentinel_command_suite.runs import Run
from sentinel_command_suite.scenario import (
    CallExpectation,
    Criterion,
    DecisionQuality,
    ErrorHandling,
    Predicate,
    ToolUsage,
)
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult


def run_of(*calls, answer="Done.", findings=(), severity="low", **more):
    """Each call is a name, arguments, and what came of it: a text, or an error's class name."""
    messages = [Message(role="user", content="Look at v1.")]
    for number, (name, arguments, result) in enumerate(calls):
        call = ToolCall(id=str(number), name=name, arguments=arguments)
        failed = result.endswith("Error")
        metadata = {"error": result} if failed else {}
        answered = ToolResult(tool_call_id=str(number), content=result, success=not failed, metadata=metadata)
        messages += [Message(role="assistant", tool_calls=(call,)), Message(role="tool", tool_results=(answered,))]
    trace = ExecutionTrace(trace_id="t", messages=tuple(messages))
    return Run(
        trace=trace,
        outcome=more.pop("outcome", "completed"),
        answer=answer,
        severity=severity,
        findings=findings,
        report_filed=severity is not None,
        calls=tuple(TraceIndex(trace).calls),
        **more,
    )


def named(checks):
    return {check.id: check for check in checks}


A, B, C = CallExpectation(name="a"), CallExpectation(name="b"), CallExpectation(name="c")


@each_row(
    ("order", "wanted", "made", "score"),
    [
        ("exact", (A, B), "ab", 1.0),
        ("exact", (A, B), "abc", 0.8),
        ("exact", (A, B), "ba", 0.5),
        ("in_order", (A, B), "acb", 1.0),
        ("in_order", (A, B), "ba", 0.5),
        ("any_order", (A, B), "ba", 1.0),
        ("any_order", (A, B), "bac", 0.8),
        ("superset", (A, B), "cba", 1.0),
        ("superset", (A, B), "aa", 0.5),
        ("subset", (A, B), "b", 1.0),
        ("subset", (A, B), "bc", 0.5),
        ("subset", (A,), "", 1.0),
        ("exact", (), "", 1.0),
    ],
)
def test_trajectories(order, wanted, made, score):
    run = run_of(*((name, {}, "ok") for name in made))
    check = named(check_tools(run, ToolUsage(calls=wanted, order=order)))["calls"]
    assert check.score == pytest.approx(score)
    assert check.passed == (score == 1)


def test_the_best_matching_is_found():
    wide, narrow = CallExpectation(name="a"), CallExpectation(name="a", arguments={"x": 1})
    run = run_of(("a", {"x": 1}, "ok"), ("a", {"x": 2}, "ok"))
    assert named(check_tools(run, ToolUsage(calls=(wide, narrow), order="any_order")))["calls"].passed


@each_row(
    ("expected", "fits"),
    [
        ({"arguments": {"x": 1}}, True),
        ({"arguments": {"inner": {"deep": [1]}}}, True),
        ({"arguments": {"x": 2}}, False),
        ({"arguments": {"x": True}}, False),
        ({"arguments": {"x": 1}, "match": "exact"}, False),
        ({"arguments": {"x": 1}, "match": "exact", "ignore": ("inner",)}, True),
        ({"arguments": {"x": 9}, "ignore": ("x",)}, True),
        ({"succeeds": True}, True),
        ({"succeeds": False}, False),
    ],
)
def test_arguments_of_a_call_are_compared_with_the_expected(expected, fits):
    run = run_of(("a", {"x": 1, "inner": {"deep": [1], "other": 2}}, "ok"))
    check = named(check_tools(run, ToolUsage(calls=(CallExpectation(name="a", **expected),))))["calls"]
    assert check.passed is fits
    assert fits or "a had {'x': 1" in check.evidence


def test_calls_that_were_refused_or_forbidden_or_too_many():
    run = run_of(("a", {}, "InvalidArgumentsError"), ("deploy", {}, "ok"), answer="It failed.")
    checks = named(check_tools(run, ToolUsage(forbidden=("deploy",), most_calls=1)))
    assert checks["valid_calls"].score == 0.5
    assert (checks["no_forbidden_tool"].passed, checks["few_calls"].passed) == (False, False)
    assert checks["few_calls"].evidence == "2 calls; at most 1 expected"
    assert checks["errors_handled"].passed
    (few,) = (
        check for check in check_tools(run_of(("a", {}, "ok")), ToolUsage(most_calls=0)) if check.id == "few_calls"
    )
    assert few.evidence == "1 call; at most 0 expected"


def test_a_failure_is_handled_where_it_is_told_or_mended():
    hidden = run_of(("a", {}, "ToolExecutionError"))
    mended = run_of(("a", {}, "ToolExecutionError"), ("a", {}, "ok"))
    told = run_of(("a", {}, "ToolExecutionError"), answer="The tool could not be reached.")
    found = [named(check_tools(run, ToolUsage()))["errors_handled"].passed for run in (hidden, mended, told)]
    assert found == [False, True, True]


def test_a_decision_is_held_to_severity_risks_and_what_may_never_be_said():
    run = run_of(("get", {}, '{"failed": 2}'), findings=("2 tests failed",), severity="medium")
    expect = DecisionQuality(
        severity=("medium", "high"),
        risks=(Predicate(number=2), Predicate(any="payment")),
        never=(Predicate(all=("all", "pass"), where="both"), Predicate(any="failed")),
    )
    checks = named(check_decision(run, expect))
    assert checks["severity"].passed
    assert checks["risks_found"].score == 0.5
    assert "payment" in checks["risks_found"].evidence
    assert (checks["never_1"].passed, checks["never_2"].passed) == (True, False)
    assert checks["grounded"].passed


def test_what_is_made_up_is_named():
    run = run_of(("get", {}, '{"failed": 2}'), findings=('2 failed, "Rewrote billing"', "88% of users"))
    check = named(check_decision(run, DecisionQuality()))["grounded"]
    assert check.score == pytest.approx(1 / 3)
    assert "88%" in check.evidence
    assert "Rewrote billing" in check.evidence


def test_a_run_that_breaks_off_fails_each_check_of_error_handling():
    run = run_of(outcome="max_turns", severity=None, delivery="unknown")
    expect = ErrorHandling(report="filed", told=(Predicate(any="failed", where="answer"),), delivery=("delivered",))
    checks = named(check_errors(run, expect))
    assert not any(check.passed for check in checks.values())
    assert sorted(checks) == ["degrades", "delivery", "report", "told"]
    assert [check.id for check in check_errors(run, ErrorHandling(outcomes=("max_turns",))) if check.passed] == [
        "degrades"
    ]


def test_rubric():
    rows = (
        Criterion(id="polite", predicate=Predicate(any="please", where="answer"), weight=3, required=False),
        Criterion(id="asked", question="Is it good?"),
    )
    (check,) = check_rubric(run_of(), rows)
    assert (check.id, check.weight, check.passed, check.required) == ("rubric.polite", 3, False, False)


@pytest.mark.parametrize(
    ("severities", "falls", "right"),
    [
        (("low", "medium", "high"), 1.0, 1.0),
        (("low", "high", "medium"), 0.5, 1 / 3),
        (("low", None, "high"), 1.0, 2 / 3),
    ],
)
def test_sweep(severities, falls, right):
    runs = [run_of(severity=severity) for severity in severities]
    checks = named(check_sweep(["a", "b", "c"], runs, ("low", "medium", "high")))
    assert (checks["never_falls"].score, checks["severities"].score) == pytest.approx((falls, right))


def test_predicates_of_all_kinds():
    run = run_of(findings=("The  ERROR rate is 2%",))
    good = Predicate(any=("error RATE",), none=("latency",), regex=r"\d+%", number=0.02)
    bad = Predicate(none=("rate",), name="no rate")
    checks = list(check_decision(run, DecisionQuality(risks=(good,), grounded=False)))
    assert checks[0].passed
    assert "no rate" in next(check_decision(run, DecisionQuality(risks=(bad,)))).evidence
