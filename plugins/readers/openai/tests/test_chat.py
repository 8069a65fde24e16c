import json

import pytest
from tables import each_row

from sentinel_core import ExecutionTrace, ReadError, TokenUsage, TraceReader, evaluate_trace
from sentinel_core.testing import BytesSource, TraceReaderContract
from sentinel_readers_openai import sentinel_trace_readers, sniff_chat
from sentinel_readers_openai.chat import read as read_chat

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "description": "The weather.", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "get_time", "parameters": SCHEMA}},
]


def call(call_id: str, name: str, **arguments: object) -> dict[str, object]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


CLEAN = {
    "id": "conv-7",
    "model": "small-1",
    "messages": [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": [{"type": "text", "text": "Weather in Oslo?"}]},
        {"role": "assistant", "content": None, "tool_calls": [call("c1", "get_weather", city="Oslo")]},
        {"role": "tool", "tool_call_id": "c1", "content": "4 degrees, rain"},
        {"role": "assistant", "content": "It is 4 degrees and raining in Oslo."},
    ],
    "tools": TOOLS,
    "usage": {"prompt_tokens": 210, "completion_tokens": 30, "total_tokens": 240},
}
PARALLEL = [
    {"role": "user", "content": "Weather and time in Oslo?"},
    {
        "role": "assistant",
        "content": "I will look.",
        "tool_calls": [call("c1", "get_weather", city="Oslo"), call("c2", "get_time", city="Oslo")],
    },
    {"role": "tool", "tool_call_id": "c2", "content": "Error: no such city", "is_error": True},
    {"role": "tool", "tool_call_id": "c1", "content": "4 degrees"},
    {"role": "assistant", "content": "It is 4 degrees; the time could not be found."},
]
TAU2 = {
    "timestamp": "2026-01-01T00:00:00",
    "info": {"num_trials": 1, "agent_info": {}, "user_info": {}},
    "tasks": [],
    "simulations": [
        {
            "id": "sim-1",
            "task_id": "3",
            "trial": 0,
            "termination_reason": "user_stop",
            "agent_cost": 0.002,
            "messages": [
                {"role": "assistant", "content": "Hi!", "turn_idx": 0, "timestamp": "2026-01-01T00:00:01"},
                {
                    "role": "user",
                    "content": None,
                    "tool_calls": [{"id": "u1", "name": "toggle_data", "arguments": {}, "requestor": "user"}],
                    "cost": 9.0,
                    "usage": {"prompt_tokens": 999, "completion_tokens": 999},
                },
                {"id": "u1", "role": "tool", "content": "data is on", "requestor": "user", "error": False},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "a1", "name": "get_line", "arguments": {"line": "L1"}, "requestor": "assistant"},
                        {"id": "a2", "name": "get_bill", "arguments": {"bill": "B1"}, "requestor": "assistant"},
                    ],
                    "cost": 0.001,
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10},
                    "generation_time_seconds": 1.5,
                    "raw_data": {"id": "gen-1", "model": "small-1"},
                },
                {
                    "role": "tool",
                    "tool_messages": [
                        {"id": "a2", "role": "tool", "content": "no bill", "requestor": "assistant", "error": True},
                        {"id": "a1", "role": "tool", "content": "{}", "requestor": "assistant", "error": False},
                    ],
                },
                {
                    "role": "assistant",
                    "content": "All is well.",
                    "cost": 0.001,
                    "usage": {"prompt_tokens": 150, "completion_tokens": 5},
                },
            ],
        }
    ],
}


class TestOpenAIChat(TraceReaderContract):
    def make(self) -> TraceReader:
        return next(reader for reader in sentinel_trace_readers() if reader.name == "openai-chat")

    def sample(self) -> bytes:
        return json.dumps(CLEAN).encode() + b"\n" + json.dumps({"messages": PARALLEL}).encode()

    def filename(self) -> str:
        return "chats.jsonl"


def read(value: object, name: str = "chat.json") -> list[ExecutionTrace | ReadError]:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return list(read_chat(BytesSource(data=data, name=name)))


def only(value: object) -> ExecutionTrace:
    (trace,) = read(value)
    assert isinstance(trace, ExecutionTrace)
    return trace


def test_clean_record():
    trace = only(CLEAN)
    assert trace.trace_id == "conv-7"
    assert [message.role for message in trace.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert trace.messages[1].content == "Weather in Oslo?"
    assert (trace.messages[2].content, trace.messages[2].tool_calls[0].arguments) == (None, {"city": "Oslo"})
    assert trace.messages[3].tool_results[0].tool_call_id == "c1"
    assert trace.messages[4].details.origin == "line 1 $.messages[4]"
    assert trace.token_usage == TokenUsage(prompt_tokens=210, completion_tokens=30, total_tokens=240)
    assert [tool.name for tool in trace.details.available_tools] == ["get_weather", "get_time"]
    assert trace.details.available_tools[0].parameters == SCHEMA
    assert trace.metadata == {"id": "conv-7", "model": "small-1"}


def test_parallel_calls_and_an_error():
    trace = only(PARALLEL)
    assert trace.trace_id == "chat.json"
    assert [found.id for found in trace.messages[1].tool_calls] == ["c1", "c2"]
    assert [message.tool_results[0].success for message in trace.messages[2:4]] == [False, None]


@pytest.mark.parametrize(("value", "verdict"), [(CLEAN, "PASS"), (PARALLEL, "PASS"), (TAU2, "WARN")])
def test_fixtures_pass_where_no_failure_is_hidden(value, verdict):
    report = evaluate_trace(only(value))
    assert report.verdict == verdict
    allowed = ("tool_misuse.failed_call", "ending.answered_after_failure", "ending.failure_told")
    assert {finding.rule for finding in report.findings} <= set(allowed)


def test_clean_runs_have_no_finding():
    assert evaluate_trace(only(CLEAN)).findings == ()


def test_layouts_of_several_conversations():
    lines = b"\n".join(json.dumps({"messages": PARALLEL}).encode() for _ in range(2))
    for data, ids in (
        (lines, ["chat.json line 1", "chat.json line 2"]),
        ([{"messages": PARALLEL}, {"messages": PARALLEL}], ["chat.json $[0]", "chat.json $[1]"]),
        ([PARALLEL, PARALLEL], ["chat.json $[0]", "chat.json $[1]"]),
        ([], []),
    ):
        assert [trace.trace_id for trace in read(data)] == ids


def test_one_message_a_line_is_one_conversation_and_a_cut_line_is_counted():
    data = b"\n".join(json.dumps(message).encode() for message in PARALLEL)
    trace = only(data + b'\n{"role": "assis')
    assert len(trace.messages) == 5
    assert trace.messages[4].details.origin == "line 5"
    assert trace.metadata == {"reading_gaps": ["1 line is not JSON: line 6"]}


def test_a_cut_last_record_costs_no_other():
    first, second = read(json.dumps(CLEAN).encode() + b'\n{"messages": [{"role"')
    assert first.trace_id == "conv-7"
    assert isinstance(second, ReadError)
    assert second.line == 2


def test_a_record_without_messages_is_told():
    assert read([{"messages": PARALLEL}, {"score": 1}])[1] == ReadError(message="contains no chat messages at $[1]")


def test_entries_that_are_no_messages_are_counted():
    trace = only({"messages": [None, {"role": "user", "content": "Hi"}, 7]})
    assert len(trace.messages) == 1
    assert trace.metadata["reading_gaps"] == ["2 entries are not messages: line 1 $.messages[0], line 1 $.messages[2]"]


def test_results_without_ids_pair_by_order_and_name():
    messages = [dict(message) for message in PARALLEL]
    messages[2] = {"role": "tool", "name": "get_time", "content": "noon"}
    messages[3] = {"role": "tool", "content": "4 degrees"}
    trace = only(messages)
    assert [message.tool_results[0].tool_call_id for message in trace.messages[2:4]] == ["c2", "c1"]


def test_legacy_function_calls():
    trace = only(
        [
            {"role": "user", "content": "Time?"},
            {"role": "assistant", "content": None, "function_call": {"name": "get_time", "arguments": "{}"}},
            {"role": "function", "name": "get_time", "content": "noon"},
        ]
    )
    assert (trace.messages[1].tool_calls[0].id, trace.messages[1].tool_calls[0].name) == ("call-1", "get_time")
    assert trace.messages[2].tool_results[0].tool_call_id == "call-1"


def test_custom_tools_arguments_that_are_no_json_refusals_and_speech():
    trace = only(
        [
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": "c1", "type": "custom", "custom": {"name": "run_sql", "input": "select 1"}},
                    {"id": "c2", "type": "function", "function": {"name": "get_time", "arguments": "{oops"}},
                ],
            },
            {"role": "assistant", "content": None, "refusal": "I will not."},
            {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "Hello."}},
        ]
    )
    custom, broken = trace.messages[0].tool_calls
    assert (custom.name, custom.arguments, custom.details) == ("run_sql", {"input": "select 1"}, None)
    assert (broken.arguments, broken.details.raw_arguments) == ({}, "{oops")
    assert [message.content for message in trace.messages[1:]] == ["I will not.", "Hello."]


def test_a_request_with_its_completion():
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "small-1",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"},
            {"index": 1, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"},
        ],
        "usage": {
            "prompt_tokens": 90,
            "completion_tokens": 12,
            "total_tokens": 102,
            "cost": 0.5,
            "prompt_tokens_details": {"cached_tokens": 64},
            "completion_tokens_details": {"reasoning_tokens": 8},
        },
    }
    request = {"messages": [{"role": "user", "content": "Hello"}], "tools": TOOLS}
    for record in (
        {"request": request, "response": completion},
        {"custom_id": "r1", "body": request, "response": {"status_code": 200, "body": completion}},
    ):
        trace = only(record)
        last = trace.messages[-1]
        assert [message.role for message in trace.messages] == ["user", "assistant"]
        assert (last.details.id, last.details.model, last.details.cost_usd) == ("chatcmpl-1", "small-1", 0.5)
        assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (90, 12)
        assert trace.token_usage.details.cached_tokens == 64
        assert trace.token_usage.details.reasoning_tokens == 8
        assert len(trace.details.available_tools) == 2
        assert trace.details.outcome == "completed"
        assert trace.metadata["reading_notes"] == ["1 of 2 alternative replies were left out"]
    assert only(completion).trace_id == "chatcmpl-1"


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("agent_stop", "completed"),
        ("max_steps", "max_turns"),
        ("too_many_errors", "error"),
        ("infrastructure_error", "error"),
        ("timeout", "timeout"),
        ("something_new", None),
    ],
)
def test_how_a_run_ended(reason, outcome):
    run = {"id": "s", "messages": PARALLEL, "termination_reason": reason}
    assert only({"simulations": [run]}).details.outcome == outcome
    assert only(run).details.outcome == outcome


def test_tau2_keeps_the_users_own_tools_apart():
    trace = only(TAU2)
    assert trace.trace_id == "sim-1"
    assert [message.role for message in trace.messages] == [
        *("assistant", "user", "user", "assistant", "tool", "tool", "assistant")
    ]
    assert sum(len(message.tool_calls) for message in trace.messages) == 2
    assert trace.messages[1].metadata == {"user_side_calls": ["toggle_data {}"]}
    assert trace.messages[2].metadata == {"user_side_results": [{"name": None, "content": "data is on"}]}
    results = [result for message in trace.messages for result in message.tool_results]
    assert [(result.tool_call_id, result.success) for result in results] == [("a2", False), ("a1", True)]
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (250, 15)
    asked = trace.messages[3].details
    assert (asked.id, asked.model, asked.cost_usd, asked.duration_ms) == ("gen-1", "small-1", 0.001, 1500.0)
    assert asked.origin == "line 1 $.simulations[0].messages[3]"
    assert trace.messages[0].timestamp == "2026-01-01T00:00:01"
    assert trace.details.outcome == "completed"


def test_tau_bench_runs_are_named_by_task_and_trial():
    runs = [{"task_id": 4, "trial": trial, "reward": 1.0, "info": {}, "traj": PARALLEL} for trial in (0, 1)]
    traces = read(runs)
    assert [trace.trace_id for trace in traces] == ["task-4-trial-0", "task-4-trial-1"]
    assert traces[1].metadata == {"task_id": 4, "trial": 1, "reward": 1.0}
    assert traces[1].messages[0].details.origin == "$[1].traj[0]"


def test_prompt_and_completion_lists():
    trace = only({"prompt": PARALLEL[:1], "completion": PARALLEL[1:], "reward": 0.5})
    assert [message.details.origin for message in trace.messages][:2] == [
        "line 1 $.prompt[0]",
        "line 1 $.completion[0]",
    ]


@each_row(
    ("head", "sure"),
    [
        (json.dumps(CLEAN).encode(), 70),
        (json.dumps(PARALLEL, indent=1).encode(), 65),
        (json.dumps(TAU2).encode(), 85),
        (b'[{"task_id": 0, "traj": [{"role": "system"', 85),
        (b'{"info": {"num_trials": 1, "user_info": {}, "agent_info": {}}, "tasks": [', 80),
        (b'[{"role": "user", "content": [{"type": "tool_result"', 40),
        (b'{"messages": [{"kind": "request"}]}', 0),
        (b'{"text": "{\\"messages\\": [{\\"role\\""}', 0),
        (b'messages: [{"role": "user"', 0),
    ],
)
def test_a_file_is_known_by_how_it_begins(head, sure):
    assert sniff_chat(head, "any") == sure


def test_messages_under_a_trace_id_are_read():
    from sentinel_core.traces.sources import choose_reader
    from sentinel_readers_native import sentinel_trace_readers as native

    for messages in (PARALLEL, [{"id": "m", **message} for message in PARALLEL]):
        source = BytesSource(data=json.dumps({"trace_id": "mine", "messages": messages}).encode())
        reader = choose_reader(source, [*native(), *sentinel_trace_readers()])
        (trace,) = reader.read(source)
        assert (reader.name, trace.trace_id) == ("openai-chat", "mine")
        assert [made.name for made in trace.messages[1].tool_calls] == ["get_weather", "get_time"]
