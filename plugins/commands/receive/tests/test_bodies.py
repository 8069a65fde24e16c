"""What a request carries, to spans."""

import gzip
import json
import os

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from tables import each_row

from sentinel_command_receive.bodies import BadRequest, spans_of_body, unpacked
from sentinel_core.testing.work import work_of


def one_span(**values):
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id, span.span_id, span.name = b"\x01" * 16, b"\x02" * 8, "chat"
    for key, value in values.items():
        pair = span.attributes.add()
        pair.key = key.replace("__", ".")
        pair.value.CopyFrom(value)
    return request.SerializeToString()


def test_protobuf_in_every_kind_of_value():
    array, pairs = AnyValue(), AnyValue()
    array.array_value.values.add().int_value = 5
    inner = pairs.kvlist_value.values.add()
    inner.key, inner.value.double_value = "half", 0.5
    body = one_span(
        gen_ai__conversation__id=AnyValue(string_value="c"),
        raw=AnyValue(bytes_value=b"\x00"),
        many=array,
        pairs=pairs,
        empty=AnyValue(),
        yes=AnyValue(bool_value=True),
    )
    (found,) = spans_of_body(body, "application/x-protobuf")
    assert (found.trace_id, found.span_id, found.conversation) == ("01" * 16, "02" * 8, "c")
    assert json.loads(found.data)["attributes"] == {
        "gen_ai.conversation.id": "c",
        "raw": "AA==",
        "many": [5],
        "pairs": {"half": 0.5},
        "empty": None,
        "yes": True,
    }


def test_several_gzip_members_are_one_body():
    assert unpacked(gzip.compress(b"a") + gzip.compress(b"b"), "gzip", 10) == b"ab"
    assert unpacked(b"a", "identity", 10) == b"a"


@each_row("size", [0, 1, 1 << 16, (1 << 16) + 1, 300_000])
@each_row("data", [bytes, os.urandom])
def test_gzip_of_every_size_is_unpacked(size, data):
    whole = data(size)
    assert unpacked(gzip.compress(whole) + gzip.compress(b"end"), "gzip", size + 3) == whole + b"end"
    with pytest.raises(BadRequest, match="larger than") as caught:
        unpacked(gzip.compress(whole) + gzip.compress(b"end"), "gzip", size + 2)
    assert caught.value.status == 413


def test_a_body_of_very_many_gzip_members_is_refused_after_a_thousand():
    empty = gzip.compress(b"")
    assert unpacked(empty * 999 + gzip.compress(b"a"), "gzip", 10) == b"a"
    few, many = (work_of(lambda count=count: refuse(empty * count)) for count in (1_001, 100_000))
    assert many < 1.2 * few


def refuse(body):
    with pytest.raises(BadRequest, match="more than 1000 gzip members; send it as one member") as caught:
        unpacked(body, "gzip", 10)
    assert caught.value.status == 400


@pytest.mark.parametrize("tail", [b"\0", b"more"])
def test_what_stands_behind_the_last_gzip_member_is_refused(tail):
    with pytest.raises(BadRequest, match=r"is not gzip|is incomplete") as caught:
        unpacked(gzip.compress(b"a") + tail, "gzip", 10)
    assert caught.value.status == 400


@pytest.mark.parametrize(
    ("trace_id", "span_id", "taken"),
    [
        (b"\x01" * 32, b"\x02" * 32, True),
        (b"\x01" * 33, b"\x02", False),
        (b"\x01", b"\x02" * 33, False),
        (b"", b"\x02", False),
    ],
)
def test_spans_with_ids_that_are_none_are_of_no_use(trace_id, span_id, taken):
    request = ExportTraceServiceRequest.FromString(one_span())
    span = request.resource_spans[0].scope_spans[0].spans[0]
    span.trace_id, span.span_id = trace_id, span_id
    of_json = {"traceId": trace_id.hex(), "spanId": span_id.hex()}
    bodies = {
        "application/x-protobuf": request.SerializeToString(),
        "application/json": json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [of_json]}]}]}).encode(),
    }
    for kind, body in bodies.items():
        (found,) = spans_of_body(body, kind)
        assert (found is not None) is taken, kind


def test_a_conversation_in_json():
    span = {"traceId": "t", "attributes": [{"key": "session.id", "value": {"stringValue": "s"}}]}
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    (found,) = spans_of_body(body, "application/json; charset=utf-8")
    assert (found.conversation, json.loads(found.data)) == ("s", span)


def test_without_protobuf_the_answer_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BadRequest, match=r"pip install 'reliability-sentinel\[otel\]'"):
        spans_of_body(b"", "application/x-protobuf")
