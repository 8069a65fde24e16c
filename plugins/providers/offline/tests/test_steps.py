import json

import attrs
import pytest

from sentinel_agent.prompts import SYSTEM_PROMPT, task_text
from sentinel_core import Message, Reply, Request, Tool, ToolCall, ToolResult
from sentinel_core.testing import ProviderContract
from sentinel_provider_offline import OfflineModel, OfflineSettings, sentinel_providers

TOOLS = tuple(
    Tool(name=name, description="d", parameters={"type": "object"}, handler=dict)
    for name in ("get_release_summary", "file_risk_report")
)
HONEST = "No language model was used"
SUMMARY = {
    "version": "v1",
    "changes": ["New icon"],
    "tests": {"passed": 9, "failed": 1, "skipped": 0},
    "deployment_metrics": {"error_rate": 0.001, "response_time_p95": 300},
}


class TestContract(ProviderContract):
    def make(self):
        (provider,) = sentinel_providers()
        return provider


def play(*answers, release_id="v1", tools=TOOLS, model=None):
    """The replies to a task, each call being answered by the next of the answers: (content, success, error)."""
    model = model or OfflineModel()
    messages = [Message(role="user", content=task_text(release_id))]
    replies = []
    for answer in (*answers, None):
        reply = model.complete(Request(system_prompt=SYSTEM_PROMPT, messages=tuple(messages), tools=tools))
        replies.append(reply)
        messages.append(Message(role="assistant", content=reply.content or None, tool_calls=reply.tool_calls))
        if answer is None or not reply.tool_calls:
            break
        content, success, error = answer
        result = ToolResult(
            tool_call_id=reply.tool_calls[0].id, content=content, success=success, metadata={"error": error}
        )
        messages.append(Message(role="tool", tool_results=(result,)))
    return replies


def ok(value):
    return (json.dumps(value), True, None)


FILED = ok({"status": "filed", "report_id": "v1-1"})
REFUSED = ('tool "file_risk_report" failed: InputError: disk full', False, "ToolExecutionError")


def test_summary_then_report_then_answer():
    fetch, file, done = play(ok(SUMMARY), FILED)
    assert fetch.tool_calls == (ToolCall(id="offline-1", name="get_release_summary", arguments={"release_id": "v1"}),)
    (call,) = file.tool_calls
    assert (call.id, call.name) == ("offline-2", "file_risk_report")
    assert call.arguments["release_id"] == "v1"
    assert call.arguments["severity"] == "high"
    assert call.arguments["findings"][0] == "high: 1 of 10 tests that ran failed (10%); 5% or more is high"
    assert done.tool_calls == ()
    assert "filed under the id v1-1" in done.content
    assert HONEST in done.content
    assert all((reply.model, reply.usage) == ("offline-rules", None) for reply in (fetch, file, done))
    assert [reply.stop_reason for reply in (fetch, file, done)] == ["tool_calls", "tool_calls", "end_turn"]


def test_earlier_releases_are_fetched_once_if_that_is_set():
    history = {"comparison": [{"number": "response_time_p95", "baseline": 100, "releases": 4}]}
    tools = (*TOOLS, attrs.evolve(TOOLS[0], name="get_release_history"))
    model = OfflineModel(OfflineSettings(use_history=True))
    _, look, file, _ = play(ok(SUMMARY), ok(history), FILED, tools=tools, model=model)
    assert look.tool_calls[0].name == "get_release_history"
    assert any("3 times its median in 4 earlier releases" in text for text in file.tool_calls[0].arguments["findings"])
    _, _, file, _ = play(ok(SUMMARY), ("broken", False, "ToolExecutionError"), FILED, tools=tools, model=model)
    assert not any("median" in text for text in file.tool_calls[0].arguments["findings"])
    _, file, _ = play(ok(SUMMARY), FILED, model=model)
    assert file.tool_calls[0].name == "file_risk_report"


def test_same_conversation_same_replies():
    assert play(ok(SUMMARY), FILED) == play(ok(SUMMARY), FILED)


def test_nothing_is_said_before_the_results():
    fetch, file, _ = play(ok(SUMMARY), FILED)
    assert (fetch.content, file.content) == ("", "")


def test_failed_fetch_is_told_and_not_tried_again():
    _, done = play(("tool failed: no release", False, "ToolExecutionError"))
    assert done.tool_calls == ()
    assert "could not be fetched" in done.content
    assert "no release" in done.content
    assert "was filed" not in done.content
    assert HONEST in done.content


@pytest.mark.parametrize("content", ["", "not json", "[1]", '"text"', "[" * 100_000])
def test_summary_that_is_no_object_is_told(content):
    _, done = play((content, True, None))
    assert "cannot be read, so its risk is unknown and there is no report: the summary is not a JSON" in done.content
    assert done.tool_calls == ()


def test_fetch_without_a_success_flag_is_not_taken_for_one():
    _, done = play((json.dumps(SUMMARY), None, None))
    assert "could not be fetched" in done.content


def test_failed_filing_is_tried_once_more():
    replies = play(ok(SUMMARY), REFUSED, FILED)
    assert [len(reply.tool_calls) for reply in replies] == [1, 1, 1, 0]
    assert replies[1].tool_calls[0].arguments == replies[2].tool_calls[0].arguments
    assert replies[1].tool_calls[0].id != replies[2].tool_calls[0].id
    assert "filed under the id v1-1" in replies[-1].content


def test_filing_that_fails_twice_is_told():
    replies = play(ok(SUMMARY), REFUSED, REFUSED, FILED)
    assert [len(reply.tool_calls) for reply in replies] == [1, 1, 1, 0]
    assert "could not be filed" in replies[-1].content
    assert "disk full" in replies[-1].content
    assert "was filed" not in replies[-1].content


def test_filing_that_was_cut_off_is_unknown_and_not_repeated():
    replies = play(ok(SUMMARY), ("stopped after 30 s", False, "ToolTimeoutError"))
    assert len(replies) == 3
    assert "Whether the risk report was filed is unknown" in replies[-1].content


@pytest.mark.parametrize("answer", [{}, {"report_id": 7}, []])
def test_confirmation_without_an_id_is_told(answer):
    assert "but the tool returned no report id" in play(ok(SUMMARY), ok(answer))[-1].content


def test_missing_tools_are_named():
    (done,) = play(tools=TOOLS[:1])
    assert "Without the tool file_risk_report" in done.content
    (done,) = play(tools=())
    assert "file_risk_report and get_release_summary" in done.content


@pytest.mark.parametrize("messages", [(), (Message(role="user", content="hello"),), (Message(role="user"),)])
def test_other_messages_get_an_honest_answer(messages):
    reply = OfflineModel().complete(Request(system_prompt="", messages=messages, tools=TOOLS))
    assert reply.tool_calls == ()
    assert HONEST in reply.content


def test_second_task_in_one_conversation_starts_anew():
    model = OfflineModel()
    messages = (
        Message(role="user", content=task_text("v1")),
        Message(
            role="assistant",
            tool_calls=(ToolCall(id="offline-1", name="get_release_summary", arguments={"release_id": "v1"}),),
        ),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="offline-1", content="{}", success=True),)),
        Message(role="assistant", content="done"),
        Message(role="user", content=task_text("v2")),
    )
    reply = model.complete(Request(system_prompt="", messages=messages, tools=TOOLS))
    assert isinstance(reply, Reply)
    assert reply.tool_calls == (ToolCall(id="offline-2", name="get_release_summary", arguments={"release_id": "v2"}),)


def test_settings_reach_the_rules():
    lenient = OfflineModel(OfflineSettings(failure_rate_high=0.5))
    assert play(ok(SUMMARY), FILED, model=lenient)[1].tool_calls[0].arguments["severity"] == "medium"


def test_odd_release_ids_stand_as_they_are():
    fetch, file, done = play(ok(SUMMARY), FILED, release_id='a"b\n../é')
    assert fetch.tool_calls[0].arguments["release_id"] == 'a"b\n../é'
    assert file.tool_calls[0].arguments["release_id"] == 'a"b\n../é'
    assert '"a\\"b\\n../é"' in done.content
