"""What a user expects of a run."""

import json

import attrs
import pytest
from tables import each_row

from sentinel_core import (
    ExecutionTrace,
    Message,
    ToolCall,
    ToolResult,
    ToolSchema,
    TraceDetails,
    TraceIndex,
    evaluate_trace,
)
from sentinel_core.errors import ConfigError
from sentinel_core.evaluate.expectations import check_expectations, parse_expectation
from sentinel_core.host.expectations import Expected, expecting, read_expectations
from sentinel_core.testing import honest_trace


def called(key, name, result="ok", success=True):
    return (
        Message(role="assistant", tool_calls=(ToolCall(id=key, name=name),)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id=key, content=result, success=success),)),
    )


def broken(trace, *written):
    index = trace if isinstance(trace, TraceIndex) else TraceIndex(trace)
    return check_expectations(index, [parse_expectation(one) for one in written]).findings


def run(*pairs, answer="Done.", **more):
    messages = [message for pair in pairs for message in pair]
    return ExecutionTrace(trace_id="t", messages=(*messages, Message(role="assistant", content=answer)), **more)


RUN = run(called("a", "read_file"), called("b", "write_file"), answer="The total is $42.")


@each_row(
    "written",
    [
        "called:read_file",
        "called:write_*",
        "called: read_file",
        "not called:delete_*",
        "not called:Read_file",
        "called:read_* before write_*",
        "called:read_file before delete_*",
        "answer matches \\$42",
        "answer matches (?i)THE TOTAL",
        "max-calls:2",
    ],
)
def test_what_holds_is_no_finding(written):
    assert broken(RUN, written) == ()


@pytest.mark.parametrize(
    ("written", "rule", "place", "text"),
    [
        ("called:delete_file", "called", None, "it was not called; known tools: read_file, write_file."),
        ("not called:w*", "not_called", 2, '"write_file" was called.'),
        ("called:write_* before read_*", "before", 0, '"read_file" was called before any call to "write_*".'),
        ("called:list_* before write_*", "before", 2, '"list_*" was not called; known tools: read_file, write_file.'),
        ("max-calls:1", "max_calls", 2, "2 calls were made."),
        ("max-calls:0", "max_calls", 0, "2 calls were made."),
        ("answer matches ^43", "answer", 4, "the answer does not match."),
    ],
)
def test_what_is_broken_is_an_error_with_its_place(written, rule, place, text):
    [found] = broken(RUN, written)
    assert (found.rule, found.severity, found.message_index) == (rule, "error", place)
    assert found.text == f'Expected "{written}": {text}'


def test_a_name_that_no_tool_has_is_told_with_the_names_there_are():
    def text(trace):
        [found] = check_expectations(TraceIndex(trace), [parse_expectation("called:refund")]).findings
        return found.text.removeprefix('Expected "called:refund": ')

    def offered(*names, children=()):
        details = TraceDetails(available_tools=tuple(ToolSchema(name=name) for name in names), children=children)
        return attrs.evolve(run(), details=details)

    assert text(offered("refund", "search")) == "it was not called."
    assert (
        text(offered("reimburse", children=(run(called("c", "pay")),)))
        == "it was not called; known tools: reimburse, pay."
    )
    assert text(offered(*(f"t{number}" for number in range(10)))).endswith("t6, t7 and 2 more.")
    assert text(run()) == "it was not called; no tool is known."


def reported(*findings, answer="", failed=2):
    given = {"release_id": "v1", "severity": "high", "findings": list(findings)}
    summary = json.dumps({"tests": {"passed": 7, "failed": failed}})
    calls = (
        ToolCall(id="a", name="get", arguments={}),
        *([ToolCall(id="b", name="file", arguments=given)] if findings else ()),
    )
    results = (ToolResult(tool_call_id="a", content=summary, success=True),)
    messages = (
        Message(role="assistant", tool_calls=calls),
        Message(role="tool", tool_results=results),
        Message(role="assistant", content=answer or "Done."),
    )
    return ExecutionTrace(trace_id="t", messages=messages)


def test_a_report_and_an_answer_are_held_against_the_results():
    assert broken(reported("2 tests failed", 7), "grounded") == ()
    assert broken(reported(answer="2 tests failed."), "grounded") == ()
    [found] = broken(reported("57 tests failed"), "grounded")
    assert (found.rule, found.call_id, found.quote) == ("grounded", "b", "57 tests failed")
    [found] = broken(reported("2 tests failed", answer="The report was filed as low."), "grounded")
    assert (found.call_id, found.text) == (
        None,
        'Expected "grounded": the answer says "The report was filed as low.": the severity that was filed is high.',
    )


def test_the_tools_that_were_called_are_named():
    def details(*tools):
        trace = run(*(called(f"c{place}", name) for place, name in enumerate(tools)))
        return check_expectations(TraceIndex(trace), [parse_expectation("called:refund")]).details

    assert details("read", "write", "read") == "1 of 1 expectations were not met; called: read, write."
    assert details() == "1 of 1 expectations were not met; no tool was called."
    assert details(*(f"t{place}" for place in range(10))).endswith("called: t0, t1, t2, t3, t4, t5, t6, t7 and 2 more.")


def test_a_call_that_failed_was_not_made_to_any_use():
    [found] = broken(run(called("a", "book", "no seats", success=False)), "called:book")
    assert (found.message_index, found.call_id) == (0, "a")
    assert found.text.endswith("it was called once and failed.")


def test_what_was_handed_in_is_an_answer():
    call = Message(role="assistant", tool_calls=(ToolCall(id="s", name="submit", arguments={"value": "x=7"}),))
    trace = ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="I am done."), call))
    assert broken(trace, "answer matches x=7", "answer matches done") == ()


def test_no_answer_at_all():
    [found] = broken(ExecutionTrace(trace_id="t", messages=called("a", "read_file")), "answer matches .")
    assert found.text.endswith("there is no answer.")


def test_sub_agents_calls_count_and_the_finding_leads_to_them():
    child = run(called("x", "delete_all"))
    [found] = broken(run(called("a", "ask"), details=TraceDetails(children=(child,))), "not called:delete_*")
    assert (found.trace_path, found.message_index) == ((0,), 0)


@pytest.mark.parametrize(
    "written", ["", "call x", "called:", "called:a b", "max-calls:many", "answer matches", "answers x"]
)
def test_what_is_no_expectation_is_told_with_all_there_are(written):
    with pytest.raises(ValueError, match=r"is not an expectation; use one of: called:TOOL, not called:TOOL"):
        parse_expectation(written)


def test_a_wrong_regular_expression_is_told():
    with pytest.raises(ValueError, match=r'"answer matches \(": the regular expression is not valid'):
        parse_expectation("answer matches (")


# Each is wrong, and no signal can know it from the record alone.
WRONG_OUTCOMES = {
    "the wrong tool": (run(called("a", "cancel_order"), answer="I cancelled it."), "not called:cancel_*"),
    "nothing was written": (run(called("a", "get_order"), answer="All fine."), "called:refund_order"),
    "written before it was read": (
        run(called("a", "update_order"), called("b", "get_order"), answer="Updated."),
        "called:get_* before update_*",
    ),
    "a wrong answer": (run(called("a", "sum"), answer="It is 41."), "answer matches \\b42\\b"),
    "no unit": (run(called("a", "sum"), answer="It is 42."), "answer matches 42 ?km"),
    "too many steps": (
        run(called("a", "get_a"), called("b", "get_b"), called("c", "get_c"), answer="Done."),
        "max-calls:2",
    ),
    "handed to a person": (run(called("a", "transfer_to_human"), answer="Bye."), "not called:transfer_*"),
    "not confirmed": (run(called("a", "book_flight"), answer="Booked."), "called:ask_user before book_*"),
    "no report": (run(called("a", "get_release"), answer="The risk is low."), "called:file_risk_report"),
    "an answer in another language": (run(answer="Es sind vier."), "answer matches ^There"),
}


@each_row("name", WRONG_OUTCOMES)
def test_a_wrong_outcome_that_the_signals_pass_is_a_fail(name):
    from sentinel_core.evaluate.evaluator import evaluate
    from sentinel_core.host.in_process import _installed_panel

    trace, written = WRONG_OUTCOMES[name]
    assert evaluate_trace(trace).verdict == "PASS"
    panel = expecting(_installed_panel(), read_expectations([written], None))
    report = evaluate(TraceIndex(trace), panel)
    assert (report.verdict, report.findings[0].rule.partition(".")[0]) == ("FAIL", "expect")


def test_a_file_gives_expectations_by_task(tmp_path):
    path = tmp_path / "expect.toml"
    path.write_text(
        'task_key = "metadata.group"\nexpect = ["max-calls:9"]\n[tasks]\n"airline-3" = ["called:book_*"]\n7 = ["called:x"]\n'
    )
    expected = read_expectations(["called:always"], str(path))

    def of(group):
        trace = ExecutionTrace(trace_id="t", metadata={"group": group})
        return [one.written for one in expected.of(trace)]

    assert of("airline-3") == ["called:always", "max-calls:9", "called:book_*"]
    assert of(7) == ["called:always", "max-calls:9", "called:x"]
    assert of("other") == ["called:always", "max-calls:9"]


def test_a_run_of_which_nothing_is_expected_is_not_measured():
    expected = Expected(by_task={"other": (parse_expectation("called:x"),)})
    assert check_expectations(TraceIndex(honest_trace()), expected.of(honest_trace())).score is None
    assert read_expectations([], None) is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[", "is not TOML"),
        ("expects = []", 'unknown key "expects"; the keys are expect, task_key, tasks'),
        ("expect = 3", "expect must be a list of strings"),
        ("tasks = 3", "tasks must be a table"),
        ("task_key = 3", "task_key a string such as"),
        ("[tasks]\na = ['call x']", 'tasks."a": "call x" is not an expectation'),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path, text, error):
    path = tmp_path / "e.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_expectations([], str(path))
    assert error in str(caught.value)


def test_a_file_that_is_not_there():
    with pytest.raises(ConfigError, match=r'--expect-file "nowhere.toml" cannot be read'):
        read_expectations([], "nowhere.toml")


def test_a_plugin_of_that_name_is_told():
    from sentinel_core.evaluate.evaluator import BoundSignal, Panel
    from sentinel_core.profile import RS1

    panel = Panel(signals=(BoundSignal(name="expect", detect=lambda _: 0.0),), profile=RS1)
    with pytest.raises(ConfigError, match='a plugin offers a signal named "expect"'):
        expecting(panel, Expected())


def test_of_what_was_not_read_no_call_is_missed():
    partial = run(called("a", "read_file"), metadata={"reading_gaps": ["1 event of an unknown kind"]})
    expected = [parse_expectation(one) for one in ("called:write_file", "called:write_file before x", "max-calls:1")]
    found = check_expectations(TraceIndex(partial), expected)
    assert (found.score, found.findings, found.details) == (0.0, (), "1 of 3 expectations were met.")
    assert found.gaps == (
        'Parts of the trace were not read: whether "called:write_file" is met was not checked.',
        'Parts of the trace were not read: whether "called:write_file before x" is met was not checked.',
    )
    alone = check_expectations(TraceIndex(partial), expected[:1])
    assert (alone.score, alone.details) == (None, found.gaps[0])
    assert broken(partial, "not called:read_file") != ()
