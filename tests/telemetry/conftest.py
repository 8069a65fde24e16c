"""A run in which everything happens that telemetry tells of, and files read as the command line reads them."""

import itertools
import json
from pathlib import Path

import pytest
from receiving import receiver

from sentinel_agent.core import Agent
from sentinel_core import Tool
from sentinel_core.errors import NetworkError, RateLimitError
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Reply
from sentinel_core.runtime.clock import Clock
from sentinel_core.runtime.redact import redact_json
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import CallDetails, TokenDetails, TokenUsage, ToolCall
from sentinel_core.traces.codec import decode_trace, encode_trace
from sentinel_core.traces.sources import FileSource
from sentinel_readers_telemetry.otlp import read as read_otlp

__all__ = ["receiver"]

LONG = "the mill grinds slowly, " * 60
USAGE = TokenUsage(prompt_tokens=900, completion_tokens=40, details=TokenDetails(cached_tokens=100))


def _weigh(sack: str) -> str:
    if sack == "empty":
        raise ValueError("there is nothing in it")
    return f"{sack}: 25 kg. {LONG}"


WEIGH = Tool(
    name="weigh",
    description="Weigh a sack.",
    parameters={"type": "object", "properties": {"sack": {"type": "string"}}, "required": ["sack"]},
    handler=_weigh,
)


def asks(number: int, sack: str, **more) -> Reply:
    call = ToolCall(id=f"c{number}", name="weigh", arguments={"sack": sack}, **more)
    return Reply(
        content=f"Weighing {sack}.",
        tool_calls=(call,),
        stop_reason="tool_calls",
        usage=USAGE,
        model="m-1",
        cost_usd=0.25,
    )


SCRIPT = (
    RateLimitError("slow down", status=429, retry_after=2.0),
    NetworkError("connection reset"),
    asks(1, "rye"),
    asks(2, "empty"),
    asks(3, "barley", details=CallDetails(raw_arguments='{"sack": barley}')),
    asks(4, "oats"),
    Reply(content="Three sacks; one was empty.", usage=USAGE, model="m-1", cost_usd=0.25),
)


def make_clock() -> Clock:
    """Each look at the clock is 10 ms later, each at the stopwatch 5 ms; a sleep takes no time."""
    ticks, looks, ids = itertools.count(), itertools.count(), itertools.count(1)

    def now() -> str:
        ms = next(ticks) * 10
        return f"2026-01-01T00:{ms // 60_000:02}:{ms // 1000 % 60:02}.{ms % 1000:03}Z"

    return Clock(
        now=now,
        stopwatch=lambda: next(looks) * 0.005,
        new_id=lambda: f"id{next(ids)}",
        sleep=lambda _: None,
        random=lambda: 0.5,
    )


def make_busy_agent(*observers, script=SCRIPT) -> Agent:
    clock = make_clock()
    return Agent(
        model=ScriptedModel(script),
        system_prompt="You weigh sacks. The key is sk-abcdefghijklmnopqrstuv.",
        tools=(WEIGH,),
        clock=clock,
        toolbox=Toolbox(run=in_process, clock=clock),
        provider="scripted",
        model_name="m-1",
        observers=observers,
        settings=AgentSettings(context_window=2000, max_tokens=200, temperature=0.5),
    )


@pytest.fixture
def busy_agent():
    """Makes the agent of that run, with these observers."""
    return make_busy_agent


@pytest.fixture
def busy():
    """The events of a run with two retries, prunings, and a tool that fails."""
    agent = make_busy_agent()
    agent.send_message("Weigh the sacks.", metadata={"release_id": "v1"})
    return agent.events


@pytest.fixture
def read():
    """The one trace of an OTLP file."""

    def one(path: Path):
        (trace,) = read_otlp(FileSource(path=path, label=str(path)))
        return trace

    return one


@pytest.fixture
def as_saved():
    """A trace as it comes back from where runs are saved."""
    return lambda trace: decode_trace(redact_json(encode_trace(trace)))


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def plain(value: dict):
    [(kind, held)] = value.items()
    if kind == "arrayValue":
        return [plain(one) for one in held["values"]]
    return int(held) if kind == "intValue" else held


def leaves(path: Path, resources: str, scopes: str, leaf: str) -> list[dict]:
    """The spans (or metrics, or records) of a file, attributes as one object each."""
    found = []
    for line in lines(path):
        for resource in line[resources]:
            for scope in resource[scopes]:
                found += scope[leaf]
    for one in found:
        if "attributes" in one:
            one["attributes"] = {pair["key"]: plain(pair["value"]) for pair in one["attributes"]}
    return found


@pytest.fixture
def spans_in():
    return lambda path: leaves(path, "resourceSpans", "scopeSpans", "spans")


@pytest.fixture
def logs_in():
    return lambda path: leaves(path, "resourceLogs", "scopeLogs", "logRecords")


@pytest.fixture
def metrics_in():
    return lambda path: {one["name"]: one for one in leaves(path, "resourceMetrics", "scopeMetrics", "metrics")}
