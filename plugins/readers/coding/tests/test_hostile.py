import json

import pytest
from coding_samples import AIDER, CURSOR, READERS, SPECSTORY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import each_row

from sentinel_core import ExecutionTrace, ReadError
from sentinel_core.testing import BytesSource, work_of
from sentinel_core.traces.codec import decode_trace, encode_trace

pytestmark = pytest.mark.unmeasured

SAMPLES = {
    "aider": AIDER.encode(),
    "cursor-stream": b"".join(json.dumps(event).encode() + b"\n" for event in CURSOR),
    "specstory": SPECSTORY.encode(),
}
PIECES = st.sampled_from([
    b"null", b"[]", b"{}", b'"x"', b"7", b"\n", b"\xff", b"\0", b"```", b"````text\n", b"</details></tool-use>\n", b"> ", b"#### ",
    b"<think>", b'<tool-use data-tool-type="shell" data-tool-name="Bash">', b"\n_**Agent (m)**_\n", b"  \n", b"\xe2\x80\xa8",
    b"\n# aider chat started at 2026-01-02 03:04:05\n", b'{"shellToolCall": {}}', b'"tool_call"', b"9" * 30,
])  # fmt: skip
ODD = [None, 0, "", "x", [], {}, [[]], {"a": None}, 10**30, True]


def outcomes(name, data):
    assert 0 <= READERS[name].sniff(data[:65536], "any") <= 100
    found = list(READERS[name].read(BytesSource(data=data)))
    for outcome in found:
        assert isinstance(outcome, (ExecutionTrace, ReadError))
        if isinstance(outcome, ExecutionTrace):
            decode_trace(encode_trace(outcome))
    return found


@pytest.mark.parametrize("name", SAMPLES)
@given(st.data())
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
def test_no_bytes_raise(name, data):
    content = bytearray(SAMPLES[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 40))] = data.draw(PIECES)
    outcomes(name, bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content))


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@each_row("odd", ODD)
def test_any_value_in_any_place_of_a_stream_never_raises(odd):
    for number, event in enumerate(CURSOR):
        for path in places(event):
            events = [*CURSOR[:number], replaced(event, path, odd), *CURSOR[number + 1 :]]
            outcomes("cursor-stream", b"".join(json.dumps(one).encode() + b"\n" for one in events))


@pytest.mark.parametrize("name", SAMPLES)
def test_each_beginning_of_a_file_is_read_or_an_error(name):
    data = SAMPLES[name]
    for end in range(0, len(data), 7):
        assert outcomes(name, data[:end])


MANY = {
    "aider": lambda n: AIDER.encode() * n,
    "cursor-stream": lambda n: SAMPLES["cursor-stream"] * n,
    "specstory": lambda n: SPECSTORY.encode() + SPECSTORY.partition("(2026-01-02 03:04:05Z) -->")[2].encode() * n,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_cost_grows_with_size_alone(name):
    def work(count):
        source = BytesSource(data=MANY[name](count))
        return work_of(lambda: list(READERS[name].read(source)))

    assert work(160) <= 10 * work(20)


@pytest.mark.parametrize("line", ["<tool-use " * 20_000, "`" * 200_000, "_**Agent (" + "a " * 100_000, "> Skipping edits to " + "a " * 100_000 + "  ", "> Tokens: " + "1" * 100_000 + "  "])  # fmt: skip
def test_long_lines_take_no_longer_than_their_length(line):
    for name, start in (("specstory", SPECSTORY), ("aider", AIDER)):

        def work(length, name=name, start=start):
            source = BytesSource(data=f"{start}\n{line[:length]}  \n".encode())
            return work_of(lambda: list(READERS[name].read(source)))

        assert work(0) > 0  # imports what the reader needs
        assert work(80_000) <= 12 * max(work(10_000), 1)
