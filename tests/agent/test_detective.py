import attrs
import msgspec
import pytest
from tables import each_row

from sentinel_agent.core import AgentSettings
from sentinel_agent.detective import investigate
from sentinel_agent.prompts import SYSTEM_PROMPT, task_text
from sentinel_agent.staging import filed_report
from sentinel_core.errors import ConfigError, RateLimitError
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.telemetry import trace_id_of
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult

OBJECT = {"type": "object"}
TOOLS = (
    Tool(name="get_release_summary", description="d", parameters=OBJECT, handler=lambda release_id: {"v": release_id}),
    Tool(
        name="file_risk_report",
        description="d",
        parameters=OBJECT,
        handler=lambda release_id, **_: {"status": "filed", "report_id": f"{release_id}-1"},
    ),
)


def filing(release_id="v1", call_id="c2"):
    arguments = {"release_id": release_id, "severity": "high", "findings": ["one", "two"]}
    return ToolCall(id=call_id, name="file_risk_report", arguments=arguments)


FETCH = Reply(tool_calls=(ToolCall(id="c1", name="get_release_summary", arguments={"release_id": "v1"}),))
FILE = Reply(tool_calls=(filing(),))
DONE = Reply(content="Filed as v1-1.")


ONCE = AgentSettings(max_attempts=1)


def run(*script, **options):
    return investigate("v1", ScriptedModel(script), TOOLS, toolbox=Toolbox(run=in_process), **options)


def test_a_whole_investigation(clock):
    seen = []
    result = run(FETCH, FILE, DONE, clock=clock, provider="scripted", observers=[seen.append])
    assert (result.run_id, result.release_id, result.outcome) == ("id2", "v1", "completed")
    assert (result.severity, result.findings, result.report_id) == ("high", ("one", "two"), "v1-1")
    assert (result.answer, result.error) == ("Filed as v1-1.", None)
    assert result.trace.metadata == {
        "provider": "scripted",
        "release_id": "v1",
        "delivery": {"status": "delivered", "report_id": "v1-1"},
        "otel_trace_id": trace_id_of("id2"),
    }
    assert filed_report(result.trace, "v1") == attrs.evolve(result.report, path=None)
    assert result.events == tuple(seen)


def test_the_model_is_told_the_task():
    model = ScriptedModel([DONE])
    investigate("v1", model, TOOLS)
    assert model.requests[0].system_prompt == SYSTEM_PROMPT
    assert model.requests[0].messages[0].content == task_text("v1")


def test_no_report_is_invented():
    result = run(FETCH, Reply(content="I filed the report."))
    assert (result.severity, result.findings, result.report_id, result.report) == (None, (), None, None)


def test_model_error_is_an_outcome_with_a_trace():
    result = run(FETCH, RateLimitError("slow down"), settings=ONCE)
    assert (result.outcome, result.error, result.answer) == ("model_error", "slow down", "")
    assert result.trace.details.outcome == "model_error"
    assert len(result.trace.messages) == 4


def test_report_waits_where_the_model_fails_after_staging_it():
    result = run(FETCH, FILE, RateLimitError("slow down"), settings=ONCE)
    assert (result.outcome, result.report, result.delivery) == ("model_error", None, None)
    resumed = run(DONE, past=result.events)
    assert (resumed.outcome, resumed.report_id, resumed.run_id) == ("completed", "v1-1", result.run_id)
    assert filed_report(result.trace, "v1") is None


def test_turn_limit_is_passed_on():
    assert run(FETCH, FETCH, settings=AgentSettings(max_turns=2)).outcome == "max_turns"


def test_empty_release_is_refused():
    with pytest.raises(ConfigError, match="release id is empty"):
        investigate("", ScriptedModel([]), TOOLS)


@pytest.mark.parametrize("release_id", ["v1\udcff", "\ud800"])
def test_release_that_is_no_unicode_is_refused(release_id):
    with pytest.raises(ConfigError, match=r"\\ud.* is not valid Unicode"):
        investigate(release_id, ScriptedModel([]), TOOLS)


def test_missing_tools_are_named():
    with pytest.raises(ConfigError, match='the detective needs "file_risk_report": install'):
        investigate("v1", ScriptedModel([]), TOOLS[:1])
    with pytest.raises(ConfigError, match='"file_risk_report" and "get_release_summary"'):
        investigate("v1", ScriptedModel([]), ())


def trace_with(*pairs):
    messages = []
    for call, result in pairs:
        messages.append(Message(role="assistant", tool_calls=(call,)))
        if result is not None:
            messages.append(Message(role="tool", tool_results=(result,)))
    return ExecutionTrace(trace_id="t", messages=messages)


def answer(content='{"report_id": "r1"}', success=True, call_id="c2"):
    return ToolResult(tool_call_id=call_id, content=content, success=success)


def filed_with(**report):
    return ToolCall(id="c2", name="file_risk_report", arguments={"release_id": "v1", **report})


@each_row(
    "pair",
    [
        (filing(), None),
        (filing(), answer(success=False)),
        (filing(), answer(success=None)),
        (filing("v2"), answer()),
        (ToolCall(id="c2", name="get_release_summary", arguments={"release_id": "v1"}), answer()),
        (filed_with(), answer()),
        (filed_with(severity=["high"], findings=[]), answer()),
        (filed_with(severity="high", findings=None), answer()),
    ],
)
def test_what_is_not_a_filed_report(pair):
    assert filed_report(trace_with(pair), "v1") is None


@pytest.mark.parametrize("content", ["", "filed", "[1]", '{"report_id": 7}', "{}", msgspec.json.encode("x").decode()])
def test_report_without_a_usable_id(content):
    report = filed_report(trace_with((filing(), answer(content))), "v1")
    assert (report.report_id, report.severity) == (None, "high")


def test_last_filed_report_counts():
    trace = trace_with(
        (filing(call_id="a"), answer('{"report_id": "r1"}', call_id="a")),
        (filing(call_id="b"), answer('{"report_id": "r2"}', call_id="b")),
        (filing(call_id="c"), answer("no", success=False, call_id="c")),
    )
    assert filed_report(trace, "v1").report_id == "r2"
