import attrs
import pytest

from sentinel_agent.core import Agent, AgentSettings
from sentinel_agent.events import (
    AttemptFinished,
    AttemptStarted,
    ContextFitted,
    Decided,
    MessageReceived,
    ReplyReceived,
    RunEnded,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from sentinel_core.errors import ConfigError, NetworkError, ProviderError
from sentinel_core.model import Reply
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import TokenDetails, TokenUsage, ToolCall


def asks(*ids, first=1, stop_reason="tool_calls", content=""):
    calls = tuple(ToolCall(id=call_id, name="add", arguments={"first": first, "second": 2}) for call_id in ids)
    return Reply(content=content, tool_calls=calls, stop_reason=stop_reason)


DONE = Reply(content="It is 3.", model="m1", usage=TokenUsage(prompt_tokens=10, completion_tokens=2))


def kinds(agent):
    return [type(event) for event in agent.events]


def test_answer_without_tools(agent_for):
    agent = agent_for(DONE)
    answer = agent.send_message("hello")
    assert (answer.content, answer.outcome, answer.run_id) == ("It is 3.", "completed", "id2")
    assert [message.role for message in agent.get_history()] == ["user", "assistant"]


def test_every_event_in_order(agent_for):
    agent = agent_for(asks("c1"), DONE)
    agent.send_message("add")
    turn = [ContextFitted, AttemptStarted, AttemptFinished, ReplyReceived, Decided]
    assert kinds(agent) == [RunStarted, MessageReceived, *turn, ToolStarted, ToolFinished, *turn, RunEnded]
    assert [event.sequence for event in agent.events] == list(range(len(agent.events)))
    assert all(event.at.startswith("2026-01-01T00:00:") for event in agent.events)
    assert [(event.decision, event.reason) for event in agent.events if isinstance(event, Decided)] == [
        ("continue", "tool_calls"),
        ("finalize", "completed"),
    ]


def test_model_sees_prompt_tools_and_results(agent_for, add):
    agent = agent_for(asks("c1"), DONE, system_prompt="Add.", settings=AgentSettings(temperature=0.5, max_tokens=99))
    agent.send_message("add")
    first, second = agent.model.requests
    assert (first.system_prompt, first.tools, first.temperature, first.max_tokens) == ("Add.", (add,), 0.5, 99)
    assert [message.role for message in second.messages] == ["user", "assistant", "tool"]
    assert second.messages[2].tool_results[0].content == '{"sum":3}'


def test_observers_get_each_event_before_the_next_one_happens(agent_for):
    seen = []
    agent = agent_for(asks("c1"), DONE, observers=(seen.append,))
    agent.send_message("add")
    assert tuple(seen) == agent.events


def test_observer_that_raises_stops_the_run(agent_for):
    def full(event):
        if isinstance(event, ToolStarted):
            raise OSError("disk full")

    agent = agent_for(asks("c1"), DONE, observers=(full,))
    with pytest.raises(OSError, match="disk full"):
        agent.send_message("add")
    assert kinds(agent)[-1] is ToolStarted


def test_max_turns_ends_the_run_with_every_call_answered(agent_for):
    agent = agent_for(*(asks(f"c{number}") for number in range(5)), settings=AgentSettings(max_turns=3))
    answer = agent.send_message("forever")
    assert answer.outcome == "max_turns"
    assert len(agent.model.requests) == 3
    assert len([event for event in agent.events if isinstance(event, ToolFinished)]) == 3
    assert agent.events[-1].detail == "the model was asked 3 times, which is the limit"


@pytest.mark.parametrize(
    ("stop_reason", "outcome"),
    [("max_tokens", "truncated"), ("refusal", "refused"), ("content_filter", "filtered"), ("end_turn", "completed")],
)
def test_how_a_reply_ends_a_run(agent_for, stop_reason, outcome):
    agent = agent_for(Reply(content="Well", stop_reason=stop_reason))
    assert agent.send_message("hello").outcome == outcome
    assert agent.trace().details.outcome == outcome


def test_calls_of_a_reply_that_was_cut_off_are_not_run(agent_for, add):
    ran = []
    agent = agent_for(asks("c1", "c2", stop_reason="max_tokens"), tools=(attrs.evolve(add, handler=ran.append),))
    assert agent.send_message("add").outcome == "truncated"
    results = [event.result for event in agent.events if isinstance(event, ToolFinished)]
    assert [(result.tool_call_id, result.success) for result in results] == [("c1", False), ("c2", False)]
    assert results[0].content == "not run: the reply that asked for it was truncated"
    assert ran == []


def test_calls_are_run_whatever_a_finished_reply_calls_its_stop(agent_for):
    agent = agent_for(asks("c1", stop_reason="end_turn"), DONE)
    assert agent.send_message("add").content == "It is 3."


def test_model_error_ends_the_run_in_the_record_and_is_raised(agent_for):
    agent = agent_for(asks("c1"), NetworkError("the line is dead"), settings=AgentSettings(max_attempts=1))
    with pytest.raises(NetworkError, match="the line is dead"):
        agent.send_message("add")
    failed = [event for event in agent.events if isinstance(event, AttemptFinished)][-1]
    assert (failed.turn, failed.attempt, failed.error_type, failed.error) == (2, 1, "NetworkError", "the line is dead")
    assert kinds(agent)[-2:] == [Decided, RunEnded]
    assert agent.trace().details.outcome == "model_error"


REASONS = ("end_turn", "tool_calls", "max_tokens", "refusal", "content_filter")


async def awaited():
    return DONE


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (KeyError("choices"), "provider \"scripted\" failed: KeyError: 'choices'"),
        ("text", 'provider "scripted" returned a str instead of a Reply'),
        (Reply(content=None), 'provider "scripted" returned a Reply whose content is a NoneType'),
        (Reply(tool_calls=7), 'provider "scripted" returned a Reply whose tool_calls is a int'),
        (
            Reply(tool_calls=[{}]),
            'provider "scripted" returned a Reply whose tool_calls contain a dict instead of a ToolCall',
        ),
        (Reply(usage={"total": 3}), 'provider "scripted" returned a Reply whose usage is a dict'),
        (Reply(content="x", cost_usd="0.1"), 'provider "scripted" returned a Reply whose cost_usd is a str'),
        (
            Reply(content="x", stop_reason="stop"),
            f"provider \"scripted\" returned a Reply whose stop_reason is 'stop'; it must be one of {', '.join(REASONS)}",
        ),
        (
            Reply(tool_calls=(ToolCall(id="c", name="add", arguments='{"first": 1}'),)),
            'provider "scripted" returned a Reply with a call whose arguments is a str; it must be a dict',
        ),
        (awaited(), 'provider "scripted" returned a coroutine instead of a Reply'),
    ],
)
def test_broken_provider_is_a_provider_error(agent_for, entry, said):
    agent = agent_for(entry if isinstance(entry, Exception) else DONE)
    if not isinstance(entry, Exception):
        agent.model.complete = lambda _request: entry
    with pytest.raises(ProviderError) as caught:
        agent.send_message("hello")
    assert str(caught.value) == said
    assert agent.events[-1].outcome == "model_error"


def test_tool_errors_go_back_to_the_model(agent_for):
    wrong = Reply(tool_calls=(ToolCall(id="c1", name="nothing"),), stop_reason="tool_calls")
    agent = agent_for(wrong, asks("c2", first="one"), DONE)
    assert agent.send_message("add").outcome == "completed"
    errors = [message.tool_results[0] for message in agent.get_history() if message.tool_results]
    assert [error.metadata["error"] for error in errors] == ["ToolNotFoundError", "InvalidArgumentsError"]


def test_empty_and_repeated_call_ids_are_replaced(agent_for):
    agent = agent_for(asks("c1", "c1", ""), asks("c1"), DONE)
    agent.send_message("add")
    ids = [call.id for message in agent.get_history() for call in message.tool_calls]
    results = [result.tool_call_id for message in agent.get_history() for result in message.tool_results]
    assert len(set(ids)) == 4
    assert ids == results
    assert ids[0] == "c1"


def test_history_limit(agent_for):
    agent = agent_for(asks("c1"), DONE)
    agent.send_message("add")
    assert len(agent.get_history()) == 4
    assert [message.role for message in agent.get_history(2)] == ["tool", "assistant"]
    assert agent.get_history(0) == ()
    assert agent.get_history(99) == agent.get_history()
    with pytest.raises(ValueError, match="negative"):
        agent.get_history(-1)


def test_context_of_an_empty_conversation(agent_for):
    context = agent_for(DONE).get_context()
    assert (context.conversation_id, context.message_count, context.token_usage) == ("id1", 0, None)
    assert (context.provider, context.model, context.trace_ids, context.tool_calls) == ("scripted", None, (), ())


def test_context_adds_up(agent_for):
    details = TokenDetails(cached_tokens=3, reasoning_tokens=1)
    counted = attrs.evolve(asks("c1"), usage=TokenUsage(prompt_tokens=5, completion_tokens=4, details=details))
    agent = agent_for(counted, DONE, DONE)
    agent.send_message("add")
    agent.send_message("again")
    context = agent.get_context()
    assert context.message_count == 6
    assert context.token_usage == TokenUsage(
        prompt_tokens=25,
        completion_tokens=8,
        total_tokens=33,
        details=TokenDetails(cached_tokens=3, reasoning_tokens=1),
    )
    assert context.model == "m1"
    assert context.trace_ids == ("id2", "id3")
    assert [call.id for call in context.tool_calls] == ["c1"]


def test_second_message_goes_on_with_the_conversation(agent_for):
    agent = agent_for(DONE, DONE)
    agent.send_message("one")
    agent.send_message("two")
    assert [message.content for message in agent.model.requests[1].messages] == ["one", "It is 3.", "two"]
    assert agent.trace().trace_id == "id2"


def test_new_conversation_keeps_the_configuration(agent_for, add):
    seen = []
    agent = agent_for(DONE, DONE, system_prompt="Add.", observers=(seen.append,))
    agent.send_message("one")
    agent.new_conversation()
    assert agent.get_history() == ()
    assert agent.get_context().message_count == 0
    with pytest.raises(ValueError, match="no conversation yet"):
        _ = agent.conversation
    agent.send_message("two")
    assert [message.content for message in agent.model.requests[1].messages] == ["two"]
    assert agent.model.requests[1].system_prompt == "Add."
    assert agent.get_tools() == (add,)
    assert agent.conversation.id == "id3"
    assert seen[-1] == agent.events[-1]


def test_tool_registered_later_is_offered_from_then_on(agent_for, add):
    agent = agent_for(DONE, DONE, tools=())
    agent.send_message("one")
    agent.register_tool(add)
    agent.send_message("two")
    assert [len(request.tools) for request in agent.model.requests] == [0, 1]
    assert [tool.name for tool in agent.trace().details.available_tools] == ["add"]
    with pytest.raises(ConfigError, match="already registered"):
        agent.register_tool(add)


def test_execute_tool_stays_outside_the_conversation(agent_for):
    agent = agent_for(DONE)
    result = agent.execute_tool(ToolCall(id="x", name="add", arguments={"first": 2, "second": 2}))
    assert (result.content, result.success) == ('{"sum":4}', True)
    assert agent.events == ()


@pytest.mark.parametrize(
    "settings", [{"max_turns": 0}, {"temperature": -0.1}, {"temperature": 2.1}, {"max_tokens": 0}], ids=str
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        AgentSettings(**settings)


def test_agent_needs_only_a_model():
    agent = Agent(model=ScriptedModel([DONE]))
    assert agent.send_message("hello").outcome == "completed"
    assert agent.trace().messages[0].role == "user"
