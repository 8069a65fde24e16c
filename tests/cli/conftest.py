"""The installed command, run as users run it: in a process of its own, in an empty folder."""

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from commanding import run_command, runner_inside, warmed

_warm = pytest.fixture(scope="session", autouse=True)(warmed)

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
    return partial(run_command, folder)


@pytest.fixture
def inside(folder, monkeypatch, capfd) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The same in this process, for what depends on no process of its own; its children are real all the same."""
    return runner_inside(folder, monkeypatch, capfd)


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
