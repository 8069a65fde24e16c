import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sentinel_core import ExecutionTrace, ReadError
from sentinel_core.testing import BytesSource, work_of
from sentinel_core.traces.codec import decode_trace, encode_trace
from sentinel_core.traces.readers import layout
from sentinel_readers_openai import chat, responses, sentinel_trace_readers

READERS = sentinel_trace_readers()
CHAT = b"""{"id":"a","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c",
"type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}],"usage":{"prompt_tokens":3}},{"role":"tool",
"tool_call_id":"c","requestor":"user","content":"x"}],"choices":[{"message":{"role":"assistant","content":"b"},
"finish_reason":"stop"}],"simulations":null,"tools":[{"type":"function","function":{"name":"f"}}],"created":1}"""
RESPONSES = b"""{"id":"r","object":"response","input":[{"type":"message","role":"user","content":[{"type":"input_text",
"text":"hi"}]},{"type":"shell_call_output","call_id":"c","output":[{"stdout":"a","outcome":{"exit_code":0}}]}],
"output":[{"type":"mcp_call","id":"m","name":"f","arguments":"{}","error":{"message":"x"}},{"type":"reasoning",
"summary":[{"text":"t"}]}],"usage":{"input_tokens":1},"status":"completed","incomplete_details":{"reason":"x"},
"created_at":1767225600,"tools":[{"type":"web_search"}],"conversation":{"id":"c"}}"""
CODEX = b"""{"timestamp":"t1","type":"session_meta","payload":{"id":"s","forked_from_id":"x","base_instructions":{"text":"a"}}}
{"timestamp":"t2","type":"response_item","payload":{"type":"function_call","name":"f","arguments":"{}","call_id":"c"}}
{"timestamp":"t2","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":5}}}}
{"timestamp":"t2","type":"event_msg","payload":{"type":"exec_command_end","call_id":"c","exit_code":0,"new_thread_id":"n"}}
{"timestamp":"t3","type":"event_msg","payload":{"type":"turn_aborted"}}
{"timestamp":"t3","type":"compacted","payload":{"message":"m","replacement_history":[{"type":"message","role":"user"}]}}
{"timestamp":"t3","type":"token_usage_record","payload":{"response_id":"r","usage":{"input_tokens":5}}}
"""
AGENTS = b"""{"object":"trace","id":"t","workflow_name":"w"}
{"object":"trace.span","id":"g","trace_id":"t","parent_id":"f","started_at":"2026-01-01T00:00:01Z","ended_at":null,
"span_data":{"type":"generation","input":[{"role":"user","content":"hi"}],"output":[{"role":"assistant","content":"x",
"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}],"usage":{"input_tokens":1}},"error":null}
{"object":"trace.span","id":"f","trace_id":"t","parent_id":null,"started_at":"2026-01-01T00:00:02Z","span_data":
{"type":"function","name":"f","input":"{}","output":"x"},"error":{"message":"m","data":{"error":"e"}}}
{"object":"trace.span","id":"h","trace_id":"t","parent_id":"f","span_data":{"type":"handoff","to_agent":"b"}}
{"object":"trace.span","id":"a","trace_id":"t","parent_id":"h","span_data":{"type":"agent","tools":["f"],"handoffs":[]}}
""".replace(b",\n", b",").replace(b'\n{"type', b'{"type')
SAMPLES = (CHAT.replace(b"\n", b""), RESPONSES.replace(b"\n", b""), CODEX, AGENTS)
PIECES = st.sampled_from(
    [
        b"null",
        b"[]",
        b"{}",
        b'""',
        b"7",
        b"-1",
        b"1e999",
        b"true",
        b'"x"',
        b"[[]]",
        b"\xff",
        b'"\\ud800"',
        b"\n",
        b'"call"',
        b"9" * 30,
    ]
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(SAMPLES)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        upto = at + draw(st.integers(0, 12))
        data[at:upto] = draw(PIECES)
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


@st.composite
def swapped(draw: st.DrawFn) -> bytes:
    """A value of the document made another kind of value, so that the JSON stays whole."""
    data = draw(st.sampled_from(SAMPLES))
    tokens = [place for place, byte in enumerate(data) if byte in b":[,"]
    for at in draw(st.lists(st.sampled_from(tokens), max_size=3)):
        end = next((place for place in range(at + 1, len(data)) if data[place] in b",}]"), len(data))
        data = data[: at + 1] + draw(PIECES) + data[end:]
        tokens = [place for place in tokens if place < at] or [0]
    return data


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@given(data=st.one_of(mutated(), swapped()))
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
def test_no_bytes_raise(reader, data):
    assert 0 <= reader.sniff(data[:65536], "any") <= 100
    for outcome in reader.read(BytesSource(data=data)):
        if isinstance(outcome, ExecutionTrace):
            decode_trace(encode_trace(outcome))
        else:
            assert outcome.message


@pytest.mark.parametrize("kind", [["message"], {"type": "message"}, 7])
def test_a_kind_that_is_no_text_is_told(kind):
    codex = next(reader for reader in READERS if reader.name == "codex")
    odd = {"role": "user", "content": [{"type": kind, "text": "hi"}]}
    items = ({"type": "message", "role": "user", "content": "go"}, odd | {"type": kind}, odd | {"type": "message"})
    lines = [json.dumps({"timestamp": "t", "type": "response_item", "payload": item}) for item in items]
    (trace,) = codex.read(BytesSource(data="\n".join(lines).encode()))
    assert trace.messages[0].content == "go"
    assert any("line 2" in gap for gap in trace.metadata["reading_gaps"])


@pytest.mark.parametrize(
    ("reader", "sample"), list(zip(READERS, SAMPLES, strict=True)), ids=lambda value: getattr(value, "name", "")
)
def test_the_samples_are_of_the_format(reader, sample):
    (trace,) = reader.read(BytesSource(data=sample))
    assert isinstance(trace, ExecutionTrace)
    assert trace.messages


SPAN = b'{"object":"trace.span","id":"%d","parent_id":"%d","started_at":"%09d","span_data":{"type":"%s","name":"f","output":"x"}}\n'
MANY = {
    "openai-chat": lambda n: b'{"role":"user","content":"a"}\n{"role":"tool","content":"x"}\n' * n,
    "openai-responses": lambda n: (
        b'{"type":"function_call","call_id":"c","name":"f"}\n{"type":"function_call_output","output":"x"}\n' * n
    ),
    "codex": lambda n: (
        b'{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":1}}}}\n'
        b'{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"f","call_id":""}}\n'
        b'{"timestamp":"t","type":"event_msg","payload":{"type":"turn_aborted"}}\n' * n
    ),
    "openai-agents": lambda n: b"".join(
        SPAN % (place, place - 1, place, kind)
        for place, kind in zip(range(n), itertools.cycle([b"response", b"function"]))
    ),
}


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_cost_grows_with_size_alone(reader):
    def work(count: int) -> int:
        source = BytesSource(data=MANY[reader.name](count))
        assert list(reader.read(source))
        return work_of(lambda: list(reader.read(source)))

    assert work(800) <= 10 * work(100)


SAID = {"role": "assistant", "content": "I have sent you the mail."}
ITEM = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "I have sent you the mail."}],
}


@pytest.mark.parametrize(("read", "record"), [(chat.read, SAID), (responses.read, ITEM)])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_list_taken_apart_as_it_is_read_is_whole_or_none(read, record, place, monkeypatch):
    monkeypatch.setattr(layout, "_STREAMED_FROM", 1)
    elements = [json.dumps(record)] * 3
    elements[place] = json.dumps({**record, "note": "x" * (3 << 20)})
    source = BytesSource(data=f"[{', '.join(elements)}]".encode(), max_record=1 << 20)
    assert list(read(source)) == [ReadError(message=f"is larger than 1 MB (max_record_mb) at $[{place}]")]


@pytest.mark.parametrize("odd", [[], {}, 7, None])
def test_lines_and_items_whose_words_are_no_text_are_told(odd):
    codex = next(reader for reader in READERS if reader.name == "codex")
    said = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "hi"}}
    output = {"type": "function_call_output", "call_id": "1", "output": "x", "status": odd}
    lines = [said, {"type": odd, "payload": {}}, {"type": "response_item", "payload": output}]
    (trace,) = codex.read(BytesSource(data="\n".join(map(json.dumps, lines)).encode()))
    assert [message.role for message in trace.messages] == ["user", "tool"]
