"""A release service on loopback: it answers as it is told, counts the reports that it files, and breaks where it is told."""

import contextlib
import http.server
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["ReleaseService", "running"]

_PATIENCE = 5.0  # seconds that a hanging answer takes at most


class ReleaseService(http.server.ThreadingHTTPServer):
    """``asked`` holds each request as (method, path, headers, body), ``reports`` each report that was filed.

    A POST to ``…/risk-report`` files a report and answers with its id; with ``honors_keys`` the same Idempotency-Key again
    gets the first id, and files nothing. ``answers`` sets a fixed answer for everything instead, ``answer_to`` a function
    from a GET's path to its JSON.

    ``fault`` breaks every answer, ``faults`` one each, oldest first (None for none): ``reset`` closes the
    connection before anything is filed, ``hang`` never answers; ``reset_after`` and ``hang_after`` do so when the report is
    filed; ``cut`` and ``drip`` spoil the answer's body; a number is the status to answer with, nothing being filed.
    """

    daemon_threads = True

    def __init__(self, *, honors_keys: bool = True) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.honors_keys = honors_keys
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.reports: list[dict[str, Any]] = []
        self.fault: str | int | None = None
        self.faults: deque[str | int | None] = deque()
        self.fixed: tuple[int, dict[str, str], bytes] | None = None
        self.answer_to: Callable[[str], Any] | None = None
        self.closing = threading.Event()
        self._ids: dict[str, str] = {}
        self._lock = threading.Lock()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answers(self, body: Any, status: int = 200, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.fixed = (status, {name.replace("_", "-"): value for name, value in headers.items()}, data)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""

    def next_fault(self) -> str | int | None:
        with self._lock:
            return self.faults.popleft() if self.faults else self.fault

    def file(self, body: bytes, key: str | None) -> str:
        with self._lock:
            known = self._ids.get(key) if key is not None and self.honors_keys else None
            if known is not None:
                return known
            self.reports.append(json.loads(body))
            report_id = f"R-{len(self.reports)}"
            if key is not None:
                self._ids[key] = report_id
            return report_id


class _Handler(http.server.BaseHTTPRequestHandler):
    server: ReleaseService

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers["Content-Length"])))

    def _serve(self, body: bytes) -> None:
        server, fault = self.server, self.server.next_fault()
        server.asked.append((self.command, self.path, dict(self.headers), body))
        if fault == "reset":
            self._drop()
        elif fault == "hang":
            server.closing.wait(_PATIENCE)
        elif isinstance(fault, int):
            self._answer(fault, {}, b"{}", None)
        else:
            self._answer(*self._made(body), fault)

    def _made(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if self.server.fixed is not None:
            return self.server.fixed
        if self.command == "POST":
            report_id = self.server.file(body, self.headers.get("Idempotency-Key"))
            return 201, {}, json.dumps({"report_id": report_id}).encode()
        if self.server.answer_to is not None:
            return 200, {}, json.dumps(self.server.answer_to(self.path)).encode()
        return 404, {}, b"{}"

    def _answer(self, status: int, headers: dict[str, str], data: bytes, fault: str | None) -> None:
        if fault == "reset_after":
            return self._drop()
        if fault == "hang_after":
            self.server.closing.wait(_PATIENCE)
            return None
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) + (10 if fault == "cut" else 0)))
        self.end_headers()
        for part in [data[place : place + 1] for place in range(len(data))] if fault == "drip" else [data]:
            self.wfile.write(part)
            if fault == "drip" and self.server.closing.wait(0.05):
                break
        return None

    def _drop(self) -> None:
        self.close_connection = True
        self.connection.close()

    def log_message(self, *_: object) -> None:
        """Tests read ``asked``."""


@contextlib.contextmanager
def running(*, honors_keys: bool = True) -> Iterator[ReleaseService]:
    """A service that is up."""
    service = ReleaseService(honors_keys=honors_keys)
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        service.closing.set()
        service.shutdown()
        thread.join()
        service.server_close()
