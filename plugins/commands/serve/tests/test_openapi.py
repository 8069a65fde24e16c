"""The service against its own OpenAPI document: some 100 generated requests, 10,000 with SENTINEL_SOAK=1."""

import json
import os

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from sentinel_command_serve.app import make_app
from sentinel_command_serve.gate import LOOPBACK, Gate
from sentinel_command_serve.openapi import document
from sentinel_command_serve.routes import ROUTES, Work
from sentinel_command_serve.tokens import read_tokens
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.schemas import REFS
from sentinel_core.guardrails.store import open_store
from sentinel_core.host.in_process import evaluate_trace

pytestmark = pytest.mark.unmeasured

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
CASES = 10_000 if SOAK else 100
LIGHT = sum(route.scope is not None for route in ROUTES) - 1  # those that take something, but the heavy one
TOKEN = "a-token-that-may-do-everything"


def app(store="memory:"):
    orchestrator = Orchestrator(store=open_store(store))
    orchestrator.submit("0", Reflection(alignment_score=0.5, drift_score=0.5))
    tokens = read_tokens(None, {"SENTINEL_SERVE_TOKENS": f"all:complete+override+read:{TOKEN}"})
    gate = Gate(tokens=tokens, hosts=(*LOOPBACK, "testserver"), rate=1e6)
    return make_app(Work(orchestrator=orchestrator, judge=evaluate_trace), gate)


schema = schemathesis.openapi.from_asgi("/openapi.json", app())
HEAVY = "hand_in_loop"  # a generated trace takes a hundred times longer to make than anything else
FEW = CASES // 50
checked = settings(database=None, suppress_health_check=list(HealthCheck))


def validate(case):
    """With the token, but where the case is one that takes it away."""
    headers = case.headers or {}
    case.call_and_validate(headers={"Authorization": f"Bearer {TOKEN}"} if "Authorization" in headers else {})


@schema.exclude(operation_id=HEAVY).parametrize()
@settings(checked, max_examples=(CASES - FEW) // LIGHT + 1)
def test_every_answer_is_what_the_document_says(case):
    validate(case)


@schema.include(operation_id=HEAVY).parametrize()
@settings(checked, max_examples=FEW)
def test_every_answer_to_an_attempt_is_what_the_document_says(case):
    validate(case)


def test_the_document_names_every_route_and_every_schema_that_it_refers_to():
    described = document(ROUTES, "1")
    assert sum(len(methods) for methods in described["paths"].values()) == len(ROUTES)
    text = json.dumps(described)
    named = {part.partition('"')[0] for part in text.split(f'"{REFS}')[1:]}
    assert named <= described["components"]["schemas"].keys()
