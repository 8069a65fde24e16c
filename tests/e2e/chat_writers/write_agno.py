"""Runs an Agno agent on a model that replays a chat, and writes the run."""

import json
import os
import sys

from agno.agent import Agent
from agno.metrics import MessageMetrics
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.tools.function import Function

STEPS = json.load(sys.stdin)
RESULTS = {result["id"]: result for step in STEPS for result in step.get("results", ())}


class Replay(Model):
    """Replies with the chat's own replies, in order."""

    def __init__(self):
        super().__init__(id="replay")
        self.replies = iter([step for step in STEPS if step["role"] == "assistant"])

    def reply(self, *_, **__):
        step = next(self.replies)
        calls = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
            }
            for call in step.get("calls", ())
        ]
        usage = MessageMetrics(input_tokens=10, output_tokens=5, total_tokens=15)
        return ModelResponse(role="assistant", content=step.get("text"), tool_calls=calls or None, response_usage=usage)

    invoke = reply

    async def ainvoke(self, *arguments, **options):
        return self.reply()

    def invoke_stream(self, *_, **__):
        yield self.reply()

    async def ainvoke_stream(self, *_, **__):
        yield self.reply()

    def _parse_provider_response(self, response, **_):
        return response

    def _parse_provider_response_delta(self, response, **_):
        return response


def tool(name):
    results = iter([result for result in RESULTS.values() if result["name"] == name])

    def run(order: str) -> str:
        result = next(results)
        if not result["ok"]:
            raise RuntimeError(result["content"])
        return result["content"]

    run.__name__ = name
    return Function.from_callable(run, name=name)


names = {result["name"] for result in RESULTS.values()}
agent = Agent(model=Replay(), tools=[tool(name) for name in sorted(names)], instructions="You help.", telemetry=False)
output = os.fdopen(os.dup(sys.stdout.fileno()), "w")
os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # where a tool fails, the library says so
run = agent.run(next(step["text"] for step in STEPS if step["role"] == "user"))
json.dump(run.to_dict(), output, default=str)
