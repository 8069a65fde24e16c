import attrs
import pytest
from tables import each_row

from sentinel_core import (
    Detection,
    ExecutionTrace,
    Finding,
    LedgerEntry,
    Message,
    MessageDetails,
    Signal,
    TokenUsage,
    TraceDetails,
    evaluate_trace,
)
from sentinel_core.evaluate.evaluator import BoundSignal, Panel, evaluate
from sentinel_core.evaluate.foreign import describe
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.profile import RS1
from sentinel_core.report import SignalFailure
from sentinel_core.testing import SAMPLES, honest_trace

TRACE = honest_trace()
ZEROS = dict.fromkeys(RS1.weights, 0.0)


def panel(answers: dict[str, object], **more: object) -> Panel:
    signals = tuple(
        BoundSignal(name=name, detect=answer if callable(answer) else lambda _, answer=answer: answer)
        for name, answer in answers.items()
    )
    return Panel(signals=signals, profile=more.pop("profile", RS1), **more)


def judged(answers: dict[str, object], trace: ExecutionTrace = TRACE, **more: object):
    return evaluate(TraceIndex(trace), panel(answers, **more))


def test_all_measured_and_calm_is_a_pass():
    report = judged(ZEROS)
    assert (report.verdict, report.overall_score, report.failures, report.is_complete) == ("PASS", 0.0, (), True)
    assert report.reasoning == "PASS: overall risk 0 is below 0.4."
    assert [score.signal_name for score in report.signal_scores] == sorted(ZEROS)


def test_contributions_add_up():
    report = judged({**ZEROS, "loop": 0.6, "hallucination": 0.4})
    assert report.overall_score == 0.29
    assert [score.contribution for score in report.signal_scores] == [0.0, 0.14, 0.15, 0.0]


def test_an_unmeasured_signal_is_listed_and_is_no_failure():
    report = judged({**ZEROS, "cost": Detection(score=None, details="no usage", gaps=["no usage recorded"])})
    assert (report.verdict, report.is_complete) == ("PASS", True)
    row = next(row for row in report.coverage if row.signal_name == "cost")
    assert (row.state, row.reason, row.gaps) == ("unmeasured", "no usage", ("no usage recorded",))


def test_an_agent_that_did_nothing_gets_no_pass():
    asked = ExecutionTrace(trace_id="t", messages=(Message(role="user", content="Hello?"),))
    nothing = "Nothing to check: no assistant text and no tool call."
    for answers in (ZEROS, dict.fromkeys(ZEROS, Detection(score=None))):
        report = judged(answers, asked)
        assert (report.verdict, report.overall_score, report.reasoning) == (None, None, nothing)
    assert judged({**ZEROS, "loop": 1.0}, asked).verdict == "FAIL"
    assert evaluate_trace(asked).reasoning == nothing


def test_what_a_sub_agent_did_counts():
    asked = ExecutionTrace(trace_id="t", messages=(Message(role="user", content="Hello?"),))
    spoke = attrs.evolve(asked, messages=(Message(role="assistant", content="Hello."),))
    assert judged(ZEROS, attrs.evolve(asked, details=TraceDetails(children=(asked, spoke)))).verdict == "PASS"
    assert judged(ZEROS, attrs.evolve(asked, details=TraceDetails(children=(asked,)))).verdict is None


def test_nothing_measured_is_no_verdict():
    report = judged(dict.fromkeys(ZEROS, Detection(score=None)))
    assert (report.verdict, report.overall_score) == (None, None)
    assert "no weighted signal could be measured" in report.reasoning


def test_an_advisory_signal_counts_nothing():
    report = judged({**ZEROS, "mine": 1.0})
    score = next(score for score in report.signal_scores if score.signal_name == "mine")
    assert (report.verdict, report.overall_score) == ("PASS", 0.0)
    assert (score.advisory, score.weight, score.contribution) == (True, 0.0, 0.0)


def test_an_advisory_signal_alone_gives_no_verdict():
    report = judged({"mine": 0.0}, left_out=frozenset(RS1.weights))
    assert report.verdict is None
    assert not report.failures


def test_a_missing_weighted_signal_is_a_failure():
    report = judged({name: 0.0 for name in ZEROS if name != "loop"})
    assert report.verdict is None
    assert [(failure.signal_name, failure.error) for failure in report.failures] == [("loop", "is not installed")]
    assert {row.signal_name: row.state for row in report.coverage}["loop"] == "not_installed"
    assert report.reasoning == "No verdict: loop gave no answer; without it, overall risk 0 is below 0.4."


def test_a_signal_left_out_keeps_its_weight():
    report = judged({"loop": 0.6}, left_out=frozenset(RS1.weights) - {"loop"})
    assert (report.verdict, report.overall_score) == ("PASS", 0.15)
    assert {row.signal_name: row.state for row in report.coverage} == {
        "cost": "left_out",
        "hallucination": "left_out",
        "loop": "checked",
        "tool_misuse": "left_out",
    }


def test_a_failure_leaves_a_lower_bound():
    failure = SignalFailure(signal_name="cost", error="cannot be imported")
    rest = {name: 0.0 for name in ZEROS if name != "cost"}
    report = judged({**rest, "loop": 0.9}, failures=(failure,))
    assert (report.verdict, report.is_complete) == ("FAIL", False)
    assert report.reasoning == "At least FAIL: loop 0.9, critical at 0.8; cost gave no answer."
    assert {row.signal_name: row.state for row in report.coverage}["cost"] == "failed"


def test_an_empty_trace_is_nothing_to_check():
    report = judged(ZEROS, ExecutionTrace(trace_id="t"))
    assert (report.verdict, report.reasoning) == (None, "Nothing to check: the trace has no messages.")


def test_an_empty_id_is_refused():
    for refuse in (lambda trace: judged(ZEROS, trace), evaluate_trace):
        with pytest.raises(ValueError, match="Cannot evaluate: trace_id is required"):
            refuse(ExecutionTrace(trace_id=""))


@each_row(
    ("answer", "error"),
    [
        (float("nan"), "returned the score nan; expected a finite number from 0 to 1"),
        (-0.1, "returned the score -0.1; expected a finite number from 0 to 1"),
        (1.01, "returned the score 1.01; expected a finite number from 0 to 1"),
        (
            Detection(score=0.0, findings=[Finding(rule="x", severity="note", text="y")] * 10_001),
            "returned 10,001 findings; expected at most 10,000",
        ),
        (SignalFailure(signal_name="loop", error="is gone"), "is gone"),
        (True, "returned bool; expected a Detection or a number from 0 to 1"),
        (None, "returned NoneType; expected a Detection or a number from 0 to 1"),
        (
            Detection(score="1"),
            "returned a Detection whose score is a str; expected a number from 0 to 1, or None",
        ),
    ],
)
def test_nonsense_is_a_failure(answer, error):
    report = judged({**ZEROS, "loop": answer})
    assert [(failure.signal_name, failure.error) for failure in report.failures] == [("loop", error)]


@pytest.mark.parametrize(("answer", "score"), [(0, 0.0), (1, 1.0), (-0.0, 0.0), (0.5, 0.5), (Detection(score=1), 1.0)])
def test_numbers_in_range_are_scores(answer, score):
    report = judged({**ZEROS, "loop": answer})
    measured = next(one.score for one in report.signal_scores if one.signal_name == "loop")
    assert repr(measured) == repr(score)


def test_control_c_goes_through():
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judged({**ZEROS, "loop": interrupted})


def told_of(detect) -> str:
    (failure,) = judged({**ZEROS, "loop": detect}).failures
    return failure.error


def test_what_was_raised_is_told_with_its_last_line_in_the_plugins_own_file():
    names = {"__name__": "some_plugin.inner"}
    code = "import json\ndef helper(text):\n    return json.loads(text)\n\ndef detect(_):\n    return helper('{')\n"
    exec(compile(code, "/home/somebody/caf\udce9/inner\udce9.py", "exec"), names)
    assert told_of(names["detect"]).endswith("(char 1) (inner?.py:3)")
    assert told_of(float).startswith("raised TypeError: float()")
    assert told_of(float).endswith("'TraceIndex'")


@pytest.mark.parametrize("error", [RecursionError("deep"), MemoryError("much")])
def test_where_memory_or_the_stack_ran_out_is_not_told(error):
    def detect(_):
        raise error

    assert told_of(detect) == f"raised {type(error).__name__}: {error}"


def test_errors_are_one_line():
    assert describe(ValueError("two\nlines")) == "raised ValueError: two lines"
    assert describe(SystemExit()) == "raised SystemExit"
    assert describe(ValueError("half \ud800")) == "raised ValueError: half ?"
    assert len(describe(ValueError("x" * 1000))) < 400


CHANGES = {
    "arguments": lambda index: index.calls[0].call.arguments.update(to="Hull"),
    "metadata": lambda index: index.trace.metadata.clear(),
    "message metadata": lambda index: index.messages[0].metadata.clear(),
    "result metadata": lambda index: index.messages[2].tool_results[0].metadata.update(x=1),
    "messages": lambda index: index.messages.clear(),
    "calls": lambda index: index.calls.pop(),
    "result": lambda index: setattr(index.calls[0], "result", None),
    "texts": lambda index: index.texts.clear(),
    "no JSON": lambda index: index.trace.metadata.update(half="\ud800"),
    "child": lambda index: index.children[0].calls.clear(),
}


def changeable() -> ExecutionTrace:
    first, second, third, *rest = honest_trace().messages
    result = attrs.evolve(third.tool_results[0], metadata={"ms": 3})
    messages = (attrs.evolve(first, metadata={"a": [1]}), second, attrs.evolve(third, tool_results=(result,)), *rest)
    details = TraceDetails(children=(honest_trace("child"),))
    return ExecutionTrace(trace_id="t", messages=messages, metadata={"k": {"z": 1, "a": 2}}, details=details)


def witness(index: TraceIndex) -> Detection:
    seen = [
        (message.content, message.metadata, [result.metadata for result in message.tool_results])
        for message in index.messages
    ]
    calls = [(call.call.arguments, call.result) for one in (index, *index.children) for call in one.calls]
    return Detection(score=0.0, details=repr((seen, calls, index.trace.metadata, len(index.texts))))


@each_row("change", CHANGES.values())
@each_row("name", ["aaa", "zzz"])
def test_who_changes_the_trace_is_named_and_costs_nobody(change, name):
    honest = {**ZEROS, "loop": witness, "tool_misuse": witness}
    expected = judged(honest, changeable())
    report = judged({**honest, name: lambda index: change(index) or 0.0}, changeable())
    assert [(failure.signal_name, failure.error) for failure in report.failures] == [
        (name, "changed the trace; a signal may only read it")
    ]
    assert report.signal_scores == expected.signal_scores
    assert report.metadata == expected.metadata
    assert report.verdict == "PASS"


def test_rules_carry_their_signals_name():
    finding = Finding(rule="again", severity="error", text="Twice.", message_index=1)
    report = judged({**ZEROS, "loop": Detection(score=0.5, findings=[finding])})
    assert report.findings == (attrs.evolve(finding, rule="loop.again"),)


def test_findings_say_where_the_source_has_them():
    told = attrs.evolve(TRACE.messages[0], details=MessageDetails(origin="line 7"))
    child = attrs.evolve(TRACE, messages=(told,), trace_id="child")
    trace = attrs.evolve(TRACE, messages=(told, *TRACE.messages[1:]), details=TraceDetails(children=(child,)))
    places = [(0, ()), (1, ()), (None, ()), (0, (0,))]
    findings = [
        Finding(rule="x", severity="note", text="y", message_index=number, trace_path=path) for number, path in places
    ]
    report = judged({**ZEROS, "loop": Detection(score=0.1, findings=findings)}, trace)
    assert [finding.origin for finding in report.findings] == ["line 7", None, None, "line 7"]


@pytest.mark.parametrize(
    ("place", "path", "words"),
    [
        (99, (), 'returned a finding, "x", that points to message 99; there are 6, counted from 0'),
        (-1, (), 'returned a finding, "x", that points to message -1; there are 6, counted from 0'),
        (None, (5,), 'returned a finding, "x", that points to sub-agent 5; there are 0, counted from 0'),
    ],
)
def test_a_finding_that_points_nowhere_is_its_signals_failure(place, path, words):
    finding = Finding(rule="x", severity="note", text="y", message_index=place, trace_path=path)
    report = judged({**ZEROS, "loop": Detection(score=0.1, findings=[finding])})
    assert [(failure.signal_name, failure.error) for failure in report.failures] == [("loop", words)]
    assert report.findings == ()


def test_a_coroutine_is_refused_and_ended():
    async def detect():
        return 0.0

    report = judged({**ZEROS, "loop": detect()})
    assert report.failures[0].error == "returned coroutine; expected a Detection or a number from 0 to 1"


def test_totals_count_sub_agents():
    child = honest_trace("child")
    trace = attrs.evolve(TRACE, details=TraceDetails(children=(child, attrs.evolve(child, token_usage=None))))
    totals = judged(ZEROS, trace).metadata
    assert (totals.total_messages, totals.total_tool_calls, totals.total_tokens) == (18, 6, 960)
    assert judged(ZEROS, attrs.evolve(TRACE, token_usage=None)).metadata.total_tokens is None


def test_settings_are_printed():
    signal = BoundSignal(name="cost", detect=lambda _: 0.0, settings={"budget": 5})
    report = evaluate(TraceIndex(TRACE), Panel(signals=(signal,), profile=RS1))
    assert report.settings == {"cost": {"budget": 5}}
    assert report.profile["weights"] == RS1.weights


def test_library_call_with_installed_signals():
    assert evaluate_trace(TRACE).verdict == "PASS"
    strict = attrs.evolve(RS1, name="strict", warn_at=0.0)
    assert evaluate_trace(TRACE, profile=strict).verdict == "WARN"


def test_library_call_with_given_signals():
    @attrs.frozen
    class Settings:
        risk: float = 0.9

    signals = [
        Signal(name="loop", summary="s", detect=lambda _, settings: settings.risk, settings=Settings),
        Signal(name="mine", summary="s", detect=lambda _: 1.0),
    ]
    report = evaluate_trace(TRACE, signals=signals)
    assert (report.verdict, report.settings) == ("FAIL", {"loop": {"risk": 0.9}})
    assert [score.advisory for score in report.signal_scores] == [False, True]


@pytest.mark.parametrize("trace", SAMPLES, ids=lambda trace: trace.trace_id[:10].encode("unicode_escape").decode())
def test_samples_are_judged_without_failures(trace):
    report = evaluate_trace(trace)
    assert report.failures == ()
    assert report == evaluate_trace(trace)


def test_models_refuse_nonsense():
    with pytest.raises(ValueError, match="must be >= 0"):
        TokenUsage(prompt_tokens=-1)
    with pytest.raises(TypeError, match="expected a list or a tuple, got str"):
        Detection(score=0.0, gaps="one")
    with pytest.raises(TypeError, match="expected Finding, got str"):
        Detection(score=0.0, findings=["one"])
    message = Message(role="user")
    with pytest.raises(AttributeError, match="immutable"):
        message.content = "later"
    with pytest.raises(TypeError, match="can't apply"):
        object.__setattr__(message, "content", "later")
    assert TokenUsage(prompt_tokens=2, completion_tokens=3).total == 5
    assert TokenUsage(prompt_tokens=2, completion_tokens=3, total_tokens=9).total == 9


CLAIM = LedgerEntry(claim="Done.", message_index=1, kind="action", answer="backed", record="a call", rule="r")


def with_ledger(entries, **more):
    signal = BoundSignal(name="loop", detect=lambda _: 0.0, ledger=lambda index, findings: entries)
    return evaluate(TraceIndex(TRACE), Panel(signals=(signal,), profile=RS1, **more))


def test_claims_are_listed_where_they_are_asked_for():
    assert with_ledger([CLAIM]).ledger is None
    report = with_ledger([CLAIM, attrs.evolve(CLAIM, message_index=0, rule=None)], has_ledger=True)
    assert [(entry.message_index, entry.rule) for entry in report.ledger] == [(0, None), (1, "loop.r")]
    assert judged(ZEROS, has_ledger=True).ledger == ()


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (["a claim"], "signal loop listed str; expected a LedgerEntry"),
        ([attrs.evolve(CLAIM, message_index=99)], 'returned a finding, "r", that points to message 99'),
        (None, "raised TypeError"),
    ],
)
def test_a_signal_that_cannot_list_its_claims_is_told_and_costs_no_verdict(entries, told):
    report = with_ledger(entries, has_ledger=True)
    assert report.ledger == ()
    assert told in report.unread[0]
    assert with_ledger([], has_ledger=True).verdict == report.verdict


def test_ctrl_c_ends_the_listing_of_claims():
    def stop(index, findings):
        raise KeyboardInterrupt

    signal = BoundSignal(name="loop", detect=lambda _: 0.0, ledger=stop)
    with pytest.raises(KeyboardInterrupt):
        evaluate(TraceIndex(TRACE), Panel(signals=(signal,), profile=RS1, has_ledger=True))
