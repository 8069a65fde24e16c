import pytest

from sentinel_core import ReadError

ROOT = "11111111-0000-4000-8000-000000000001"
ASK = {"role": "user", "content": "hi"}


def run(number, parent=None, kind="llm", **fields):
    return {
        "id": f"r{number}",
        "trace_id": "t",
        "parent_run_id": parent,
        "run_type": kind,
        "name": "x",
        "start_time": f"2026-01-01T00:00:{number:02d}",
        **fields,
    }


def answer(**message):
    return {"choices": [{"message": {"role": "assistant", "content": None, **message}}]}


def call(call_id, name="f", arguments="{}"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_clean_run_is_read_whole(read, data, told, tokens, origins):
    (trace,) = read("langsmith", data("langsmith-clean.json"))
    assert trace.trace_id == ROOT
    assert told(trace) == [
        ("system", "Answer about trains.", [], []),
        ("user", "When does the next train to Gent leave?", [], []),
        ("assistant", None, [("call_t", "departures", {"to": "Gent"})], []),
        ("tool", None, [], [("call_t", "10:42 platform 4", True)]),
        ("assistant", "It leaves at 10:42.", [], []),
    ]
    assert tokens(trace) == (130, 30, 160, 0, 0)
    assert origins(trace)[-1] == "run 11111111-0000-4000-8000-000000000004"
    assert [tool.name for tool in trace.details.available_tools] == ["departures"]
    assert (trace.details.outcome, trace.details.source) == ("completed", "langsmith")
    last = trace.messages[-1]
    assert (last.timestamp, last.details.duration_ms) == ("2026-03-04T05:06:08.500000Z", 2500.0)
    assert (last.details.model, last.details.cost_usd) == ("gpt-4o-mini", 0.0003)
    assert trace.messages[3].tool_results[0].metadata == {"duration_ms": 1500.0}


def test_a_rough_run_is_read_whole(read, data, told, tokens, origins):
    """Lines in any order, a model call within a model call, parallel tools, one that failed, one that is an agent."""
    (trace,) = read("langsmith", data("langsmith-rough.jsonl"))
    calls = [
        ("c1", "weather", {"city": "Oslo"}),
        ("c2", "weather", {"city": "Bergen"}),
        ("c3", "research", {"topic": "rain"}),
    ]
    assert told(trace) == [
        ("user", "Compare the weather in Oslo and Bergen.", [], []),
        ("assistant", None, calls, []),
        ("tool", None, [], [("c2", "Error: no station", False)]),
        ("tool", None, [], [("c1", "sun", True)]),
        ("tool", None, [], [("c3", "Bergen is rainy.", True)]),
        ("assistant", "Oslo has sun; for Bergen nothing could be found.", [], []),
    ]
    assert tokens(trace)[:2] == (130, 39)
    assert origins(trace)[1] == "run 11111111-0000-4000-8000-000000000003 (line 3)"
    assert trace.metadata == {"reading_gaps": ["1 line is not JSON: 9"]}
    (child,) = trace.details.children
    assert (child.details.parent_call_id, child.trace_id) == ("c3", f"{ROOT}/11111111-0000-4000-8000-000000000006")
    assert told(child) == [("user", "Find out about rain", [], []), ("assistant", "Bergen is rainy.", [], [])]
    assert tokens(child)[:2] == (10, 4)


def test_nested_child_runs_read_as_a_list_does(read, data):
    import json

    root, *inner = json.loads(data("langsmith-clean.json"))
    bare = [{key: value for key, value in one.items() if key not in ("trace_id", "parent_run_id")} for one in inner]
    nested = {**root, "child_runs": bare}
    assert read("langsmith", [nested]) == read("langsmith", data("langsmith-clean.json"))


def test_dotted_order_tells_the_trace(read):
    runs = [run(1, inputs={"messages": [ASK]}), run(2, "r1", "tool", outputs={"output": "x"})]
    for one, path in zip(runs, ("20260101T000001Zr1", "20260101T000001Zr1.20260101T000002Zr2"), strict=True):
        one.update(trace_id=None, dotted_order=path)
    (trace,) = read("langsmith", runs)
    assert trace.trace_id == "r1"


def test_only_the_root_of_a_graph(read, told, tokens):
    """Its output repeats its input and has the whole history."""
    usage = {"input_tokens": 9, "output_tokens": 3}
    history = [
        {"type": "human", "content": "hi"},
        {
            "type": "ai",
            "content": "",
            "id": "a",
            "tool_calls": [{"name": "f", "args": {}, "id": "c"}],
            "usage_metadata": usage,
        },
        {"type": "tool", "content": "ok", "tool_call_id": "c"},
        {"type": "ai", "content": "done", "id": "b", "usage_metadata": usage},
    ]
    (trace,) = read(
        "langsmith", [run(1, kind="chain", inputs={"messages": history[:1]}, outputs={"messages": history})]
    )
    assert [row[0] for row in told(trace)] == ["user", "assistant", "tool", "assistant"]
    assert tokens(trace)[:2] == (18, 6)


def test_tools_without_a_model_bring_their_calls(read, told):
    runs = [
        run(1, kind="chain", inputs={"input": "weigh it"}, outputs={"output": "5 kg"}, end_time="2026-01-01T00:00:09"),
        run(2, "r1", "tool", name="scale", inputs={"input": '{"id": 4}'}, outputs={"output": {"kg": 5}}),
        run(3, "r1", "tool", name="scale", inputs={"id": 5}, error="ValueError: jammed"),
    ]
    (trace,) = read("langsmith", runs)
    assert told(trace) == [
        ("user", "weigh it", [], []),
        ("assistant", None, [("r2", "scale", {"id": 4})], []),
        ("tool", None, [], [("r2", '{"kg":5}', True)]),
        ("assistant", None, [("r3", "scale", {"id": 5})], []),
        ("tool", None, [], [("r3", "ValueError: jammed", False)]),
        ("assistant", "5 kg", [], []),
    ]


def test_a_run_belongs_to_the_call_with_its_arguments(read, told):
    calls = [call("a", arguments='{"n": 1}'), call("b", arguments='{"n": 2}'), call("c", name="g")]
    runs = [
        run(1, inputs={"messages": [ASK]}, outputs=answer(tool_calls=calls)),
        run(2, kind="tool", name="f", inputs={"n": 2}, outputs={"output": "two"}),
        run(3, kind="tool", name="f", inputs={"n": 9}, outputs={"output": "one"}),
    ]
    (trace,) = read("langsmith", runs)
    assert [row[3][0][:2] for row in told(trace)[2:]] == [("b", "two"), ("a", "one")]


def test_a_repeated_question_is_added_each_time_it_is_new(read, told):
    first = {"role": "assistant", "content": "yes"}
    runs = [
        run(1, inputs={"messages": [ASK]}, outputs=answer(content="yes")),
        run(2, inputs={"messages": [ASK, first, ASK]}, outputs=answer(content="yes")),
        run(3, inputs={"messages": [ASK, first, ASK, first, ASK]}, outputs=answer(content="no")),
    ]
    (trace,) = read("langsmith", runs)
    assert [row[1] for row in told(trace)] == ["hi", "yes", "hi", "yes", "hi", "no"]


def test_a_shortened_result_in_a_later_input_is_no_second_result(read, told):
    asked = {"role": "assistant", "content": None, "tool_calls": [call("a")]}
    short = {"role": "tool", "tool_call_id": "a", "content": "[cleared]"}
    runs = [
        run(1, inputs={"messages": [ASK]}, outputs=answer(tool_calls=[call("a")])),
        run(2, inputs={"messages": [ASK, asked, {**short, "content": "long"}]}, outputs=answer(content="so")),
        run(3, inputs={"messages": [ASK, asked, short]}, outputs=answer(content="done")),
    ]
    (trace,) = read("langsmith", runs)
    assert [row[3] for row in told(trace) if row[3]] == [[("a", "long", None)]]


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"status": "success"}, "completed"),
        ({"status": "pending"}, "running"),
        ({"status": "error", "error": "ValueError('x')"}, "error"),
        ({"error": "GraphInterrupt((Interrupt(value='ok?'),))"}, "interrupted"),
        ({}, None),
    ],
)
def test_the_end_of_a_run_gives_the_outcome(read, fields, outcome):
    (trace,) = read("langsmith", [run(1, inputs={"messages": [ASK]}, **fields)])
    assert trace.details.outcome == outcome


@pytest.mark.parametrize(
    ("inputs", "outputs", "texts"),
    [
        ({"messages": [[ASK]]}, {"generations": [[{"text": "plain"}]]}, ["hi", "plain"]),
        (
            {"prompts": ["hi"]},
            {"generations": [[{"text": "t", "message": {"type": "ai", "content": "m"}}]]},
            ["hi", "m"],
        ),
        ({"system": "be", "messages": [ASK]}, {"content": [{"type": "text", "text": "a"}]}, ["be", "hi", "a"]),
        (
            {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "g"}]}}]},
            ["hi", "g"],
        ),
        (
            {"input": "hi"},
            {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "r"}]}]},
            ["hi", "r"],
        ),
        ({"input": {"question": "hi"}}, {"answer": 42}, ["hi", '{"answer":42}']),
        ({"messages": [ASK]}, {"message": {"role": "assistant", "content": "o"}, "model": "m"}, ["hi", "o"]),
    ],
)
def test_clients_shapes(read, told, inputs, outputs, texts):
    (trace,) = read("langsmith", [run(1, inputs=inputs, outputs=outputs)])
    assert [row[1] for row in told(trace)] == texts
    assert told(trace)[-1][0] == "assistant"


def test_responses_items(read, told):
    items = [
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    ]
    output = {"object": "response", "instructions": "be", "output": [{"type": "reasoning", "summary": []}, items[0]]}
    runs = [
        run(1, inputs={"input": "hi"}, outputs=output),
        run(2, inputs={"input": [ASK, *items]}, outputs={"output": "done"}),
    ]
    (trace,) = read("langsmith", runs)
    assert told(trace) == [
        ("user", "hi", [], []),
        ("assistant", None, [("c1", "f", {"a": 1})], []),
        ("tool", None, [], [("c1", "ok", None)]),
        ("assistant", "done", [], []),
    ]


def test_the_clients_count_is_taken_where_it_only_has_more_detail(read, tokens):
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    own = {"prompt_tokens": 9, "completion_tokens": 2}
    outputs = {**answer(content="x"), "usage": usage}
    (trace,) = read("langsmith", [run(1, inputs={"messages": [ASK]}, outputs=outputs, **own)])
    assert tokens(trace)[:4] == (9, 2, 11, 4)
    (trace,) = read("langsmith", [run(1, inputs={"messages": [ASK]}, outputs=outputs, **{**own, "prompt_tokens": 30})])
    assert tokens(trace)[:4] == (30, 2, 32, 0)


def test_what_is_no_run_is_counted(read):
    (trace,) = read("langsmith", [{"runs": [run(1, inputs={"messages": [ASK]}), {"id": "x"}, 5]}])
    assert trace.metadata == {"reading_gaps": ["2 entries that are not runs, or have no id"]}
    assert read("langsmith", [{"id": "x"}]) == [ReadError(message="contains no LangSmith run")]
