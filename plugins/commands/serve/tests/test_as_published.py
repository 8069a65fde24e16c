"""Requests in the shape in which the guardrails were published, with a token that ``serve`` makes."""

import tomllib

import pytest
from starlette.testclient import TestClient

from sentinel_command_serve.app import make_app
from sentinel_command_serve.gate import Gate
from sentinel_command_serve.routes import Work
from sentinel_command_serve.tokens import make_tokens, read_tokens
from sentinel_core.host.in_process import evaluate_trace

POOR = {"alignment_score": 0.72, "drift_score": 0.28}


@pytest.fixture
def orchestrator(make):
    return make()


@pytest.fixture
def client(orchestrator, tmp_path):
    make_tokens(tmp_path / "made.toml")
    made = tomllib.loads((tmp_path / "made.toml").read_text())["tokens"]["orchestrator"]
    assert made["scopes"] == ["complete", "override", "read"]
    app = make_app(
        Work(orchestrator=orchestrator, judge=evaluate_trace), Gate(tokens=read_tokens(tmp_path / "made.toml"))
    )
    bearer = {"Authorization": f"Bearer {made['token']}"}
    with TestClient(app, base_url="http://127.0.0.1:8471", headers=bearer) as made_client:
        yield made_client


def test_a_completion_with_an_override_and_no_reason_works_and_is_on_record(client, orchestrator):
    assert client.put("/orchestrator/loops/loop_001", json=POOR).status_code == 201
    asked = {
        "loop_id": "loop_001",
        "reflection_status": "done",
        "orchestrator_persona": "SAGE",
        "override_fatigue": True,
        "override_max_reruns": False,
        "override_by": "operator",
    }
    assert client.post("/orchestrator/loop-complete", json=asked).status_code == 200
    (override,) = orchestrator.store.family_of("loop_001").overrides
    assert (override.actor, override.override_fatigue, override.reason) == ("orchestrator", True, "")
    assert any('"orchestrator"' in row.body and "override_fatigue" in row.body for row in orchestrator.store.audit())


def test_bias_tags_may_be_objects_that_have_a_tag(client, orchestrator):
    tags = [{"tag": "haste", "severity": "high"}, "pride"]
    assert client.put("/orchestrator/loops/loop", json={**POOR, "bias_tags": tags}).status_code == 201
    assert orchestrator.store.family_of("loop").loops[0].reflection.bias_tags == ("haste", "pride")
    refused = client.put("/orchestrator/loops/other", json={**POOR, "bias_tags": [{"name": "haste"}]})
    assert refused.status_code == 422


def test_requests_without_a_token_take_nothing_from_health_checks(orchestrator, tokens):
    gate = Gate(tokens=read_tokens(tokens), rate=2.0, monotonic=lambda: 0.0)
    app = make_app(Work(orchestrator=orchestrator, judge=evaluate_trace), gate)
    with TestClient(app, base_url="http://127.0.0.1:8471") as client:
        refused = [client.get("/orchestrator/audit").status_code for _ in range(9)]
        assert refused == [401] * 4 + [429] * 5
        assert [client.get("/healthz").status_code for _ in range(4)] == [200] * 4
