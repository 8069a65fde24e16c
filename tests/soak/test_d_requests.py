"""D: requests that a schema of OTLP in JSON generates, valid and not: every answer is one that the receiver promises.

10,000 of them with ``SENTINEL_SOAK=1`` (``make soak``), else 100. Then it still judges a trace as before.
"""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from receiving import Receiving, chat

pytestmark = [pytest.mark.unmeasured, pytest.mark.process]

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
CASES = 10_000 if SOAK else 100

NUMBER = {"type": "string", "pattern": "^[0-9]{1,19}$"}
VALUE = {
    "oneOf": [
        {"type": "object", "properties": {"stringValue": {"type": "string"}}, "required": ["stringValue"]},
        {"type": "object", "properties": {"intValue": NUMBER}, "required": ["intValue"]},
        {"type": "object", "properties": {"doubleValue": {"type": "number"}}, "required": ["doubleValue"]},
        {"type": "object", "properties": {"boolValue": {"type": "boolean"}}, "required": ["boolValue"]},
    ]
}
NAMES = ["gen_ai.operation.name", "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.conversation.id", "other"]
ATTRIBUTE = {
    "type": "object",
    "properties": {"key": {"enum": NAMES}, "value": VALUE},
    "required": ["key", "value"],
}
SPAN = {
    "type": "object",
    "properties": {
        "traceId": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "spanId": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
        "parentSpanId": {"type": "string", "pattern": "^([0-9a-f]{16})?$"},
        "name": {"type": "string"},
        "startTimeUnixNano": NUMBER,
        "endTimeUnixNano": NUMBER,
        "attributes": {"type": "array", "items": ATTRIBUTE, "maxItems": 3},
    },
    "required": ["traceId", "spanId"],
}


def listed(name: str, item: dict, most: int = 1) -> dict:
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": item, "maxItems": most}},
        "required": [name],
    }


BODY = listed("resourceSpans", listed("scopeSpans", listed("spans", SPAN, 2)))
ANSWERS = {
    str(status): {"description": "promised"} for status in (200, 400, 403, 404, 405, 408, 411, 413, 415, 431, 503)
}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "OTLP/HTTP in JSON", "version": "1"},
    "paths": {
        "/": {"get": {"responses": ANSWERS}},
        **{
            f"/v1/{signal}": {
                "post": {
                    "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
                    "responses": ANSWERS,
                }
            }
            for signal, body in {"traces": BODY, "logs": {"type": "object"}, "metrics": {"type": "object"}}.items()
        },
    },
}
schema = schemathesis.openapi.from_dict(DOCUMENT)
answered = []


@pytest.fixture(scope="module")
def at_work(tmp_path_factory):
    receiver = Receiving(tmp_path_factory.mktemp("receiver"), "--quiet", "1")
    yield receiver
    if receiver.process.poll() is None:
        receiver.stop()


@schema.parametrize()
@settings(max_examples=CASES // 3 + 1, database=None, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_a_promised_one(case, at_work):
    answer = case.call(base_url=f"http://127.0.0.1:{at_work.port}")
    answered.append(answer.status_code)
    assert str(answer.status_code) in ANSWERS, answer.status_code


def test_it_still_judges(at_work):
    at_work.send(chat(0xFFFF, 0xFFFF))
    wanted, rows = f"{0xFFFF:032x}", 0
    while wanted not in {report.get("trace_id") for report in at_work.reports()}:
        rows = len(at_work.wait_for_reports(rows + 1))
    assert at_work.process.poll() is None
    assert len(answered) >= CASES or not SOAK  # in `make test` the tests of a file are spread over processes
    print(f"{len(answered)} requests to the receiver: {sorted(set(answered))}")  # noqa: T201 - a figure, shown with -s
