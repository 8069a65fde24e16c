"""What changes something: done once, with its key, or said to be unknown."""

import time

import attrs
import pytest

from sentinel_agent.core import Agent, AgentSettings
from sentinel_agent.detective import investigate
from sentinel_agent.events import DeliveryFinished, DeliveryStarted, ToolFinished, ToolStarted
from sentinel_agent.run_progress import is_resumable
from sentinel_agent.severity_floor import is_below, minimum_severity
from sentinel_agent.staging import filed_report, staged_report
from sentinel_core.errors import NetworkError, NotRepeatedError, OutcomeUnknownError
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import Message, ToolCall, ToolResult

OBJECT = {"type": "object"}
BAD = {"changes": ["Added payments"], "tests": {"passed": 1, "failed": 1}, "deployment_metrics": {"error_rate": 0.5}}


def tool(name, handler, **more):
    return Tool(name=name, description="d", parameters=OBJECT, handler=handler, **more)


def asks(*names, start="c", **arguments):
    calls = tuple(ToolCall(id=f"{start}{place}", name=name, arguments=arguments) for place, name in enumerate(names))
    return Reply(tool_calls=calls, stop_reason="tool_calls")


DONE = Reply(content="done")


def results(agent):
    return [event.result for event in agent.events if isinstance(event, ToolFinished)]


@pytest.mark.process
def test_reads_run_side_by_side_and_answer_in_order(tmp_path):
    def slow(begins, awaits, ends, text):
        (tmp_path / begins).touch()
        deadline = time.monotonic() + 30
        while not (tmp_path / awaits).exists():
            assert time.monotonic() < deadline, "the other did not run meanwhile"
            time.sleep(0.01)
        (tmp_path / ends).touch()
        return text

    longer = {"begins": "first", "awaits": "second over", "ends": "first over", "text": "first" * 50_000}
    shorter = {"begins": "second", "awaits": "first", "ends": "second over", "text": "second"}
    first = ToolCall(id="a", name="slow", arguments=longer)
    second = ToolCall(id="b", name="slow", arguments=shorter)
    third = ToolCall(id="c", name="none")
    agent = Agent(
        model=ScriptedModel([Reply(tool_calls=(first, second, third)), DONE]),
        tools=(tool("slow", slow),),
        settings=AgentSettings(max_result_chars=1_000_000),
    )
    agent.send_message("go")
    assert [result.tool_call_id for result in results(agent)] == ["a", "b", "c"]
    assert [result.success for result in results(agent)] == [True, True, False]
    kinds = [type(event) for event in agent.events if isinstance(event, ToolStarted | ToolFinished)]
    assert kinds == [ToolStarted] * 3 + [ToolFinished] * 3


@pytest.mark.process
def test_each_of_several_has_its_own_time_limit():
    def hang(seconds):
        time.sleep(seconds)
        return "late"

    calls = tuple(ToolCall(id=str(n), name="hang", arguments={"seconds": seconds}) for n, seconds in enumerate((30, 0)))
    agent = Agent(model=ScriptedModel([Reply(tool_calls=calls), DONE]), tools=(tool("hang", hang, timeout=0.2),))
    agent.send_message("go")
    assert [result.content for result in results(agent)] == ['tool "hang" was stopped after 0.2 s', "late"]


@pytest.fixture
def writing(agent_for):
    """An agent whose tool writes, and the keys that it was given."""
    keys = []

    def make(outcome, *script, honours=True, **options):
        def with_key(idempotency_key=None, **_):
            keys.append(idempotency_key)
            return outcome()

        def without(**_):
            keys.append(None)
            return outcome()

        handler = with_key if honours else without
        return agent_for(*script, tools=(tool("write", handler, effect="write"),), **options), keys

    return make


def unknown():
    raise OutcomeUnknownError("the line went dead")


def test_write_gets_a_key_that_is_recorded(writing):
    agent, keys = writing(lambda: "ok", asks("write"), asks("write", start="d"), DONE)
    agent.send_message("go")
    recorded = [event.idempotency_key for event in agent.events if isinstance(event, ToolStarted)]
    assert recorded == keys
    assert len(set(keys)) == 2


def test_unknown_outcome_is_repeated_with_the_same_key(writing):
    agent, keys = writing(unknown, asks("write"), asks("write", start="d"), DONE)
    agent.send_message("go")
    assert keys[0] == keys[1] is not None
    assert [result.metadata["error"] for result in results(agent)] == ["OutcomeUnknownError"] * 2


def not_repeated():
    raise NotRepeatedError("the line went dead before")


@pytest.mark.parametrize("honours", [True, False])
@pytest.mark.parametrize("outcome", [unknown, not_repeated])
def test_unknown_outcome_is_remembered_by_another_attempt(writing, honours, outcome):
    agent, keys = writing(outcome, asks("write"), DONE, asks("write"), DONE, honours=honours)
    agent.send_message("go")
    agent._record.begin()
    agent.send_message("again")
    assert len(keys) == 1 + honours
    assert len(set(keys)) == 1
    assert results(agent)[0].content.startswith('tool "write"' if honours else "not run: an identical earlier call")


def test_unknown_outcome_without_a_key_is_not_repeated(writing):
    agent, keys = writing(
        unknown, asks("write"), asks("write", start="d"), asks("write", start="e", other=1), DONE, honours=False
    )
    agent.send_message("go")
    assert len(keys) == 2
    assert results(agent)[1].content.startswith("not run: an identical earlier call")


def test_write_that_broke_off_is_repeated_or_said_to_be_unknown(writing):
    for honours in (True, False):
        stopped, keys = writing(lambda: "ok", asks("write"), observers=(stop_at(ToolStarted),), honours=honours)
        with pytest.raises(KeyboardInterrupt):
            stopped.send_message("go")
        agent, _ = writing(lambda: "ok", DONE, honours=honours)
        agent._record.resume(stopped.events)
        agent.send_message("go")
        (result,) = results(agent)
        assert result.success is honours
        assert len(keys) == 1
        assert agent.trace().details.outcome == "completed"


def stop_at(kind):
    def stop(event):
        if isinstance(event, kind):
            raise KeyboardInterrupt

    return stop


def investigation(*script, filing=None, summary=BAD, **options):
    filed = []

    def file(release_id, severity, findings, *, idempotency_key=None):
        filed.append((idempotency_key, severity, list(findings)))
        return filing() if filing else {"report_id": "r1"}

    tools = (tool("get_release_summary", lambda release_id: summary), tool("file_risk_report", file, effect="write"))
    options.setdefault("toolbox", Toolbox(run=in_process))
    settings = AgentSettings(initial_delay=0.0, max_attempts=3)
    return investigate("v1", ScriptedModel(script), tools, settings=settings, **options), filed


def files(severity="high", release="v1", start="f"):
    return asks("file_risk_report", start=start, release_id=release, severity=severity, findings=["x"])


FETCH = asks("get_release_summary", release_id="v1")


def test_report_is_staged_then_delivered_once():
    result, filed = investigation(FETCH, files("low"), files("high", start="g"), DONE)
    assert [severity for _, severity, _ in filed] == ["high"]
    assert "staged" in result.trace.messages[5].tool_results[0].content
    kinds = [type(event) for event in result.events]
    assert kinds[-2:] == [DeliveryStarted, DeliveryFinished]
    assert (result.report_id, result.report.below_evidence) == ("r1", False)


def test_report_on_another_release_is_refused():
    result, filed = investigation(files(release="v2"), DONE)
    assert (filed, result.report) == ([], None)
    assert 'this run is about release "v1"' in result.trace.messages[3].tool_results[0].content


def test_severity_below_the_evidence_is_marked():
    result, filed = investigation(FETCH, files("low"), DONE)
    assert result.report.below_evidence
    assert filed[0][2] == ["x", "below_evidence: the severity is low, but the data show high"]
    assert result.trace.metadata["delivery"]["below_evidence"] is True
    assert filed_report(result.trace, "v1").below_evidence


@pytest.mark.parametrize("severity", ["low", "high"])
def test_without_a_summary_nothing_was_investigated(severity):
    result, filed = investigation(files(severity), FETCH, DONE)
    assert (filed, result.report) == ([], None)
    assert "nothing was investigated" in result.objections[0]
    again, filed = investigation(files(severity), FETCH, files(severity), DONE)
    assert (len(filed), again.objections) == (1, ())


@pytest.mark.parametrize("summary", ["no JSON", {}])
def test_nothing_to_go_by_is_of_medium_risk(summary):
    result, _ = investigation(FETCH, files("low"), DONE, summary=summary)
    assert result.report.below_evidence


def test_worst_of_several_summaries_counts():
    call = ToolCall(id="a", name="get_release_summary", arguments={"release_id": "v1"})
    other = ToolCall(id="b", name="get_release_summary", arguments={"release_id": "v2"})
    bad = '{"changes": ["hotfix"], "tests": {"passed": 0, "failed": 9}, "deployment_metrics": {}}'
    messages = (
        Message(role="assistant", tool_calls=(call, other)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="a", content="{}", success=True),)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="b", content=bad, success=True),)),
    )
    assert minimum_severity(messages, "v1") == "medium"
    assert minimum_severity(messages, "v2") == "high"
    assert is_below("medium", minimum_severity(messages, "v2"))
    assert not is_below("high", minimum_severity(messages, "v2"))
    assert staged_report(messages, "v1") is None


def test_unknown_delivery_is_tried_again_with_its_key():
    left = [1, 2]

    def third_time():
        if left:
            left.pop()
            unknown()
        return {"report_id": "r9"}

    result, filed = investigation(FETCH, files(), DONE, filing=third_time)
    assert (result.report_id, result.delivery.status) == ("r9", "delivered")
    assert len({key for key, _, _ in filed}) == 1
    assert len(filed) == 3


def test_delivery_that_stays_unknown_is_said_to_be():
    result, filed = investigation(FETCH, files(), DONE, filing=unknown)
    assert (result.delivery.status, result.report, len(filed)) == ("unknown", None, 3)
    resumed, again = investigation(past=result.events)
    assert (resumed.delivery.status, len(again)) == ("delivered", 1)
    assert again[0][0] == filed[0][0]


def test_delivery_that_the_tool_does_not_repeat_is_tried_once():
    def sent_already():
        raise NotRepeatedError("the server said 500")

    result, filed = investigation(FETCH, files(), DONE, filing=sent_already)
    assert (result.delivery.status, result.report, len(filed)) == ("unknown", None, 1)
    assert "the server said 500" in result.delivery.content
    resumed, again = investigation(past=result.events)
    assert (resumed.delivery.status, len(again)) == ("delivered", 1)


def refuses():
    raise NetworkError("503")


def test_failed_delivery_is_tried_again_by_a_resumption_only():
    result, filed = investigation(FETCH, files(), DONE, filing=refuses)
    assert (result.delivery.status, len(filed)) == ("failed", 1)
    assert is_resumable(result.events, judged=())
    resumed, again = investigation(past=result.events)
    assert (resumed.report_id, len(again)) == ("r1", 1)
    assert not is_resumable(resumed.events, judged=())
    done, none = investigation(past=resumed.events)
    assert (done.report_id, none) == ("r1", [])


def test_where_the_receiver_takes_no_key_there_is_nothing_to_resume():
    tried = []

    def file(release_id, severity, findings):
        tried.append(severity)
        unknown()

    tools = (tool("get_release_summary", lambda release_id: BAD), tool("file_risk_report", file, effect="write"))
    result = investigate("v1", ScriptedModel([FETCH, files(), DONE]), tools, toolbox=Toolbox(run=in_process))
    assert (result.delivery.status, tried) == ("unknown", ["high"])
    assert not is_resumable(result.events, judged=())
    resumed = investigate("v1", ScriptedModel([]), tools, past=result.events, toolbox=Toolbox(run=in_process))
    assert (resumed.delivery.status, tried) == ("unknown", ["high"])


@pytest.mark.parametrize(
    ("reply", "outcome", "delivered"),
    [
        (Reply(content="cut", stop_reason="max_tokens"), "truncated", True),
        (Reply(content="no", stop_reason="refusal"), "refused", False),
    ],
)
def test_which_ends_deliver(reply, outcome, delivered):
    result, filed = investigation(FETCH, files(), reply)
    assert (result.outcome, bool(filed)) == (outcome, delivered)


def test_sensitive_tool_needs_a_yes(agent_for, add):
    sensitive = attrs.evolve(add, sensitive=True)
    agent = agent_for(asks("add", first=1, second=2), DONE, tools=(sensitive,))
    agent.send_message("go")
    assert "needs a person's approval" in results(agent)[0].content
    agent.toolbox.confirm = lambda _tool, _call: True
    assert agent.execute_tool(ToolCall(id="x", name="add", arguments={"first": 1, "second": 2})).success


def test_reads_that_broke_off_side_by_side_are_finished(agent_for):
    ran = []
    look = tool("look", lambda at: ran.append(at) or f"saw {at}")
    calls = tuple(ToolCall(id=str(at), name="look", arguments={"at": at}) for at in range(3))
    stopped = agent_for(Reply(tool_calls=calls), tools=(look,), observers=(stop_at(ToolFinished),))
    with pytest.raises(KeyboardInterrupt):
        stopped.send_message("go")
    agent = agent_for(DONE, tools=(look,))
    agent._record.resume(stopped.events)
    agent.send_message("go")
    assert ran == [0, 1, 2, 1, 2]
    assert [result.content for result in results(agent)] == ["saw 0", "saw 1", "saw 2"]
