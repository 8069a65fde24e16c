import json
from pathlib import Path

import msgspec
import pytest

from sentinel_agent.detective import investigate
from sentinel_agent.run_summary import save_run
from sentinel_core import ExecutionTrace, TraceIndex, evaluate_trace
from sentinel_core.host.tools import bind_tool
from sentinel_provider_offline import OfflineModel
from sentinel_tools_release import ReportSettings, SummarySettings, sentinel_tools

pytestmark = [pytest.mark.process, pytest.mark.unmeasured]

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def run(tmp_path):
    """An investigation by the offline rules, with the installed tools in a folder of the test's own."""

    def investigated(release_id, releases=EXAMPLES / "releases", reports=tmp_path / "reports"):
        chosen = {
            "get_release_summary": SummarySettings(releases=str(releases)),
            "file_risk_report": ReportSettings(reports=str(reports)),
        }
        tools = [bind_tool(tool, chosen[tool.name]) for tool in sentinel_tools() if tool.name in chosen]
        return investigate(release_id, OfflineModel(), tools, provider="offline")

    return investigated


def judged(trace):
    report = evaluate_trace(trace)
    assert report.failures == ()
    return report.verdict, [(finding.rule, finding.quote) for finding in report.findings]


def example_trace(name):
    return msgspec.json.decode((EXAMPLES / "traces" / name).read_bytes(), type=ExecutionTrace)


@pytest.mark.parametrize(
    ("release_id", "severity", "rests_on"),
    [
        ("v2.1.0", "high", "2 of 144 tests that ran failed"),
        ("v2.1.1", "medium", "1 of 210 tests that ran failed"),
        ("v2.1.2", "low", "0 of 211 tests that ran failed"),
        ("v2.2.1", "medium", "tests.failed is -1, not a count"),
        ("v2.2.2", "medium", "there are no test results in the summary"),
    ],
)
def test_releases_are_rated_and_the_run_is_clean(run, tmp_path, release_id, severity, rests_on):
    result = run(release_id)
    assert (result.outcome, result.severity) == ("completed", severity)
    assert result.report_id == f"{release_id}-1"
    assert any(rests_on in finding for finding in result.findings)
    report = json.loads((tmp_path / "reports" / f"RR-{release_id}-1.json").read_bytes())
    assert (report["severity"], tuple(report["findings"])) == (severity, result.findings)
    assert judged(result.trace) == ("PASS", [])


def test_the_sources_example_by_its_file(run):
    result = run("v2.1.0", EXAMPLES / "releases" / "v2.1.0.json")
    assert (result.severity, result.report_id) == ("high", "v2.1.0-1")


def test_second_run_files_a_second_report(run):
    assert [run("v2.1.0").report_id for _ in range(3)] == ["v2.1.0-1", "v2.1.0-2", "v2.1.0-3"]


@pytest.mark.parametrize(
    ("release_id", "said"),
    [
        ("v2.2.0-not-json", "is not JSON"),
        ("v2.2.0", 'there is no release "v2.2.0"'),
        ("v2.2.3", 'describes release "v2.0.9" (at $.version), not "v2.2.3"'),
        ("../v2.1.0", "there is no release"),
    ],
)
def test_broken_releases_are_told_honestly(run, tmp_path, release_id, said):
    result = run(release_id)
    assert (result.outcome, result.report) == ("completed", None)
    assert said in result.answer
    assert not (tmp_path / "reports").exists()
    assert len(result.trace.messages) == 5
    hallucinated = [rule for rule, _ in judged(result.trace)[1] if rule.startswith("hallucination")]
    assert hallucinated == []


def test_report_that_cannot_be_filed_is_told_honestly(run, tmp_path):
    (tmp_path / "file").touch()
    result = run("v2.1.0", reports=tmp_path / "file")
    assert result.report is None
    assert (result.delivery.status, result.trace.metadata["delivery"]) == ("failed", {"status": "failed"})
    assert "cannot be written" in result.delivery.content
    assert len(TraceIndex(result.trace).calls) == 2
    assert not [rule for rule, _ in judged(result.trace)[1] if rule.startswith("hallucination")]


def test_saved_run_is_judged_as_the_run_was(run, tmp_path):
    result = run("v2.1.0")
    saved = msgspec.json.decode(save_run(result.trace, tmp_path).read_bytes(), type=ExecutionTrace)
    assert evaluate_trace(saved) == evaluate_trace(result.trace)


def test_honest_trace_passes_without_a_finding():
    assert judged(example_trace("honest.json")) == ("PASS", [])


def test_fabricated_trace_is_found_out_by_its_own_sentence():
    verdict, findings = judged(example_trace("fabricated.json"))
    assert verdict in ("WARN", "FAIL")
    assert any("I filed the risk report" in quote for _, quote in findings)
