"""Guided mode: the rules' findings are offered, the answer is asked for, and a model that goes in circles is guided, too."""

import json
from pathlib import Path

import pytest

from sentinel_agent.detective import Investigation
from sentinel_agent.events import ReplyReceived
from sentinel_agent.guided import closing_request, narrowed
from sentinel_agent.risk.facts import RiskThresholds
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import Message, ToolCall, ToolResult

RELEASE = "v2.1.0"
SUMMARY = json.loads((Path(__file__).parents[2] / "examples/releases" / f"{RELEASE}.json").read_text())
SCHEMA = {
    "type": "object",
    "properties": {
        "release_id": {"type": "string"},
        "severity": {"enum": ["high", "medium", "low"]},
        "findings": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "odd": True,
    },
    "required": ["release_id"],
}
RATE = "the error rate is 0.02 (2%); 2% or more is high"
ANSWER = Reply(content="The severity is high: the error rate is 2%. The report is staged for delivery.")


def tool(name, handler=lambda **_: {}, effect="read"):
    return Tool(name=name, description="d", parameters=SCHEMA, handler=handler, effect=effect)


FILE = tool("file_risk_report", effect="write")


def call(name, **arguments):
    return Reply(tool_calls=(ToolCall(id="", name=name, arguments={"release_id": RELEASE, **arguments}),))


FETCH = call("get_release_summary")


def filing(*findings, severity="high"):
    return call("file_risk_report", severity=severity, findings=list(findings))


def fetched(content, success=True, metadata=None):
    asked = ToolCall(id="a", name="get_release_summary", arguments={"release_id": RELEASE})
    text = content if isinstance(content, str) else json.dumps(content)
    result = ToolResult(tool_call_id="a", content=text, success=success, metadata=metadata)
    return (Message(role="assistant", tool_calls=(asked,)), Message(role="tool", tool_results=(result,)))


def offered(messages):
    return narrowed(RELEASE, RiskThresholds(), FILE, messages).parameters["properties"]


def investigation(*script, mode, past=()):
    tools = (tool("get_release_summary", lambda release_id: SUMMARY), FILE)
    settings, toolbox = AgentSettings(tool_mode=mode), Toolbox(run=in_process)
    model = ScriptedModel(script)
    return Investigation(release_id=RELEASE, model=model, tools=tools, toolbox=toolbox, settings=settings, past=past)


def attempt(*script, mode="guided"):
    made = investigation(*script, mode=mode)
    return made.attempt(), made.model.requests


def steps(requests):
    return [([tool.name for tool in request.tools], request.tool_choice) for request in requests]


GUIDED = [(["get_release_summary"], "required"), (["file_risk_report"], "required"), ([], "none")]
FREE = (["get_release_summary", "file_risk_report"], "auto")


def test_a_report_is_narrowed_to_what_the_rules_found():
    narrow = offered(fetched(SUMMARY))
    assert narrow["release_id"] == {"type": "string", "enum": [RELEASE]}
    assert narrow["severity"] == {"enum": ["high"]}
    assert narrow["findings"]["maxItems"] == len(narrow["findings"]["items"]["enum"]) == 3
    assert RATE in narrow["findings"]["items"]["enum"]
    assert narrow["odd"] is True
    assert narrowed(RELEASE, RiskThresholds(), tool("other"), fetched(SUMMARY)).parameters["properties"] == {
        **SCHEMA["properties"],
        "release_id": {"type": "string", "enum": [RELEASE]},
    }


@pytest.mark.parametrize("messages", [(), fetched("503", success=False), fetched("no JSON")])
def test_without_a_summary_that_can_be_read_severity_and_findings_are_free(messages):
    narrow = offered(messages)
    assert narrow["severity"] == SCHEMA["properties"]["severity"]
    assert narrow["findings"] == SCHEMA["properties"]["findings"]
    assert closing_request(RELEASE, RiskThresholds(), messages) == ""


def test_of_a_summary_that_was_cut_the_severity_is_known():
    narrow = offered(fetched('{"version": ', metadata={"cut": True, "full_risk": "medium"}))
    assert narrow["severity"] == {"enum": ["medium"]}
    assert narrow["findings"] == SCHEMA["properties"]["findings"]


def test_thresholds_are_those_of_the_run():
    lax = RiskThresholds(error_rate_high=0.5, error_rate_medium=0.4)
    mild = {**SUMMARY, "tests": {"passed": 9, "failed": 0}, "changes": ["New icon"]}
    assert "severity high" in closing_request(RELEASE, RiskThresholds(), fetched(mild))
    assert "severity low" in closing_request(RELEASE, lax, fetched(mild))


def test_a_guided_attempt_goes_through_the_steps_and_is_asked_for_its_answer():
    done, requests = attempt(FETCH, filing(RATE), ANSWER)
    assert steps(requests) == GUIDED
    assert requests[1].tools[0].parameters["properties"]["severity"] == {"enum": ["high"]}
    assert RATE in requests[2].messages[-1].content
    assert {request.max_tokens for request in requests} == {1024}
    assert (done.staged.severity, done.objections, done.answer) == ("high", (), ANSWER.content)


def test_the_answer_is_asked_for_once():
    echo = Reply(content='{"name": "file_risk_report"}')
    done, requests = attempt(FETCH, filing(RATE), echo, ANSWER)
    asked = [message.content for message in requests[-1].messages if message.role == "user"]
    assert sum("What decided it" in text for text in asked) == 1
    assert done.answer == ANSWER.content


@pytest.mark.parametrize(
    ("script", "offers"),
    [
        ((filing("57 fail"), filing("57 fail"), FETCH, filing(RATE), ANSWER), [FREE, FREE, *GUIDED]),
        ((FETCH, filing("57 fail"), filing("57 fail"), filing(RATE), ANSWER), [FREE, FREE, FREE, *GUIDED[1:]]),
        ((FETCH, filing(RATE), filing(RATE), ANSWER), [FREE, FREE, FREE, GUIDED[2]]),
        ((FETCH, FETCH, filing("57 fail"), filing(RATE), ANSWER), [FREE] * 5),
    ],
    ids=["refused twice", "contradicted twice", "filed twice", "none of these"],
)
def test_a_model_that_goes_in_circles_is_guided(script, offers):
    done, requests = attempt(*script, mode="auto")
    assert steps(requests) == offers
    assert (done.staged.findings, done.objections) == ((RATE,), ())


@pytest.mark.parametrize("cut", range(2, 24))
def test_a_guided_attempt_goes_on_where_it_broke_off(cut):
    script = (FETCH, filing(RATE), ANSWER)
    whole = investigation(*script, mode="guided")
    whole.attempt()
    past = whole.record.events[:cut]
    left = script[sum(isinstance(event, ReplyReceived) for event in past) :]
    resumed = investigation(*left, mode="guided", past=past)
    assert resumed.attempt().answer == ANSWER.content
    asked = [message.content for message in resumed.record.messages if message.role == "user"]
    assert len(asked) == 2
