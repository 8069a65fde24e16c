import tomllib

import attrs
import pytest
import tomli_w

from sentinel_command_suite.evaluation import decode_suite, scenario_from_trace
from sentinel_command_suite.from_trace import suite_from_trace
from sentinel_core.errors import InputError
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult


def trace_of(*calls, **more):
    """Each call: name, arguments, content, success, metadata."""
    messages = []
    for number, (name, arguments, content, success, metadata) in enumerate(calls):
        call = ToolCall(id=str(number), name=name, arguments=arguments)
        result = ToolResult(tool_call_id=str(number), content=content, success=success, metadata=metadata)
        messages += [Message(role="assistant", tool_calls=(call,)), Message(role="tool", tool_results=(result,))]
    return ExecutionTrace(trace_id="run/1", messages=tuple(messages), **more)


GET = ("get_release_summary", {"release_id": "v5"})
SUMMARY = '{"version": "v5", "changes": ["New icon"], "tests": {"passed": 10, "failed": 1, "skipped": 0}}'
FILE = ("file_risk_report", {"release_id": "v5", "severity": "low", "findings": ["fine"]})


def test_an_incident_becomes_a_test(run, run_bad):
    trace = trace_of((*GET, SUMMARY, True, None), (*FILE, '{"status": "filed", "report_id": "r"}', True, None))
    document = suite_from_trace(trace, severity="high")
    suite = decode_suite(tomli_w.dumps(document).encode(), "s.toml")
    (scenario,) = suite.scenarios
    assert (suite.name, scenario.release_id) == ("trace-run-1", "v5")
    assert [one.name for one in scenario.expect.tool_usage.calls] == ["get_release_summary", "file_risk_report"]
    assert run(suite).scenarios[0].status == "passed"
    (failed,) = run_bad(suite, "silent").scenarios
    assert {check.id for check in failed.trials[0].failures} >= {"calls", "severity"}


def test_failures_are_played_back():
    trace = trace_of(
        (
            *GET,
            'tool "get_release_summary" failed: InputError: no such release',
            False,
            {"error": "ToolExecutionError"},
        ),
        (*GET, "was stopped after 30 s", False, {"error": "ToolTimeoutError"}),
        (*GET, "<html>", True, None),
        (*GET, '{"version": null}', True, None),
        (*GET, "", False, None),
    )
    steps = scenario_from_trace(trace)["tools"]["get_release_summary"]["steps"]
    assert steps == [
        {"error": "no such release"},
        {"timeout": True},
        {"text": "<html>"},
        {"text": '{"version": null}'},
        {"error": "failed"},
    ]
    assert scenario_from_trace(trace)["expect"]["error_handling"] == {"report": "any"}


def test_secrets_do_not_get_into_a_suite():
    secret = "sk-" + "a" * 30
    trace = trace_of((*GET, f'{{"version": "v5", "key": "{secret}"}}', True, None))
    assert secret not in tomli_w.dumps(suite_from_trace(trace))


def test_what_a_trace_must_hold():
    with pytest.raises(InputError, match="has no tool call with a result"):
        scenario_from_trace(trace_of())
    nameless = trace_of(("search", {}, "ok", True, None))
    with pytest.raises(InputError, match=r'contains no release.* "sentinel evaluate" judges other agents'):
        scenario_from_trace(nameless)
    named = attrs.evolve(nameless, metadata={"release_id": "v6"})
    assert scenario_from_trace(named, name="my incident!")["id"] == "my-incident"
    assert tomllib.loads(tomli_w.dumps(suite_from_trace(named)))["scenarios"][0]["release_id"] == "v6"
