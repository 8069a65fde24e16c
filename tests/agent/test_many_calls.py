"""Many calls in one reply: a few at once, within the deadline, whatever else the process holds open."""

import contextlib
import os
import resource
import time

import attrs
import pytest

from sentinel_agent.core import Agent, AgentSettings
from sentinel_agent.events import ReplyReceived, ToolFinished
from sentinel_agent.limits import Limit
from sentinel_agent.tool_execution import run_calls
from sentinel_core.host.tools import Toolbox
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.runtime.clock import Clock
from sentinel_core.runtime.isolate import call
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import ToolCall

LIMIT = 8


def asks(count):
    return tuple(ToolCall(id=str(number), name="look", arguments={"at": number}) for number in range(count))


def looking(handler, **options):
    return Tool(name="look", description="d", parameters={"type": "object"}, handler=handler, **options)


def test_few_run_at_once_and_are_refilled_in_order(tmp_path):
    def look(at):
        (tmp_path / f"at {at}").touch()
        working = len([path for path in tmp_path.iterdir() if path.name.startswith("at ")])
        time.sleep(0.3)
        (tmp_path / f"at {at}").rename(tmp_path / f"done {at}")
        return str(working)

    toolbox = Toolbox()
    toolbox.register(looking(look))
    results = list(toolbox.execute_together(asks(30)))
    assert [result.tool_call_id for result in results] == [str(number) for number in range(30)]
    assert 1 < max(int(result.content) for result in results) <= LIMIT


def test_each_result_is_there_before_the_last_call_starts(tmp_path):
    toolbox = Toolbox()
    toolbox.register(looking(lambda at: (tmp_path / str(at)).touch() or "seen"))
    results = toolbox.execute_together(asks(30))
    assert next(results).tool_call_id == "0"
    results.close()
    assert len(list(tmp_path.iterdir())) == LIMIT  # those that had begun are waited for, and no other begins


def test_calls_that_would_begin_after_the_deadline_are_refused(agent_for):
    ran, now = [], [0.0]

    def look(at):
        ran.append(at)
        now[0] += 10.0
        return "seen"

    clock = Clock(stopwatch=lambda: now[0])
    agent = agent_for(Reply(tool_calls=asks(30)), tools=(looking(look),), settings=AgentSettings(deadline=55))
    agent.clock = agent.toolbox.clock = clock
    answer = agent.send_message("go")
    assert answer.outcome == "deadline"
    results = [event.result for event in agent.events if isinstance(event, ToolFinished)]
    assert [result.tool_call_id for result in results] == [str(number) for number in range(30)]
    refused = [result for result in results if (result.metadata or {}).get("not_run")]
    assert len(refused) == 30 - len(ran) > 0
    assert refused[0].content.startswith("not run: the run took ")
    assert len(ran) < 30


@pytest.mark.parametrize("same", [True, False])
def test_of_a_thousand_calls_in_one_reply_the_first_few_run_and_the_rest_are_told_so(agent_for, same):
    ran = []
    calls = tuple(ToolCall(id=str(n), name="look", arguments={"at": 0 if same else n}) for n in range(1000))
    agent = agent_for(
        Reply(tool_calls=calls), Reply(content="done"), tools=(looking(lambda at: ran.append(at) or "seen"),)
    )
    assert agent.send_message("go").outcome == "completed"
    assert len(ran) == AgentSettings().max_calls_per_reply == 32
    results = [event.result for event in agent.events if isinstance(event, ToolFinished)]
    assert len(results) == 1000
    refused = [result for result in results if (result.metadata or {}).get("not_run")]
    assert {result.content for result in refused} == {"not run: only the first 32 calls of one reply are run"}
    assert [len(refused), {result.tool_call_id for result in results}] == [968, {call.id for call in calls}]


def test_a_run_has_a_limit_of_calls_by_default(agent_for):
    ran = []
    looks = [
        Reply(tool_calls=tuple(ToolCall(id=f"{turn}-{n}", name="look", arguments={"at": n}) for n in range(30)))
        for turn in range(9)
    ]
    agent = agent_for(*looks, tools=(looking(lambda at: ran.append(at) or "seen"),))
    assert agent.send_message("go").outcome == "max_tool_calls"
    assert len(ran) == 90


@pytest.mark.parametrize("late_from", [0, 3])
def test_with_a_write_among_them_they_are_refused_too(agent_for, late_from):
    ran = []
    look = looking(lambda at: ran.append(at) or "seen")
    note = attrs.evolve(look, name="note", effect="write")
    calls = (*asks(5), ToolCall(id="5", name="note", arguments={"at": 5}))
    agent = agent_for(tools=(look, note))
    late = Limit("deadline", "the run took long")
    run_calls(calls, agent.toolbox, agent._record, "r", lambda: late if len(ran) >= late_from else None)
    results = [event.result for event in agent.events if isinstance(event, ToolFinished)]
    assert (ran, [result.tool_call_id for result in results]) == (list(range(late_from)), list("012345"))
    assert {result.content for result in results[late_from:]} == {"not run: the run took long"}


@pytest.mark.parametrize("cut", range(2, 12))
def test_what_was_refused_then_is_not_run_by_a_resumed_run(agent_for, cut):
    now, ran = [0.0], []

    def slow(at):
        ran.append(at)
        now[0] += 10.0
        return "seen"

    look = looking(slow)
    tools = (look, attrs.evolve(look, name="note", effect="write"))
    calls = (ToolCall(id="n", name="note", arguments={"at": 9}), *asks(3))
    stopped = agent_for(Reply(tool_calls=calls), tools=tools, settings=AgentSettings(deadline=15))
    stopped.clock = stopped.toolbox.clock = Clock(stopwatch=lambda: now[0])
    assert stopped.send_message("go").outcome == "deadline"
    past = stopped.events[:cut]
    recorded = {event.result.tool_call_id for event in past if isinstance(event, ToolFinished)}
    left = [Reply(tool_calls=calls)] * (not any(isinstance(event, ReplyReceived) for event in past))
    again = agent_for(*left, Reply(content="done"), tools=tools)
    again._record.resume(past)
    assert again.send_message("go").content == "done"
    results = [event.result for event in again.events if isinstance(event, ToolFinished)]
    assert [result.tool_call_id for result in results] == ["n", *"012"]
    assert [result.content for result in results if result.tool_call_id in recorded] == [
        event.result.content for event in past if isinstance(event, ToolFinished)
    ]


@contextlib.contextmanager
def many_open_files(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count + 200:
        why = f"this user may open {hard} files at most, and {count + 200} are needed"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 200), hard))
    held = []
    try:
        held.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(count))
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_child_is_heard_through_a_descriptor_of_any_number():
    with many_open_files(1100):
        assert call(lambda: b"heard", timeout=60) == b"heard"


def test_a_time_limit_may_be_longer_than_poll_can_count():
    assert call(lambda: b"heard", timeout=1e15) == b"heard"


def test_a_system_without_poll_does_with_select(monkeypatch):
    monkeypatch.delattr("select.poll")
    assert call(lambda: b"heard", timeout=60) == b"heard"


def test_a_reply_of_many_calls_is_answered_whole():
    agent = Agent(
        model=ScriptedModel([Reply(tool_calls=asks(60)), Reply(content="done")]),
        tools=(looking(lambda at: at),),
        settings=AgentSettings(max_calls_per_reply=60),
    )
    assert agent.send_message("go").content == "done"
    assert [one.content for message in agent.get_history() for one in message.tool_results] == list(map(str, range(60)))
