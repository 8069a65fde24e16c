import itertools

import attrs
import pytest

from sentinel_agent.core import AgentSettings
from sentinel_agent.events import GuardrailChecked, ReplyReceived, ToolFinished
from sentinel_agent.loop import Guide
from sentinel_core.errors import NetworkError
from sentinel_core.model import Reply
from sentinel_core.trace import TokenUsage, ToolCall


def asks(*ids, tokens=100, cost=0.25, name="add"):
    calls = tuple(ToolCall(id=one, name=name, arguments={"first": 1, "second": 2}) for one in ids)
    usage = TokenUsage(prompt_tokens=tokens)
    return Reply(tool_calls=calls, stop_reason="tool_calls", usage=usage, cost_usd=cost)


@pytest.mark.parametrize(
    ("limit", "outcome", "asked", "detail"),
    [
        ({"max_turns": 2}, "max_turns", 2, "the model was asked 2 times, which is the limit"),
        ({"max_turns": 1}, "max_turns", 1, "the model was asked 1 time, which is the limit"),
        ({"max_tool_calls": 1}, "max_tool_calls", 2, "the run made 1 tool call and asked for 1 more; the limit is 1"),
        ({"max_total_tokens": 250}, "max_total_tokens", 3, "the run used 300 tokens; the limit is 250"),
        ({"max_cost_usd": 0.5}, "max_cost", 2, "the run spent $0.5; the limit is $0.5"),
        ({"max_tool_calls": 2}, "max_tool_calls", 3, "the run made 2 tool calls and asked for 1 more; the limit is 2"),
        ({"deadline": 70}, "deadline", 2, "the run took 80.0 s; its deadline is 70 s"),
    ],
)
def test_each_limit_ends_the_run_with_its_name(agent_for, clock, limit, outcome, asked, detail):
    ticks = itertools.count(step=5.0)  # seconds: the deadline is far from what a slow machine takes
    object.__setattr__(clock, "stopwatch", lambda: next(ticks))
    agent = agent_for(*(asks(f"c{number}") for number in range(9)), settings=AgentSettings(**limit))
    assert agent.send_message("forever").outcome == outcome
    assert len(agent.model.requests) == asked
    assert (agent.events[-1].outcome, agent.events[-1].detail) == (outcome, detail)
    assert agent.trace().details.outcome == outcome
    calls = [call.id for message in agent.get_history() for call in message.tool_calls]
    assert [event.result.tool_call_id for event in agent.events if isinstance(event, ToolFinished)] == calls


def test_calls_past_the_limit_are_refused_and_told(agent_for):
    agent = agent_for(asks("a", "b", "c"), settings=AgentSettings(max_tool_calls=2))
    agent.send_message("add")
    results = [event.result for event in agent.events if isinstance(event, ToolFinished)]
    assert [result.success for result in results] == [False] * 3
    assert results[0].content.startswith("not run: the run made 0 tool calls and asked for 3 more")
    assert [result.metadata for result in results] == [{"not_run": True}] * 3


def test_call_that_fails_when_time_is_up_is_a_deadline(agent_for, clock):
    agent = agent_for(NetworkError("too slow"), settings=AgentSettings(deadline=0.03))
    answer = agent.send_message("hello")
    assert answer.outcome == "deadline"
    assert "too slow" in agent.events[-1].detail


def test_live_check_stops_the_run(agent_for):
    looks = []

    def check(messages):
        looks.append(len(messages))
        stop = len(messages) > 3
        return GuardrailChecked(guardrail="mine", action="stop_attempt" if stop else "allow", reason="loop", live=True)

    agent = agent_for(asks("a"), asks("b"), asks("c"), check=check)
    assert agent.send_message("add").outcome == "stopped"
    assert looks == [1, 3, 5]
    assert agent.events[-1].detail == "mine: loop"
    assert [event.live for event in agent.events if isinstance(event, GuardrailChecked)] == [True] * 3


def test_live_check_may_have_nothing_to_say(agent_for):
    agent = agent_for(Reply(content="done"), check=lambda _messages: None)
    assert agent.send_message("hello").outcome == "completed"


@pytest.mark.parametrize(
    "text",
    [Reply(content="I think so."), Reply(content="I think so, for", stop_reason="max_tokens")],
    ids=["whole", "cut"],
)
def test_guided_mode_offers_one_tool_a_step(agent_for, add, text):
    other = attrs.evolve(add, name="other")
    agent = agent_for(
        asks("a"),
        text,
        asks("b", name="other"),
        Reply(content="done"),
        tools=(add, other),
        guide=Guide(steps=("add", "other")),
        settings=AgentSettings(tool_mode="guided"),
    )
    assert agent.send_message("go").content == "done"
    offered = [([tool.name for tool in request.tools], request.tool_choice) for request in agent.model.requests]
    assert offered == [(["add"], "required"), (["other"], "required"), (["other"], "required"), ([], "none")]
    assert "Call the tool other now" in agent.model.requests[2].messages[-1].content


@pytest.mark.parametrize("mode", ["guided", "auto"])
def test_guided_mode_asks_again_where_the_answer_is_the_text_of_a_call(agent_for, add, mode):
    echo = Reply(content='{"name": "add", "arguments": {}}')
    script = (asks("a"), echo, echo, echo, Reply(content="done"))
    agent = agent_for(*script, tools=(add,), guide=Guide(steps=("add",)), settings=AgentSettings(tool_mode=mode))
    assert agent.send_message("go").content == echo.content
    asked = [message.content for message in agent.get_history() if message.role == "user"]
    assert sum("Answer in two or three plain sentences" in text for text in asked) == (2 if mode == "guided" else 0)


def test_guided_mode_runs_nothing_that_is_not_on_offer(agent_for, add):
    ran = []
    other = attrs.evolve(add, name="other", handler=lambda **_: ran.append("other") or "ok")
    early = Reply(
        tool_calls=(*asks("x", name="other").tool_calls, *asks("a").tool_calls, *asks("y", name="z").tool_calls)
    )
    agent = agent_for(
        early,
        asks("b"),
        asks("c", name="other"),
        asks("d", name="other"),
        Reply(content="done"),
        tools=(add, other),
        guide=Guide(steps=("add", "other")),
        settings=AgentSettings(tool_mode="guided", max_tool_calls=2),
    )
    assert agent.send_message("go").content == "done"
    assert ran == ["other"]
    results = {event.result.tool_call_id: event.result for event in agent.events if isinstance(event, ToolFinished)}
    assert sorted(one for one, result in results.items() if result.success) == ["a", "c"]
    assert results["x"].content == 'not run: "other" is not available in this step; call add'
    assert results["y"].content == 'not run: "z" is not available in this step; call add'
    assert results["b"].content == 'not run: "add" is not available in this step; call other'
    assert results["d"].content == 'not run: "other" is not available in this step; answer in text now'
    assert {results[one].metadata["error"] for one in "xybd"} == {"ToolNotFoundError"}


@pytest.mark.parametrize("cut", range(2, 30))
def test_guided_mode_goes_on_where_it_broke_off(agent_for, add, cut):
    other = attrs.evolve(add, name="other")
    early = Reply(tool_calls=(*asks("x", name="other").tool_calls, *asks("a").tool_calls))
    script = (early, asks("b", name="other"), Reply(content="done"))
    options = {
        "tools": (add, other),
        "guide": Guide(steps=("add", "other")),
        "settings": AgentSettings(tool_mode="guided"),
    }
    whole = agent_for(*script, **options)
    whole.send_message("go")
    past = whole.events[:cut]
    left = script[sum(isinstance(event, ReplyReceived) for event in past) :]
    agent = agent_for(*left, **options)
    agent._record.resume(past)
    assert agent.send_message("go").content == "done"
    assert [(one.tool_call_id, one.success) for message in agent.get_history() for one in message.tool_results] == [
        ("x", False),
        ("a", True),
        ("b", True),
    ]


@pytest.mark.parametrize("effect", ["read", "write"])
@pytest.mark.parametrize("played", range(6))
def test_a_guided_run_of_a_version_that_ran_what_was_not_on_offer_goes_on(agent_for, add, effect, played):
    """Its record has a start and a result of every call, in the order of the reply."""
    tools = (add, attrs.evolve(add, name="other", effect=effect))
    early = Reply(tool_calls=(*asks("a").tool_calls, *asks("x", name="other").tool_calls))
    old = agent_for(early, Reply(content="done"), tools=tools)
    old.send_message("go")
    replied = next(place for place, event in enumerate(old.events) if isinstance(event, ReplyReceived))
    left = [asks("b", name="other")] * (played < 2)  # no call had begun, so what is not on offer is refused
    settings = AgentSettings(tool_mode="guided")
    agent = agent_for(
        *left, *[Reply(content="done")] * 3, tools=tools, guide=Guide(steps=("add", "other")), settings=settings
    )
    agent._record.resume(old.events[: replied + 1 + played])
    assert agent.send_message("go").content == "done"
    finished = [event.result.tool_call_id for event in agent.events if isinstance(event, ToolFinished)]
    assert sorted(finished) == (["a", "b", "x"] if left else ["a", "x"])


def test_guided_mode_ends_with_a_call_that_was_cut_off(agent_for):
    cut = attrs.evolve(asks("a"), stop_reason="max_tokens")
    agent = agent_for(cut, guide=Guide(steps=("add",)), settings=AgentSettings(tool_mode="guided"))
    assert agent.send_message("go").outcome == "truncated"


def test_guided_mode_reminds_twice_and_no_more(agent_for):
    agent = agent_for(
        *[Reply(content="No.")] * 5, guide=Guide(steps=("add",)), settings=AgentSettings(tool_mode="guided")
    )
    assert agent.send_message("go").outcome == "completed"
    assert len(agent.model.requests) == 3


def test_steps_are_for_guided_mode_only(agent_for):
    agent = agent_for(Reply(content="done"), guide=Guide(steps=("add",)))
    agent.send_message("go")
    assert agent.model.requests[0].tool_choice == "auto"


@pytest.mark.parametrize(("rerun_of", "outcome", "asked"), [("id2", "max_total_tokens", 1), (None, "max_turns", 2)])
def test_tokens_are_counted_over_all_reruns(agent_for, rerun_of, outcome, asked):
    limits = AgentSettings(max_total_tokens=250, max_turns=2)
    first = agent_for(asks("a"), asks("b"), settings=limits)
    assert first.send_message("try").outcome == "max_turns"
    first._record.begin()
    second = agent_for(asks("c"), asks("d"), settings=limits, record=first._record, rerun_of=rerun_of)
    assert second.send_message("try again").outcome == outcome
    assert len(second.model.requests) == asked


def test_deadline_counts_from_the_first_attempt(agent_for):
    agent = agent_for(asks("a"), started=-1000.0, settings=AgentSettings(deadline=5))
    assert agent.send_message("try again").outcome == "deadline"
    assert agent.model.requests == []
