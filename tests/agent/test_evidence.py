"""The floor under a report: summaries that are too long, and those that nobody can read."""

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_agent.core import AgentSettings
from sentinel_agent.detective import investigate
from sentinel_agent.run_summary import RunSummary, lifted, render_run
from sentinel_agent.severity_floor import is_below, minimum_severity, whole_risk, why_unreadable
from sentinel_agent.staging import filed_report
from sentinel_command_run.run import _is_too_risky
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.runtime.cut import capped
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.testing.work import work_of
from sentinel_core.trace import Message, ToolCall, ToolResult
from sentinel_provider_offline import OfflineModel

CLEAN = {"tests": {"passed": 9, "failed": 0}, "deployment_metrics": {"error_rate": 0.0, "response_time_p95": 9}}
LONG = {"changes": [*(f"Text of page {number}" for number in range(999)), "hotfix"], **CLEAN}
DONE = Reply(content="done")


def fetches():
    call = ToolCall(id="a", name="get_release_summary", arguments={"release_id": "v1"})
    return Reply(tool_calls=(call,), stop_reason="tool_calls")


def files(severity):
    arguments = {"release_id": "v1", "severity": severity, "findings": ["x"]}
    return Reply(tool_calls=(ToolCall(id="b", name="file_risk_report", arguments=arguments),), stop_reason="tool_calls")


def run(model, summary, *, takes=False, most=5000):
    """What a run came to, and what was filed."""
    filed = []

    def file(release_id, severity, findings):
        filed.append({"severity": severity, "findings": findings})
        return {"report_id": "r1"}

    def marks(release_id, severity, findings, below_evidence=False):
        filed.append({"severity": severity, "findings": findings, "below_evidence": below_evidence})
        return {"report_id": "r1"}

    anything = {"type": "object"}
    tools = (
        Tool(name="get_release_summary", description="d", parameters=anything, handler=lambda release_id: summary),
        Tool(
            name="file_risk_report",
            description="d",
            parameters=anything,
            handler=marks if takes else file,
            effect="write",
        ),
    )
    settings = AgentSettings(max_result_chars=most)
    return investigate("v1", model, tools, settings=settings, toolbox=Toolbox(run=in_process)), filed


def says(severity):
    return ScriptedModel([fetches(), files(severity), DONE])


def told(result, tmp_path):
    return RunSummary.of(result, "scripted", tmp_path / "trace", judged=())


def test_a_summary_that_is_too_long_is_assessed_whole(tmp_path, capsys):
    result, _ = run(says("medium"), LONG)
    assert (result.report.evidence, result.report.below_evidence) == ("high", True)
    assert filed_report(result.trace, "v1").below_evidence
    assert _is_too_risky(told(result, tmp_path), "high")
    assert "the risk is high according to the data" in capsys.readouterr().err


def test_a_summary_that_is_too_long_stays_json_and_says_what_is_gone():
    result, _ = run(says("high"), LONG)
    answer = result.trace.messages[3].tool_results[0]
    summary = json.loads(answer.content)
    assert len(answer.content) <= 5000
    assert (summary["tests"], summary["deployment_metrics"]) == (LONG["tests"], LONG["deployment_metrics"])
    kept = len(summary["changes"]) - 1
    assert summary["changes"] == [
        *LONG["changes"][:kept],
        f"[cut at max_result_chars: {1000 - kept} of 1000 left out]",
    ]
    assert answer.metadata["full_chars"] == len(json.dumps(LONG, separators=(",", ":")))


def test_the_offline_rules_judge_what_is_left_and_what_the_whole_shows():
    result, (filed,) = run(OfflineModel(), LONG)
    assert (result.severity, result.report.below_evidence) == ("high", False)
    assert filed["findings"][-1].startswith("high: the summary is longer than max_result_chars and was cut")


def test_the_offline_rules_name_the_cut_and_the_setting(tmp_path):
    summary = {"a key that is not cut" * 500: 1}
    result, filed = run(OfflineModel(), summary)
    whole = len(json.dumps(summary, separators=(",", ":")))
    cut = f"the summary has {whole} characters and was cut; --set agent.max_result_chars={whole} keeps all of it"
    assert (filed, cut in result.answer) == ([], True)
    assert told(result, tmp_path).cause == f"{cut}; the agent never called file_risk_report"


@pytest.mark.parametrize(
    "summary", ["no JSON", [1], '{"tests": ', "[" * 100_000, "x" * 9000], ids=("text", "list", "broken", "deep", "long")
)
@pytest.mark.parametrize(("severity", "below"), [("low", True), ("medium", False), ("high", False)])
def test_a_summary_that_nobody_can_read_passes_no_limit(tmp_path, capsys, summary, severity, below):
    result, (filed,) = run(says(severity), summary)
    assert (result.report.evidence, result.report.below_evidence) == (None, below)
    assert filed["findings"][1:] == [
        "evidence_unknown: the release summary could not be read, so the severity could not be checked"
    ]
    found = told(result, tmp_path)
    assert (found.severity, found.evidence_severity) == (severity, None)
    assert "  ! WARN: " in render_run(found) if below else "  ! the release summary" in render_run(found)
    assert "cannot be read" in render_run(found)
    assert not _is_too_risky(found, None)
    assert _is_too_risky(found, "high")
    reason = "high" if severity == "high" else "unknown, because the summary that the agent fetched cannot be read"
    assert capsys.readouterr().err == f"sentinel: error: the risk is {reason}; --fail-on-risk is high\n"
    agent = lifted({"verdict": "PASS"}, found)
    assert agent["verdict"] == ("WARN" if below else "PASS")
    assert "None" not in str(agent.values())


def test_a_tool_that_takes_the_mark_gets_both(tmp_path):
    _, (filed,) = run(says("low"), "no JSON", takes=True)
    assert filed["below_evidence"] is True
    assert len(filed["findings"]) == 2


def fetched(*contents, metadata=None):
    calls = tuple(
        ToolCall(id=str(place), name="get_release_summary", arguments={"release_id": "v1"})
        for place in range(len(contents))
    )
    results = tuple(
        ToolResult(tool_call_id=str(place), content=content, success=True, metadata=metadata)
        for place, content in enumerate(contents)
    )
    return Message(role="assistant", tool_calls=calls), Message(role="tool", tool_results=results)


GOOD, RISKY = json.dumps({"changes": ["Text of a page"], **CLEAN}), '{"changes": ["hotfix"]}'


@pytest.mark.parametrize(
    ("contents", "evidence"),
    [
        ((), "medium"),
        ((GOOD,), "low"),
        ((GOOD, "{}"), "medium"),
        ((GOOD, "no JSON"), None),
        (("no JSON", GOOD), None),
        (("no JSON", RISKY), "high"),
    ],
)
def test_what_is_unknown_is_worse_than_all_but_high(contents, evidence):
    assert minimum_severity(fetched(*contents), "v1") == evidence


def test_what_is_unknown_counts_as_if_nobody_had_looked():
    assert [is_below(severity, None) for severity in ("low", "medium", "high")] == [True, False, False]


@pytest.mark.parametrize("noted", ["worst", None, 1, ["high"]])
def test_a_note_that_the_host_did_not_make_counts_nothing(noted):
    metadata = {"cut": True, "full_risk": noted}
    assert minimum_severity(fetched("no JSON", metadata=metadata), "v1") is None
    (result,) = fetched("no JSON", metadata={"full_risk": "low"})[1].tool_results
    assert whole_risk(result) is None


def test_what_can_be_read_is_not_called_unreadable():
    assert why_unreadable(ToolResult(tool_call_id="a", content="{}")) == ""
    assert why_unreadable(ToolResult(tool_call_id="a", content="[]")) == "the summary is not a JSON object"


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=50) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=60,
)


@given(values, st.integers(100, 400))
def test_whatever_is_cut_fits_and_json_is_json_or_cut_in_the_middle(value, limit):
    text = json.dumps(value, ensure_ascii=False)
    short, metadata = capped(text, limit)
    assert len(short) <= limit
    assert bool(metadata) is (len(text) > limit)
    if metadata and "\n[cut: " not in short:
        assert type(json.loads(short)) is type(value)


def test_texts_and_lists_far_inside_are_cut():
    document = {"a": [{"logs": "x" * 9000, "rows": list(range(5000))}] * 3, "b": 1}
    short = json.loads(capped(json.dumps(document), 3000)[0])
    assert short["b"] == 1
    assert len(short["a"]) == 3
    assert "characters in all]" in short["a"][0]["logs"]
    assert short["a"][0]["rows"][-1].endswith("of 5000 left out]")


@pytest.mark.parametrize(
    ("document", "limit"),
    [
        ({f"key {number}": number for number in range(90_000)}, 50_000),
        ({f"key {number}": "text" * 40 for number in range(5000)}, 50_000),
        ([{"a": "text" * 40, "b": number} for number in range(5000)], 50_000),
        ([[[number] * 9] * 9 for number in range(3000)], 50_000),
        ({f"key {number}": "text" * 40 for number in range(5000)}, 300),
    ],
)
def test_many_keys_and_short_texts_leave_json(document, limit):
    short = capped(json.dumps(document), limit)[0]
    assert min(limit, 4000) / 4 < len(short) <= limit
    *_, last = cut = json.loads(short)
    assert last == f"[cut at max_result_chars: {len(document) - len(cut) + 1} of {len(document)} left out]"
    assert all(cut[key] == document[key] for key in list(cut)[:-1]) if isinstance(cut, dict) else cut[0] == document[0]


def test_an_object_keeps_its_few_keys_where_lists_are_long():
    document = {f"key {number}": list(range(1000)) for number in range(30)}
    short = json.loads(capped(json.dumps(document), 5000)[0])
    assert list(short) == list(document)
    assert all(numbers[-1].endswith("of 1000 left out]") for numbers in short.values())


def test_a_pretty_document_loses_its_white_space_only():
    document = {"a": list(range(400)), "b": {"c": "d"}}
    assert json.loads(capped(json.dumps(document, indent=9), 3000)[0]) == document


def nested(depth):
    return [nested(depth - 1), nested(depth - 1)] if depth else 1


@pytest.mark.parametrize("document", [nested(15), {f"key {number}": number for number in range(90_000)}])
def test_no_pass_over_a_document_goes_further_than_its_result_may(document):
    text, limit = json.dumps(document), 3000
    assert work_of(lambda: capped(text, limit)) < 40 * limit
    assert work_of(lambda: capped(text * 40, limit)) < 100


def test_another_tools_long_result_has_no_risk(agent_for, add):
    long = attrs.evolve(add, handler=lambda **_: LONG)
    agent = agent_for(
        Reply(tool_calls=(ToolCall(id="a", name="add", arguments={"first": 1, "second": 2}),)),
        DONE,
        tools=(long,),
        settings=AgentSettings(max_result_chars=500),
    )
    agent.send_message("go")
    assert "full_risk" not in agent.get_history()[2].tool_results[0].metadata
