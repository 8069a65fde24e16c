"""Runs the installed command in a fork of a process that has imported it, for a quarter of what its start costs.

It is a process of its own with its own folder, environment and streams. What looks at the start itself (imports, options and
variables of Python's, memory) starts one with ``subprocess``.
"""

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from json import dumps
from pathlib import Path

COMMAND = Path(sys.executable).parent / "sentinel"
SERVER = Path(__file__).with_name("command_server.py")
FROM_THE_START = ("PYTHON", "LC_", "LANG", "MALLOC_", "TZ")  # variables that count when Python starts
FORKS = sys.platform == "linux"  # elsewhere what was imported may not survive a fork
ON_THE_WAY = ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")  # of which these change nothing that a command prints
PIPE = 1 << 16


class Server:
    """The process whose forks the commands are; it ends with this one. It may be of another environment, with its variables."""

    def __init__(self, python: str | Path = sys.executable, environment: Mapping[str, str] = os.environ) -> None:
        self.door, theirs = socket.socketpair()
        self.owner = os.getpid()
        self.environment = {name: text for name, text in environment.items() if not name.startswith("COVERAGE_")}
        with theirs:
            self.process = subprocess.Popen(
                [python, SERVER, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self.lock = threading.Lock()

    def can_run(self, environment: Mapping[str, str]) -> bool:
        """Whether the command would have started as this process did."""
        return _at_start(environment) == _at_start(self.environment)

    def run(
        self, arguments: list[str], folder: Path, environment: Mapping[str, str], given: bytes, timeout: float
    ) -> tuple[int, bytes, bytes]:
        """The exit code, and all that came at standard output and standard error."""
        request = dumps(
            {"arguments": arguments, "folder": os.fspath(folder), "environment": dict(environment)}
        ).encode()
        with self.lock, _streams(given) as (theirs, out, err):
            socket.send_fds(self.door, [len(request).to_bytes(8, "big")], theirs)
            self.door.sendall(request)
            for stream in theirs:
                os.close(stream)
            child = int(self._line())
            try:
                told = _drained((out, err), timeout)
            except BaseException:
                os.kill(child, signal.SIGKILL)
                self._line()
                raise
            return int(self._line()), *told

    def _line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            piece = self.door.recv(1)
            assert piece, "the server of commands ended"
            line += piece
        return line

    def close(self) -> None:
        """End it."""
        self.door.close()
        self.process.wait()


_servers: list[Server] = []


def server() -> Server:
    """This process's own; a fork of it needs another."""
    if not _servers or _servers[-1].owner != os.getpid() or _servers[-1].process.poll() is not None:
        _servers.append(Server())
    return _servers[-1]


def close() -> None:
    """End what was started."""
    while _servers:
        _servers.pop().close()


def _at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: text for name, text in environment.items() if name.startswith(FROM_THE_START) and name not in ON_THE_WAY
    }


@contextlib.contextmanager
def _streams(given: bytes) -> Iterator[tuple[list[int], int, int]]:
    """The command's standard streams, and this side's ends of its output."""
    into, feed = os.pipe()
    out, its_out = os.pipe()
    err, its_err = os.pipe()
    feeder = threading.Thread(target=_fed, args=(feed, given), daemon=True)
    feeder.start()
    try:
        yield [into, its_out, its_err], out, err
    finally:
        os.close(out)
        os.close(err)
        feeder.join()


def _fed(feed: int, given: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(feed, "wb", buffering=0) as stream:
        view = memoryview(given)
        while view:
            view = view[stream.write(view[:PIPE]) :]


def _drained(ends: tuple[int, ...], timeout: float) -> list[bytes]:
    """All that comes until the other ends are closed. Raises ``TimeoutError``."""
    told, until = dict.fromkeys(ends, b""), time.monotonic() + timeout
    with selectors.DefaultSelector() as waiting:
        for end in ends:
            waiting.register(end, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(max(0.0, until - time.monotonic()))
            if not ready:
                raise TimeoutError(f"the command did not end within {timeout:g} s")
            for key, _ in ready:
                piece = os.read(key.fd, PIPE)
                told[key.fd] += piece
                if not piece:
                    waiting.unregister(key.fd)
    return [told[end] for end in ends]


def run_forked(
    *arguments: object,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float = 300,
    text: bool = True,
) -> "subprocess.CompletedProcess":
    """``subprocess.run`` of the installed command, to its end, with its output as text or as bytes."""
    return run_to_end(COMMAND, *arguments, cwd=cwd, env=env, stdin=stdin, timeout=timeout, text=text)


def run_to_end(
    program: object,
    *arguments: object,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float = 300,
    text: bool = True,
    afresh: bool = False,
) -> "subprocess.CompletedProcess":
    """The same of any program; only the installed command is forked, unless it is to start ``afresh``."""
    environment = os.environ if env is None else env
    words = [os.fspath(one) if isinstance(one, (bytes, os.PathLike)) else str(one) for one in (program, *arguments)]
    if FORKS and Path(os.fsdecode(words[0])) == COMMAND and not afresh and server().can_run(environment):
        code, out, err = server().run(words[1:], cwd, environment, stdin, timeout)
        done = subprocess.CompletedProcess(words, code, out, err)
    else:
        done = subprocess.run(
            words, input=stdin, capture_output=True, cwd=cwd, env=environment, timeout=timeout, check=False
        )
    if text:
        done.stdout, done.stderr = (as_text(told) for told in (done.stdout, done.stderr))
    return done


def as_text(told: bytes) -> str:
    """As ``subprocess`` gives it."""
    return told.decode().replace("\r\n", "\n").replace("\r", "\n")
