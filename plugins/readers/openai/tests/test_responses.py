import json

import pytest

from sentinel_core import ExecutionTrace, ReadError, TraceReader, evaluate_trace
from sentinel_core.testing import BytesSource, TraceReaderContract
from sentinel_readers_openai import sentinel_trace_readers, sniff_responses
from sentinel_readers_openai.responses import read as read_responses

USAGE = {
    "input_tokens": 120,
    "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 20},
    "output_tokens": 40,
    "output_tokens_details": {"reasoning_tokens": 16},
    "total_tokens": 160,
}


def said(text: str, role: str = "assistant", **more: object) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}], **more}


def call(call_id: str, name: str, arguments: str = "{}") -> dict[str, object]:
    return {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": arguments}


def output(call_id: str, told: object) -> dict[str, object]:
    return {"type": "function_call_output", "call_id": call_id, "output": told}


THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look it up."}]}
ITEMS = [
    said("How many stars has Orion?", "user"),
    {**THOUGHT, "encrypted_content": "gAAAA-secret"},
    said("I will look it up.", id="msg_1", phase="commentary"),
    call("c1", "find_stars", '{"name": "Orion"}'),
    call("c2", "find_myths", '{"name": "Orion"}'),
    output("c2", [{"type": "input_text", "text": "a hunter"}]),
    output("c1", "81 stars"),
    said("Orion has 81 stars.", id="msg_2", phase="final_answer"),
]
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1767225600,
    "status": "completed",
    "model": "small-1",
    "instructions": "Be brief.",
    "previous_response_id": None,
    "output": [THOUGHT, call("c1", "find_stars", '{"name": "Orion"}')],
    "tools": [{"type": "function", "name": "find_stars", "parameters": {"type": "object"}}, {"type": "web_search"}],
    "usage": USAGE,
}
NEXT = {
    **RESPONSE,
    "id": "resp_2",
    "previous_response_id": "resp_1",
    "input": [output("c1", "81 stars")],
    "output": [said("Orion has 81 stars.", id="msg_2")],
}
CHAIN = [{**RESPONSE, "input": "How many stars has Orion?"}, NEXT]


class TestOpenAIResponses(TraceReaderContract):
    def make(self) -> TraceReader:
        return next(reader for reader in sentinel_trace_readers() if reader.name == "openai-responses")

    def sample(self) -> bytes:
        return b"\n".join(json.dumps(response).encode() for response in CHAIN)

    def filename(self) -> str:
        return "responses.jsonl"


class TestItems(TestOpenAIResponses):
    def sample(self) -> bytes:
        return json.dumps(ITEMS, indent=1).encode()


def read(value: object) -> list[ExecutionTrace | ReadError]:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return list(read_responses(BytesSource(data=data, name="items.json")))


def only(value: object) -> ExecutionTrace:
    (trace,) = read(value)
    assert isinstance(trace, ExecutionTrace)
    return trace


def test_items_of_one_turn_are_one_message():
    trace = only(ITEMS)
    assert trace.trace_id == "items.json"
    assert [message.role for message in trace.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    turn = trace.messages[1]
    assert (turn.content, turn.details.reasoning, turn.details.id) == ("I will look it up.", "Look it up.", "msg_1")
    assert [(made.id, made.name) for made in turn.tool_calls] == [("c1", "find_stars"), ("c2", "find_myths")]
    assert turn.tool_calls[0].arguments == {"name": "Orion"}
    assert [message.tool_results[0].tool_call_id for message in trace.messages[2:4]] == ["c2", "c1"]
    assert trace.messages[2].tool_results[0].content == "a hunter"
    assert [message.details.origin for message in trace.messages] == ["$[0]", "$[1]", "$[5]", "$[6]", "$[7]"]
    assert "secret" not in repr(trace)


@pytest.mark.parametrize("value", [ITEMS, CHAIN, {"input": ITEMS[:-1], "output": ITEMS[-1:]}])
def test_fixtures_pass_without_a_finding(value):
    report = evaluate_trace(only(value))
    assert (report.verdict, report.findings) == ("PASS", ())


def test_a_chain_of_responses_is_one_trace():
    trace = only(CHAIN)
    assert trace.trace_id == "resp_1"
    assert [message.role for message in trace.messages] == ["system", "user", "assistant", "tool", "assistant"]
    asked = trace.messages[2]
    assert (asked.details.id, asked.details.model, asked.timestamp) == ("resp_1", "small-1", "2026-01-01T00:00:00Z")
    assert asked.details.usage.details.reasoning_tokens == 16
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (240, 80)
    assert trace.token_usage.details.cached_tokens == 200
    assert trace.token_usage.details.cache_write_tokens == 40
    assert [tool.name for tool in trace.details.available_tools] == ["find_stars", "web_search"]
    assert trace.details.outcome == "completed"


def test_tokens_count_once_for_each_response():
    polled = {**RESPONSE, "status": "in_progress", "output": [], "usage": None}
    trace = only([polled, RESPONSE, RESPONSE, NEXT])
    assert trace.token_usage.prompt_tokens == 240
    assert sum(len(message.tool_calls) for message in trace.messages) == 1


def test_responses_that_do_not_follow_are_traces_of_their_own():
    assert [trace.trace_id for trace in read([RESPONSE, {**RESPONSE, "id": "resp_9"}])] == ["resp_1", "resp_9"]
    conversation = {**RESPONSE, "conversation": {"id": "conv_1"}}
    assert only(conversation).trace_id == "conv_1"


def test_requests_with_responses():
    request = {"input": "How many?", "instructions": "Be brief.", "tools": RESPONSE["tools"]}
    for record in (
        {"request": request, "response": RESPONSE},
        {"custom_id": "1", "body": request, "response": {"status_code": 200, "body": RESPONSE}},
        {"type": "response.completed", "response": {**RESPONSE, "input": "How many?"}, **request},
    ):
        trace = only(record)
        assert [message.role for message in trace.messages] == ["system", "user", "assistant"]
        assert trace.token_usage.total == 160


def test_lists_of_stored_items():
    for record in ({"object": "list", "data": ITEMS}, {"items": ITEMS}):
        assert len(only(record).messages) == 5
    assert only([ITEMS, ITEMS[:1]][:1]).messages[0].details.origin == "$[0].input[0]"


def test_a_response_that_says_nothing_keeps_its_tokens():
    cut = {**RESPONSE, "output": [], "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    trace = only(cut)
    assert trace.details.outcome == "max_tokens"
    assert (trace.messages[-1].content, trace.messages[-1].details.usage.prompt_tokens) == (None, 120)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [("failed", "error"), ("cancelled", "cancelled"), ("queued", "running"), ("incomplete", "incomplete")],
)
def test_the_end_of_a_run_gives_the_outcome(status, outcome):
    assert only({**RESPONSE, "status": status}).details.outcome == outcome


SERVER_SIDE = [
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "Orion"}},
    {"type": "code_interpreter_call", "id": "ci_1", "code": "1+1", "outputs": [{"type": "logs", "logs": "2"}]},
    {"type": "mcp_call", "id": "mcp_1", "name": "roll", "arguments": '{"sides": 6}', "output": "4", "error": None},
    {"type": "mcp_call", "id": "mcp_2", "name": "roll", "arguments": "{}", "output": None, "error": "no sides"},
    {"type": "file_search_call", "id": "fs_1", "queries": ["Orion"], "results": None, "status": "failed"},
    {"type": "image_generation_call", "id": "ig_1", "result": "aGVsbG8="},
]


def test_server_side_tools_await_no_result_and_later_words_may_rest_on_them():
    trace = only([said("Orion?", "user"), *SERVER_SIDE, said("I found it: 81 stars.")])
    assert [message.role for message in trace.messages] == ["user", "assistant", "assistant"]
    calls = trace.messages[1].tool_calls
    names = ["web_search", "code_interpreter", "roll", "roll", "file_search", "image_generation"]
    assert [made.name for made in calls] == names
    assert not any(made.details.result_expected for made in calls)
    assert calls[0].arguments == {"type": "search", "query": "Orion"}
    assert (calls[1].arguments, calls[2].arguments) == ({"code": "1+1"}, {"sides": 6})
    told = {result.tool_call_id: (result.content, result.success) for result in trace.messages[1].tool_results}
    assert told == {"ci_1": ("2", True), "mcp_1": ("4", True), "mcp_2": ("no sides", False), "fs_1": ("", False)}
    found = evaluate_trace(trace).findings
    assert not [finding for finding in found if finding.rule.startswith("hallucination")]


def test_other_client_side_tools():
    shell = {"stdout": "a.txt\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
    trace = only(
        [
            {"type": "custom_tool_call", "call_id": "c1", "name": "run_sql", "input": "select 1"},
            {"type": "custom_tool_call_output", "call_id": "c1", "output": "1"},
            {"type": "shell_call", "call_id": "c2", "action": {"commands": ["ls"], "timeout_ms": None}},
            {"type": "shell_call_output", "call_id": "c2", "output": [shell]},
            {"type": "apply_patch_call", "call_id": "c3", "operation": {"type": "delete_file", "path": "a.txt"}},
            {"type": "apply_patch_call_output", "call_id": "c3", "status": "failed", "output": "no such file"},
            {"type": "local_shell_call", "id": "l", "call_id": "c4", "action": {"type": "exec", "command": ["ls"]}},
            {"type": "local_shell_call_output", "id": "c4", "output": "a.txt"},
            {"type": "computer_call", "call_id": "c5", "action": {"type": "screenshot"}},
            {"type": "computer_call_output", "call_id": "c5", "output": {"type": "computer_screenshot", "x": "y"}},
        ]
    )
    calls = [made for message in trace.messages for made in message.tool_calls]
    assert [made.name for made in calls] == ["run_sql", "shell", "apply_patch", "local_shell", "computer"]
    assert (calls[0].arguments, calls[1].arguments) == ({"input": "select 1"}, {"commands": ["ls"]})
    results = [result for message in trace.messages for result in message.tool_results]
    assert [result.tool_call_id for result in results] == ["c1", "c2", "c3", "c4", "c5"]
    assert [result.success for result in results] == [None, True, False, None, None]
    assert [result.content for result in results] == ["1", "a.txt", "no such file", "a.txt", "[computer_screenshot]"]


@pytest.mark.parametrize(
    ("exit_code", "success"), [({"type": "exit", "exit_code": 1}, False), ({"type": "timeout"}, False)]
)
def test_a_shell_that_failed(exit_code, success):
    told = {
        "type": "shell_call_output",
        "call_id": "c",
        "output": [{"stdout": "", "stderr": "no", "outcome": exit_code}],
    }
    assert only([said("Go", "user"), told]).messages[1].tool_results[0].success is success


def test_items_that_say_nothing_are_passed_over_and_unknown_ones_counted():
    silent = [{"type": "compaction", "encrypted_content": "x"}, {"type": "item_reference", "id": "msg_1"}]
    trace = only([*ITEMS[:1], *silent, {"type": "hologram"}, {"type": "hologram"}])
    assert len(trace.messages) == 1
    assert trace.metadata["reading_gaps"] == ['2 items of the unknown type "hologram": $[3], $[4]']


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        ([{"type": "web_search_preview_2025_03_11"}, {"type": "computer_use_preview"}], ["web_search", "computer"]),
        ([{"type": "custom", "name": "run_sql"}], ["run_sql"]),
        ([{"type": "function", "name": "f"}, {"type": "mcp", "server_label": "dice"}], None),
        ([{"type": "hologram"}], None),
        ([], []),
    ],
)
def test_tools_on_offer(tools, names):
    found = only({"input": "Hi", "tools": tools}).details.available_tools
    assert (None if found is None else [tool.name for tool in found]) == names


def test_a_cut_line():
    lines = b"\n".join(json.dumps(item).encode() for item in ITEMS)
    trace = only(lines + b'\n{"type": "mess')
    assert len(trace.messages) == 5
    assert trace.metadata["reading_gaps"] == ["1 line is not JSON: line 9"]
    whole, cut = read(json.dumps(RESPONSE).encode() + b'\n{"id": "resp')
    assert (whole.trace_id, cut.line) == ("resp_1", 2)


def test_what_holds_no_items_is_told():
    assert read({"hello": 1}) == [ReadError(message="contains no Responses items at $", line=1)]


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (json.dumps(ITEMS).encode(), 80),
        (json.dumps(RESPONSE).encode(), 88),
        (json.dumps([said("Hi", "user")]).encode(), 70),
        (json.dumps(SERVER_SIDE[:1]).encode(), 80),
        (b'{"type": "response_item", "payload": {"type": "function_call"}}', 0),
        (b'[{"role": "user", "content": "Hi"}]', 0),
    ],
)
def test_a_file_is_known_by_how_it_begins(head, sure):
    assert sniff_responses(head, "any") == sure
