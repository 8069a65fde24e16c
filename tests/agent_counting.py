"""A release service that counts the reports it takes, in a process of its own."""

import json
import os
import signal
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer


def _handler(log, answers):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            key = self.headers["Idempotency-Key"]
            taken = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
            taken.append({"key": key, "report": json.loads(body)})
            log.write_text("".join(json.dumps(one) + "\n" for one in taken))
            if not answers:
                self.close_connection = True
                return
            answer = json.dumps({"report_id": f"r{len(taken)}"}).encode()
            self.send_response(201)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            """Nothing on standard error."""

    return Handler


@contextmanager
def counting_service(log, *, answers=True):
    """The service's address; ``log`` gets one line of JSON for each report, whatever its key; without ``answers`` the line goes dead then."""
    server = HTTPServer(("127.0.0.1", 0), _handler(log, answers))
    process = os.fork()
    if not process:
        try:
            server.serve_forever()
        finally:
            os._exit(0)
    address = f"http://127.0.0.1:{server.server_port}"
    server.server_close()
    try:
        yield address
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
