"""The gate on a release's risk goes by the release, not by what the agent cared to look at."""

import json

import attrs
import pytest
from agent_odd import RELEASES, SENTINEL

from sentinel_agent.detective import Gate, Investigation
from sentinel_agent.run_summary import RunSummary
from sentinel_command_run.run import _is_too_risky
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.offers import Tool
from sentinel_core.testing.scripted import ScriptedModel

# Files a report of medium severity, having looked at other things, or at nothing at all.
BLIND = """
import os
from sentinel_core import Provider, Reply, ToolCall, hookimpl

FILE = ToolCall(id="b", name="file_risk_report", arguments={"release_id": "v2.1.0", "severity": "medium", "findings": ["x"]})
LOOK = ToolCall(id="a", name="get_release_history", arguments={"release_id": "v2.1.0"})


class Blind:
    def complete(self, request, on_text=None):
        turn = sum(message.role == "assistant" for message in request.messages)
        script = [LOOK, FILE] if os.environ.get("LOOKS") else [FILE]
        return Reply(tool_calls=(script[turn],), stop_reason="tool_calls") if turn < len(script) else Reply(content="Done.")

    estimate_tokens = lambda self, messages: 1
    get_capabilities = close = lambda self: None


@hookimpl
def sentinel_providers():
    return [Provider(name="blind", summary="s", connect=Blind)]
"""


@pytest.mark.unmeasured
@pytest.mark.parametrize("looks", ["", "yes"])
def test_an_agent_that_did_not_look_does_not_pass_the_gate(sentinel, tmp_path, looks):
    (tmp_path / "blind.py").write_text(BLIND)
    start = [
        SENTINEL,
        "run",
        "v2.1.0",
        "--releases",
        RELEASES,
        "--plugins",
        "./blind.py",
        "--no-reflect",
        "--fail-on",
        "fail",
    ]
    done = sentinel(*start, "--fail-on-risk", "high", "--json", LOOKS=looks)
    assert done.returncode == 3
    assert "nothing was investigated" in done.stderr
    assert "--resume" not in done.stderr
    told = json.loads(done.stdout)
    assert (told["severity"], told["resumable"], told["attempts"][0]["staged"]) == (None, False, None)
    names = {call["name"] for message in told_trace(told, tmp_path) for call in message.get("tool_calls", ())}
    assert "get_release_summary" not in names
    assert sentinel(*start, LOOKS=looks).returncode == 3


def told_trace(told, tmp_path):
    return json.loads((tmp_path / told["trace_path"]).read_text())["messages"]


def gate_of(handler):
    anything = {"type": "object"}
    tools = [
        Tool(name="get_release_summary", description="d", parameters=anything, handler=handler),
        Tool(name="file_risk_report", description="d", parameters=anything, handler=print, effect="write"),
    ]
    made = Investigation(release_id="v1", model=ScriptedModel([]), tools=tools, toolbox=Toolbox(run=in_process))
    return made.gate()


def refuses(release_id):
    raise RuntimeError(f"no {release_id} today")


def test_the_host_looks_at_the_whole_summary_of_the_release():
    passed = {"tests": {"passed": 9, "failed": 0}, "deployment_metrics": {"error_rate": 0.0, "response_time_p95": 9}}
    long = {"changes": [f"Text of page {number}" for number in range(9999)], **passed}
    assert gate_of(lambda release_id: {"version": release_id, **long}) == Gate(severity="low")
    assert gate_of(lambda release_id: {**long, "tests": {"passed": 142, "failed": 42}}).severity == "high"


@pytest.mark.parametrize("handler", [refuses, lambda release_id: "no JSON", lambda release_id: [release_id]])
def test_evidence_that_cannot_be_had_is_unknown_and_passes_no_gate(handler, capsys):
    gate = gate_of(handler)
    assert gate.severity is None
    assert gate.problem
    found = RunSummary(
        run_id="r",
        release_id="v1",
        provider="p",
        outcome="completed",
        answer="",
        severity="low",
        findings=(),
        report_id="v1-1",
        report_path=None,
        trace_path="r",
        error=None,
        evidence_severity="low",
        summary_fetched=True,
        gate=gate,
    )
    assert _is_too_risky(found, "high")
    assert "the risk is unknown, because the release's summary could not be fetched: " in capsys.readouterr().err
    assert not _is_too_risky(attrs.evolve(found, gate=Gate(severity="low")), "medium")
