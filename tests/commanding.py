"""The installed command, run as users run it; for the tests of several folders."""

import errno
import os
import pty
import subprocess
import termios
import tty
from pathlib import Path

import pytest
from forked_commands import COMMAND, run_to_end

from sentinel_core.cli import main
from sentinel_core.host.plugins import installed, load

TIMEOUT = 300  # for a command that hangs; none comes near it


def clean_environment(**more: str) -> dict[str, str]:
    """This process's, without settings of Sentinel's or of a terminal's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SENTINEL_", "FORCE_", "NO_"))}
    return {**kept, **more}


def run_command(
    folder: Path,
    *arguments: object,
    stdin: bytes = b"",
    cwd: Path | None = None,
    afresh: bool = False,
    **environ: str,
):
    """In a process of its own, to its end; ``afresh`` where the test looks at what its start has imported."""
    environment, where = clean_environment(**environ), cwd or folder
    done = run_to_end(
        *(COMMAND, *arguments), stdin=stdin, timeout=TIMEOUT, cwd=where, env=environment, text=False, afresh=afresh
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def runner_inside(folder: Path, monkeypatch, capfd):
    """The same in this process, for what depends on no process of its own; its children are real all the same."""
    for name in set(os.environ) - set(clean_environment()):
        monkeypatch.delenv(name)
    monkeypatch.chdir(folder)

    def run(*arguments: object, **environ: str):
        with monkeypatch.context() as patched:
            for name, value in environ.items():
                patched.setenv(name, value)
            with pytest.raises(SystemExit) as caught:
                main([str(one) for one in arguments])
        captured = capfd.readouterr()
        assert "Traceback" not in captured.err, captured.err
        return subprocess.CompletedProcess(arguments, caught.value.code, captured.out, captured.err)

    return run


def terminal_of(columns: int) -> tuple[int, int]:
    """A terminal of so many columns that changes nothing: the end to read at, and the one to write to."""
    reader, writer = pty.openpty()
    tty.setraw(writer)
    termios.tcsetwinsize(writer, (24, columns))
    return reader, writer


def drained(reader: int) -> str:
    """All that came at a terminal whose other end is closed."""
    told = b""
    with os.fdopen(reader, "rb", 0) as terminal:
        try:
            while piece := terminal.read(4096):
                told += piece
        except OSError as error:
            if error.errno != errno.EIO:  # that end is closed, and there is no more
                raise
    return told.decode()


def warmed():
    """Children of this process find the built-in plugins loaded."""
    load(installed(("signals", "trace_readers")))
