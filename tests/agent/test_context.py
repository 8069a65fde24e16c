import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel_agent.context import Summary, budget_of, manage_context
from sentinel_agent.core import AgentSettings
from sentinel_agent.events import AttemptStarted, ContextFitted, ContextSummarized
from sentinel_core.errors import ContextLengthError, NetworkError
from sentinel_core.model import Reply, estimate_tokens
from sentinel_core.runtime.cut import capped
from sentinel_core.trace import Message, TokenUsage, ToolCall, ToolResult

STRATEGIES = ("truncation", "sliding_window", "importance")


def unit(number, size=360, success=True):
    call = ToolCall(id=f"c{number}", name="look")
    return (
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id=call.id, content="x" * size, success=success),)),
    )


def conversation(*units):
    return (Message(role="user", content="task"), *(message for one in units for message in one))


def managed(messages, budget, strategy="truncation", **more):
    return manage_context(messages, budget=budget, strategy=strategy, estimate=estimate_tokens, **more)


def ids(context):
    return [call.id for message in context.messages for call in message.tool_calls]


@pytest.mark.parametrize(
    ("window", "overhead", "reply", "budget"),
    [
        (10_000, 500, 1000, 7500),
        (10_000, 500, None, 6000),
        (100_000, 0, None, 85_904),
        (100, 500, None, 1),
        (None, 1, 1, None),
    ],
)
def test_budget(window, overhead, reply, budget):
    assert budget_of(window, overhead, reply) == budget


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("budget", [None, 10_000])
def test_what_fits_is_shown_whole(strategy, budget):
    messages = conversation(unit(1), unit(2))
    assert managed(messages, budget, strategy).messages == messages


def test_truncation_keeps_the_task_and_the_newest():
    context = managed(conversation(*map(unit, range(9))), 500)
    assert ids(context) == ["c5", "c6", "c7", "c8"]
    assert (context.messages[0].content, context.left_out) == ("task", 10)


def test_importance_keeps_what_the_user_said_and_what_failed():
    said = (Message(role="user", content="also this"),)
    context = managed(conversation(unit(1), unit(2, success=False), said, unit(3), unit(4), unit(5)), 380, "importance")
    assert ids(context) == ["c2", "c4", "c5"]
    assert "also this" in [message.content for message in context.messages]


def test_sliding_window_asks_for_a_summary_and_shows_it():
    messages = conversation(*map(unit, range(9)))
    first = managed(messages, 600, "sliding_window")
    assert [call.id for message in first.to_summarize for call in message.tool_calls] == [f"c{n}" for n in range(7)]
    again = managed(messages, 600, "sliding_window", summary=Summary(len(first.to_summarize), "short"))
    assert again.messages[0].content == "task\n\nWhat happened so far, in short:\nshort"
    assert (ids(again), again.left_out, again.to_summarize) == (["c7", "c8"], 14, ())


@given(
    st.lists(st.tuples(st.integers(0, 3000), st.booleans()), min_size=1, max_size=12),
    st.integers(1, 3000),
    st.sampled_from(STRATEGIES),
)
@settings(max_examples=150)
def test_no_call_is_ever_without_its_result(sizes, budget, strategy):
    messages = conversation(*(unit(number, size, ok) for number, (size, ok) in enumerate(sizes)))
    context = managed(messages, budget, strategy)
    results = [result.tool_call_id for message in context.messages for result in message.tool_results]
    assert ids(context) == results
    assert context.messages[0].content == "task"
    assert results[-1] == f"c{len(sizes) - 1}"
    assert context.left_out == len(messages) - len(context.messages)
    longest = max(len(result.content) for message in context.messages for result in message.tool_results)
    assert context.estimated_tokens <= budget or longest < 400


def test_what_must_stay_and_does_not_fit_is_cut_in_the_middle():
    context = managed(conversation(unit(1, size=9000)), 500)
    text = context.messages[-1].tool_results[0].content
    assert "[cut: 9000 characters in all]" in text
    assert context.estimated_tokens <= 500


def test_cap_keeps_both_ends_and_the_hash():
    text, metadata = capped("a" * 500 + "z" * 500, 200)
    assert len(text) == 200
    assert (text[0], text[-1]) == ("a", "z")
    assert metadata["full_chars"] == 1000
    assert len(metadata["full_sha256"]) == 64
    assert capped("short", 200) == ("short", {})


def test_long_result_is_capped_in_a_run(agent_for, add):
    long = attrs.evolve(add, handler=lambda **_: "x" * 5000)
    ask = Reply(tool_calls=(ToolCall(id="a", name="add", arguments={"first": 1, "second": 2}),))
    agent = agent_for(ask, Reply(content="done"), tools=(long,), settings=AgentSettings(max_result_chars=300))
    agent.send_message("go")
    result = agent.get_history()[2].tool_results[0]
    assert len(result.content) == 300
    assert result.metadata["full_chars"] == 5000


def asking(number, usage=None):
    call = ToolCall(id=f"a{number}", name="add", arguments={"first": 1, "second": 2})
    return Reply(tool_calls=(call,), stop_reason="tool_calls", usage=usage)


def fitted(agent):
    return [event for event in agent.events if isinstance(event, ContextFitted)]


def test_overflow_shrinks_once_and_asks_once_more(agent_for):
    agent = agent_for(*map(asking, range(5)), ContextLengthError("too long"), Reply(content="done"))
    assert agent.send_message("go").content == "done"
    assert [event.turn for event in fitted(agent)] == [1, 2, 3, 4, 5, 6, 6]
    assert fitted(agent)[-1].left_out > 0
    assert [event.attempt for event in agent.events if isinstance(event, AttemptStarted)][-2:] == [1, 2]


def test_what_was_too_long_once_is_not_sent_again(agent_for):
    late = (asking(6), asking(7), Reply(content="done"))
    agent = agent_for(*map(asking, range(5)), ContextLengthError("too long"), *late)
    agent.send_message("go")
    proven = next(event.budget for event in fitted(agent) if event.budget is not None)
    assert [event.budget for event in fitted(agent)][-3:] == [proven] * 3
    assert [event.turn for event in fitted(agent)][-4:] == [6, 6, 7, 8]


def test_an_overflow_where_nothing_could_be_left_out_limits_no_later_turn(agent_for):
    agent = agent_for(ContextLengthError("too long"), *map(asking, range(5)), Reply(content="done"))
    assert agent.send_message("go").content == "done"
    assert [event.left_out for event in fitted(agent)] == [0] * 7
    assert [event.budget for event in fitted(agent)][2:] == [None] * 5


def test_second_overflow_ends_the_run(agent_for):
    agent = agent_for(asking(1), ContextLengthError("too long"), ContextLengthError("still too long"), Reply())
    with pytest.raises(ContextLengthError, match="still"):
        agent.send_message("go")
    assert len(agent.model.requests) == 3


def test_estimate_learns_from_what_the_provider_counts(agent_for):
    agent = agent_for(asking(1, TokenUsage(prompt_tokens=400)), asking(2), Reply(content="done"))
    agent.send_message("go")
    first, second, _ = fitted(agent)
    assert second.estimated_tokens > 3 * first.estimated_tokens


def test_window_of_the_settings_is_kept(agent_for):
    agent = agent_for(
        *map(asking, range(6)), Reply(content="done"), settings=AgentSettings(context_window=222, max_tokens=50)
    )
    agent.send_message("go")
    assert fitted(agent)[-1].left_out > 0
    assert all(event.estimated_tokens <= event.budget for event in fitted(agent))
    assert fitted(agent)[-1].window == 222


def test_sliding_window_lets_the_model_summarize(agent_for):
    sliding = AgentSettings(context_window=200, max_tokens=50, context_strategy="sliding_window")
    summary = Reply(content="in short", usage=TokenUsage(prompt_tokens=10))
    script = (asking(1), asking(2), asking(3), asking(4), summary, asking(5), Reply(content="done"))
    agent = agent_for(*script, settings=sliding)
    assert agent.send_message("go").content == "done"
    summarized = [event for event in agent.events if isinstance(event, ContextSummarized)]
    assert [event.summary for event in summarized] == ["in short"]
    assert "in short" in agent.model.requests[-1].messages[0].content
    assert len([event for event in agent.events if isinstance(event, AttemptStarted)]) == len(agent.model.requests)


def test_summary_that_fails_is_done_without(agent_for):
    sliding = AgentSettings(context_window=200, max_tokens=50, context_strategy="sliding_window", max_attempts=1)
    script = (asking(1), asking(2), asking(3), asking(4), NetworkError("gone"), Reply(content="done"))
    agent = agent_for(*script, settings=sliding)
    assert agent.send_message("go").content == "done"
    assert fitted(agent)[-1].left_out > 0
