"""The service on a port of this machine."""

import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from sentinel_core.cli import TERMINATED
from sentinel_core.errors import ConfigError

__all__ = ["HOST", "serve"]

HOST = "127.0.0.1"
_CONNECTIONS = 1_000
_IDLE_SECONDS = 10
_GRACE_SECONDS = 10
_QUEUE = 256


def serve(app: Any, port: int, started: Callable[[str], None]) -> None:
    """Answer on 127.0.0.1 until the process is told to stop. ``started`` is called with the address; port 0 is any.

    Raises ``ConfigError`` where the port cannot be had, and at the end ``KeyboardInterrupt``, or after SIGTERM
    ``SystemExit``, so that the caller closes what it opened. Needs uvicorn.
    """
    import uvicorn

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # the server stops, then raises the signal again

    with socket.socket() as listening:
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((HOST, port))
        except OSError as error:
            raise ConfigError(
                f'cannot listen on "{HOST}" port {port}: {error.strerror}; --port names another'
            ) from None
        listening.listen(_QUEUE)
        started(f"http://{HOST}:{listening.getsockname()[1]}")
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=_IDLE_SECONDS,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            proxy_headers=False,
        )
        uvicorn.Server(config).run(sockets=[listening])
        raise KeyboardInterrupt  # it ends by a signal only, which it raises again; where that got lost, it was Ctrl-C
