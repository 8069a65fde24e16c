"""Two instrumentations of other people, unchanged: their traces get verdicts, calls are paired, tokens counted once."""

import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytestmark = pytest.mark.unmeasured

AGENT = Path(__file__).with_name("scripted_agent.py")
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_stock", "arguments": '{"mill": "north"}'}}
# What the model answers, in order: a call, and then what it did, of which half is true.
REPLIES = (
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "assistant", "content": "There are 7 sacks. I've cancelled order 17."},
)


@pytest.fixture
def model_server():
    """Speaks the part of OpenAI's API that the agent uses; which reply comes is seen from the request."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            turn = sum(message["role"] == "assistant" for message in asked["messages"])
            body = json.dumps(
                {
                    "id": f"chatcmpl-{turn}",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "mill-1",
                    "choices": [
                        {
                            "index": 0,
                            "message": REPLIES[turn],
                            "finish_reason": "stop" if turn else "tool_calls",
                        }
                    ],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
                }
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def run_agent(name, url, way, **environ):
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith("OTEL_") and "proxy" not in key.lower()
    }
    return subprocess.run(
        [sys.executable, AGENT, name, url, way],
        env={**kept, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY", **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout


def check(report):
    assert report["verdict"] == "FAIL"
    assert report["metadata"] == {"total_messages": 4, "total_tool_calls": 1, "total_tokens": 220}
    claims = [finding for finding in report["findings"] if finding["rule"].startswith("hallucination.")]
    assert ["I've cancelled order 17" in finding["quote"] for finding in claims] == [True]
    assert not [
        finding for finding in report["findings"] if "orphan" in finding["rule"] or "unanswered" in finding["rule"]
    ]


@pytest.mark.parametrize("name", ["official", "openinference"])
def test_through_the_receiver(name, receiver, model_server):
    at_work = receiver("--until-quiet", 0.5)
    run_agent(name, model_server, "receive", OTEL_EXPORTER_OTLP_ENDPOINT=at_work.url)
    assert at_work.end() == 2
    (report,) = at_work.reports()
    check(report)


@pytest.mark.parametrize("name", ["official", "openinference"])
def test_through_the_span_processor(name, model_server):
    (line,) = run_agent(name, model_server, "processor").splitlines()
    check(json.loads(line))
