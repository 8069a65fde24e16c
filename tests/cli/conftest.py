"""The installed command, run as users run it: in a process of its own, in an empty folder."""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sentinel_core.cli import main
from sentinel_core.host import installed, load

COMMAND = Path(sys.executable).parent / "sentinel"
TIMEOUT = 120  # for a command that hangs; none comes near it

# A signal whose score is what the trace's first message says, and a profile in which it alone counts.
KNOB = """
from sentinel_core import Detection, Finding, Signal, hookimpl


def detect(index):
    text = index.messages[0].content
    finding = Finding(rule="said", severity="warning", text="It was said.", message_index=0, quote=text)
    return Detection(score=float(text.split()[0]), findings=[finding], details=f"It says {text}.")


@hookimpl
def sentinel_signals():
    return [Signal(name="knob", summary="the first message's first number", detect=detect)]
"""
PROFILE = "critical = {}\n[weights]\nknob = 1\n"
KNOB_ALONE = ("--plugins", "./knob.py,no:cost,no:hallucination,no:loop,no:tool_misuse", "--profile", "knob.toml")


def clean_environment(**more: str) -> dict[str, str]:
    """This process's, without settings of Sentinel's or of a terminal's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SENTINEL_", "FORCE_", "NO_"))}
    return {**kept, **more}


@pytest.fixture(scope="session", autouse=True)
def _warm():
    """Children of this process find the built-in plugins loaded, and little for the garbage collector to look through."""
    load(installed(("signals", "trace_readers")))
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def folder(tmp_path) -> Path:
    """The folder that commands run in; it holds the signal ``knob.py`` and its profile."""
    made = tmp_path / "folder"
    made.mkdir()
    (made / "knob.py").write_text(KNOB)
    (made / "knob.toml").write_text(PROFILE)
    return made


@pytest.fixture
def sentinel(folder) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the installed command to its end."""

    def run(*arguments: object, cwd: Path = folder, stdin: bytes = b"", **environ: str):
        done = subprocess.run(
            [COMMAND, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
            cwd=cwd,
            env=clean_environment(**environ),
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run


@pytest.fixture
def inside(folder, monkeypatch, capfd) -> Callable[..., subprocess.CompletedProcess[str]]:
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


def trace(text: object = "0", trace_id: str = "t", **more: object) -> str:
    """One trace as a line of JSON; the knob reads its text."""
    return json.dumps({"trace_id": trace_id, "messages": [{"role": "assistant", "content": str(text)}], **more})


@pytest.fixture
def write(folder) -> Callable[..., Path]:
    """Writes a file of traces: one line for each text, with ids ``t0``, ``t1``, ..."""

    def make(name: str, *texts: object) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{trace(text, f't{number}')}\n" for number, text in enumerate(texts)))
        return path

    return make


@pytest.fixture
def knob() -> tuple[str, ...]:
    """Options under which the knob alone decides."""
    return KNOB_ALONE
