"""What a request carries, to spans."""

import gzip
import json

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from sentinel_core.telemetry.receive.bodies import BadRequest, spans_of_body, unpacked
from sentinel_core.telemetry.receive.spool import Spool


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


def test_a_conversation_in_json():
    span = {"traceId": "t", "attributes": [{"key": "session.id", "value": {"stringValue": "s"}}]}
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    (found,) = spans_of_body(body, "application/json; charset=utf-8")
    assert (found.conversation, json.loads(found.data)) == ("s", span)


def test_without_protobuf_the_answer_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BadRequest, match=r"pip install 'reliability-sentinel\[otel\]'"):
        spans_of_body(b"", "application/x-protobuf")


def test_places_lead_back_to_what_was_put():
    spool = Spool()
    places = [spool.put(data) for data in (b"first", b"", b"third")]
    assert [place.read() for place in places] == [b"first", b"", b"third"]
