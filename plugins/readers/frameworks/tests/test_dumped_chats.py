"""Chats as their own libraries dump them: read alike, recognised among all formats, and judged by what was called."""

import json
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from commanding import run_command
from tables import each_row

from sentinel_core import CallDetails, ExecutionTrace, judge
from sentinel_core.testing import BytesSource
from sentinel_core.traces.sources import FileSource, choose_reader
from sentinel_readers_frameworks import sentinel_trace_readers

DATA = Path(__file__).parent / "data"
READERS = {reader.name: reader for reader in sentinel_trace_readers()}
FORMATS = ("agno", "ai-sdk", "bedrock-converse", "google-genai", "llama-index", "semantic-kernel", "smolagents")
TOKENS = {"ai-sdk": (20, 10), "google-genai": (20, 10)}
ASKED = "Please cancel order A-7."
ANSWER = "I have cancelled order A-7."


def all_readers():
    modules = {entry.value for entry in entry_points(group="sentinel.trace_readers")}
    return [reader for module in sorted(modules) for reader in import_module(module).sentinel_trace_readers()]


def clean(name):
    return (DATA / f"{name}-clean.json").read_bytes()


def rough(name):
    return next(DATA.glob(f"{name}-rough.*")).read_bytes()


def lied(name):
    """The same, in which the order is looked up twice, and never cancelled."""
    data = clean(name).replace(b"cancel_order", b"get_order").replace(b"cancelled A-7", b"order A-7: open")
    assert data != clean(name)
    return data


def steps(told):
    """What was said and called, without instructions and the words between two calls."""
    return [step for step in told if step[0] != "system" and (step[1] in (None, ASKED, ANSWER) or step[2] or step[3])]


def session(folder, chat):
    """A Strands session of Converse messages: each in a file of its own."""
    messages = folder / "session_s" / "agents" / "agent_a" / "messages"
    messages.mkdir(parents=True)
    (folder / "session_s" / "session.json").write_text('{"session_id": "s", "session_type": "AGENT"}')
    (messages.parent / "agent.json").write_text('{"agent_id": "a", "state": {}}')
    for number, message in enumerate(chat):
        whole = {"message": message, "message_id": number, "redact_message": None}
        (messages / f"message_{number}.json").write_text(json.dumps(whole))
    return messages


@pytest.mark.parametrize("name", FORMATS)
def test_a_chat_is_read_whole(name, read, told, tokens):
    (trace,) = read(name, clean(name))
    looked, cancelled = ("get_order", {"order": "A-7"}), ("cancel_order", {"order": "A-7"})
    said = steps(told(trace))
    assert [(role, text) for role, text, calls, results in said if not (calls or results)] == [
        ("user", ASKED),
        ("assistant", ANSWER),
    ]
    calls = [call for _, _, made, _ in said for call in made]
    assert [(tool, arguments) for _, tool, arguments in calls] == [looked, cancelled]
    results = [result for _, _, _, given in said for result in given]
    assert [content for _, content, _ in results] == ["order A-7: open", "cancelled A-7"]
    assert [call_id for call_id, _, _ in results] == [call_id for call_id, _, _ in calls]
    assert False not in [success for _, _, success in results]
    assert tokens(trace)[:2] == TOKENS.get(name, (30, 15))
    assert (trace.details.source, trace.metadata) == (name, {})
    assert all(message.details.origin for message in trace.messages)


@pytest.mark.parametrize("name", FORMATS)
def test_a_failed_call_and_a_line_that_is_cut_are_told(name, read, told):
    data = rough(name)
    (trace,) = read(name, data)
    made = [call for message in trace.messages for call in message.tool_calls]
    assert [call.name for call in made] == ["get_order", "get_order", "cancel_order", "cancel_order"]
    results = [result for message in trace.messages for result in message.tool_results]
    assert [result.tool_call_id for result in results] == [call.id for call in made]
    assert "a delivered order cannot be cancelled" in results[-1].content
    is_cut = not data.endswith(b"}") and b'{"role": "assist\n' in data
    assert ("reading_gaps" in trace.metadata) is is_cut


@each_row("name", FORMATS)
@each_row("data", [clean, rough])
def test_the_format_is_recognised_among_all(name, data):
    assert choose_reader(BytesSource(data=data(name), name="chat.json"), all_readers()).name == name


@pytest.mark.unmeasured
@pytest.mark.parametrize("name", FORMATS)
def test_an_honest_run_passes_and_a_lie_fails(name, tmp_path):
    for data, verdict, code in ((clean(name), "PASS", 0), (lied(name), "FAIL", 2)):
        (tmp_path / "chat.json").write_bytes(data)
        done = run_command(tmp_path, "evaluate", "chat.json", "--format", "json")
        (report,) = json.loads(done.stdout) if done.stdout.startswith("[") else [json.loads(done.stdout)]
        assert (done.returncode, report["verdict"], report["unread"]) == (code, verdict, [])


@pytest.mark.parametrize(("data", "code"), [(clean, 0), (lied, 2)])
def test_the_folder_of_a_session_is_evaluated_as_one_trace(data, code, tmp_path):
    session(tmp_path, json.loads(data("bedrock-converse")))
    done = run_command(tmp_path, "evaluate", "session_s")
    assert done.returncode == code
    assert "read as part of a session, not on their own: 7 files" in done.stderr


@pytest.mark.parametrize(("data", "verdict"), [(clean, "PASS"), (lied, "FAIL")])
def test_a_session_in_a_file_per_message_is_one_trace(data, verdict, tmp_path, told):
    messages = session(tmp_path, json.loads(data("bedrock-converse")))
    first = messages / "message_0.json"
    assert judge(first).verdict == verdict
    source = FileSource(path=messages / "message_3.json", label="message_3.json")
    assert choose_reader(source, all_readers()).name == "strands"
    (trace,) = READERS["strands"].read(source)
    assert len(trace.messages) == 6
    assert trace.messages[3].details.origin == "message_3.json"


def test_the_messages_of_a_session_are_in_the_order_of_their_numbers(tmp_path):
    messages = session(tmp_path, [{"role": "user", "content": [{"text": str(at)}]} for at in range(12)])
    (trace,) = READERS["strands"].read(FileSource(path=messages / "message_0.json", label="message_0.json"))
    assert [message.content for message in trace.messages] == [str(at) for at in range(12)]
    (messages / "message_4.json").write_text("{")
    (error,) = READERS["strands"].read(FileSource(path=messages / "message_0.json", label="message_0.json"))
    assert error.message.startswith("message_4.json: ")


def test_requests_and_responses_of_converse_are_read(read, told, tokens):
    request = {
        "system": [{"text": "You help."}],
        "messages": [{"role": "user", "content": [{"text": ASKED}]}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "cancel_order", "inputSchema": {"json": {"type": "object"}}}}]},
    }
    use = {"toolUse": {"toolUseId": "c1", "name": "cancel_order", "input": {"order": "A-7"}}}
    thought = {"reasoningContent": {"reasoningText": {"text": "It is open."}}}
    usage = {"inputTokens": 7, "outputTokens": 3, "cacheReadInputTokens": 5, "totalTokens": 15}
    reply = {"output": {"message": {"role": "assistant", "content": [thought, use]}}, "usage": usage}
    log = {"operation": "Converse", "input": {"inputBodyJson": request}, "output": {"outputBodyJson": reply}}
    for record in ({**request, **reply}, {"request": request, "response": {**reply, "stopReason": "end_turn"}}, log):
        (trace,) = read("bedrock-converse", [record])
        assert told(trace)[0] == ("system", "You help.", [], [])
        assert told(trace)[2] == ("assistant", None, [("c1", "cancel_order", {"order": "A-7"})], [])
        assert trace.messages[2].details.reasoning == "It is open."
        assert tokens(trace) == (12, 3, 15, 5, 0)
        assert [tool.name for tool in trace.details.available_tools] == ["cancel_order"]
        assert trace.details.outcome == ("completed" if "response" in record else None)


@pytest.mark.parametrize("content", [[{"json": {"a": 1}}], [{"text": '{"a":1}'}]])
def test_results_of_converse(read, told, content):
    use = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}]}
    result = {"toolUseId": "c", "status": "error", "content": content}
    (trace,) = read("bedrock-converse", [[use, {"role": "user", "content": [{"toolResult": result}, {"text": "So?"}]}]])
    assert told(trace)[1:] == [("tool", None, [], [("c", '{"a":1}', False)]), ("user", "So?", [], [])]


def ui(*parts):
    return [[{"id": "m", "role": "assistant", "parts": list(parts)}]]


@pytest.mark.parametrize(
    ("part", "name", "results", "expected"),
    [
        ({"type": "tool-f", "state": "output-available", "output": {"a": 1}}, "f", [("c", '{"a":1}', None)], True),
        (
            {"type": "dynamic-tool", "toolName": "g", "state": "output-error", "errorText": "no"},
            "g",
            [("c", "no", False)],
            True,
        ),
        (
            {"type": "tool-f", "state": "output-denied", "approval": {"id": "a", "approved": False, "reason": "late"}},
            "f",
            [("c", "denied: late", False)],
            True,
        ),
        ({"type": "tool-f", "state": "approval-requested"}, "f", [], False),
        ({"type": "tool-f", "state": "input-available"}, "f", [], True),
    ],
)
def test_the_states_of_a_tool_in_ui_messages(read, told, part, name, results, expected):
    (trace,) = read("ai-sdk", ui({"toolCallId": "c", "input": {"x": 1}, **part}))
    assert told(trace)[0] == ("assistant", None, [("c", name, {"x": 1})], [])
    assert [result for step in told(trace) for result in step[3]] == results
    assert trace.messages[0].tool_calls[0].details == CallDetails(result_expected=expected)


def test_a_reply_of_several_steps_keeps_their_order(read, told):
    old = {"state": "result", "toolCallId": "c", "toolName": "f", "args": {}, "result": "yes"}
    invocation = {"type": "tool-invocation", "toolInvocation": old}
    data = {"type": "data-weather", "data": {"sun": True}}
    parts = ({"type": "reasoning", "text": "Hm."}, {"type": "text", "text": "I look."}, invocation, data)
    (trace,) = read("ai-sdk", ui(*parts, {"type": "text", "text": "Yes."}))
    assert told(trace) == [
        ("assistant", "I look.\n[data-weather]", [("c", "f", {})], []),
        ("tool", None, [], [("c", "yes", None)]),
        ("assistant", "Yes.", [], []),
    ]
    assert trace.messages[0].details.reasoning == "Hm."


def test_each_chat_of_a_store_is_a_trace(read):
    chat = [{"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": "Hi."}]}]
    store = {"store": {"u1": chat, "u2": chat}, "class_name": "SimpleChatStore"}
    for record in (store, {"chat_store": store}):
        assert [trace.trace_id for trace in read("llama-index", [record])] == ["u1", "u2"]


def test_calls_that_the_provider_repeats_count_once(read, told):
    block = {"block_type": "tool_call", "tool_call_id": "c", "tool_name": "f", "tool_kwargs": {"x": 1}}
    again = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    message = {"role": "assistant", "blocks": [block], "additional_kwargs": {"tool_calls": [again]}}
    (trace,) = read("llama-index", [[message]])
    assert told(trace) == [("assistant", None, [("c", "f", {"x": 1})], [])]


def agno_run(number, *, repeats=(), **more):
    own = [
        {"id": f"{number}-{role}", "role": role, "content": role, "from_history": False}
        for role in ("user", "assistant")
    ]
    return {"run_id": f"r{number}", "messages": [*repeats, *own], "status": "COMPLETED", **more}


def test_a_session_of_runs_and_a_team_of_members(read):
    first = agno_run(1)
    repeats = [{**message, "from_history": True} for message in first["messages"]]
    second = agno_run(2, repeats=repeats, member_responses=[agno_run(3)])
    (trace,) = read("agno", [{"session_id": "s", "runs": [first, second]}])
    assert (trace.trace_id, len(trace.messages), trace.details.outcome) == ("s", 4, "completed")
    assert [child.trace_id for child in trace.details.children] == ["r3"]
    (trace,) = read("agno", [{"run_data": second, "session_id": "s"}])
    assert [message.details.is_copied_context for message in trace.messages] == [True, True, False, False]


def test_an_error_of_a_tool_is_a_failure_and_its_absence_is_no_success(read, told):
    call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}
    for error, success in ((True, False), (False, None)):
        result = {"role": "tool", "tool_call_id": "c", "content": "x", "tool_call_error": error}
        (trace,) = read("agno", [[call, result]])
        assert told(trace)[1][3] == [("c", "x", success)]


def test_code_of_an_agent_is_a_call_and_its_answer_a_text(read, told):
    step = {
        "step_number": 1,
        "tool_calls": [
            {"id": "call_1", "function": {"name": "python_interpreter", "arguments": "final_answer(6 * 7)"}}
        ],
        "model_output": "Thought: easy\n<code>\nfinal_answer(6 * 7)\n</code>",
        "code_action": "final_answer(6 * 7)",
        "observations": "Execution logs:\nLast output from code snippet:\n42",
        "action_output": 42,
        "is_final_answer": True,
    }
    plan = {"plan": "Multiply.", "model_output_message": {"role": "assistant", "content": "Multiply."}}
    result = {"output": 42, "state": "success", "steps": [{"task": "6 * 7?"}, plan, step, {"output": 42}]}
    (trace,) = read("smolagents", [result])
    assert told(trace)[2:] == [
        ("assistant", "Thought: easy", [("call_1", "python_interpreter", {"code": "final_answer(6 * 7)"})], []),
        ("tool", None, [], [("call_1", "Execution logs:\nLast output from code snippet:\n42", None)]),
        ("assistant", "42", [], []),
    ]
    assert (trace.details.outcome, trace.messages[1].details.reasoning) == ("completed", "Multiply.")


def test_a_step_that_failed_has_failed_results(read, told):
    calls = [{"id": at, "function": {"name": "f", "arguments": {"at": at}}} for at in ("a", "b")]
    error = {"type": "AgentToolExecutionError", "message": "no such order"}
    steps = [{"task": "x"}, {"step_number": 1, "tool_calls": calls, "error": error, "observations": None}]
    (trace,) = read("smolagents", [steps])
    assert told(trace)[2][3] == [("a", "no such order", False), ("b", "no such order", False)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("agno", {"other": 1}),
        ("ai-sdk", {"other": 1}),
        ("bedrock-converse", {"other": 1}),
        ("google-genai", {"other": 1}),
        ("llama-index", {"other": 1}),
        ("semantic-kernel", {"other": 1}),
    ],
)
def test_what_holds_no_chat_is_an_error(name, value, read):
    (error,) = read(name, [value])
    assert error.message == f"contains no {name} messages at $"


@pytest.mark.parametrize("name", FORMATS)
def test_an_entry_that_is_no_message_is_counted(name, read):
    value = json.loads(clean(name))
    if name == "google-genai":
        value = value["automatic_function_calling_history"]
    messages = value if isinstance(value, list) else value["messages"]
    (trace,) = read(name, [[*messages, 5, {"xUnknown": 1}]])
    assert isinstance(trace, ExecutionTrace)
    kind = "steps of an unknown kind" if name == "smolagents" else "records in no known shape"
    assert trace.metadata == {"reading_gaps": [f"2 {kind}"], "reading_gaps_at": [len(trace.messages)]}


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("name", "known", "unknown"),
    [
        ("agno", b'"tool_calls"', b'"tool_requests"'),
        ("ai-sdk", b'"tool-cancel_order"', b'"gadget-cancel_order"'),
        ("bedrock-converse", b'"toolUse"', b'"toolRequest"'),
        ("google-genai", b'"function_call"', b'"function_request"'),
        ("llama-index", b'"tool_call"', b'"tool_request"'),
        ("semantic-kernel", b'"function_call"', b'"function_request"'),
        ("smolagents", b'"tool_calls"', b'"tool_requests"'),
    ],
)
def test_an_honest_run_with_calls_of_an_unknown_kind_is_not_accused(name, known, unknown, tmp_path):
    data = clean(name).replace(known, unknown)
    assert data != clean(name)
    (tmp_path / "chat.json").write_bytes(data)
    report = judge(tmp_path / "chat.json")
    assert (report.verdict, bool(report.unread)) == ("PASS", True)
    assert [finding for finding in report.findings if finding.severity != "note"] == []
    done = run_command(tmp_path, "evaluate", "chat.json", "--strict")
    assert done.returncode == 3
    assert "--strict rejects record 1, because it could not be read completely" in done.stderr
