"""B: models that do whatever chance has them do, on releases whose risk is known: no low report opens the gate, no
fetch that they left out closes the host's eyes, and what they repeat stays within its limits.
"""

import json

import pytest
from soaking import chance_of, seeds

from sentinel_agent.detective import Investigation
from sentinel_agent.run_summary import RunSummary
from sentinel_command_run.run import _is_too_risky
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.tools import Toolbox, bind_tool, in_process
from sentinel_core.model import Reply
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import ToolCall
from sentinel_tools_release import sentinel_tools

CLEAN = {"error_rate": 0.001, "response_time_p95": 200}
RELEASES = {
    "high": {"version": "v1", "changes": ["Rework payments"], "tests": {"passed": 142, "failed": 42, "skipped": 0},
             "deployment_metrics": {"error_rate": 0.2, "response_time_p95": 450}},
    "low": {"version": "v1", "changes": ["New icon"], "tests": {"passed": 9, "failed": 0, "skipped": 0},
            "deployment_metrics": CLEAN},
}  # fmt: skip
ORDER = ("low", "medium", "high")
MOST_CALLS = 100  # of an attempt


def replies(chance):
    """What the model does, turn by turn."""
    made = []
    for turn in range(chance.randint(1, 6)):
        calls = tuple(call(chance, f"c{turn}-{number}") for number in range(chance.choice((0, 1, 1, 2, 40))))
        made.append(Reply(tool_calls=calls, stop_reason="tool_calls") if calls else Reply(content=chance.choice(WORDS)))
        if not calls:
            break
    return [*made, Reply(content="Done.")]


WORDS = ("All tests passed, the risk is low.", "", "I filed a report of high risk.", '{"severity": "low"}')


def call(chance, call_id):
    kind = chance.choice(("summary", "other", "file", "file", "nonsense", "history"))
    arguments = {
        "summary": ("get_release_summary", {"release_id": "v1"}),
        "other": ("get_release_summary", {"release_id": "v0"}),
        "file": (
            "file_risk_report",
            {"release_id": chance.choice(("v1", "v1", "v2")), "severity": chance.choice(ORDER), "findings": ["fine"]},
        ),
        "nonsense": ("approve_release", {"release_id": "v1"}),
        "history": ("get_release_history", {"release_id": "v1"}),
    }
    name, given = arguments[kind]
    return ToolCall(id=call_id, name=name, arguments=given)


def investigated(folder, risk, script):
    releases, reports = folder / "releases", folder / "reports"
    releases.mkdir()
    (releases / "v1.json").write_text(json.dumps(RELEASES[risk]))
    tools = []
    for tool in sentinel_tools():
        wanted = {"releases": str(releases), "reports": str(reports), "outbox": str(folder / "outbox")}
        names = {field.name for field in tool.settings.__attrs_attrs__}
        tools.append(bind_tool(tool, tool.settings(**{name: value for name, value in wanted.items() if name in names})))
    made = Investigation(
        release_id="v1",
        model=ScriptedModel(script),
        tools=tools,
        provider="scripted",
        toolbox=Toolbox(run=in_process),
        settings=AgentSettings(initial_delay=0.0),
    )
    attempt = made.attempt()
    return made.result(attempt, made.deliver(attempt)), made.gate(), reports


@pytest.mark.parametrize("risk", RELEASES)
@pytest.mark.parametrize("seed", seeds(5, 500))
def test_the_gate_goes_by_the_release(tmp_path, seed, risk):
    chance = chance_of("gate", seed, risk)
    result, gate, reports = investigated(tmp_path, risk, replies(chance))
    assert gate.severity == risk, seed
    found = RunSummary.of(result, "scripted", tmp_path, judged=(), gate=gate)
    if found.severity is not None:  # a run without a report is no success, whatever the gate says
        expected = risk == "high" or found.severity == "high" or found.evidence_severity is None
        assert _is_too_risky(found, "high") == expected, seed
    filed = [json.loads(path.read_text()) for path in reports.glob("RR-*")]
    assert [report["release_id"] for report in filed] in ([], ["v1"]), seed
    if risk == "high" and found.severity in ("low", "medium") and found.summary_fetched:
        assert found.below_evidence, seed
    ran = [one for message in result.trace.messages for one in message.tool_results if one.success]
    assert len(ran) <= MOST_CALLS, seed
