"""Writes a chat as google-genai's contents."""

import json
import sys

from google.genai import types


def parts(step):
    if step.get("text"):
        yield types.Part(text=step["text"])
    for call in step.get("calls", ()):
        yield types.Part(function_call=types.FunctionCall(id=call["id"], name=call["name"], args=call["arguments"]))
    for result in step.get("results", ()):
        answer = {"result" if result["ok"] else "error": result["content"]}
        response = types.FunctionResponse(id=result["id"], name=result["name"], response=answer)
        yield types.Part(function_response=response)


steps = json.load(sys.stdin)
contents = [
    types.Content(role="model" if step["role"] == "assistant" else "user", parts=list(parts(step))) for step in steps
]
usage = types.GenerateContentResponseUsageMetadata(
    prompt_token_count=20, candidates_token_count=10, total_token_count=30
)
response = types.GenerateContentResponse(
    candidates=[types.Candidate(content=contents[-1], finish_reason="STOP")],
    usage_metadata=usage,
    automatic_function_calling_history=contents[:-1],
    model_version="gemini-replay",
)
sys.stdout.write(response.model_dump_json(exclude_none=True))
