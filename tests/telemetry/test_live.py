"""HTTP requests of real clients, nested in the attempt or the tool that made them, without their query strings."""

import http.server
import json
import threading

import httpx
import httpx2
import pytest

from sentinel_core.agent.tools import Toolbox
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.telemetry import Telemetry, rebuild
from sentinel_core.telemetry.run_files import live_path
from sentinel_core.trace import ToolCall

pytestmark = pytest.mark.process


@pytest.fixture
def server():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()
        thread.join()


class Asking:
    """A model that asks a server before it answers from its script."""

    def __init__(self, inner, url):
        self.inner, self.url = inner, url

    def complete(self, request, on_text=None):
        httpx2.get(f"{self.url}/chat", params={"key": "secret-key"}, trust_env=False)
        return self.inner.complete(request, on_text)

    def __getattr__(self, name):
        return getattr(self.inner, name)


def fetch(url):
    return httpx.get(f"{url}/summary?token=secret-token", trust_env=False).text


FETCH = Tool(
    name="fetch",
    description="Fetch.",
    parameters={"type": "object", "properties": {"url": {"type": "string"}}},
    handler=fetch,
)


def play(busy_agent, telemetry, server):
    call = ToolCall(id="c1", name="fetch", arguments={"url": server})
    agent = busy_agent(telemetry, script=[Reply(tool_calls=(call,), stop_reason="tool_calls"), Reply(content="Done.")])
    agent.model = agent._asker.model = Asking(agent.model, server)
    agent.toolbox = Toolbox(world=agent.world)
    agent.register_tool(FETCH)
    with telemetry:
        agent.send_message("Fetch it.")
    return agent


def test_requests_are_nested_and_bare_of_queries(busy_agent, tmp_path, server, spans_in):
    agent = play(busy_agent, Telemetry(tmp_path), server)
    assert agent.trace().messages[-1].content == "Done."
    (path,) = (tmp_path / "traces").iterdir()
    spans = spans_in(path)
    by_id = {span["spanId"]: span for span in spans}
    requests = [span for span in spans if span["name"] == "GET"]
    parents = [by_id[span["parentSpanId"]]["name"] for span in requests]
    assert sorted(parents) == ["execute_tool fetch", "sentinel.attempt", "sentinel.attempt"]
    told = {span["attributes"]["url.full"] for span in requests}
    assert told == {f"{server}/chat", f"{server}/summary"}
    assert {span["attributes"]["http.response.status_code"] for span in requests} == {200}
    assert {span["traceId"] for span in spans} == {path.name.partition(".")[0]}
    assert b"secret" not in path.read_bytes()


def test_clients_are_left_as_they_were(busy_agent, tmp_path, server):
    play(busy_agent, Telemetry(tmp_path), server)
    before = sorted(tmp_path.rglob("*"))
    httpx2.get(server, trust_env=False)
    assert sorted(tmp_path.rglob("*")) == before


def test_requests_of_a_killed_process_are_kept(busy, tmp_path, spans_in):
    """Its whole lines, that is: the last one may be cut short."""
    (path,) = rebuild(busy, tmp_path)
    told = spans_in(path)
    scope = {"scope": {"name": "opentelemetry.instrumentation.httpx"}, "spans": [{"traceId": "ab", "spanId": "01"}]}
    line = json.dumps({"resourceSpans": [{"scopeSpans": [scope]}]})
    live = live_path(tmp_path, path.name.partition(".")[0])
    live.write_text(f"{line}\n{line[:40]}")
    rebuild(busy, tmp_path)
    assert [span["spanId"] for span in spans_in(path)] == [*(span["spanId"] for span in told), "01"]
    assert not live.exists()
    rebuild(busy, tmp_path)
    assert len(spans_in(path)) == len(told) + 1


def test_a_disk_that_refuses_costs_no_request(busy_agent, tmp_path, server):
    (tmp_path / "file").touch()
    told = []
    agent = play(busy_agent, Telemetry(tmp_path / "file", complain=told.append), server)
    assert agent.trace().messages[-1].content == "Done."
    assert told


def test_live_can_be_left_off(busy_agent, tmp_path, server, spans_in):
    play(busy_agent, Telemetry(tmp_path, live=False), server)
    (path,) = (tmp_path / "traces").iterdir()
    assert "GET" not in [span["name"] for span in spans_in(path)]
