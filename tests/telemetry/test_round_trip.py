"""What is read back from our own spans is the trace that they were made of, and gets the same report."""

import json
from pathlib import Path

import attrs
import pytest

from sentinel_agent.conversation import to_trace
from sentinel_agent.detective import investigate
from sentinel_agent.events import RunStarted
from sentinel_agent.telemetry import Telemetry, rebuild
from sentinel_core import evaluate_trace
from sentinel_core.host.tools import Toolbox, bind_tool, in_process
from sentinel_core.model import Reply
from sentinel_core.telemetry import trace_id_of
from sentinel_core.trace import ToolCall
from sentinel_core.traces.codec import encode_report
from sentinel_provider_offline import OfflineModel
from sentinel_tools_release import ReportSettings, SummarySettings, sentinel_tools

EXAMPLES = Path(__file__).parents[2] / "examples" / "releases"
RELEASES = sorted(path.stem for path in EXAMPLES.glob("*.json"))


def tools_at(reports):
    settings = {
        "get_release_summary": SummarySettings(releases=str(EXAMPLES)),
        "file_risk_report": ReportSettings(reports=str(reports)),
    }
    return [bind_tool(tool, settings[tool.name]) for tool in sentinel_tools() if tool.name in settings]


def run(release, tmp_path, **options):
    tools = tools_at(tmp_path / "reports")
    return investigate(release, OfflineModel(), tools, provider="offline", toolbox=Toolbox(run=in_process), **options)


def same(read, as_saved, path, native):
    told, saved = read(path), as_saved(native)
    assert told == saved
    assert encode_report(evaluate_trace(told)) == encode_report(evaluate_trace(saved))


def test_there_are_examples():
    assert len(RELEASES) >= 7


@pytest.mark.parametrize("release", RELEASES)
def test_every_example_run(release, tmp_path, read, as_saved):
    result = run(release, tmp_path)
    (path,) = rebuild(result.events, tmp_path / "state")
    same(read, as_saved, path, result.trace)


def test_a_run_with_everything(busy, tmp_path, read, as_saved):
    (path,) = rebuild(busy, tmp_path / "state")
    same(read, as_saved, path, to_trace(busy))


def test_wherever_the_record_breaks_off(busy, tmp_path, read, as_saved):
    for length in range(2, len(busy)):
        (path,) = rebuild(busy[:length], tmp_path / "state")
        same(read, as_saved, path, to_trace(busy[:length]))


def test_a_reply_that_was_cut_off(tmp_path, read, as_saved, busy_agent):
    call = ToolCall(id="c1", name="weigh", arguments={})
    agent = busy_agent(script=[Reply(tool_calls=(call,), stop_reason="max_tokens")])
    agent.send_message("Weigh.")
    (path,) = rebuild(agent.events, tmp_path)
    same(read, as_saved, path, agent.trace())


@pytest.mark.parametrize("killed_after", range(3, 22, 3))
def test_after_a_kill_and_resume(killed_after, tmp_path, read, as_saved):
    """The resumed process knows the journal's events alone, and the file is whole again."""
    before = run("v2.1.0", tmp_path).events[:killed_after]
    with Telemetry(tmp_path / "state", live=False) as telemetry:
        telemetry.resume(before)
        result = run("v2.1.0", tmp_path, past=before, observers=[telemetry])
    path = tmp_path / "state" / "traces" / f"{trace_id_of(result.trace.trace_id)}.otlp.jsonl"
    same(read, as_saved, path, result.trace)
    assert path.read_bytes() == rebuild(result.events, tmp_path / "again")[0].read_bytes()


def test_attempts_at_one_task_are_traces_of_their_own(busy, tmp_path, read, as_saved):
    second = another_attempt(busy)
    first_path, second_path = rebuild([*busy, *second], tmp_path)
    same(read, as_saved, first_path, to_trace(busy))
    same(read, as_saved, second_path, to_trace(second))


def another_attempt(events):
    more = [attrs.evolve(event, sequence=event.sequence + len(events)) for event in events]
    return [
        attrs.evolve(event, run_id="id9", conversation_id="id8", rerun_of="id2")
        if isinstance(event, RunStarted)
        else event
        for event in more
    ]


def test_the_trace_id_stands_in_the_trace(busy):
    assert to_trace(busy).metadata["otel_trace_id"] == trace_id_of("id2")
    assert len(bytes.fromhex(trace_id_of("id2"))) == 16


@pytest.mark.parametrize(
    "spoil",
    [
        {"sentinel.trace.metadata": "["},
        {"sentinel.run.id": 5},
        {"gen_ai.system_instructions": "{}"},
        {"gen_ai.output.messages": "null"},
        {"sentinel.sequence": "many"},
        {"gen_ai.tool.call.result": 7},
    ],
)
def test_what_only_looks_like_ours_is_read_like_anyones(busy, tmp_path, read, spoil):
    (path,) = rebuild(busy, tmp_path)
    spoiled = []
    for line in path.read_bytes().splitlines():
        document = json.loads(line)
        for pair in document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]:
            if pair["key"] in spoil:
                value = spoil[pair["key"]]
                pair["value"] = {"stringValue": value} if isinstance(value, str) else {"intValue": str(value)}
        spoiled.append(json.dumps(document))
    path.write_text("\n".join(spoiled))
    trace = read(path)
    assert trace.details.source == "otlp"
    assert trace.trace_id == trace_id_of("id2")


def test_the_generic_reader_takes_our_spans_too(busy, tmp_path, read):
    """Whoever looks at our files with other tools sees an ordinary agent."""
    (path,) = rebuild(busy, tmp_path)
    path.write_bytes(path.read_bytes().replace(b"sentinel.run.id", b"x"))
    trace = read(path)
    assert [call.name for message in trace.messages for call in message.tool_calls] == ["weigh"] * 4
    assert trace.token_usage.prompt_tokens == 4500
    assert [result.success for message in trace.messages for result in message.tool_results].count(False) == 2
