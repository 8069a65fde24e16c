import json

import pytest
from claude_samples import (
    CLEAN,
    PARALLEL,
    SESSION,
    jsonl,
    line,
    origins,
    read,
    result,
    said,
    shape,
    text,
    trace_of,
    use,
    user,
)

import sentinel_readers_claude as claude
from sentinel_core import ReadError, TokenUsage, TraceReader, evaluate_trace
from sentinel_core.testing import TraceReaderContract


class TestClaudeCode(TraceReaderContract):
    def make(self) -> TraceReader:
        return next(reader for reader in claude.sentinel_trace_readers() if reader.name == "claude-code")

    def sample(self) -> bytes:
        return jsonl(*PARALLEL)

    def filename(self) -> str:
        return f"{SESSION}.jsonl"


def test_a_clean_session_field_by_field():
    trace = trace_of(*CLEAN)
    assert (trace.trace_id, trace.schema, trace.details.source) == (SESSION, 2, "claude-code")
    assert trace.metadata == {"version": "2.1.9"}
    assert shape(trace) == [
        ("user", "What does notes.txt say?", [], []),
        ("assistant", "I will look at the file.", ["toolu_1"], []),
        ("tool", None, [], [("toolu_1", "buy milk ✓\u0000", True)]),
        ("assistant", "It says to buy milk.", [], []),
    ]
    assert origins(trace) == ["line 2", "line 3", "line 6", "line 7"]
    asked = trace.messages[1]
    assert asked.timestamp == "2026-03-04T05:06:02.000Z"
    assert (asked.details.id, asked.details.model, asked.details.reasoning) == (
        "msg_1",
        "claude-test-1",
        "read it first",
    )
    assert asked.details.usage == TokenUsage(prompt_tokens=10, completion_tokens=9)
    assert asked.tool_calls[0].name == "Read"
    assert asked.tool_calls[0].arguments == {"file_path": "notes.txt"}
    assert trace.messages[0].details.id == "u1"
    assert trace.token_usage == TokenUsage(prompt_tokens=40, completion_tokens=16, total_tokens=56)
    assert trace.details.outcome == "completed"


def test_parallel_calls_an_error_and_a_cut_last_line():
    (trace,) = read(jsonl(*PARALLEL) + b'{"type":"user","uuid":"u4","mess')
    assert shape(trace) == [
        ("user", "Compare a.txt with b.txt", [], []),
        ("assistant", None, ["toolu_1", "toolu_2"], []),
        ("tool", None, [], [("toolu_1", "apples", True)]),
        ("tool", None, [], [("toolu_2", "no such file b.txt", False)]),
        ("assistant", "I could not read b.txt.", [], []),
    ]
    assert trace.token_usage.total == 10 + 8 + 10 + 5
    assert trace.metadata["reading_gaps"] == ["1 line is not JSON: 7"]


@pytest.mark.parametrize("records", [CLEAN, PARALLEL])
def test_clean_runs_pass(records):
    report = evaluate_trace(trace_of(*records))
    assert report.verdict == "PASS"
    expected = ["ending.failure_told", "tool_misuse.failed_call"] if records is PARALLEL else []
    assert [finding.rule for finding in report.findings] == expected


def test_a_response_line_left_off_the_chain_is_put_back():
    trace = trace_of(
        user("u1", None, "go"),
        said("a1", "u1", "msg_1", text("Both.")),
        said("a2", "a1", "msg_1", use("toolu_1")),
        said("a3", "a1", "msg_1", use("toolu_2")),
        user("u2", "a2", [result("toolu_1", "one")]),
        user("u3", "a3", [result("toolu_2", "two")]),
        said("a4", "u3", "msg_2", text("Done with both."), reason="end_turn"),
    )
    assert [call.id for call in trace.messages[1].tool_calls] == ["toolu_2", "toolu_1"]
    assert sorted(answer.content for message in trace.messages for answer in message.tool_results) == ["one", "two"]


def test_a_branch_given_up_is_left_out_and_told():
    trace = trace_of(
        user("u1", None, "first try"),
        said("a1", "u1", "msg_1", text("An answer that nobody kept.")),
        user("u2", None, "start"),
        said("a2", "u2", "msg_2", text("Old.")),
        user("u3", "u2", "again"),
        said("a3", "u3", "msg_3", text("New."), reason="end_turn"),
    )
    assert [message.content for message in trace.messages] == [
        "first try", "An answer that nobody kept.", "start", "again", "New.",
    ]  # fmt: skip
    assert trace.metadata["reading_notes"] == ["1 line is on an abandoned branch: 4"]


def test_hidden_lines_link_the_chain_but_are_no_messages():
    trace = trace_of(
        user("u1", None, "Caveat: machinery", isMeta=True),
        user("u2", "u1", "hello"),
        {"type": "attachment", "uuid": "x1", "parentUuid": "u2", "sessionId": SESSION, "attachment": {}},
        {"type": "progress", "uuid": "x2", "parentUuid": "x1", "sessionId": SESSION, "data": {}},
        user("t1", "x2", "from a team mate", teamName="blue"),
        said("a1", "x2", "msg_1", text("Hello."), reason="end_turn"),
        {"type": "system", "uuid": "x3", "parentUuid": "a1", "sessionId": SESSION, "subtype": "turn_duration"},
    )
    assert [message.content for message in trace.messages] == ["hello", "Hello."]
    assert trace.metadata["reading_notes"] == ["1 line belongs to a teammate: 5"]


def test_what_came_before_a_compaction_is_kept_and_its_summary_is_copied_context():
    trace = trace_of(
        user("u1", None, "long work"),
        said("a1", "u1", "msg_1", text("Working on it."), reason="end_turn"),
        line("system", "s1", None, None, subtype="compact_boundary", logicalParentUuid="a1"),
        user("u2", "s1", "Summary: long work was begun", isCompactSummary=True),
        said("a2", "u2", "msg_2", text("Going on."), reason="end_turn"),
    )
    assert [(message.content, message.details.is_copied_context) for message in trace.messages] == [
        ("long work", False),
        ("Working on it.", False),
        ("Summary: long work was begun", True),
        ("Going on.", False),
    ]


@pytest.mark.parametrize("mark", ["[Request interrupted by user]", "[Request interrupted by user for tool use]"])
def test_an_interrupted_call_is_no_finding(mark):
    trace = trace_of(
        user("u1", None, "delete it"),
        said("a1", "u1", "msg_1", use("toolu_0", file_path="a")),
        user("u2", "a1", [result("toolu_0", "a")]),
        said("a2", "u2", "msg_2", use("toolu_1", "Bash", command="rm x"), reason="tool_use"),
        user("u3", "a2", [text(mark)]),
        user("u4", "u3", "leave it be"),
        said("a3", "u4", "msg_3", text("As you like."), reason="end_turn"),
    )
    assert trace.messages[1].tool_calls[0].details is None
    assert trace.messages[3].tool_calls[0].details.result_expected is False
    assert evaluate_trace(trace).findings == ()
    assert trace_of(user("u1", None, "go"), user("u2", "u1", [text(mark)])).details.outcome == "interrupted"


def test_a_rejected_call_did_not_fail():
    content = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    trace = trace_of(
        user("u1", None, "edit it"),
        said("a1", "u1", "msg_1", use("toolu_1", "Edit", file_path="a")),
        user("u2", "a1", [result("toolu_1", content, is_error=True)]),
    )
    (answer,) = trace.messages[2].tool_results
    assert (answer.success, answer.metadata) == (None, {"not_run": True})


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        (user("u2", "a1", [result("toolu_1", "fine")]), "interrupted"),
        (said("a2", "a1", "msg_2", text("cut"), reason="max_tokens"), "max_tokens"),
        (said("a2", "a1", "msg_2", text("no"), reason="refusal"), "refusal"),
        (said("a2", "a1", "msg_2", text("stopped"), reason="stop_sequence"), "completed"),
        (said("a2", "a1", "msg_2", text("unknown")), None),
        (user("u2", "a1", "thanks"), None),
        ({"type": "summary", "summary": "s", "leafUuid": "a1"}, "interrupted"),
    ],
)
def test_the_end_of_a_run_gives_the_outcome(last, outcome):
    trace = trace_of(user("u1", None, "go"), said("a1", "u1", "msg_1", use("toolu_1")), last)
    assert trace.details.outcome == outcome


def test_what_the_client_wrote_is_not_the_models():
    failed = said("a1", "u1", "no-id", text("API Error: overloaded"), isApiErrorMessage=True, usage=(0, 0))
    failed["message"]["model"] = "<synthetic>"
    trace = trace_of(user("u1", None, "go"), failed)
    assert shape(trace)[1] == ("system", "API Error: overloaded", [], [])
    assert (trace.messages[1].details.model, trace.token_usage) == (None, None)
    assert trace.details.outcome == "error"


def test_lines_that_cannot_be_used_are_told_and_excuse_a_call():
    data = jsonl(user("u1", None, "go"), said("a1", "u1", "msg_1", use("toolu_1"), use("toolu_2")))
    data += b"{broken\n" + b"42\n" + jsonl({"no": "type"}, {"type": "user", "message": {}})
    data += jsonl({"type": "api-request-blob", "hash": "1", "message": {"role": "user", "content": "a copy"}})
    data += jsonl(
        line("user", "u2", "a1", "only text"),
        user("u3", "a1", [result("toolu_2", "ok")]),
        said("a2", "u3", "msg_2", text("The file is fine."), reason="end_turn"),
    )
    (trace,) = read(data)
    assert trace.metadata["reading_gaps"] == [
        "1 line is not JSON: 3",
        "3 lines are not session lines: 4, 5, 6",
    ]
    assert trace.metadata["reading_notes"] == ["1 line is on an abandoned branch: 8"]
    assert trace.messages[1].tool_calls[0].details.result_expected is False
    assert trace.messages[1].tool_calls[1].details is None


def test_the_last_of_lines_with_one_uuid_counts():
    trace = trace_of(
        line("user", "u1", None, {"role": "user"}), user("u1", None, "go"), user("u1", None, "go"),
        said("a1", "u1", "msg_1", text("Going."), reason="end_turn"),
    )  # fmt: skip
    assert [message.content for message in trace.messages] == ["go", "Going."]
    assert trace.metadata["reading_gaps"] == ["1 line was replaced by a later one: 1"]


def test_messages_without_content_are_told():
    trace = trace_of(user("u1", None, "go"), line("user", "u2", "u1", {"contents": []}))
    assert trace.metadata["reading_gaps"] == ["1 message has no content: 2"]


def test_long_lists_of_lines_are_cut():
    (trace,) = read(jsonl(user("u1", None, "go")) + b"x\n" * 12)
    assert trace.metadata["reading_gaps"] == ["12 lines are not JSON: 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more"]


@pytest.mark.parametrize(
    ("data", "message", "number"),
    [
        (b"{nonsense", "is not JSON", 1),
        (jsonl({"type": "summary", "summary": "s", "leafUuid": "u"}), "no line is a message of a session", None),
        (jsonl(user("u1", None, "quiet", isMeta=True)), "the session contains no messages", None),
    ],
)
def test_a_file_without_messages_is_refused(data, message, number):
    (error,) = read(data)
    assert isinstance(error, ReadError)
    assert message in error.message
    assert error.line == number


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (jsonl(*CLEAN), 95),
        (b"\xef\xbb\xbf" + jsonl(*CLEAN), 95),
        (jsonl(user("u1", None, "x" * 70_000))[:65536], 75),
        (json.dumps(user("u1", None, "x")).encode()[:-1], 75),
        (jsonl({"type": "summary", "summary": "s", "leafUuid": "u"}), 70),
        (jsonl({"trace_id": "t", "messages": [user("u1", None, "x")]}), 0),
        (jsonl({"text": json.dumps(user("u1", None, "x"))}), 0),
    ],
)
def test_a_file_is_known_by_how_it_begins(head, sure):
    assert claude.sniff_claude_code(head, "any") == sure


@pytest.mark.parametrize("before", [b"", b'{"type": "queue-operation", "operation": "enqueue"}\n'])
def test_a_session_whose_first_message_fills_the_head_is_known(before):
    reader = TestClaudeCode().make()
    long = {
        "parentUuid": None,
        "sessionId": SESSION,
        "type": "user",
        "message": {"role": "user", "content": "x" * 70_000},
    }
    data = before + json.dumps({**long, "uuid": "u"}).encode()
    assert reader.sniff(data[: 1 << 16], "session.jsonl") == 75
