"""What is said of records too large to be followed in every detail."""

import msgspec
import pytest

from sentinel_core.errors import TraceDecodeError
from sentinel_core.testing import BytesSource
from sentinel_core.traces import codec, parsing
from sentinel_core.traces.codec import decode_trace
from sentinel_core.traces.readers import json_document

WRONG = b'{"trace_id": 1, "messages": 2}'


def problems(data):
    with pytest.raises(TraceDecodeError) as caught:
        decode_trace(data)
    return caught.value.problems


@pytest.mark.parametrize(("spare", "told"), [(0, 2), (-1, 1)])
@pytest.mark.parametrize("kind", [bytes, bytearray, msgspec.Raw])
def test_of_a_huge_record_only_the_first_problem_is_told(spare, told, kind, monkeypatch):
    monkeypatch.setattr(codec, "_DIAGNOSED_UP_TO", len(WRONG) + spare)
    found = problems(kind(WRONG))
    assert len(found) == told
    assert all(problem.endswith(("at $.trace_id", "at $.messages")) for problem in found)


@pytest.mark.parametrize(("spare", "place"), [(0, "$.b[0]"), (-1, "$ (byte 15)")])
def test_far_into_a_huge_record_the_byte_is_told(spare, place, monkeypatch):
    monkeypatch.setattr(parsing, "_FOLLOWED", 15 + spare)
    told = json_document(BytesSource(data=b'{"a": 1, "b":[0}'))
    assert told.message == f"is not JSON: JSON is malformed: expected ',' or ']' (byte 15) at {place}"


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": "' + b"x" * (1 << 23),
        b'{"a": "' + b'\\"' * (1 << 22),
        b'{"a": 1e999, "b": [' + (b"9" * 4300 + b",") * 500,
        b'{"a": 1e999, "b": "' + b"-" * (1 << 20) + b'"}',
    ],
)
def test_hostile_text_is_told_in_no_time(data):
    assert json_document(BytesSource(data=data)).message
