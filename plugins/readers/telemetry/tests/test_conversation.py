"""What of repeated histories is new, and which result belongs to which call."""

import pytest
import telemetry_samples as samples
from telemetry_spans import agent, answers, chat, one_trace, says, texts, tool, user

from sentinel_core import evaluate_trace


def test_a_model_that_repeats_itself_is_told_each_time(read):
    again = says("Let me think.")
    trace = one_trace(
        read,
        [chat(f"0{n}", "", (n, n + 0.5), [user("Go"), *[again] * n], again) for n in range(4)],
    )
    assert texts(trace) == ["Go", *["Let me think."] * 4]


def test_a_history_that_was_cut_short_is_not_told_again(read):
    trace = one_trace(
        read,
        [
            chat("01", "", (1, 2), [user("One")], says("1")),
            chat("02", "", (3, 4), [user("One"), says("1"), user("Two")], says("2")),
            chat("03", "", (5, 6), [user("Summary of it all"), says("2"), user("Three")], says("3")),
        ],
    )
    assert texts(trace) == ["One", "1", "Two", "2", "Summary of it all", "Three", "3"]


def test_earlier_turns_of_which_only_the_words_are_there_are_copied_context(read):
    earlier = [user("Cancel order 4417."), says("I've cancelled order 4417."), user("Thanks!")]
    trace = one_trace(read, [chat("01", "", (1, 2), earlier, says("You're welcome!"))])
    assert [message.details.is_copied_context for message in trace.messages] == [False, True, False, False]
    assert evaluate_trace(trace).verdict == "PASS"


def test_a_system_prompt_with_a_clock_is_told_once(read):
    trace = one_trace(
        read,
        [
            chat(
                f"0{n}",
                "",
                (n, n + 0.5),
                [("system", f"{'You bake. ' * 30} It is {n} o'clock", [], None)],
                says(str(n)),
            )
            for n in range(3)
        ],
    )
    assert [message.role for message in trace.messages] == ["system", "assistant", "assistant", "assistant"]


def test_calls_without_ids_pair_in_order(read):
    calls = [{"name": "get_stock", "arguments": {"bread": bread}} for bread in ("rye", "spelt")]
    asked = [user("How much?")]
    second = [samples.parts_message(one) for one in (*asked, says(None, *calls))]
    second.append({"role": "tool", "parts": [{"type": "tool_call_response", "response": text} for text in ("4", "7")]})
    last = chat("02", "", (3, 4), None, says("4 rye, 7 spelt."))
    last["attributes"]["gen_ai.input.messages"] = samples.dumps(second)
    trace = one_trace(read, [chat("01", "", (1, 2), asked, says(None, *calls)), last])
    made = [call.id for message in trace.messages for call in message.tool_calls]
    results = [(result.tool_call_id, result.content) for message in trace.messages for result in message.tool_results]
    assert made == ["call-1", "call-2"]
    assert results == [("call-1", "4"), ("call-2", "7")]


def test_results_without_ids_that_tool_spans_told_are_no_orphans(read):
    call = {"name": "get_stock", "arguments": {"bread": "rye"}}
    last = chat("03", "", (4, 5), None, says("4 left."))
    response = {"role": "tool", "parts": [{"type": "tool_call_response", "response": {"left": 4}}]}
    last["attributes"]["gen_ai.input.messages"] = samples.dumps(
        [*map(samples.parts_message, [user("How much?"), says(None, call)]), response]
    )
    trace = one_trace(
        read,
        [
            chat("01", "", (1, 2), [user("How much?")], says(None, call)),
            tool("02", "", (2, 3), call | {"id": None}, "4 left"),
            last,
        ],
    )
    results = [result for message in trace.messages for result in message.tool_results]
    assert [(result.tool_call_id, result.content) for result in results] == [("call-1", "4 left")]


def test_parallel_runs_of_one_tool_pair_by_arguments(read):
    calls = [{"id": f"c{n}", "name": "get_stock", "arguments": {"bread": bread}} for n, bread in enumerate("ab")]
    runs = [
        tool("03", "", (2.2, 3), calls[0] | {"id": None}, "of a"),
        tool("02", "", (2, 3), calls[1] | {"id": None}, "of b"),
    ]
    trace = one_trace(read, [chat("01", "", (1, 2), [user("?")], says(None, *calls)), *runs])
    results = [(result.tool_call_id, result.content) for message in trace.messages for result in message.tool_results]
    assert results == [("c1", "of b"), ("c0", "of a")]


def test_a_result_that_only_the_model_saw(read):
    trace = one_trace(
        read,
        [
            chat("01", "", (1, 2), [user("?")], says(None, samples.STOCK)),
            tool("02", "", (2, 3), samples.STOCK, None),
            chat("03", "", (4, 5), [user("?"), says(None, samples.STOCK), answers(samples.STOCK, "4")], says("4 left")),
        ],
    )
    results = [result for message in trace.messages for result in message.tool_results]
    assert [(result.tool_call_id, result.content) for result in results] == [("call_a", "4")]


def test_a_result_that_nobody_recorded_still_answers_its_call(read):
    trace = one_trace(
        read,
        [
            chat("01", "", (1, 2), [user("?")], says(None, samples.STOCK)),
            tool("02", "", (2, 3), samples.STOCK, None, failed=False),
            chat("03", "", (4, 5), None, says("Done")),
        ],
    )
    assert [message.role for message in trace.messages] == ["user", "assistant", "tool", "assistant"]
    [result] = trace.messages[2].tool_results
    assert (result.tool_call_id, result.content, result.success) == ("call_a", "", True)


def test_a_run_told_before_the_model_that_asked_for_it(read):
    run = tool("01", "", (1, 2), samples.STOCK | {"id": None}, "4")
    later = chat("02", "", (3, 4), [user("?"), says(None, samples.STOCK), answers(samples.STOCK, "4")], says("4 left"))
    trace = one_trace(read, [run, later])
    assert [(call.id, call.name) for message in trace.messages for call in message.tool_calls] == [
        ("run-01", "get_stock")
    ]
    assert sum(len(message.tool_results) for message in trace.messages) == 1
    assert texts(trace) == ["?", "4 left"]


def test_without_recorded_content_calls_and_tokens_remain(read):
    bare = {"id": "call_a", "name": "get_stock", "arguments": {}}
    run = tool("03", "01", (2, 3), bare, None)
    del run["attributes"]["gen_ai.tool.call.arguments"]
    spans = [agent("01", "", (0, 5)), chat("02", "01", (1, 2), None, None, usage=(9, 1)), run]
    trace = one_trace(read, [*spans, chat("04", "01", (3, 4), None, None, usage=(12, 2))])
    assert [message.role for message in trace.messages] == ["assistant", "assistant", "tool", "assistant"]
    assert trace.token_usage.total == 24
    assert trace.metadata["reading_gaps"] == ["model calls without recorded messages: 2"]
    report = evaluate_trace(trace)
    assert (report.verdict, report.findings) == ("PASS", ())


def test_an_agent_speaks_for_model_calls_without_messages(read):
    told = {
        "gen_ai.input.messages": samples.dumps([samples.parts_message(user("Hi"))]),
        "gen_ai.output.messages": samples.dumps([samples.parts_message(says("Hello"))]),
    }
    spans = [agent("01", "", (0, 5), **told), chat("02", "01", (1, 2), None, None, usage=(9, 1))]
    trace = one_trace(read, spans)
    assert texts(trace) == ["Hi", "Hello"]
    assert trace.token_usage.total == 10
    assert "reading_gaps" not in trace.metadata


def test_a_chain_speaks_where_nobody_else_does(read):
    chain = samples.span(
        "01", "", "run", (0, 9), {"openinference.span.kind": "CHAIN", "input.value": "Hi", "output.value": "Bye"}
    )
    trace = one_trace(read, [chain, tool("02", "01", (1, 2), samples.STOCK, "4")])
    assert texts(trace) == ["Hi", "Bye"]
    assert [message.role for message in trace.messages] == ["user", "assistant", "tool", "assistant"]


def test_a_model_call_that_failed_and_was_made_again(read):
    failed = chat("01", "", (1, 2), [user("Hi")], None, **{"error.type": "rate_limit"})
    trace = one_trace(read, [failed, chat("02", "", (3, 4), [user("Hi")], says("Hello"))])
    assert [message.role for message in trace.messages] == ["user", "assistant"]
    assert trace.details.outcome == "completed"


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        (chat("09", "", (8, 9), None, says("Bye")), "completed"),
        (chat("09", "", (8, 9), None, says("Bye"), **{"error.type": "timeout"}), "error"),
        (chat("09", "", (8, 9), None, says("By"), **{"gen_ai.response.finish_reasons": ["length"]}), "max_tokens"),
        (chat("09", "", (8, 9), None, says(None, samples.STOCK)), "interrupted"),
    ],
)
def test_how_a_run_ended(read, last, outcome):
    trace = one_trace(read, [chat("01", "", (0, 1), [user("Hi")], says("Hello")), last])
    assert trace.details.outcome == outcome


def test_a_call_cut_off_by_the_end_is_no_finding(read):
    trace = one_trace(read, [chat("01", "", (0, 1), [user("Hi")], says(None, samples.STOCK))])
    report = evaluate_trace(trace)
    assert (report.verdict, report.findings) == ("PASS", ())


def test_an_mcp_result_that_only_a_gemini_request_tells(read):
    told = {"isError": True, "content": [{"type": "text", "text": "the store is closed"}]}
    contents = [
        {"role": "user", "parts": [{"text": "?"}]},
        {"role": "model", "parts": [{"function_call": {"name": "get_stock", "args": {}}}]},
        {"role": "user", "parts": [{"function_response": {"name": "get_stock", "response": told}}]},
    ]
    request = {"gcp.vertex.agent.llm_request": samples.dumps({"contents": contents})}
    trace = one_trace(read, [chat("01", "", (1, 2), None, says("Closed."), **request)])
    [result] = [result for message in trace.messages for result in message.tool_results]
    assert (result.tool_call_id, result.content, result.success) == ("call-1", "the store is closed", False)
