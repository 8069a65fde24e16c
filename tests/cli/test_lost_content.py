"""What of the agent's own words cannot be read hides no lie: a JSON document is whole or it is none, and ``--strict`` needs every line."""

import json

import pytest

pytestmark = pytest.mark.unmeasured

LIE = "I used the calculator tool and the result is 42."
CAFE = "caf\u00e9"


def _chat(role, content, **more):
    return {"role": role, "content": content, **more}


def _otlp(number, name, messages):
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(messages, ensure_ascii=False)}
    span = {
        "traceId": "ab" * 16,
        "spanId": f"{number:016x}",
        "name": name,
        "startTimeUnixNano": str(number * 10**9),
        "endTimeUnixNano": str(number * 10**9 + 5),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
    }
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def _said(text):
    return [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]


def _agents_span(number, text):
    data = {
        "type": "generation",
        "input": [_chat("user", "Cancel order 17.")],
        "output": [_chat("assistant", text)],
    }
    times = {"started_at": f"2026-01-01T00:00:0{number}Z", "ended_at": f"2026-01-01T00:00:0{number}Z"}
    return {"object": "trace.span", "id": f"span_{number}", "trace_id": "trace_1", "span_data": data, **times}


def _langfuse(number, text):
    output = {"role": "assistant", "content": text}
    times = {"startTime": f"2026-01-01T00:00:0{number}Z", "endTime": f"2026-01-01T00:00:0{number}Z"}
    return {"id": f"o{number}", "traceId": "t", "type": "GENERATION", "output": output, "input": [], **times}


def _langsmith(number, text):
    outputs = {"choices": [{"message": _chat("assistant", text)}]}
    times = {"start_time": f"2026-01-01T00:00:0{number}Z", "end_time": f"2026-01-01T00:00:0{number}Z"}
    messages = {"messages": [_chat("user", "Cancel order 17.")]}
    return {"id": f"r{number}", "trace_id": "t", "run_type": "llm", "inputs": messages, "outputs": outputs, **times}


def _item(role, kind, text):
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _autogen(kind, source, content):
    return {"type": kind, "source": source, "content": content, "models_usage": None, "metadata": {}}


def _adk(author, role, text):
    return {
        "author": author,
        "invocationId": "i",
        "content": {"role": role, "parts": [{"text": text}]},
        "timestamp": 1.0,
    }


def _pydantic(kind, part, text):
    return {"kind": kind, "parts": [{"part_kind": part, "content": text}]}


# Records that make up one trace; the last of them holds the lie.
FORMATS = {
    "openai-chat": [
        _chat("user", "Cancel order 17."),
        _chat("assistant", "Of course."),
        _chat("assistant", f"{LIE} {CAFE}"),
    ],
    "openai-responses": [
        _item("user", "input_text", "Cancel order 17."),
        _item("assistant", "output_text", "Of course."),
        _item("assistant", "output_text", f"{LIE} {CAFE}"),
    ],
    "anthropic": [
        _chat("user", "Cancel order 17."),
        _chat("assistant", [{"type": "text", "text": "Of course."}]),
        _chat("assistant", [{"type": "text", "text": f"{LIE} {CAFE}"}]),
    ],
    "langchain": [
        {"type": kind, "data": {"content": text, "type": kind}}
        for kind, text in (("human", "Cancel order 17."), ("ai", "Of course."), ("ai", f"{LIE} {CAFE}"))
    ],
    "autogen": [
        _autogen("TextMessage", "user", "Cancel order 17."),
        _autogen("TextMessage", "bot", "Of course."),
        _autogen("TextMessage", "bot", f"{LIE} {CAFE}"),
    ],
    "adk": [
        _adk("user", "user", "Cancel order 17."),
        _adk("bot", "model", "Of course."),
        _adk("bot", "model", f"{LIE} {CAFE}"),
    ],
    "pydantic-ai": [
        _pydantic("request", "user-prompt", "Cancel order 17."),
        _pydantic("response", "text", "Of course."),
        _pydantic("response", "text", f"{LIE} {CAFE}"),
    ],
    "otlp": [
        _otlp(1, "chat", _said("Of course.")),
        _otlp(2, "chat", _said("One moment.")),
        _otlp(3, "chat", _said(f"{LIE} {CAFE}")),
    ],
    "openai-agents": [_agents_span(1, "Of course."), _agents_span(2, "One moment."), _agents_span(3, f"{LIE} {CAFE}")],
    "langfuse": [_langfuse(1, "Of course."), _langfuse(2, "One moment."), _langfuse(3, f"{LIE} {CAFE}")],
    "langsmith": [_langsmith(1, "Of course."), _langsmith(2, "One moment."), _langsmith(3, f"{LIE} {CAFE}")],
}
every_format = pytest.mark.parametrize(("reader", "records"), FORMATS.items(), ids=list(FORMATS))


def _text(record):
    return json.dumps(record, ensure_ascii=False)


def _listed(records):
    return f"[{', '.join(map(_text, records))}]"


def _lines(records):
    return "".join(f"{_text(record)}\n" for record in records)


@every_format
def test_a_bad_byte_in_a_list_refuses_the_trace(inside, folder, reader, records):
    (folder / "t.json").write_text(_listed(records))
    whole = inside("evaluate", "t.json", "--from", reader, "--json")
    assert LIE in whole.stdout
    assert whole.returncode in (1, 2)
    (folder / "t.json").write_text(_listed(records), encoding="latin-1")
    done = inside("evaluate", "t.json", "--from", reader)
    assert (done.returncode, done.stdout) == (3, "")
    assert 'error: "t.json": is not UTF-8: byte' in done.stderr
    assert "is 0xe9 at $[2]" in done.stderr


@every_format
def test_a_bad_line_is_told_and_refused_where_strict(inside, folder, reader, records):
    (folder / "t.jsonl").write_text(_lines(records), encoding="latin-1")
    lax = json.loads(inside("evaluate", "t.jsonl", "--from", reader, "--json").stdout)
    assert [gap for gap in lax["unread"] if "not JSON" in gap and "3" in gap]
    done = inside("evaluate", "t.jsonl", "--from", reader, "--strict")
    assert (done.returncode, done.stdout) == (3, "")
    assert 'error: "t.jsonl" line 3: is not UTF-8: byte' in done.stderr


@every_format
def test_a_key_written_twice_is_refused_where_strict(inside, folder, reader, records):
    doubled = _text(records[2])[:-1] + f', "note": "{LIE}", "note": "Nothing."}}'
    (folder / "t.jsonl").write_text(_lines(records[:2]) + doubled)
    assert "given more than once" not in inside("evaluate", "t.jsonl", "--from", reader).stderr
    done = inside("evaluate", "t.jsonl", "--from", reader, "--strict")
    assert (done.returncode, done.stdout) == (3, "")
    assert 'error: "t.jsonl" line 3: key "note" is given more than once at $\n' in done.stderr
    (folder / "t.json").write_text(f"[{_text(records[0])}, {_text(records[1])}, {doubled}]")
    done = inside("evaluate", "t.json", "--from", reader, "--strict")
    assert (done.returncode, done.stdout) == (3, "")
    assert 'error: "t.json": key "note" is given more than once at $[2]\n' in done.stderr


CHAT = FORMATS["openai-chat"]
SESSION = {
    "claude-code": [
        {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "message": CHAT[0]},
        {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s", "message": CHAT[1]},
    ],
    "claude-stream": [
        {"type": "user", "session_id": "s", "message": CHAT[0]},
        {"type": "assistant", "session_id": "s", "message": CHAT[1]},
    ],
    "codex": [
        {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s"}},
        {
            "timestamp": "2026-01-01T00:00:01Z",
            "type": "response_item",
            "payload": _item("assistant", "output_text", "Hi."),
        },
    ],
    "gemini-cli": [
        {"sessionId": "s", "projectHash": "p", "startTime": "2026-01-01T00:00:00Z"},
        {"id": "m1", "type": "gemini", "content": "Of course.", "timestamp": "2026-01-01T00:00:01Z"},
    ],
}


@pytest.mark.parametrize(("reader", "records"), SESSION.items(), ids=list(SESSION))
def test_a_session_that_broke_off_is_judged_and_refused_where_strict(inside, folder, reader, records):
    (folder / "t.jsonl").write_text(_lines(records) + '{"type": "assis')
    lax = json.loads(inside("evaluate", "t.jsonl", "--from", reader, "--json").stdout)
    assert (lax["verdict"], len(lax["unread"])) == ("PASS", 1)
    assert lax["unread"][0].startswith("1 line is not JSON: ")
    done = inside("evaluate", "t.jsonl", "--from", reader, "--strict")
    assert (done.returncode, done.stdout) == (3, "")
    assert 'error: "t.jsonl" line 3: is not JSON: ' in done.stderr


def test_a_bad_line_before_all_others(inside, folder):
    (folder / "t.jsonl").write_text('{"role": "assis\n' + _lines(CHAT[:2]))
    lax = inside("evaluate", "t.jsonl")
    assert (lax.returncode, lax.stdout.count("✓ PASS"), lax.stderr.count("line 1: is not JSON")) == (3, 1, 1)
    strict = inside("evaluate", "t.jsonl", "--strict")
    assert (strict.returncode, strict.stdout, strict.stderr.count("line 1: is not JSON")) == (3, "", 1)


MANY = ({"id": "a", "messages": CHAT[:2]}, {"id": "b", "messages": CHAT}, {"id": "c", "messages": CHAT[:2]})


def test_of_many_conversations_the_others_are_judged(inside, folder):
    (folder / "t.json").write_text(_listed(MANY), encoding="latin-1")
    done = inside("evaluate", "t.json", "--jsonl", "--strict")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, [row.get("verdict") for row in rows]) == (3, ["PASS", None, "PASS"])
    assert rows[1]["error"]["message"].endswith("is 0xe9 at $[1].messages[2].content")


LOST = {
    "an entry that is not a message": (_listed([*CHAT[:2], 7]), "1 entry is not a message: $[2]"),
    "an unknown item": (
        _listed([*FORMATS["openai-responses"][:2], {"type": "hologram", "id": "h"}]),
        '1 item of the unknown type "hologram": $[2]',
    ),
    "records without spans": (
        f"{_text(FORMATS['otlp'][0])}\n{{}}\n",
        "records without spans: 1 (line 2)",
    ),
    "a sub-agent that is not there": (
        _lines(
            [
                *SESSION["claude-code"],
                {
                    "type": "user",
                    "uuid": "u2",
                    "parentUuid": "a1",
                    "sessionId": "s",
                    "message": _chat("user", "Done."),
                    "toolUseResult": {"agentId": "x1"},
                },
            ]
        ),
        'sub-agent "x1" is missing from the trace: its file was not found',
    ),
}


@pytest.mark.parametrize(("data", "gap"), LOST.values(), ids=list(LOST))
def test_whatever_was_lost_is_refused_where_strict(inside, folder, data, gap):
    (folder / "t.jsonl").write_text(data)
    assert gap in json.loads(inside("evaluate", "t.jsonl", "--json").stdout)["unread"]
    done = inside("evaluate", "t.jsonl", "--strict")
    assert (done.returncode, done.stdout) == (3, "")
    assert f"--strict rejects record 1, because it could not be read completely: {gap}" in done.stderr


def test_what_was_left_out_on_purpose_is_judged_where_strict(inside, folder):
    reply = {"id": "c", "choices": [{"message": CHAT[1]}, {"message": CHAT[1]}]}
    (folder / "t.json").write_text(json.dumps({"request": {"messages": CHAT[:1]}, "response": reply}))
    done = inside("evaluate", "t.json", "--strict", "--json")
    assert (done.returncode, json.loads(done.stdout)["unread"]) == (0, ["1 of 2 alternative replies were left out"])
    (folder / "n.jsonl").write_text(inside("convert", "t.json").stdout)
    assert inside("evaluate", "n.jsonl", "--strict").returncode == 0


def test_what_a_sub_agent_lost_is_told_as_its_own(inside, folder):
    done = _chat("user", "Done.")
    answer = {"type": "user", "uuid": "u2", "parentUuid": "a1", "sessionId": "s", "message": done}
    (folder / "s.jsonl").write_text(_lines([*SESSION["claude-code"], {**answer, "toolUseResult": {"agentId": "x1"}}]))
    (folder / "s" / "subagents").mkdir(parents=True)
    (folder / "s" / "subagents" / "agent-x1.jsonl").write_text(_lines(SESSION["claude-code"]) + '{"type": "assis')
    told = 'sub-agent "agent-x1": 1 line is not JSON: 3'
    assert json.loads(inside("evaluate", "s.jsonl", "--json").stdout)["unread"] == [told]
    done = inside("evaluate", "s.jsonl", "--strict")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith(f"it could not be read completely: {told}\n")


def test_what_a_folder_holds_is_judged_or_told(inside, folder):
    lie = {"messages": [_chat("user", "Cancel order 17."), _chat("assistant", LIE)]}
    padding = {"signal_scores": [], "metadata": {"about": "x" * 5000}}
    (folder / "in/.sentinel/logs").mkdir(parents=True)
    for name in ("a", "b", "c"):
        (folder / f"in/.sentinel/logs/{name}.jsonl").write_text("{}")
    disguised = {"trace_id": "e", "verdict": "PASS", "overall_score": 0, **padding, **lie}
    (folder / "in/z.json").write_text(json.dumps(disguised))
    (folder / "in/plain.json").write_text(json.dumps({"trace_id": "t", **lie}))
    for options in ((), ("--strict",)):
        done = inside("evaluate", "in", "--jsonl", *options)
        assert (done.returncode, done.stdout.count("\n")) == (2, 1)
        assert done.stderr == (
            "sentinel: left out because Sentinel wrote them; name a file to read it: 4 files"
            ' ("in/z.json", "in/.sentinel/logs/a.jsonl", "in/.sentinel/logs/b.jsonl" and 1 more)\n'
        )
    done = inside("evaluate", "in/z.json", "--jsonl")
    assert (done.returncode, done.stderr) == (2, "")


def test_that_sub_agents_are_read_with_their_session_is_told(inside, folder):
    (folder / "in/s/subagents").mkdir(parents=True)
    (folder / "in/s.jsonl").write_text(_lines(SESSION["claude-code"]))
    (folder / "in/s/subagents/agent-x1.jsonl").write_text(_lines(SESSION["claude-code"]))
    done = inside("convert", "in")
    assert [child["trace_id"] for child in json.loads(done.stdout)["details"]["children"]] == ["agent-x1"]
    assert done.stderr == (
        'sentinel: read as part of a session, not on their own: 1 file ("in/s/subagents/agent-x1.jsonl")\n'
    )
