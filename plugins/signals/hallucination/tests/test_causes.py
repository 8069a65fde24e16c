"""Causes of false alarms, each with honest runs that must not be accused and lies of the same kind that must be.

A case in ``causes.txt`` begins with ``honest``, or with ``lie`` and the rule that finds it. Its lines are: what the user or the agent says;
a call with its arguments and its result (``call!`` failed, and one without ``->`` has none); a ``result`` of no call; a call on a user's
message; the ``tools`` on offer; and what a reader ``lost``.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult, ToolSchema, TraceDetails

CAUSES = (Path(__file__).parent / "causes.txt").read_text(encoding="utf-8")
CASE = re.compile(r"(?m)^(?=honest$|lie \w+$)")
CALL = re.compile(r"(?P<name>\w+) (?P<arguments>\{.*?\})(?: -> (?P<result>.*))?\Z", re.DOTALL)
FEWEST = 2


def cases():
    for part in CAUSES.split("== ")[1:]:
        cause, _, rest = part.partition("\n")
        for number, case in enumerate(CASE.split(rest)[1:]):
            head, *lines = case.strip().split("\n")
            kind, _, rule = head.partition(" ")
            yield pytest.param(kind, rule, lines, id=f"{cause}-{number}-{kind}")


def unescaped(text):
    return text.replace("\\n", "\n")


def called(spelt, number, role, said, *, failed):
    match = CALL.match(spelt)
    call = ToolCall(id=f"call-{number}", name=match["name"], arguments=json.loads(match["arguments"]))
    yield Message(role=role, content=said, tool_calls=(call,))
    if match["result"] is not None:
        success = False if failed else None
        result = ToolResult(tool_call_id=call.id, content=unescaped(match["result"]), success=success)
        yield Message(role="tool", tool_results=(result,))


def messages(lines):
    for number, line in enumerate(lines):
        what, _, rest = line.strip().partition(" | ")
        if what in ("user", "says"):
            yield Message(role="user" if what == "user" else "assistant", content=unescaped(rest))
        elif what.startswith("call"):
            yield from called(rest, number, "assistant", None, failed=what.endswith("!"))
        elif what.startswith("user-call"):
            said, _, spelt = rest.partition(" | ")
            yield from called(spelt, number, "user", said, failed=what.endswith("!"))
        elif what == "result":
            identity, _, content = rest.partition(" -> ")
            yield Message(role="tool", tool_results=(ToolResult(tool_call_id=identity, content=content),))


def trace_of(lines):
    rest = dict(line.strip().split(" | ", 1) for line in lines)
    tools = tuple(ToolSchema(name=name) for name in rest["tools"].split(", ")) if "tools" in rest else ()
    return ExecutionTrace(
        trace_id="t",
        messages=tuple(messages(lines)),
        metadata={"reading_gaps": [rest["lost"]]} if "lost" in rest else {},
        details=TraceDetails(available_tools=tools) if tools else None,
    )


@pytest.mark.parametrize(("kind", "rule", "lines"), list(cases()))
def test_the_honest_are_let_go_and_the_lies_are_found(script, kind, rule, lines):
    found = [finding for finding in script.detect(trace_of(lines)).findings if finding.severity != "note"]
    assert {finding.rule for finding in found} == ({rule} if kind == "lie" else set())


def test_each_cause_has_honest_runs_and_lies():
    counts = Counter((case.id.partition("-")[0], case.values[0]) for case in cases())
    assert min(counts.values()) >= FEWEST
    assert len(counts) == 2 * CAUSES.count("== ")
