import json

from tables import each_row

import sentinel_readers_native as native
from sentinel_core import ExecutionTrace, ReadError, TraceReader
from sentinel_core.testing import SAMPLES, BytesSource, TraceReaderContract, honest_trace
from sentinel_core.traces.codec import encode_trace

GOOD = encode_trace(honest_trace())


class TestNative(TraceReaderContract):
    def make(self) -> TraceReader:
        return native.sentinel_trace_readers()[0]

    def sample(self) -> bytes:
        return b"\n".join(map(encode_trace, SAMPLES)) + b"\n"

    def filename(self) -> str:
        return "traces.jsonl"


def read(data: bytes, *, strict: bool = False) -> list[ExecutionTrace | ReadError]:
    return list(native.read(BytesSource(data=data, strict=strict)))


def pretty(data: bytes) -> bytes:
    return json.dumps(json.loads(data), indent=2).encode()


@each_row(
    ("data", "ids"),
    [
        (GOOD, ["honest"]),
        (pretty(GOOD), ["honest"]),
        (b"\xef\xbb\xbf\n\n" + GOOD + b"\n\n", ["honest"]),
        (GOOD + b"\n" + GOOD, ["honest", "honest"]),
        (b"[" + GOOD + b"," + GOOD + b"]", ["honest", "honest"]),
        (pretty(b"[" + GOOD + b"]"), ["honest"]),
        (b'{"trace_id": "v1", "messages": []}', ["v1"]),
        (b"[]", []),
        (b"", []),
    ],
)
def test_each_layout_of_the_format_is_read(data, ids):
    assert [trace.trace_id for trace in read(data)] == ids


def test_a_bad_line_costs_no_other():
    outcomes = read(GOOD + b'\n{"trace_id": 7, "messages": []}\n\nnonsense\n' + GOOD)
    assert [type(outcome) for outcome in outcomes] == [ExecutionTrace, ReadError, ReadError, ExecutionTrace]
    assert outcomes[1] == ReadError(message="expected text, got a whole number at $.trace_id", line=2)
    assert outcomes[2].line == 4
    assert "is not JSON" in outcomes[2].message


def test_a_bad_first_line_costs_no_other():
    outcomes = read(b'{"trace_id": \n' + GOOD + b"\n" + GOOD)
    assert [type(outcome) for outcome in outcomes] == [ReadError, ExecutionTrace, ExecutionTrace]
    assert outcomes[0].line == 1


def test_a_bad_element_of_a_list_is_named_by_its_path():
    outcomes = read(b"[" + GOOD + b',{"trace_id":"b","messages":[{"role":"robot"}]}]')
    assert outcomes[1].message == '"robot" is not one of system, user, assistant, tool at $[1].messages[0].role'


def test_strict_reaches_the_codec():
    data = b'{"trace_id": "a", "messages": [], "extra": 1}'
    assert isinstance(read(data)[0], ExecutionTrace)
    assert read(data, strict=True)[0].message == 'unknown key "extra" at $'


@each_row(
    ("head", "sure"),
    [
        (GOOD, 90),
        (b'[{"trace_id"', 60),
        (b'\xef\xbb\xbf {"messages"', 60),
        (b"messages trace_id", 0),
        (b'{"trace_id": "t", "messages": [{"tool_calls": [{"id": "c", "function": {"name": "f"}}]}]}', 40),
        (b'{"trace_id": "t", "messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]}', 40),
        (b'{"trace_id": "t", "messages": [{"tool_results": [{"tool_call_id": "c"}]}]}', 90),
        (b'{"trace_id": "t", "messages": [{"tool_calls": [{"name": "f", "arguments": {"function": {}}}]}]}', 90),
        (b'{"trace_id": "t", "verdict": "PASS", "signal_scores": [', 0),
    ],
)
def test_a_file_is_known_by_how_it_begins(head, sure):
    assert native.sniff(head, "any") == sure
