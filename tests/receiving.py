"""``sentinel receive`` in a process of its own, and spans to send to it."""

import gzip
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).parent / "sentinel"
DEADLINE = 600.0 if os.environ.get("SENTINEL_SOAK") else 60.0


class Receiving:
    """The command at work. ``url`` is where it listens; ``stop`` ends it and gives its exit code."""

    def __init__(self, folder: Path, *options: object) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SENTINEL_", "OTEL_"))}
        self.process = subprocess.Popen(
            [COMMAND, "receive", "--port", "0", *map(str, options)],
            cwd=folder,
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stderr.readline()
        assert "Receiving OTLP" in line, line + self.process.stderr.read()
        self.url = re.search(r"http://\S+", line)[0]
        self.port = int(self.url.rpartition(":")[2])
        self.out, self.err = [], []
        self._readers = [
            threading.Thread(target=lambda: self.out.extend(self.process.stdout)),
            threading.Thread(target=lambda: self.err.extend(self.process.stderr)),
        ]
        for reader in self._readers:
            reader.start()

    def post(self, body, path="/v1/traces", method="POST", **headers):
        """Status, headers and body of the answer to one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        try:
            told = {
                "Content-Type": "application/json",
                **{name.replace("_", "-"): text for name, text in headers.items()},
            }
            connection.request(method, path, body, {name: text for name, text in told.items() if text})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def send(self, *spans, packed=False):
        body = document(spans)
        status, _, _ = self.post(gzip.compress(body) if packed else body, Content_Encoding="gzip" if packed else "")
        assert status == 200

    def counts(self):
        return json.loads(self.post(None, "/", "GET")[2])

    def wait_for(self, **counts):
        """Until the receiver tells these counts."""
        deadline = time.monotonic() + DEADLINE
        while not counts.items() <= self.counts().items():
            assert time.monotonic() < deadline, self.counts()
            time.sleep(0.05)

    def reports(self):
        path = self.folder / ".sentinel" / "reports.jsonl"
        if not path.exists():
            return []
        whole, _, _ = path.read_text().rpartition("\n")  # behind it a line may be on its way
        return [json.loads(line) for line in whole.splitlines()]

    def wait_for_reports(self, number):
        deadline = time.monotonic() + DEADLINE
        while len(self.reports()) < number:
            assert time.monotonic() < deadline, "".join(self.err)
            time.sleep(0.05)
        return self.reports()

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.end()

    def end(self):
        code = self.process.wait(DEADLINE)
        for reader in self._readers:
            reader.join(DEADLINE)
        self.process.stdout.close()
        self.process.stderr.close()
        assert "Traceback" not in "".join(self.err)
        return code


def document(spans) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}).encode()


def span(trace_id, span_id, parent_id="", **attributes):
    """A span; ids as numbers."""
    return {
        "traceId": f"{trace_id:032x}",
        "spanId": f"{span_id:016x}",
        "parentSpanId": f"{parent_id:016x}" if parent_id else "",
        "name": "span",
        "startTimeUnixNano": str(10**18 + span_id),
        "endTimeUnixNano": str(10**18 + span_id + 1),
        "attributes": [{"key": key.replace("__", "."), "value": value_of(value)} for key, value in attributes.items()],
    }


def value_of(value):
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def messages(role, text):
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def chat(trace_id, span_id, parent_id="", *, says="It is noon.", **more):
    return span(
        trace_id,
        span_id,
        parent_id,
        gen_ai__operation__name="chat",
        gen_ai__input__messages=messages("user", f"Question {span_id}?"),
        gen_ai__output__messages=messages("assistant", says),
        **{"gen_ai__usage__input_tokens": 10, "gen_ai__usage__output_tokens": 5, **more},
    )


def agent(trace_id, span_id, parent_id=""):
    return span(trace_id, span_id, parent_id, gen_ai__operation__name="invoke_agent")


@pytest.fixture
def receiver(tmp_path):
    """Starts ``sentinel receive``; ends it, too."""
    started = []

    def start(*options):
        started.append(Receiving(tmp_path, "--quiet", 0.3, *options))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.end()
