"""Runs a smolagents agent on a model that replays a chat, and writes its memory."""

import json
import sys
from contextlib import redirect_stdout
from itertools import count

from smolagents import Model, Tool, ToolCallingAgent
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole
from smolagents.monitoring import TokenUsage

STEPS = json.load(sys.stdin)
RESULTS = {result["id"]: result for step in STEPS for result in step.get("results", ())}
LAST = count()


class Replay(Model):
    """Replies with the chat's own replies; a text ends the run."""

    replies = iter([step for step in STEPS if step["role"] == "assistant"])

    def generate(self, messages, **_):
        step = next(self.replies)
        calls = step.get("calls") or [
            {"id": f"final-{next(LAST)}", "name": "final_answer", "arguments": {"answer": step["text"]}}
        ]
        made = [
            ChatMessageToolCall(
                id=call["id"],
                type="function",
                function=ChatMessageToolCallFunction(name=call["name"], arguments=call["arguments"]),
            )
            for call in calls
        ]
        return ChatMessage(
            role=MessageRole.ASSISTANT, content="Next step.", tool_calls=made, token_usage=TokenUsage(10, 5)
        )


class Replayed(Tool):
    """Gives the results of one tool, in order."""

    description = "Works on an order."
    inputs = {"order": {"type": "string", "description": "the order"}}  # noqa: RUF012 - as the library wants it
    output_type = "string"
    skip_forward_signature_validation = True

    def __init__(self, name):
        self.name = name
        self.results = iter([result for result in RESULTS.values() if result["name"] == name])
        super().__init__()

    def forward(self, order):
        result = next(self.results)
        if not result["ok"]:
            raise RuntimeError(result["content"])
        return result["content"]


names = {result["name"] for result in RESULTS.values()}
agent = ToolCallingAgent(tools=[Replayed(name) for name in sorted(names)], model=Replay(), verbosity_level=0)
with redirect_stdout(sys.stderr):  # where a tool fails, the library says so
    agent.run(next(step["text"] for step in STEPS if step["role"] == "user"))
json.dump(agent.memory.get_full_steps(), sys.stdout, default=str)
