"""HTTP requests, nested in the attempt, the tool or the delivery that made them, without their query strings."""

import http.server
import json
import sys
import threading

import httpx
import httpx2
import pytest

from sentinel_agent.telemetry import Telemetry, rebuild
from sentinel_agent.telemetry.run_files import live_path
from sentinel_core.errors import RateLimitError
from sentinel_core.host.tools import Toolbox
from sentinel_core.model import Reply
from sentinel_core.offers import Tool
from sentinel_core.runtime.http import guarded_client
from sentinel_core.trace import ToolCall

pytestmark = pytest.mark.process


@pytest.fixture
def server():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(404 if "missing" in self.path else 200)
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
    """A model that asks a server, as every provider of ours does, before it answers from its script."""

    def __init__(self, inner, url):
        self.inner, self.url = inner, url

    def complete(self, request, on_text=None):
        with guarded_client(base_url=self.url, timeout=10) as client:
            client.get("/chat", params={"key": "secret-key"})
        return self.inner.complete(request, on_text)

    def __getattr__(self, name):
        return getattr(self.inner, name)


def fetch(url):
    """With the guarded client, as the release tools do."""
    with guarded_client(base_url=url, timeout=10) as client:
        return client.get("/summary", params={"token": "secret-token"}).text


def fetch_plainly(url):
    """With a client that the tool's own process imports."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("httpx", "httpx2")]:
        del sys.modules[name]
    import httpx
    import httpx2

    return httpx.get(f"{url}/one?token=secret", trust_env=False).text + httpx2.get(f"{url}/two", trust_env=False).text


PARAMETERS = {"type": "object", "properties": {"url": {"type": "string"}}}
FETCH = Tool(name="fetch", description="Fetch.", parameters=PARAMETERS, handler=fetch)
PLAIN = Tool(name="fetch_plainly", description="Fetch.", parameters=PARAMETERS, handler=fetch_plainly)


def play(busy_agent, telemetry, server, *calls, failures=()):
    calls = calls or (ToolCall(id="c1", name="fetch", arguments={"url": server}),)
    script = [*failures, Reply(tool_calls=calls, stop_reason="tool_calls"), Reply(content="Done.")]
    agent = busy_agent(telemetry, script=script)
    agent.model = agent._asker.model = Asking(agent.model, server)
    agent.toolbox = Toolbox(clock=agent.clock)
    agent.register_tool(FETCH)
    agent.register_tool(PLAIN)
    with telemetry:
        agent.send_message("Fetch it.")
    return agent


def requests_of(folder, spans_in):
    """The requests of the one trace with the span that each is a child of, and all of it."""
    (path,) = (folder / "traces").iterdir()
    spans = spans_in(path)
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == len(spans)
    assert {span["traceId"] for span in spans} == {path.name.partition(".")[0]}
    found = [(span, by_id[span["parentSpanId"]]) for span in spans if span["name"] == "GET"]
    return found, path.read_bytes()


def test_requests_of_models_and_tools_are_nested_with_method_url_and_status(busy_agent, tmp_path, server, spans_in):
    agent = play(busy_agent, Telemetry(tmp_path), server)
    assert agent.trace().messages[-1].content == "Done."
    found, written = requests_of(tmp_path, spans_in)
    assert sorted(parent["name"] for _, parent in found) == [
        "execute_tool fetch",
        "sentinel.attempt",
        "sentinel.attempt",
    ]
    assert {span["attributes"]["url.full"] for span, _ in found} == {f"{server}/chat", f"{server}/summary"}
    assert {span["attributes"]["http.response.status_code"] for span, _ in found} == {200}
    assert {span["attributes"]["http.request.method"] for span, _ in found} == {"GET"}
    assert all(int(span["endTimeUnixNano"]) > int(span["startTimeUnixNano"]) for span, _ in found)
    assert b"secret" not in written


def test_a_request_tells_which_attempt_at_the_model_it_is(busy_agent, tmp_path, server, spans_in):
    play(busy_agent, Telemetry(tmp_path), server, failures=(RateLimitError("slow down", status=429),))
    found, _ = requests_of(tmp_path, spans_in)
    attempts = [
        (span["attributes"]["sentinel.attempt.number"], parent["attributes"]["sentinel.attempt.number"])
        for span, parent in found
        if parent["name"] == "sentinel.attempt"
    ]
    assert attempts == [(1, 1), (2, 2), (1, 1)]
    assert [span["attributes"].get("http.request.resend_count") for span, _ in found].count(1) == 1


def test_a_tool_that_imports_its_client_in_its_own_process_is_seen(busy_agent, tmp_path, server, spans_in):
    play(busy_agent, Telemetry(tmp_path), server, ToolCall(id="c1", name="fetch_plainly", arguments={"url": server}))
    found, written = requests_of(tmp_path, spans_in)
    told = {span["attributes"]["url.full"] for span, parent in found if parent["name"] == "execute_tool fetch_plainly"}
    assert told == {f"{server}/one", f"{server}/two"}
    assert b"secret" not in written


def test_requests_of_tools_side_by_side_belong_to_their_own_calls(busy_agent, tmp_path, server, spans_in):
    calls = [ToolCall(id=f"c{n}", name="fetch", arguments={"url": f"{server}/{n}"}) for n in range(10)]
    play(busy_agent, Telemetry(tmp_path), server, *calls)
    found, _ = requests_of(tmp_path, spans_in)
    owners = {
        span["attributes"]["url.full"]: parent["attributes"]["gen_ai.tool.call.id"]
        for span, parent in found
        if parent["name"] == "execute_tool fetch"
    }
    assert owners == {f"{server}/{n}/summary": f"c{n}" for n in range(10)}


def test_failed_requests_say_how_they_failed(busy_agent, tmp_path, server, spans_in, monkeypatch):
    gone = "http://127.0.0.1:9"
    calls = [
        ToolCall(id=f"c{n}", name="fetch", arguments={"url": url}) for n, url in enumerate((f"{server}/missing", gone))
    ]
    play(busy_agent, Telemetry(tmp_path), server, *calls)
    found, _ = requests_of(tmp_path, spans_in)
    told = {span["attributes"]["url.full"]: span for span, parent in found if parent["name"] == "execute_tool fetch"}
    missing, refused = told[f"{server}/missing/summary"], told[f"{gone}/summary"]
    assert (missing["attributes"]["http.response.status_code"], missing["attributes"]["error.type"]) == (404, "404")
    assert "http.response.status_code" not in refused["attributes"]
    assert refused["attributes"]["error.type"] == "ConnectError"
    assert missing["status"]["code"] == refused["status"]["code"] == 2


def test_clients_are_left_as_they_were(busy_agent, tmp_path, server):
    sends = httpx.HTTPTransport.handle_request, httpx2.AsyncHTTPTransport.handle_async_request
    finders = list(sys.meta_path)
    play(busy_agent, Telemetry(tmp_path), server)
    before = sorted(tmp_path.rglob("*"))
    httpx2.get(server, trust_env=False)
    assert sorted(tmp_path.rglob("*")) == before
    assert (httpx.HTTPTransport.handle_request, httpx2.AsyncHTTPTransport.handle_async_request) == sends
    assert sys.meta_path == finders


def test_plain_clients_are_seen_synchronous_or_not(tmp_path, server, busy_agent, spans_in):
    import asyncio

    async def ask():
        async with httpx.AsyncClient(trust_env=False) as client:
            return await client.get(f"{server}/async?key=secret")

    class Plain(Asking):
        def complete(self, request, on_text=None):
            httpx2.get(f"{self.url}/plain", params={"key": "secret-key"}, trust_env=False)
            asyncio.run(ask())
            return self.inner.complete(request, on_text)

    telemetry = Telemetry(tmp_path)
    agent = busy_agent(telemetry, script=[Reply(content="Done.")])
    agent.model = agent._asker.model = Plain(agent.model, server)
    with telemetry:
        agent.send_message("Fetch it.")
    found, written = requests_of(tmp_path, spans_in)
    assert sorted(span["attributes"]["url.full"] for span, _ in found) == [f"{server}/async", f"{server}/plain"]
    assert b"secret" not in written


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
    agent = play(busy_agent, Telemetry(tmp_path / "file", warn=told.append), server)
    assert agent.trace().messages[-1].content == "Done."
    assert told


def test_live_can_be_left_off(busy_agent, tmp_path, server, spans_in):
    play(busy_agent, Telemetry(tmp_path, live=False), server)
    (path,) = (tmp_path / "traces").iterdir()
    assert "GET" not in [span["name"] for span in spans_in(path)]
