"""The real SDK of Langfuse, and a server on this machine that answers as its API is documented."""

import json
import re
import threading
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from langfuse import Langfuse
from runs import ASKED, LIE, RULE, TRUTH, messages_of

from sentinel_core.errors import InputError
from sentinel_evals.langfuse import ScoresLostError, delivered, evaluator, score_trace

KEY = "Basic " + b64encode(b"pk-lf-1:sk-lf-1").decode()
ANSWERS = {"lie": LIE, "truth": TRUTH}


def observations_of(trace_id):
    """What an instrumented agent leaves: a root, two model calls, a tool. Inputs and outputs are text, as in version 2."""
    asked, call, result, answer = messages_of(ANSWERS[trace_id])
    steps = [
        ("root", None, "AGENT", [asked], answer["content"]),
        ("m1", "root", "GENERATION", [asked], call),
        ("t1", "root", "TOOL", {}, result["content"]),
        ("m2", "root", "GENERATION", [asked, call, result], answer),
    ]
    return [
        {
            "id": f"{trace_id}-{name}",
            "traceId": trace_id,
            "projectId": "p",
            "parentObservationId": parent and f"{trace_id}-{parent}",
            "type": kind,
            "name": "run_tests" if kind == "TOOL" else name,
            "startTime": f"2026-01-01T00:00:0{number}.000Z",
            "endTime": f"2026-01-01T00:00:0{number}.500Z",
            "level": "DEFAULT",
            "environment": "staging",
            "input": json.dumps(given),
            "output": made if isinstance(made, str) else json.dumps(made),
        }
        for number, (name, parent, kind, given, made) in enumerate(steps)
    ]


class Handler(BaseHTTPRequestHandler):
    """Pages of two observations, and a list of scores as the body of ``POST /api/public/scores``."""

    def do_GET(self):
        url = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path != "/api/public/v2/observations":
            self.answer(404, {"message": "no such thing"})
            return
        if self.headers["authorization"] != KEY:
            self.answer(401, {"message": "Invalid credentials"})
            return
        if asked.get("isRootObservation") == "true":
            self.answer(200, {"data": [observations_of(one)[0] for one in ANSWERS], "meta": {"cursor": None}})
            return
        assert {"core", "io"} <= set(asked["fields"].split(","))
        found = observations_of(asked["traceId"]) if asked["traceId"] in ANSWERS else []
        if asked["traceId"] == "request":
            found = [observations_of("truth")[0] | {"type": "SPAN"}]
        start = int(asked.get("cursor", 0))
        page = found[start : start + 2]
        more = str(start + 2) if len(found) > start + 2 else None
        self.answer(200, {"data": page, "meta": {"cursor": more}})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])) or "null")
        if self.path == "/api/public/scores" and self.server.refusal is not None:
            self.answer(*self.server.refusal)
        elif self.path == "/api/public/scores" and self.headers["authorization"] == KEY:
            self.server.scores += body
            self.answer(202, {"message": "Accepted"})
        else:
            self.answer(404, {})

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.scores, server.refusal = [], None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def client(server):
    return Langfuse(public_key="pk-lf-1", secret_key="sk-lf-1", base_url=f"http://127.0.0.1:{server.server_port}")


@pytest.fixture
def refusing(server):
    """What makes the server answer each score with a status and a body."""

    def refuse(status, answer):
        server.refusal = status, answer

    yield refuse
    server.refusal = None


REJECTED = {"accepted": 0, "rejected": 1, "errors": [{"message": "value is out of range"}]}


def written(server):
    found = list(server.scores)
    server.scores.clear()
    return found


@pytest.mark.parametrize(("trace_id", "verdict", "value"), [("lie", "FAIL", 0.0), ("truth", "PASS", 1.0)])
def test_the_score_is_written_to_the_trace(server, client, trace_id, verdict, value):
    found = score_trace(client, trace_id)
    assert (found.verdict, found.value, found.report.metadata.total_tool_calls) == (verdict, value, 1)
    (one,) = written(server)
    assert (one["traceId"], one["name"], one["value"], one["dataType"]) == (trace_id, "sentinel", value, "NUMERIC")
    assert one["environment"] == "staging"
    assert one["metadata"] == {"verdict": verdict, "rules": [RULE] if verdict == "FAIL" else []}
    assert (RULE in one["comment"]) == (verdict == "FAIL")


def test_judging_again_is_the_same_score(server, client):
    score_trace(client, "lie")
    score_trace(client, "lie")
    first, second = written(server)
    assert first == second
    assert first["timestamp"].startswith("2026-01-01T00:00:00")


def test_what_is_expected_of_the_run(server, client):
    assert score_trace(client, "truth", expect=["called:deploy"]).verdict == "FAIL"
    assert len(written(server)) == 1


def test_a_trace_that_is_not_there_has_no_score(server, client):
    with pytest.raises(InputError, match='no observations of the trace "gone"'):
        score_trace(client, "gone")
    assert written(server) == []


def test_a_request_without_an_agent_has_no_score(server, client):
    with pytest.raises(InputError, match="no call of a model or a tool"):
        score_trace(client, "request")
    assert written(server) == []


def code_of_a_day():
    readme = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    (code,) = (one for one in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "is_root_observation" in one)
    return code


def test_the_traces_of_a_day_as_the_readme_shows(server, client, monkeypatch, capsys):
    code = code_of_a_day()
    monkeypatch.setattr("langfuse.get_client", lambda: client)
    with pytest.raises(SystemExit) as ended:
        exec(code, {})
    assert ended.value.code == 0
    assert {(one["traceId"], one["value"]) for one in written(server)} == {("lie", 0.0), ("truth", 1.0)}
    assert capsys.readouterr().out.endswith("Langfuse accepted 2 of 2 scores\n")


def test_the_scores_of_the_tutorial(server, client, monkeypatch, capsys):
    page = Path(__file__).parents[4].joinpath("docs/tutorial-team.md").read_text(encoding="utf-8")
    (code,) = (one for one in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "is_root_observation" in one)
    monkeypatch.setattr("langfuse.get_client", lambda: client)
    with pytest.raises(SystemExit) as ended:
        exec(code, {})
    assert (ended.value.code, capsys.readouterr().out) == (0, "lie FAIL\ntruth PASS\n")
    assert {one["traceId"] for one in written(server)} == {"lie", "truth"}


def test_scores_of_a_day_that_are_not_accepted_are_counted_and_the_program_fails(client, refusing, monkeypatch, capsys):
    refusing(207, REJECTED)
    monkeypatch.setattr("langfuse.get_client", lambda: client)
    with pytest.raises(SystemExit) as ended:
        exec(code_of_a_day(), {})
    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (1, "Langfuse accepted 0 of 2 scores\n")
    assert told.err.count("is not in Langfuse") == 2


@pytest.mark.parametrize(
    ("status", "answer", "told"),
    [
        (207, REJECTED, "rejected it: value is out of range; mend what it names"),
        (400, {"message": "Invalid request data"}, "answers 400: .*Invalid request data.*; judge the trace again"),
        (401, {}, "answers 401: .*; check LANGFUSE_PUBLIC_KEY"),
        (403, {}, "answers 403: .*; use keys that may write scores"),
    ],
)
def test_a_score_that_is_not_accepted_is_an_error(client, refusing, status, answer, told):
    refusing(status, answer)
    with pytest.raises(
        ScoresLostError, match=rf'"sentinel" of the trace "lie" is not in Langfuse: /api/public/scores {told}'
    ):
        score_trace(client, "lie")


def test_a_server_that_ends_in_the_meantime_is_an_error(server, client, monkeypatch):
    def broken(**_):
        raise httpx.ConnectError("refused")

    monkeypatch.setattr(client.api.scores, "create", broken)
    with pytest.raises(ScoresLostError, match="cannot be reached: refused; check LANGFUSE_BASE_URL"):
        score_trace(client, "lie")
    assert written(server) == []


def experiment(client):
    return client.run_experiment(
        name="claims", data=[{"input": ASKED}], task=lambda **_: messages_of(LIE), evaluators=[evaluator()]
    )


@pytest.mark.parametrize(("status", "told"), [(207, "accepted 0 and rejected 1 of 1 scores"), (400, "Bad request")])
def test_an_experiment_whose_scores_are_lost_is_an_error(client, refusing, status, told):
    refusing(status, REJECTED)
    with pytest.raises(ScoresLostError, match=f"so some are lost: .*{told}.*run it again"), delivered(client):
        experiment(client)


def test_an_experiment_whose_scores_arrive_is_none(server, client):
    with delivered(client):
        experiment(client)
    assert [one["name"] for one in written(server)] == ["sentinel"]


def test_an_experiment_of_a_client_that_sends_nothing_is_not_begun(server):
    silent = Langfuse(
        public_key="pk-lf-3",
        secret_key="sk-lf-3",
        base_url=f"http://127.0.0.1:{server.server_port}",
        tracing_enabled=False,
    )
    with pytest.raises(ScoresLostError, match=r"sends no scores: .*LANGFUSE_TRACING_ENABLED"), delivered(silent):
        pytest.fail("it began")


def test_a_server_without_the_endpoint_other_keys_and_no_keys_are_one_error_each(server, monkeypatch):
    for name in ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    here = f"http://127.0.0.1:{server.server_port}"
    for keys, error in (
        ({"public_key": "pk-lf-old", "secret_key": "sk-lf-1", "base_url": f"{here}/old"}, r"server has no .* \(404\)"),
        ({"public_key": "pk-lf-2", "secret_key": "sk-lf-2", "base_url": here}, "does not accept the keys"),
        ({"base_url": here}, "has no keys: set LANGFUSE_PUBLIC_KEY"),
    ):
        with pytest.raises(InputError, match=error):
            score_trace(Langfuse(**keys), "lie")


def test_a_task_that_returns_only_its_answer_is_told_so():
    with pytest.raises(InputError, match="must return its run"):
        evaluator()(output=TRUTH)


@pytest.mark.parametrize(("answer", "value"), [(LIE, 0.0), (TRUTH, 1.0)])
def test_an_experiment_is_scored_by_what_its_task_returns(server, client, answer, value):
    result = client.run_experiment(
        name="claims", data=[{"input": ASKED}], task=lambda **_: messages_of(answer), evaluators=[evaluator()]
    )
    (one,) = result.item_results[0].evaluations
    assert (one.name, one.value) == ("sentinel", value)
    client.flush()
    (sent,) = written(server)
    assert (sent["name"], sent["value"]) == ("sentinel", value)
