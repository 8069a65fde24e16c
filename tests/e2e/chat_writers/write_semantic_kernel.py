"""Writes a chat as Semantic Kernel serializes its history."""

import json
import sys

from semantic_kernel.contents import (
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    TextContent,
)


def items(step):
    if step.get("text"):
        yield TextContent(text=step["text"])
    for call in step.get("calls", ()):
        yield FunctionCallContent(id=call["id"], name=call["name"], arguments=json.dumps(call["arguments"]))
    for result in step.get("results", ()):
        content = result["content"] if result["ok"] else f"Error: {result['content']}"
        yield FunctionResultContent(id=result["id"], name=result["name"], result=content)


history = ChatHistory()
for step in json.load(sys.stdin):
    usage = {"usage": {"prompt_tokens": 10, "completion_tokens": 5}} if step["role"] == "assistant" else {}
    history.add_message(ChatMessageContent(role=step["role"], items=list(items(step)), metadata=usage))
sys.stdout.write(history.serialize())
