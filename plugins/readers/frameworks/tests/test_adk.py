import pytest

from sentinel_core.trace import CallDetails


def event(author="agent", *parts, **fields):
    return {"author": author, "invocation_id": "i", "content": {"parts": list(parts)}, **fields}


def call(name="f", **fields):
    return {"function_call": {"name": name, "args": {}, **fields}}


def response(answer, name="f", **fields):
    return {"function_response": {"name": name, "response": answer, **fields}}


def test_a_clean_run_is_read_whole(read, data, told, tokens, origins):
    """Camel case; the partial event is passed over; thoughts count as part of the answer."""
    (trace,) = read("adk", data("adk-clean.json"))
    assert trace.trace_id == "sess-1"
    assert told(trace) == [
        ("user", "When is high tide?", [], []),
        ("assistant", None, [("adk-1", "tide_table", {"port": "Brest"})], []),
        ("tool", None, [], [("adk-1", "17:20", None)]),
        ("assistant", "High tide is at 17:20.", [], []),
    ]
    assert tokens(trace) == (100, 18, 118, 10, 4)
    assert origins(trace) == ["$.events[0]", "$.events[1]", "$.events[2]", "$.events[4]"]
    asked = trace.messages[1]
    assert (asked.details.reasoning, asked.details.model, asked.details.id) == (
        "The tables will tell.",
        "gemini-2.5-flash",
        "e2",
    )
    assert (asked.timestamp, asked.metadata) == ("2026-01-02T03:04:06Z", {"author": "tide_agent"})
    assert trace.details.outcome == "completed"


def test_a_rough_run_is_read_whole(read, data, told, tokens):
    """Snake case, one event a line, no ids, a transfer, parallel calls, one that failed, one that waits for a person."""
    (trace,) = read("adk", data("adk-rough.jsonl"))
    calls = [("call-2", "inspect", {"boat": "A"}), ("call-3", "inspect", {"boat": "B"}), ("ask", "ask_owner", {})]
    assert told(trace)[1:5] == [
        ("assistant", None, [("call-1", "transfer_to_agent", {"agent_name": "inspector"})], []),
        ("tool", None, [], [("call-1", "", None)]),
        ("assistant", None, calls, []),
        (
            "tool",
            None,
            [],
            [("call-2", '{"status":"success","report":"A is sound"}', True), ("call-3", "B is at sea", False)],
        ),
    ]
    assert trace.messages[3].tool_calls[2].details == CallDetails(result_expected=False)
    assert tokens(trace)[:2] == (80, 23)
    assert trace.metadata == {"reading_gaps": ["1 line is not JSON: 7"]}


@pytest.mark.parametrize(
    ("answer", "content", "success"),
    [
        ({"result": "r"}, "r", None),
        ({"output": ["a", "b"]}, "a\nb", None),
        ({"error": "e"}, "e", False),
        ({"status": "error", "why": 1}, '{"status":"error","why":1}', False),
        ({"status": "ok"}, '{"status":"ok"}', True),
        ({"status": "pending"}, '{"status":"pending"}', None),
        ("text", "text", None),
        (None, "", None),
    ],
)
def test_what_a_function_answers(read, told, answer, content, success):
    (trace,) = read("adk", [event("agent", call()), event("agent", response(answer))])
    assert told(trace)[1][3] == [("call-1", content, success)]


def test_results_without_ids_belong_to_the_oldest_call_of_their_tool(read, told):
    asked = event("agent", call("a"), call("b"), call("a"))
    answers = event("agent", response({"result": 1}, "b"), response({"result": 2}, "a"), response({"result": 3}, "a"))
    (trace,) = read("adk", [asked, answers])
    assert [result[0] for result in told(trace)[1][3]] == ["call-2", "call-1", "call-3"]


def test_code_that_the_server_ran(read, told):
    code = {"executableCode": {"language": "PYTHON", "code": "1 + 1"}}
    ran = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}}
    (trace,) = read("adk", [event("agent", code), event("agent", ran, {"inlineData": {"mimeType": "image/png"}})])
    assert told(trace)[0][2] == [("call-1", "executable_code", {"language": "PYTHON", "code": "1 + 1"})]
    assert told(trace)[1] == ("assistant", "[inlineData]", [], [])
    assert told(trace)[2][3] == [("call-1", "2", True)]


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        ({"errorCode": "SAFETY"}, "error"),
        ({"error_code": "MAX_TOKENS"}, "max_tokens"),
        ({"interrupted": True}, "interrupted"),
        ({"finishReason": "STOP"}, "completed"),
        ({"finish_reason": "MALFORMED_FUNCTION_CALL"}, "error"),
        ({}, None),
    ],
)
def test_the_end_of_a_run_gives_the_outcome(read, last, outcome):
    (trace,) = read("adk", [event("user", {"text": "hi"}), event("agent", {"text": "ho"}, **last)])
    assert trace.details.outcome == outcome


def test_an_error_that_was_got_over_is_no_outcome(read):
    (trace,) = read("adk", [event("agent", error_code="503"), event("agent", {"text": "ho"})])
    assert trace.details.outcome is None


def test_each_layout_of_the_format_is_read(read):
    session = {"id": "s", "events": [event("user", {"text": "hi"})]}
    unnamed = {"events": [event("user", {"text": "hi"})]}
    assert [trace.trace_id for trace in read("adk", [session, unnamed])] == ["s", "file:2"]
    assert [trace.trace_id for trace in read("adk", [[session, unnamed]])] == ["s", "file[1]"]
    assert [trace.trace_id for trace in read("adk", [session["events"]])] == ["file"]


def test_what_is_no_event_is_counted(read):
    (trace,) = read("adk", [{"id": "s", "events": [event("user", {"text": "hi"}), 5, {"id": "x"}]}])
    assert trace.metadata == {"reading_gaps": ["2 entries that are not events"]}
