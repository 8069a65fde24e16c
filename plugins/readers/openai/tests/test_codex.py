import json
from pathlib import Path

import pytest

from sentinel_core import ExecutionTrace, ReadError, TraceReader, evaluate_trace
from sentinel_core.testing import BytesSource, TraceReaderContract
from sentinel_core.traces.sources import FileSource
from sentinel_readers_openai import sentinel_trace_readers, sniff_codex
from sentinel_readers_openai.codex import read as read_codex

OWN = "0198aaaa-0000-7000-8000-000000000001"
CHILD = "0198aaaa-0000-7000-8000-000000000002"


def line(kind: str, second: int, /, **payload: object) -> dict[str, object]:
    return {"timestamp": f"2026-03-01T10:00:{second:02}.000Z", "type": kind, "payload": payload}


def said(second: int, text: str, role: str = "assistant") -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    return line("response_item", second, type="message", role=role, content=[{"type": kind, "text": text}])


def call(second: int, call_id: str, name: str, **arguments: object) -> dict[str, object]:
    return line(
        "response_item", second, type="function_call", name=name, arguments=json.dumps(arguments), call_id=call_id
    )


def output(second: int, call_id: str, text: str) -> dict[str, object]:
    return line("response_item", second, type="function_call_output", call_id=call_id, output=text)


def counted(
    second: int, prompt: int, cached: int, written: int, last: dict[str, int] | None = None
) -> dict[str, object]:
    total = {"input_tokens": prompt, "cached_input_tokens": cached, "output_tokens": written}
    total["total_tokens"] = prompt + written
    info = {"total_token_usage": total, "last_token_usage": last, "model_context_window": 200000}
    return line("event_msg", second, type="token_count", info=info)


META = line(
    "session_meta", 0, id=OWN, cwd="/home/ada/shop", cli_version="1.2.3", originator="codex_cli_rs", source="cli"
)
CLEAN = [
    META,
    line("turn_context", 1, model="small-codex", approval_policy="never"),
    line("event_msg", 1, type="task_started", turn_id="t1"),
    line("event_msg", 2, type="user_message", message="Which files are there?"),
    said(2, "Which files are there?", "user"),
    line("event_msg", 3, type="token_count", info=None),
    line(
        "response_item",
        3,
        type="reasoning",
        summary=[{"type": "summary_text", "text": "List them."}],
        encrypted_content="gAAAA-secret",
    ),
    call(4, "c1", "exec_command", cmd="ls"),
    counted(4, 1000, 800, 50),
    output(5, "c1", "Chunk ID: 1\nProcess exited with code 0\nOutput:\na.txt"),
    line("event_msg", 6, type="agent_message", message="There is a.txt."),
    said(6, "There is a.txt."),
    counted(6, 2200, 1800, 70),
    counted(7, 2200, 1800, 70),
    line("world_state", 7, anything=1),
    line("event_msg", 7, type="task_complete", last_agent_message="There is a.txt."),
]
ERRED = [
    META,
    said(1, "Build and test it.", "user"),
    said(2, "I will run both."),
    call(2, "c1", "shell", command=["make"]),
    call(2, "c2", "shell", command=["pytest"]),
    output(3, "c2", json.dumps({"output": "1 failed", "metadata": {"exit_code": 1, "duration_seconds": 0.1}})),
    output(3, "c1", "Exit code: 0\nWall time: 1 seconds\nOutput:\nmade"),
    call(4, "c3", "shell", command=["pytest", "-x"]),
    output(5, "c3", "Exit code: 0\nWall time: 1 seconds\nOutput:\n2 passed"),
    said(6, "The tests pass after a second run."),
]
FLAT = [
    {"id": OWN, "timestamp": "2025-07-01T08:00:00.000Z", "instructions": "Be careful.", "git": {"branch": "main"}},
    {"record_type": "state"},
    {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": "List files."}]},
    {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "opaque"},
    {"type": "function_call", "id": "fc", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
    {"record_type": "state"},
    {
        "type": "message",
        "id": None,
        "role": "assistant",
        "content": [{"type": "output_text", "text": "There is a.txt."}],
    },
]


def as_lines(records: list[dict[str, object]]) -> bytes:
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


class TestCodex(TraceReaderContract):
    def make(self) -> TraceReader:
        return next(reader for reader in sentinel_trace_readers() if reader.name == "codex")

    def sample(self) -> bytes:
        return as_lines(CLEAN)

    def filename(self) -> str:
        return f"rollout-2026-03-01T10-00-00-{OWN}.jsonl"


class TestFlat(TestCodex):
    def sample(self) -> bytes:
        return as_lines(FLAT)


def read(records: list[dict[str, object]], tail: bytes = b"") -> ExecutionTrace:
    (trace,) = read_codex(BytesSource(data=as_lines(records) + tail, name="rollout.jsonl"))
    assert isinstance(trace, ExecutionTrace)
    return trace


def test_clean_session():
    trace = read(CLEAN)
    assert trace.trace_id == OWN
    assert [message.role for message in trace.messages] == ["user", "assistant", "tool", "assistant"]
    asked, answer = trace.messages[1], trace.messages[3]
    assert (asked.details.model, asked.details.reasoning) == ("small-codex", "List them.")
    assert asked.tool_calls[0].arguments == {"cmd": "ls"}
    assert (asked.timestamp, asked.tool_calls[0].timestamp) == ("2026-03-01T10:00:03.000Z", "2026-03-01T10:00:04.000Z")
    assert trace.messages[2].tool_results[0].success is True
    assert answer.content == "There is a.txt."
    assert [message.details.origin for message in trace.messages] == ["line 5", "line 7", "line 10", "line 12"]
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (2200, 70)
    assert trace.token_usage.details.cached_tokens == 1800
    assert (asked.details.usage.prompt_tokens, answer.details.usage.prompt_tokens) == (1000, 1200)
    assert trace.details.outcome == "completed"
    assert trace.metadata == {"cwd": "/home/ada/shop", "cli_version": "1.2.3", "originator": "codex_cli_rs"}
    assert "secret" not in repr(trace)


@pytest.mark.parametrize("records", [CLEAN, FLAT])
def test_clean_sessions_pass_without_a_finding(records):
    report = evaluate_trace(read(records))
    assert (report.verdict, report.findings) == ("PASS", ())


def test_parallel_calls_an_error_and_a_cut_last_line():
    trace = read(ERRED, b'{"timestamp": "2026-03-01T10:0')
    assert [made.id for made in trace.messages[1].tool_calls] == ["c1", "c2"]
    assert trace.messages[1].content == "I will run both."
    results = [result for message in trace.messages for result in message.tool_results]
    assert [(result.tool_call_id, result.success) for result in results] == [("c2", False), ("c1", True), ("c3", True)]
    assert results[0].content == "1 failed"
    assert trace.metadata["reading_gaps"] == ["1 line is not JSON: line 11"]
    assert evaluate_trace(trace).verdict == "PASS"


def test_old_flat_session():
    trace = read(FLAT)
    assert trace.trace_id == OWN
    assert [message.role for message in trace.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert trace.messages[0].content == "Be careful."
    assert trace.messages[2].tool_calls[0].arguments == {"command": ["ls"]}
    assert trace.token_usage is None
    assert trace.metadata == {}


def test_events_speak_where_no_items_were_written():
    events = [record for record in CLEAN if record["type"] != "response_item"]
    trace = read(events)
    assert [(message.role, message.content) for message in trace.messages] == [
        ("user", "Which files are there?"),
        ("assistant", "There is a.txt."),
    ]
    assert trace.messages[1].details.model == "small-codex"
    assert trace.token_usage.prompt_tokens == 2200


def test_custom_tools_take_text_and_their_ends_tell_success():
    trace = read(
        [
            META,
            said(1, "Add b.txt.", "user"),
            line("response_item", 2, type="custom_tool_call", name="apply_patch", input="*** Begin", call_id="p1"),
            line("event_msg", 2, type="patch_apply_end", call_id="p1", success=False),
            line(
                "response_item",
                2,
                type="custom_tool_call_output",
                call_id="p1",
                output=[{"type": "output_text", "text": "no"}],
            ),
            call(3, "m1", "mcp__dice__roll", sides=6),
            line(
                "event_msg", 3, type="mcp_tool_call_end", call_id="m1", result={"Ok": {"content": [], "isError": True}}
            ),
            output(3, "m1", "six sides?"),
            call(4, "e1", "shell", command=["ls"]),
            line("event_msg", 4, type="exec_command_end", call_id="e1", exit_code=0),
            output(4, "e1", "a.txt"),
            call(5, "m2", "mcp__dice__roll", sides=8),
            line("event_msg", 5, type="mcp_tool_call_end", call_id="m2", result={"Err": "gone"}),
            output(5, "m2", "gone"),
            line("event_msg", 5, type="web_search_end", call_id="w", query="x"),
        ]
    )
    made = trace.messages[1].tool_calls[0]
    assert (made.arguments, made.details) == ({"input": "*** Begin"}, None)
    results = [result for message in trace.messages for result in message.tool_results]
    assert [result.success for result in results] == [False, False, True, False]


def test_totals_that_begin_anew_after_a_resume():
    last = {"input_tokens": 400, "output_tokens": 4, "total_tokens": 404}
    trace = read([*CLEAN, said(8, "And now?", "user"), said(9, "Still a.txt."), counted(9, 400, 0, 4, last)])
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (2600, 74)


def test_counts_of_the_last_call_alone_are_added():
    def last(second: int, prompt: int) -> dict[str, object]:
        return line("event_msg", second, type="token_count", info={"last_token_usage": {"input_tokens": prompt}})

    trace = read([META, said(1, "Hi", "user"), said(2, "Hi."), last(2, 100), said(3, "Again"), last(3, 100)])
    assert trace.token_usage.prompt_tokens == 200


def test_records_by_response_count_before_running_totals():
    def record(second: int, response: str, prompt: int) -> dict[str, object]:
        usage = {"input_tokens": prompt, "cache_write_input_tokens": 5, "output_tokens": 1}
        return line("token_usage_record", second, response_id=response, usage=usage, thread_token_usage=usage)

    trace = read(
        [
            META,
            said(1, "Hi", "user"),
            said(2, "Hi."),
            record(2, "r1", 100),
            counted(2, 100, 0, 1),
            record(2, "r1", 100),
            record(3, "compaction", 40),
            counted(3, 140, 0, 2),
        ]
    )
    assert trace.messages[1].details.usage.prompt_tokens == 100
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (140, 2)
    assert trace.token_usage.details.cache_write_tokens == 10


def test_compaction_copies_context():
    history = [
        said(0, "Which files are there?", "user")["payload"],
        said(0, "There is a.txt.")["payload"],
        call(0, "c1", "exec_command", cmd="ls")["payload"],
        output(0, "c1", "a.txt")["payload"],
        {"type": "compaction", "encrypted_content": "opaque"},
    ]
    trace = read(
        [
            *CLEAN,
            line("compacted", 8, message="", replacement_history=history),
            said(9, "Thanks.", "user"),
            said(9, "You are welcome."),
        ]
    )
    copied = [message for message in trace.messages if message.details.is_copied_context]
    assert [message.content for message in copied] == ["Which files are there?", "There is a.txt."]
    assert copied[0].details.origin == "line 17 $.payload.replacement_history[0]"
    assert sum(len(message.tool_calls) for message in trace.messages) == 1
    assert trace.messages[-1].details.is_copied_context is False
    summary = read([*CLEAN, line("compacted", 8, message="So far: one file.")]).messages[-1]
    assert (summary.role, summary.content, summary.details.is_copied_context) == ("user", "So far: one file.", True)


def test_interrupted_calls_await_no_result():
    trace = read(
        [
            *CLEAN,
            line("event_msg", 8, type="task_started"),
            call(8, "c9", "exec_command", cmd="sleep 100"),
            line("event_msg", 9, type="turn_aborted", reason="interrupted"),
            said(10, "Never mind. Say hello.", "user"),
            said(11, "Hello."),
        ]
    )
    assert trace.details.outcome == "interrupted"
    assert trace.messages[4].tool_calls[0].details.result_expected is False
    assert evaluate_trace(trace).findings == ()


@pytest.mark.parametrize(
    ("kinds", "outcome"),
    [
        (["task_started"], "running"),
        (["task_started", "error", "task_complete"], "error"),
        (["error", "task_started", "task_complete"], "completed"),
        ([], None),
    ],
)
def test_how_a_session_ended(kinds, outcome):
    events = [line("event_msg", 2, type=kind, message="quota") for kind in kinds]
    assert read([META, said(1, "Hi", "user"), *events]).details.outcome == outcome


def test_unknown_lines_and_items_are_counted():
    trace = read([*CLEAN, line("hologram", 9), {"timestamp": "x"}, line("response_item", 9, type="telepathy")])
    assert trace.metadata["reading_gaps"] == [
        '1 line of the unknown type "hologram": line 17',
        '1 line of the unknown type "None": line 18',
        '1 line of the unknown type "telepathy": line 19',
    ]


def test_messages_between_agents_are_heard():
    trace = read([META, line("inter_agent_communication", 1, author="/root", recipient="/root/a", content="Look.")])
    assert (trace.messages[0].role, trace.messages[0].content) == ("user", "Look.")


PARENT = [
    META,
    said(1, "Ask a helper.", "user"),
    call(2, "s1", "spawn_agent", message="Count the files."),
    line("event_msg", 3, type="collab_agent_spawn_end", call_id="s1", new_thread_id=CHILD),
    output(4, "s1", json.dumps({"agent_id": CHILD})),
    said(9, "The helper counted one file."),
]
SPAWNED = {"subagent": {"thread_spawn": {"parent_thread_id": OWN}}}
HELPER = [
    line("session_meta", 3, id=CHILD, timestamp="2026-03-01T10:00:03.000Z", source=SPAWNED),
    META,
    said(1, "Ask a helper.", "user"),
    call(2, "s1", "spawn_agent", message="Count the files."),
    counted(2, 700, 0, 7),
    said(4, "Count the files.", "user"),
    said(5, "One file."),
    counted(5, 1000, 0, 17),
]


def test_sub_agents_are_children(tmp_path: Path):
    own = tmp_path / f"rollout-2026-03-01T10-00-00-{OWN}.jsonl"
    own.write_bytes(as_lines(PARENT))
    (tmp_path / f"rollout-2026-03-01T10-00-03-{CHILD}.jsonl").write_bytes(as_lines(HELPER))
    (trace,) = read_codex(FileSource(path=own, label=str(own)))
    (child,) = trace.details.children
    assert (child.trace_id, child.details.parent_call_id) == (CHILD, "s1")
    assert [message.details.is_copied_context for message in child.messages] == [True, False, False]
    assert child.token_usage.prompt_tokens == 300
    assert "reading_gaps" not in trace.metadata
    assert evaluate_trace(trace).findings == ()


def test_a_helper_that_is_not_there_is_a_gap():
    gaps = read(PARENT).metadata["reading_gaps"]
    assert gaps == [f"1 sub-agent has no session file next to this one: {CHILD}"]


def test_ids_never_become_paths_and_circles_end(tmp_path: Path):
    def spawning(own: str, other: str) -> list[dict[str, object]]:
        spawn = line("event_msg", 3, type="collab_agent_spawn_end", call_id="s1", new_thread_id=other)
        return [line("session_meta", 0, id=own), said(1, "Hi", "user"), spawn]

    for own, other in ((OWN, CHILD), (CHILD, OWN)):
        (tmp_path / f"rollout-{own}.jsonl").write_bytes(as_lines(spawning(own, other)))
    path = tmp_path / f"rollout-{OWN}.jsonl"
    (trace,) = read_codex(FileSource(path=path, label=str(path)))
    assert trace.details.children[0].details.children == ()
    assert read(spawning(OWN, "../../*")).details.children == ()


@pytest.mark.parametrize(
    ("data", "message"), [(b"", "contains no session"), (b"{}\n", "contains no session"), (b"{oops\n", "is not JSON")]
)
def test_what_is_no_session_is_told(data, message):
    (error,) = read_codex(BytesSource(data=data))
    assert isinstance(error, ReadError)
    assert message in error.message


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (as_lines(CLEAN), 95),
        (as_lines(CLEAN[1:]), 92),
        (as_lines(FLAT), 90),
        (as_lines(FLAT[:1]), 80),
        (b'{"payload": {"type": "token_count"}, "type": "event_msg"}', 85),
        (b'{"type": "function_call", "call_id": "c"}', 0),
    ],
)
def test_a_file_is_known_by_how_it_begins(head, sure):
    assert sniff_codex(head, "any") == sure


def test_sessions_are_found_where_the_tool_keeps_them():
    assert TestCodex().make().kept_at == ("${CODEX_HOME:-~/.codex}/sessions/*/*/*/*.jsonl",)
