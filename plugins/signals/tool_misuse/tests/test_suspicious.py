"""Arguments that no honest call has, and required ones that are all empty."""

import pytest

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, ToolSchema, TraceDetails, TraceIndex
from sentinel_signal_tool_misuse import ToolMisuseSettings, detect

GOOD, BAD = "ready", "Error: closed"
SEARCH = ToolSchema(name="search", parameters={"type": "object", "required": ["query"]})


def call(result=GOOD, name="search", **arguments):
    return name, arguments, result


def found(*calls, tools=None, **settings):
    messages = []
    for number, (name, arguments, result) in enumerate(calls):
        made = ToolCall(id=f"c{number}", name=name, arguments=arguments)
        answer = ToolResult(tool_call_id=f"c{number}", content=result)
        messages += [Message(role="assistant", tool_calls=(made,)), Message(role="tool", tool_results=(answer,))]
    details = TraceDetails(available_tools=tools)
    index = TraceIndex(ExecutionTrace(trace_id="t", messages=tuple(messages), details=details))
    return detect(index, ToolMisuseSettings(**settings))


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf /",
        "sudo rm -rf / --no-preserve-root",
        "cd /tmp && rm -fr ~",
        "rm -r -f /*; echo done",
        "../../etc/passwd",
        "..\\..\\Windows\\system32",
        "docs/../../../proc/self/environ",
        "Robert'; DROP TABLE students; --",
        "x'); delete from users",
        "' or '1'='1",
    ],
)
def test_suspicious_arguments(text):
    detection = found(call(), call(path=text), call())
    [one] = detection.findings
    assert (one.rule, one.severity, one.call_id) == ("suspicious_argument", "warning", "c1")
    assert "was given an argument that" in one.text
    assert detection.details == "1 of 3 calls had bad arguments."
    assert detection.score == 0.25  # amount 1 / 3, and no call at the end failed
    assert [one.rule for one in found(call(BAD, path=text)).findings] == ["suspicious_argument"]
    assert found(call(path=text), suspicious_weight=0.0).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf /tmp/build",
        "rm -rf ./node_modules",
        "rm /",
        "grep -rn 'rm -rf /' docs",
        "../../src/main.py",
        "../etc/hosts",
        "DROP TABLE students;",
        "print('a'); drop(1)",
        "it's five o'clock; delete it",
        "select * from t where a = 'b' or c = 1",
        "rm -rf / " + "x" * 1_000,
    ],
)
def test_what_only_looks_suspicious(text):
    assert found(call(), call(path=text), call()).findings == ()


def test_all_that_the_schema_requires_is_empty():
    [one] = found(call(query=""), call("3", name="other", query=""), tools=(SEARCH, ToolSchema(name="other"))).findings
    assert (one.rule, one.call_id) == ("empty_argument", "c0")
    assert one.text == '"search" was given empty values for all required arguments.'
    assert found(call(query="", limit=3), tools=(SEARCH,)).findings[0].rule == "empty_argument"
    write = ToolSchema(name="write", parameters={"required": ["path", "text"]})
    assert found(call(name="write", path="a", text=""), tools=(write,)).findings == ()


def test_a_suspicious_argument_beside_a_failure_is_told_with_it():
    detection = found(call(path="rm -rf /"), call(BAD), call())
    assert detection.details == "1 of 3 calls had bad arguments, 1 failed; the agent recovered."
