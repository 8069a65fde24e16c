"""Runs a Strands agent on a model that replays a chat: its messages go to standard output, its session to a folder."""

import json
import sys

from strands import Agent
from strands.models import Model
from strands.session.file_session_manager import FileSessionManager
from strands.tools import PythonAgentTool

STEPS = json.load(sys.stdin)
RESULTS = {result["id"]: result for step in STEPS for result in step.get("results", ())}


class Replay(Model):
    """Streams the chat's own replies, in order."""

    replies = iter([step for step in STEPS if step["role"] == "assistant"])

    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    def structured_output(self, *_, **__):
        raise NotImplementedError

    async def stream(self, *_, **__):
        step = next(self.replies)
        yield {"messageStart": {"role": "assistant"}}
        if step.get("text"):
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": step["text"]}}}
            yield {"contentBlockStop": {}}
        for call in step.get("calls", ()):
            yield {"contentBlockStart": {"start": {"toolUse": {"name": call["name"], "toolUseId": call["id"]}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(call["arguments"])}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if step.get("calls") else "end_turn"}}
        usage = {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


def tool(name):
    def run(use, **_):
        result = RESULTS[use["toolUseId"]]
        status = "success" if result["ok"] else "error"
        return {"toolUseId": use["toolUseId"], "status": status, "content": [{"text": result["content"]}]}

    schema = {"json": {"type": "object", "properties": {"order": {"type": "string"}}}}
    return PythonAgentTool(name, {"name": name, "description": "Works on an order.", "inputSchema": schema}, run)


session = FileSessionManager(session_id="replay", storage_dir=sys.argv[1])
names = sorted({result["name"] for result in RESULTS.values()})
agent = Agent(model=Replay(), tools=[tool(name) for name in names], session_manager=session, callback_handler=None)
agent(next(step["text"] for step in STEPS if step["role"] == "user"))
json.dump(agent.messages, sys.stdout)
