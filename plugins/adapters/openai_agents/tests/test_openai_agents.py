"""The real Runner, with the SDK's own scripted model."""

import asyncio
import gc

import pytest

from sentinel_core import AnswerGuard, judge
from sentinel_openai_agents import Watch, run

LIE = "All tests pass now."
TRUTH = "One of the three tests fails."
QUIET = {"tracing_disabled": True}


def go(*arguments, **options):
    return asyncio.run(run(*arguments, **{"run_config": QUIET, **options}))


def users(result):
    return [item["content"] for item in result.to_input_list() if item.get("role") == "user"]


def test_an_honest_run_passes(runs):
    result = go(runs.agent_of(TRUTH), "Run the tests.")
    assert result.final_output == TRUTH
    assert users(result) == ["Run the tests."]


@pytest.mark.parametrize("form", [dict, "object"])
def test_a_lie_is_sent_back_once_with_the_reason(runs, form):
    agent = runs.agent_of(LIE, TRUTH)
    result = go(agent, "Run the tests.", run_config=QUIET if form is dict else runs.QUIET)
    first, reason = users(result)
    assert (result.final_output, first) == (TRUTH, "Run the tests.")
    assert '"1 failed, 2 passed"' in reason
    assert f'You wrote: "{LIE}"' in reason
    assert len(agent.model.calls) == 3


def test_a_second_lie_is_the_frameworks_exception(runs):
    with pytest.raises(runs.OutputGuardrailTripwireTriggered) as told:
        go(runs.agent_of(LIE, LIE), "Run the tests.")
    objection = told.value.guardrail_result.output.output_info
    assert objection.is_final
    assert [one.rule for one in objection.findings] == ["hallucination.contradicted_checks"]


def test_a_session_is_added_to_and_not_repeated(runs):
    session = runs.SQLiteSession("s")
    result = go(runs.agent_of(LIE, TRUTH), "Run the tests.", session=session)
    items = asyncio.run(session.get_items())
    assert result.final_output == TRUTH
    assert [item.get("role") or item["type"] for item in items] == [
        "user", "function_call", "function_call_output", "user", "assistant",
    ]  # fmt: skip
    session.close()


def test_the_guardrail_alone_stops_at_the_first_lie(runs):
    watch = Watch()
    agent = runs.agent_of(LIE, output_guardrails=[watch.guardrail])
    with pytest.raises(runs.OutputGuardrailTripwireTriggered) as told:
        asyncio.run(runs.Runner.run(agent, "Run the tests.", hooks=watch.hooks, run_config=QUIET))
    assert not told.value.guardrail_result.output.output_info.is_final


@pytest.mark.parametrize("answer", [TRUTH, LIE])
def test_a_stream_is_checked_at_its_end(runs, answer):
    watch = Watch()
    agent = runs.agent_of(answer, output_guardrails=[watch.guardrail])

    async def stream():
        result = runs.Runner.run_streamed(agent, "Run the tests.", hooks=watch.hooks, run_config=QUIET)
        async for _ in result.stream_events():
            pass
        return result.final_output

    if answer == TRUTH:
        assert asyncio.run(stream()) == TRUTH
        return
    with pytest.raises(runs.OutputGuardrailTripwireTriggered):
        asyncio.run(stream())


def test_the_guardrail_without_its_hooks_is_told_at_once(runs):
    agent = runs.agent_of(TRUTH, output_guardrails=[Watch().guardrail])
    with pytest.raises(runs.UserError, match=r"pass hooks=watch\.hooks"):
        asyncio.run(runs.Runner.run(agent, "Run the tests.", run_config=QUIET))


def test_calls_that_a_handoff_hides_were_made_all_the_same(runs):
    first, second = runs.handing_over()
    result = go(first, "Please write to the customer.")
    assert result.last_agent is second
    assert "email" in result.final_output


def test_hooks_of_the_program_are_called(runs):
    hooks = runs.Counting()
    go(runs.agent_of(TRUTH), "Run the tests.", hooks=hooks)
    assert hooks.names == ["start", "end", "run_tests", "start", "end"]


def test_a_guard_of_ones_own(runs):
    with pytest.raises(runs.OutputGuardrailTripwireTriggered):
        go(runs.agent_of(TRUTH), "Run the tests.", AnswerGuard(expect=["called:deploy"], most_returns=0))


def test_no_record_outlives_its_run(runs):
    watch = Watch()
    agent = runs.agent_of(TRUTH, output_guardrails=[watch.guardrail])
    asyncio.run(runs.Runner.run(agent, "Run the tests.", hooks=watch.hooks, run_config=QUIET))
    gc.collect()
    assert len(watch._records) == 0


def test_judge_takes_the_result(runs):
    result = asyncio.run(runs.Runner.run(runs.agent_of(LIE), "Run the tests.", run_config=QUIET))
    assert [one.rule for one in judge(result).findings] == ["hallucination.contradicted_checks"]
