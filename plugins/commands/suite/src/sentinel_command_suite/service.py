"""A release service on loopback that follows a scenario's script: real HTTP, real faults, real waiting."""

import http.server
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from sentinel_agent import FILE_REPORT, GET_SUMMARY
from sentinel_command_suite.behaviour import Script
from sentinel_command_suite.scenario import Scenario, Step, ToolScript
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Outbox

__all__ = ["release_service"]

_START = 10.0
_PATHS = {("GET", "/release-summary"): GET_SUMMARY, ("POST", "/risk-report"): FILE_REPORT}
_MAX_BODY = 1 << 20
_FIRST_HANG = 1.5  # times the tool's limit: long enough to be late, and over soon after


@contextmanager
def release_service(scenario: Scenario, release: Mapping[str, Any] | None) -> Iterator[str]:
    """The base address of a service in a process of its own; it ends with the block.

    Raises ``WorkerError`` if it does not start.
    """
    with Child(partial(_serve, scenario, release), frames=int) as child:
        yield f"http://127.0.0.1:{next(child.frames(_START))}"


def _serve(scenario: Scenario, release: Mapping[str, Any] | None, outbox: Outbox) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    scripts = {name: Script(scenario.tools.get(name, ToolScript())) for name in _PATHS.values()}
    server.state = _State(scenario.release_id, release, scripts)  # type: ignore[attr-defined]  # handlers know their server
    outbox.send(server.server_port)
    server.serve_forever(poll_interval=0.05)


class _State:
    """State of the service: the position in each script, and the filed reports."""

    def __init__(self, release_id: str, release: Mapping[str, Any] | None, scripts: dict[str, Script]) -> None:
        self.release_id = release_id
        self.release = release
        self.scripts = scripts
        self.filed: dict[str, str] = {}

    def plain(self, name: str, key: str) -> tuple[int, bytes]:
        """The answer of a tool without a scripted one. A report that is sent twice counts once."""
        if name == GET_SUMMARY:
            known = self.release is not None
            return (200, _json(self.release)) if known else (404, b'{"error": "no such release"}')
        number = len(self.filed) + 1
        report_id = self.filed.setdefault(key or f"no key {number}", f"{self.release_id}-{number}")
        return 201, _json({"report_id": report_id})


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        self.close_connection = True
        self.rfile.read(min(_MAX_BODY, int(self.headers.get("Content-Length") or 0)))
        state: _State = self.server.state  # type: ignore[attr-defined]  # as above
        name = _PATHS.get((self.command, urlsplit(self.path).path))
        if name is None:
            self._send(404, b'{"error": "no such address"}')
            return
        script = state.scripts[name]
        step = script.next()
        time.sleep(_wait(script, step))
        if not step.timeout:
            self._send(*_reply(state, name, step, self.headers.get("Idempotency-Key") or ""))

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's signature
        """Log nothing: the trace has requests and answers."""

    def handle(self) -> None:
        """Handle a request; ignore a client that disconnected."""
        try:
            super().handle()
        except OSError:
            self.close_connection = True


def _wait(script: Script, step: Step) -> float:
    """Seconds before the answer."""
    return (script.tool.timeout_ms * _FIRST_HANG if step.timeout else step.delay_ms) / 1000


def _reply(state: _State, name: str, step: Step, key: str) -> tuple[int, bytes]:
    if step.error is not None:
        return step.status, _json({"error": step.error})
    if step.text is not None:
        return 200, step.text.encode()
    return state.plain(name, key) if step.is_plain else (200, _json(step.result))
