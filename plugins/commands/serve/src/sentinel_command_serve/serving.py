"""Runs the service on a port of this machine."""

import json
import signal
import socket
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from sentinel_command_serve.problems import Problem
from sentinel_core.cli import TERMINATED
from sentinel_core.errors import ConfigError

__all__ = ["HOST", "serve"]

HOST = "127.0.0.1"


def serve(app: Any, port: int, started: Callable[[str], None]) -> None:
    """Answer on 127.0.0.1 until the process is stopped. ``started`` is called with the address; port 0 is any free one.

    Raises ``ConfigError`` if the port is not available, and at the end ``KeyboardInterrupt``, or after SIGTERM
    ``SystemExit``, so that the caller closes what it opened. Needs uvicorn.
    """
    from sentinel_core.runtime.http_server import BACKLOG, Guard, make_server

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # the server stops, then raises the signal again

    with socket.socket() as listening:
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((HOST, port))
        except OSError as error:
            raise ConfigError(
                f'cannot listen on "{HOST}" port {port}: {error.strerror}; choose another port with --port'
            ) from None
        listening.listen(BACKLOG)
        started(f"http://{HOST}:{listening.getsockname()[1]}")
        make_server(app, Guard(refusal=_refusal)).run(sockets=[listening])
        raise KeyboardInterrupt  # only a signal ends the server, which raises it again; if that got lost, it was Ctrl-C


def _refusal(status: int, detail: str) -> tuple[str, bytes]:
    """Problem details for requests that are refused before they reach the application."""
    return "application/problem+json", json.dumps(Problem(HTTPStatus(status), detail).body()).encode()
