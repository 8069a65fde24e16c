import functools
import importlib.util
import itertools
import sys
from pathlib import Path

import pytest

from sentinel_agent.core import Agent
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.offers import Tool
from sentinel_core.runtime.clock import Clock
from sentinel_core.testing.scripted import ScriptedModel

# Test folders are no packages: helpers are loaded by their paths.
for _module in ("agent_killing", "agent_odd"):
    _spec = importlib.util.spec_from_file_location(_module, Path(__file__).with_name(f"{_module}.py"))
    sys.modules[_module] = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(sys.modules[_module])

from agent_odd import ODD, RELEASES, SENTINEL, run_in  # noqa: E402 - known since the loop above

ADD = Tool(
    name="add",
    description="Add two numbers.",
    parameters={
        "type": "object",
        "properties": {"first": {"type": "number"}, "second": {"type": "number"}},
        "required": ["first", "second"],
        "additionalProperties": False,
    },
    handler=lambda first, second: {"sum": first + second},
)


@pytest.fixture
def add():
    return ADD


@pytest.fixture
def clock():
    """A clock on which each look at the time is a second later, each at the stopwatch 5 ms, and a sleep takes no time."""
    seconds, ticks, ids, slept = itertools.count(), itertools.count(), itertools.count(1), []
    return Clock(
        now=lambda: f"2026-01-01T00:00:{next(seconds) % 60:02}Z",
        stopwatch=lambda: next(ticks) * 0.005 + sum(slept),
        new_id=lambda: f"id{next(ids)}",
        sleep=slept.append,
        random=lambda: 0.5,
    )


@pytest.fixture
def agent_for(clock):
    """An agent whose model plays a script; its tools run in the test's process."""

    def make(*script, tools=(ADD,), **options):
        toolbox = Toolbox(run=in_process, clock=clock)
        return Agent(
            model=ScriptedModel(script), tools=tools, clock=clock, toolbox=toolbox, provider="scripted", **options
        )

    return make


@pytest.fixture
def command(tmp_path):
    """The start of a command that runs the odd provider in an empty folder."""
    (tmp_path / "odd.py").write_text(ODD)
    start = [SENTINEL, "run", "v2.1.0", "--releases", RELEASES, "--plugins", "./odd.py", "--provider", "odd"]
    return [*map(str, start), "--no-reflect"]


@pytest.fixture
def sentinel(tmp_path):
    """Runs a command in an empty folder."""
    return functools.partial(run_in, tmp_path)
