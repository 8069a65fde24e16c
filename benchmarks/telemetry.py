"""What telemetry costs: CPU a span, and the slowdown of a run whose model answers in 100 ms.

    python benchmarks/telemetry.py [spans] [run]

Prints a figure and its limit a line, and ends with 1 where a limit is exceeded.
"""

import http.server
import json
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sentinel_agent.core import Agent
from sentinel_agent.telemetry import Telemetry, rebuild, spans_of
from sentinel_core import Tool
from sentinel_core.errors import RateLimitError
from sentinel_core.host.tools import Toolbox, in_process
from sentinel_core.model import Reply, Request
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_core.trace import TokenUsage, ToolCall

MOST_MS_A_SPAN = 0.2
MOST_SLOWDOWN = 0.05
ANSWER_AFTER = 0.1
TURNS = 10
ROUNDS = 7

LOOK = Tool(
    name="look",
    description="Look something up.",
    parameters={"type": "object", "properties": {"what": {"type": "string"}}},
    handler=lambda what: {"what": what, "found": f"{what} has a shelf of jars, " * 40},
)


def script(house: int = 0) -> list[Reply | Exception]:
    """Turns with a tool call each, one of them tried twice; the texts are those of one house."""
    usage = TokenUsage(prompt_tokens=1200, completion_tokens=80)
    replies: list[Reply | Exception] = [
        Reply(
            content=f"I will look in house {house}. " * 10,
            tool_calls=(ToolCall(id=f"c{turn}", name="look", arguments={"what": f"shelf {turn} of house {house}"}),),
            stop_reason="tool_calls",
            usage=usage,
            model="m-1",
            cost_usd=0.01,
        )
        for turn in range(TURNS - 1)
    ]
    return [RateLimitError("slow down"), *replies, Reply(content="Found.", usage=usage, model="m-1")]


class Remote(ScriptedModel):
    """Asks a server on this machine before each answer."""

    def __init__(self, url: str) -> None:
        super().__init__(script()[1:])
        self.url = url

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """As the script has it, once the server has answered."""
        with urllib.request.urlopen(self.url) as answer:
            answer.read()
        return super().complete(request, on_text)


@contextmanager
def slow_server() -> Iterator[str]:
    """A server that takes its time."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(ANSWER_AFTER)
            body = json.dumps({"ok": True}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Silence."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def agent_of(model: Any, *observers: Any) -> Agent:
    """The agent that is measured."""
    from sentinel_core.host.agent_settings import AgentSettings

    settings = AgentSettings(initial_delay=0.0, jitter=False)
    return Agent(
        model=model,
        system_prompt="You look things up. " * 30,
        tools=(LOOK,),
        toolbox=Toolbox(run=in_process),
        provider="scripted",
        settings=settings,
        observers=observers,
    )


def span_cost() -> float:
    """Milliseconds of CPU a span: folding, metrics, logs, encoding, writing and syncing the three files.

    Each round has texts that were never seen before.
    """
    agents = [agent_of(ScriptedModel(script(house))) for house in range(ROUNDS + 1)]
    for agent in agents:
        agent.send_message("Find the jam.")
    number = len(spans_of(agents[0].events))
    with tempfile.TemporaryDirectory() as folder:
        rebuild(agents[0].events, Path(folder))
        rounds = []
        for agent in agents[1:]:
            begun = time.process_time()
            with Telemetry(Path(folder)) as telemetry:
                for event in agent.events:
                    telemetry(event)
            rounds.append((time.process_time() - begun) / number * 1000)
    return statistics.median(rounds)


def slowdown() -> float:
    """How much longer a run takes with telemetry than without, as a share; the fastest of some runs each."""
    with slow_server() as url, tempfile.TemporaryDirectory() as folder:

        def timed(*observers: Any) -> float:
            begun = time.perf_counter()
            agent_of(Remote(url), *observers).send_message("Find the jam.")
            for observer in observers:
                observer.close()
            return time.perf_counter() - begun

        timed(Telemetry(Path(folder)))
        without, observed = [], []
        for _ in range(3):
            without.append(timed())
            observed.append(timed(Telemetry(Path(folder))))
    return min(observed) / min(without) - 1


def main() -> int:
    """Measure what was asked for, all by default."""
    wanted = sys.argv[1:] or ["spans", "run"]
    failed = False
    if "spans" in wanted:
        cost = span_cost()
        failed |= cost > MOST_MS_A_SPAN
        print(f"CPU a span: {cost:.3f} ms (at most {MOST_MS_A_SPAN})")
    if "run" in wanted:
        share = slowdown()
        failed |= share > MOST_SLOWDOWN
        print(f"a run of {TURNS} calls of {ANSWER_AFTER * 1000:.0f} ms: {share:+.1%} (at most {MOST_SLOWDOWN:+.0%})")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
