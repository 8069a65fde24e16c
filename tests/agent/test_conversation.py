import attrs
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel_agent.conversation import conversation_of, message_of, to_trace
from sentinel_agent.core import Agent, AgentSettings
from sentinel_agent.events import RunEnded, RunStarted
from sentinel_core.errors import ModelError, NetworkError
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.runtime.clock import Clock
from sentinel_core.telemetry import trace_id_of
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import ExecutionTrace, TokenUsage, ToolCall, to_json
from sentinel_core.traces.readers.usage import add_usage

ECHO = Tool(
    name="echo", description="d", parameters={"type": "object", "properties": {"n": {"type": "integer"}}}, handler=dict
)

calls = st.builds(
    ToolCall,
    id=st.sampled_from(["", "a", "b", "c"]),
    name=st.sampled_from(["echo", "other"]),
    arguments=st.dictionaries(st.sampled_from(["n", "m"]), st.one_of(st.integers(0, 9), st.text(max_size=3))),
)
replies = st.builds(
    Reply,
    content=st.text(max_size=5),
    tool_calls=st.lists(calls, max_size=3).map(tuple),
    stop_reason=st.sampled_from(["end_turn", "tool_calls", "max_tokens", "refusal"]),
    usage=st.none() | st.builds(TokenUsage, prompt_tokens=st.integers(0, 9), completion_tokens=st.integers(0, 9)),
)
entries = st.one_of(replies, replies, replies, st.just(NetworkError("gone")))


def played(script, messages=1):
    clock = Clock(now=lambda: "2026-01-01T00:00:00Z", stopwatch=lambda: 0.0, new_id=lambda: "run", sleep=lambda _: None)
    agent = Agent(
        model=ScriptedModel(script),
        system_prompt="Echo.",
        tools=(ECHO,),
        provider="scripted",
        settings=AgentSettings(max_turns=4),
        clock=clock,
        toolbox=Toolbox(run=in_process, clock=clock),
    )
    for number in range(messages):
        try:
            agent.send_message(f"message {number}", metadata={"number": number})
        except ModelError:
            continue
    return agent


@given(st.lists(entries, max_size=6), st.integers(1, 2))
@settings(max_examples=150)
def test_trace_pairs_every_call_with_one_result(script, messages):
    index = TraceIndex(played(script, messages).trace())
    assert index.orphans == []
    assert all(call.result is not None for call in index.calls)
    results = sum(len(message.tool_results) for message in index.messages)
    assert results == len(index.calls)
    assert len({call.call.id for call in index.calls}) == len(index.calls)


@given(st.lists(entries, max_size=6))
@settings(max_examples=80)
def test_every_prefix_of_the_record_folds_into_a_prefix_of_the_messages(script):
    agent = played(script)
    whole = agent.trace().messages
    for count in range(1, len(agent.events) + 1):
        trace = to_trace(agent.events[:count])
        assert trace.messages == whole[: len(trace.messages)]
        ended = isinstance(agent.events[count - 1], RunEnded)
        assert (trace.details.outcome == "interrupted") is not ended


@given(st.lists(entries, max_size=6))
@settings(max_examples=50)
def test_views_agree_and_the_trace_survives_json(script):
    agent = played(script)
    assert agent.conversation.messages == agent.get_history() == agent.trace().messages[1:]
    assert msgspec.json.decode(to_json(agent.trace()), type=ExecutionTrace) == agent.trace()


def test_trace_has_what_the_record_has():
    agent = played([Reply(content="Hi", model="m", cost_usd=0.5, usage=TokenUsage(prompt_tokens=3))])
    trace = agent.trace()
    assert (trace.trace_id, trace.schema, trace.details.source) == ("run", 2, "sentinel")
    assert trace.metadata == {"provider": "scripted", "number": 0, "otel_trace_id": trace_id_of("run")}
    assert trace.token_usage == TokenUsage(prompt_tokens=3, total_tokens=3)
    system, user, assistant = trace.messages
    assert (system.role, system.content, user.content) == ("system", "Echo.", "message 0")
    assert attrs.asdict(assistant.details, recurse=False) == {
        "id": None,
        "model": "m",
        "usage": TokenUsage(prompt_tokens=3),
        "cost_usd": 0.5,
        "duration_ms": 0.0,
        "reasoning": None,
        "is_copied_context": False,
        "origin": None,
    }
    assert trace.details.available_tools[0].parameters == dict(ECHO.parameters)


def test_conversation_has_what_the_source_asks_for():
    conversation = played([Reply(content="Hi")]).conversation
    assert (conversation.id, conversation.system_prompt) == ("run", "Echo.")
    assert conversation.created_at == "2026-01-01T00:00:00Z"
    assert conversation.metadata == {"provider": "scripted", "number": 0}


def test_outcome_is_the_last_runs():
    agent = played([Reply(content="Hi"), Reply(content="Cut", stop_reason="max_tokens")], messages=2)
    assert agent.trace().details.outcome == "truncated"
    second = next(place for place, event in enumerate(agent.events) if place and isinstance(event, RunStarted))
    assert to_trace(agent.events[:second]).details.outcome == "completed"
    assert to_trace(agent.events[: second + 1]).details.outcome == "interrupted"


def test_without_a_run_there_is_no_conversation():
    for fold in (conversation_of, to_trace):
        with pytest.raises(ValueError, match="no conversation yet"):
            fold([])


def test_events_that_say_nothing_are_no_messages():
    assert message_of(RunEnded(outcome="completed")) is None


def test_usage_is_unknown_where_none_was_reported():
    assert add_usage([None, None]) is None
    assert add_usage([None, TokenUsage(prompt_tokens=1, total_tokens=7)]) == TokenUsage(prompt_tokens=1, total_tokens=7)


def test_tool_message_has_no_content_of_its_own():
    call = ToolCall(id="a", name="echo", arguments={"n": 1})
    agent = played([Reply(tool_calls=(call,)), Reply(content="1")])
    tool = agent.get_history()[2]
    assert (tool.role, tool.content) == ("tool", None)
    assert tool.tool_results[0].timestamp == "2026-01-01T00:00:00Z"
    assert agent.get_history()[1].content is None
