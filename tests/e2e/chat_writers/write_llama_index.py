"""Writes a chat as LlamaIndex's messages."""

import json
import sys

from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock


def messages(step):
    if step["role"] != "tool":
        blocks = [TextBlock(text=step["text"])] if step.get("text") else []
        blocks += [
            ToolCallBlock(tool_call_id=call["id"], tool_name=call["name"], tool_kwargs=call["arguments"])
            for call in step.get("calls", ())
        ]
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15} if step["role"] == "assistant" else {}
        yield ChatMessage(role=step["role"], blocks=blocks, additional_kwargs=usage)
    for result in step.get("results", ()):
        added = {"tool_call_id": result["id"], "name": result["name"]} | ({} if result["ok"] else {"is_error": True})
        yield ChatMessage(role="tool", content=result["content"], additional_kwargs=added)


json.dump([json.loads(one.model_dump_json()) for step in json.load(sys.stdin) for one in messages(step)], sys.stdout)
