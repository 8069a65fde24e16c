"""Who may call the service, with what, and what it says to everybody else."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from sentinel_command_serve import body
from sentinel_command_serve.app import make_app
from sentinel_command_serve.gate import Gate
from sentinel_command_serve.problems import Problem
from sentinel_command_serve.routes import ROUTES, Work
from sentinel_command_serve.tokens import make_tokens, read_tokens
from sentinel_core.errors import StoreError
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.trace import ExecutionTrace, Message, from_json, to_json

HERE = "http://127.0.0.1:8471"
POOR = {"alignment_score": 0.72, "drift_score": 0.28}
DONE = {"loop_id": "loop", "reflection_status": "done"}
REASON = {"override_reason": "Explore further."}
EXAMPLES = Path(__file__).parents[4] / "examples" / "traces"


@pytest.fixture
def orchestrator(make):
    return make()


@pytest.fixture
def client(orchestrator, tokens):
    gate = Gate(tokens=read_tokens(tokens), hosts=("127.0.0.1", "loops.example.org", "[::1]"), origins=("http://ok",))
    with TestClient(make_app(Work(orchestrator=orchestrator, judge=evaluate_trace), gate), base_url=HERE) as made:
        yield made


@pytest.fixture
def call(client, bearer):
    """``call("agent", "POST", path, body)`` gives the status and the document."""

    def send(name, method, path, body=None, **headers):
        given = {**(bearer(name) if name else {}), **{key.replace("_", "-"): value for key, value in headers.items()}}
        response = client.request(method, path, json=body, headers=given)
        if response.status_code >= 400:
            assert response.headers["content-type"] == "application/problem+json"
            assert response.json()["status"] == response.status_code
            assert response.json().keys() == {"type", "title", "status", "detail"}
        return response.status_code, response.json()

    return send


def complete(call, **more):
    return call("chief", "POST", "/orchestrator/loop-complete", {**DONE, **more})


def submit(call, loop_id="loop", body=POOR):
    return call("agent", "PUT", f"/orchestrator/loops/{loop_id}", body)


def test_a_family_from_its_first_attempt_to_its_end(call):
    assert submit(call) == (201, {"status": "success", "loop_id": "loop", "created": True})
    assert submit(call)[0] == 200
    loop_id = "loop"
    for number in range(1, 5):
        status, told = complete(call, loop_id=loop_id, orchestrator_persona="SAGE")
        assert (status, told["decision_result"]["rerun_count"]) == (200, min(number, 3))
        if number < 4:
            loop_id = told["decision_result"]["new_loop_id"]
            assert submit(call, loop_id)[0] == 200
    assert told["decision_result"]["rerun_reason"] == "max_reruns_reached"
    status, told = call(
        "operator", "POST", "/orchestrator/override-guardrails/loop", {"override_max_reruns": True, **REASON}
    )
    assert (status, told["overridden_by"]) == (200, "operator")
    assert complete(call, loop_id="loop_r3")[1]["decision_result"]["new_loop_id"] == "loop_r4"
    status, told = call("reader", "GET", "/orchestrator/guardrails-status/loop_r3")
    assert (status, told["guardrails_status"]["rerun_count"]) == (200, 4)
    status, told = call("reader", "GET", "/orchestrator/loops/loop_r4")
    assert (status, len(told["family"]["loops"])) == (200, 5)
    status, told = call("reader", "GET", "/orchestrator/audit?loop_id=loop_r1&after=2&limit=3")
    assert [json.loads(row["body"])["actor"] for row in told["rows"]] == ["agent", "chief", "agent"]


def test_an_attempt_handed_in_as_its_trace(call, orchestrator):
    trace = from_json((EXAMPLES / "fabricated.json").read_bytes())
    assert submit(call, body={"trace": trace})[0] == 201
    (loop,) = orchestrator.store.family_of("loop").loops
    assert loop.reflection.alignment_score < 0.25
    assert loop.reflection.bias_tags == ("hallucination.claim_without_call",)
    assert loop.report["verdict"] == "FAIL"
    assert complete(call)[1]["decision_result"]["rerun_reason"] == "alignment_threshold_not_met"


def test_whole_numbers_may_be_written_with_a_point(call):
    assert submit(call, body={"trace": {"trace_id": "t", "schema": 1.0, "messages": [{"role": "user"}]}})[0] == 201
    status, told = submit(call, body={"trace": {"trace_id": "t", "schema": 1.5}})
    assert (status, "$.schema" in told["detail"]) == (422, True)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_without_a_token_it_is_401_and_with_the_wrong_scope_403(call, route, tokens):
    path, body = route.path.replace("{loop_id}", "loop"), None if route.body is None else {}
    if route.scope is None:
        assert call(None, route.method, path)[0] == 200
        return
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer "},
    ):
        assert call(None, route.method, path, body, **headers)[0] == 401
    without = {"complete": "operator", "override": "agent"}.get(route.scope)
    if without is not None:
        status, told = call(without, route.method, path, body)
        assert (status, told["detail"]) == (403, f'token "{without}" does not have the scope "{route.scope}"')


def test_reading_needs_its_scope_too(orchestrator, monkeypatch):
    tokens = read_tokens(None, {"SENTINEL_SERVE_TOKENS": "only:complete:a-token-of-twenty-characters"})
    app = make_app(Work(orchestrator=orchestrator, judge=evaluate_trace), Gate(tokens=tokens))
    with TestClient(app, base_url=HERE) as client:
        headers = {"Authorization": "Bearer a-token-of-twenty-characters"}
        assert client.get("/orchestrator/audit", headers=headers).status_code == 403


def test_everything_that_is_missing_is_told_at_once(call):
    status, told = call("agent", "POST", "/orchestrator/loop-complete", {})
    assert status == 422
    assert told["detail"] == ('"loop_id" is a required property at $; "reflection_status" is a required property at $')


def test_an_override_in_a_completion_needs_its_scope_and_the_actor_is_the_token(call, orchestrator):
    submit(call)
    asked = {**DONE, "override_fatigue": True, "override_by": "the president", **REASON}
    assert call("agent", "POST", "/orchestrator/loop-complete", asked)[0] == 403
    assert orchestrator.store.family_of("loop").overrides == ()
    assert call("chief", "POST", "/orchestrator/loop-complete", asked)[0] == 200
    (override,) = orchestrator.store.family_of("loop").overrides
    assert (override.actor, override.reason, override.spent_on) == ("chief", "Explore further.", "loop")


def test_an_expired_token_is_no_token(tokens):
    tokens.write_text(
        '[tokens.old]\ntoken = "a-token-of-twenty-characters"\nscopes = ["read"]\nexpires = 2026-01-01T00:00:00Z\n'
    )
    known = read_tokens(tokens)
    assert known.find("a-token-of-twenty-characters", datetime(2025, 12, 31, tzinfo=UTC)).name == "old"
    assert known.find("a-token-of-twenty-characters", datetime(2026, 1, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("loops.example.org:80", 200),
        ("[::1]", 200),
        ("[::1]:9", 200),
        ("evil.example", 403),
        ("", 403),
    ],
)
def test_only_known_hosts(client, host, status):
    assert client.get("/healthz", headers={"Host": host}).status_code == status


def test_only_known_origins(call):
    assert call(None, "GET", "/healthz", Origin="http://ok")[0] == 200
    assert call("agent", "GET", "/orchestrator/audit", Origin="http://127.0.0.1:8471")[0] == 403


@pytest.mark.parametrize(
    ("content", "headers", "status", "told"),
    [
        (b"{}", {"Content-Type": "text/plain"}, 415, "application/json"),
        (b"{}", {}, 415, "application/json"),
        (b"{}", {"Content-Type": "application/json", "Content-Encoding": "gzip"}, 415, "Content-Encoding"),
        (b'{"a":', {"Content-Type": "application/json"}, 400, "is not JSON"),
        (b"", {"Content-Type": "application/json; charset=utf-8"}, 400, "is not JSON"),
        (b'{"loop_id": NaN}', {"Content-Type": "application/json"}, 400, "NaN is not a JSON number"),
        (b'"\\ud800"', {"Content-Type": "application/json"}, 400, "surrogate"),
        (b"[" * 10_000, {"Content-Type": "application/json"}, 400, "nested more than 200 levels deep"),
        (
            b'{"override_fatigue":false,"override_fatigue":true}',
            {"Content-Type": "application/json"},
            400,
            "given twice",
        ),
        (b" " * ((1 << 20) + 1), {"Content-Type": "application/json"}, 413, "1048576 bytes"),
        (b"[]", {"Content-Type": "application/json"}, 422, "object"),
    ],
)
def test_bodies_that_are_not_taken(client, bearer, content, headers, status, told):
    response = client.post("/orchestrator/loop-complete", content=content, headers={**bearer("chief"), **headers})
    assert response.status_code == status
    assert told in response.json()["detail"]


def test_a_body_that_says_that_it_is_too_large_is_not_read(client, bearer):
    headers = {**bearer("chief"), "Content-Type": "application/json", "Content-Length": str(1 << 21)}
    assert client.post("/orchestrator/loop-complete", content=b"{}", headers=headers).status_code == 413


def test_a_byte_order_mark_is_no_part_of_a_document(tokens, client, bearer):
    tokens.write_text('\ufeff[tokens.new]\ntoken = "a-token-of-twenty-characters"\nscopes = ["read"]\n')
    assert read_tokens(tokens).find("a-token-of-twenty-characters", datetime(2026, 1, 1, tzinfo=UTC)).name == "new"
    headers = {**bearer("chief"), "Content-Type": "application/json"}
    path = "/orchestrator/loop-complete"
    plain, marked = (client.post(path, content=one.encode(), headers=headers) for one in ("{}", "\ufeff{}"))
    assert (marked.status_code, marked.json()["detail"]) == (plain.status_code, plain.json()["detail"])


def test_a_body_that_does_not_come(monkeypatch):
    async def nothing():
        await asyncio.Event().wait()
        yield b""

    monkeypatch.setattr(body, "_SECONDS", 0.01)
    with pytest.raises(Problem) as caught:
        asyncio.run(body.read_body({"content-type": "application/json"}, nothing()))
    assert caught.value.status == 408


def test_a_body_that_is_cut_off_is_no_defect(orchestrator, tokens, bearer, capsys):
    headers = [*bearer("agent").items(), ("Host", "127.0.0.1"), ("Content-Type", "application/json")]
    scope = {
        "type": "http",
        "method": "PUT",
        "path": "/orchestrator/loops/a",
        "query_string": b"",
        "headers": [(name.lower().encode(), text.encode()) for name, text in headers],
    }
    messages = [{"type": "http.disconnect"}, {"type": "http.request", "body": b'{"alignment', "more_body": True}]
    sent = []

    async def receive():
        return messages.pop()

    async def send(message):
        sent.append(message)

    app = make_app(Work(orchestrator=orchestrator, judge=evaluate_trace), Gate(tokens=read_tokens(tokens)))
    asyncio.run(app(scope, receive, send))
    assert (sent[0]["status"], json.loads(sent[1]["body"])["detail"]) == (400, "the body is incomplete")
    assert capsys.readouterr().err == ""


def test_a_body_in_pieces_is_counted_as_it_comes(client, bearer):
    def pieces():
        for _ in range(20):
            yield b" " * 100_000

    headers = {**bearer("chief"), "Content-Type": "application/json"}
    assert client.post("/orchestrator/loop-complete", content=pieces(), headers=headers).status_code == 413


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "told"),
    [
        ("POST", "/orchestrator/loop-complete", {**DONE, "reflection_status": "x"}, 422, '"done" was expected'),
        ("POST", "/orchestrator/loop-complete", {**DONE, "max_reruns": 99}, 422, "max_reruns"),
        ("POST", "/orchestrator/loop-complete", DONE, 404, "submit its attempt first"),
        ("PUT", "/orchestrator/loops/loop", {**POOR, "alignment_score": 1.5}, 422, "$.alignment_score"),
        ("PUT", "/orchestrator/loops/loop", {**POOR, "rerun_of": "x"}, 422, "rerun_of"),
        ("PUT", "/orchestrator/loops/loop", {**POOR, "trace": {}}, 422, "not both"),
        ("PUT", "/orchestrator/loops/loop", {"trace": {"trace_id": ""}}, 422, "$.trace_id"),
        ("PUT", "/orchestrator/loops/loop", {"trace": {"trace_id": "t", "messages": [{}]}}, 422, "$.messages[0]"),
        ("PUT", "/orchestrator/loops/a%20b", POOR, 422, "cannot be used"),
        ("POST", "/orchestrator/override-guardrails/loop", REASON, 422, "nothing to override"),
        ("POST", "/orchestrator/override-guardrails/loop", {"override_fatigue": True, **REASON}, 404, "unknown loop"),
        ("GET", "/orchestrator/guardrails-status/loop", None, 404, "unknown loop"),
        ("GET", "/orchestrator/loops/a%20b", None, 422, "cannot be used"),
        ("GET", "/orchestrator/audit?loop_id=loop", None, 404, "unknown loop"),
        ("GET", "/orchestrator/audit?limit=0", None, 422, "must be given once, as a whole number from 1 to 1000"),
        ("GET", "/orchestrator/audit?limit=1&limit=2", None, 422, '"limit"'),
        ("GET", "/orchestrator/audit?after=x", None, 422, '"after"'),
        ("GET", "/orchestrator/audit?loop_id=a%20b", None, 422, '"loop_id" must be given once, as a string that'),
        ("GET", "/orchestrator/audit?before=1", None, 422, 'unknown parameter "before"'),
        ("GET", "/orchestrator/none", None, 404, "/openapi.json"),
        ("PATCH", "/orchestrator/audit", None, 405, "PATCH is not supported here"),
    ],
)
def test_requests_that_are_refused(call, method, path, body, status, told):
    found, problem = call("chief", method, path, body)
    assert found == status
    assert told in problem["detail"]


def test_conflicts(call):
    submit(call)
    assert submit(call, body={**POOR, "drift_score": 0.3})[0] == 409
    complete(call)
    status, told = complete(call, loop_id="loop_r1")
    assert (status, "its attempt has not been submitted yet" in told["detail"]) == (409, True)


def test_too_many_requests(orchestrator, tokens, bearer):
    moments = iter([0.0, 0.0, 0.0, 0.0, 0.25, 0.5, 0.5])
    gate = Gate(tokens=read_tokens(tokens), rate=2.0, monotonic=lambda: next(moments))
    with TestClient(make_app(Work(orchestrator=orchestrator, judge=evaluate_trace), gate), base_url=HERE) as client:
        statuses = [client.get("/orchestrator/audit", headers=bearer("reader")).status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 200, 429]
        refused = client.get("/orchestrator/audit", headers=bearer("agent"))
        assert refused.status_code == 200
        again = client.get("/orchestrator/audit", headers=bearer("reader"))
        assert again.status_code == 200


def test_a_store_that_cannot_be_used_grants_nothing(call, orchestrator):
    def broken(_loop_id):
        raise StoreError('store "x" cannot be used: the disk is gone; no rerun is granted')

    orchestrator.store.family_of = broken
    status, told = complete(call)
    assert (status, told["detail"]) == (503, 'store "x" cannot be used: the disk is gone; no rerun is granted')


def test_a_defect_is_a_problem_without_its_text(call, orchestrator, capsys):
    def broken(_loop_id):
        raise KeyError("something inside")

    orchestrator.store.family_of = broken
    status, told = complete(call)
    assert status == 500
    assert "inside" not in told["detail"]
    assert "something inside" in capsys.readouterr().err


def test_hostile_text_in_a_trace_is_only_text(call):
    text = "\x1b[31m\u202e<script>\n::error::" + "sk-ant-" + "a" * 30
    trace = ExecutionTrace(
        trace_id=text, messages=(Message(role="user", content=text), Message(role="assistant", content=text))
    )
    assert submit(call, body={"trace": from_json(to_json(trace))})[0] == 201
    status, told = call("reader", "GET", "/orchestrator/audit")
    assert (status, "sk-ant-aaaa" in told["rows"][0]["body"]) == (200, False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", r"must contain tables \[tokens.NAME\]"),
        ("x = 1", r"must contain tables \[tokens.NAME\]"),
        ("[tokens", "is not TOML"),
        ('[tokens.a]\ntoken = "short"\nscopes = ["read"]', "at least 20"),
        ('[tokens.a]\ntoken = "a-token-of-twenty-characters"\nscopes = ["all"]', "complete, override, read"),
        ('[tokens.a]\ntoken = "a-token-of-twenty-characters"\nscopes = []', "complete, override, read"),
        ('[tokens."a b"]\ntoken = "a-token-of-twenty-characters"\nscopes = ["read"]', "a name must consist"),
        ('[tokens.a]\ntoken = "a-token-of-twenty-characters"\nscopes = ["read"]\nmore = 1', "must be a table with"),
        (
            '[tokens.a]\ntoken = "a-token-of-twenty-characters"\nscopes = ["read"]\nexpires = 2026-01-01',
            "with a time zone",
        ),
    ],
)
def test_unusable_tokens_are_refused(tokens, text, told):
    tokens.write_text(text)
    with pytest.raises(ValueError, match=told):
        read_tokens(tokens)


def test_tokens_that_cannot_be_written(tokens):
    with pytest.raises(ValueError, match="cannot be written: File exists"):
        make_tokens(tokens)


def test_tokens_that_others_may_read_are_refused(tokens):
    tokens.chmod(0o640)
    with pytest.raises(ValueError, match="chmod 600"):
        read_tokens(tokens)
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        read_tokens(tokens.with_name("none.toml"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a:read", "entry 1 must have the form NAME:SCOPE"),
        ("a-token/of-twenty-characters:read:x", "TOKENS: entry 1: a name must consist of 1 to 64"),
        ("a:read:a-token-of-twenty-characters,a-token-of:read:short", "TOKENS: entry 2 must have a token of at least"),
        (
            "a-token-of-twenty-characters:write:a-token-of-twenty-characters",
            "TOKENS: entry 1 must have one or more of the scopes",
        ),
        ("a:read:a-token-of-twenty-characters, b:read:a-token-of-twenty-characters", "two tokens are equal"),
    ],
)
def test_unusable_tokens_in_the_environment(text, told):
    with pytest.raises(ValueError, match=told) as caught:
        read_tokens(None, {"SENTINEL_SERVE_TOKENS": text})
    assert "a-token" not in str(caught.value)
