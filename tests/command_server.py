"""Becomes the installed command, in a fork for each request: it has imported all that commands import.

Started by ``forked_commands.py`` with the descriptor of a socket. A request is the command's three standard streams and, as JSON,
its arguments, folder and environment; the answer is the exit code, as a line, negative for a signal.
"""

import atexit
import base64
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import tempfile
from typing import Any

from sentinel_core.__main__ import main
from sentinel_core.host.plugins import installed, load

try:
    import coverage.collector
except ImportError:  # a fresh environment has what users have
    coverage = None
else:
    coverage.collector.short_stack = str  # as in conftest.py

COMMAND = f"{os.path.dirname(sys.executable)}/sentinel"  # noqa: PTH120 - as the shell would name it
ROOMS = ("cli", "evaluate", "guardrails", "host", "judging", "providers", "runtime", "telemetry", "traces")
PLUGINS = ("sentinel_command_", "sentinel_readers_", "sentinel_signal_", "sentinel_tools_")
HEAVY = ("sentinel_core.judging.batch",)
OURS = "reliability-sentinel"


def import_all() -> None:
    """The host and the built-in plugins, without strangers' and what a command imports for a cluster or another rare wish."""
    load([one for one in installed() if one.distribution.startswith(OURS)])
    rooms = [f"sentinel_core.{room}" for room in ROOMS]
    packages = [
        "sentinel_agent",
        *rooms,
        *(name for name in sys.modules if name.startswith(PLUGINS) and "." not in name),
    ]
    for package in map(importlib.import_module, packages):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.startswith(HEAVY):
                with contextlib.suppress(ImportError):  # of what an extra would install
                    importlib.import_module(found.name)


def received(door: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next request and its descriptors; None where there will be none."""
    size, streams, _, _ = socket.recv_fds(door, 8, 3)
    if not size:
        return None
    wanted, text = int.from_bytes(size, "big"), b""
    while len(text) < wanted:
        text += door.recv(wanted - len(text))
    return json.loads(text), streams


def measure() -> None:
    """This process, if processes are measured, and none of its forks: each would take longer to start, and to save what it
    measured, than it runs; and what forks run, tests run in their own process too, or in forks of that.
    """
    given = os.environ.get("COVERAGE_PROCESS_CONFIG")
    if coverage is None or given is None:
        return
    config = json.loads(base64.b64decode(given)) | {"patch": ["_exit"]}
    os.environ["COVERAGE_PROCESS_CONFIG"] = base64.b64encode(json.dumps(config).encode()).decode()
    measuring = coverage.process_startup()
    os.environ["COVERAGE_PROCESS_CONFIG"] = given  # a new process is measured as any other is
    os.register_at_fork(after_in_child=lambda: (measuring.stop(), setattr(measuring, "save", lambda: None)))


def become(request: dict[str, Any], streams: list[int]) -> None:
    """Run the command in this process, as if it had just been started; the process ends with its exit code."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    tempfile.tempdir = None  # it is the environment's
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - open to the end of the process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1)  # noqa: SIM115
    sys.argv = [COMMAND, *request["arguments"]]
    measure()
    code = 1
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # noqa: BLE001 - as Python ends
        sys.excepthook(*sys.exc_info())
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed, or nobody reads it
            stream.flush()
    os._exit(code)


def serve(door: socket.socket) -> None:
    """One request after another, each in a process of its own."""
    while (found := received(door)) is not None:
        child = os.fork()
        if not child:
            door.close()
            become(*found)
        for stream in found[1]:
            os.close(stream)
        door.sendall(b"%d\n" % child)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        door.sendall(b"%d\n" % code)


if __name__ == "__main__":
    import_all()
    gc.collect()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
