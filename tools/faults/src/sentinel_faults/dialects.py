"""The wire formats: Anthropic Messages, OpenAI chat completions, OpenRouter's kind of them, Ollama's chat."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from sentinel_faults.turns import Turn

__all__ = ["DIALECTS", "Dialect", "as_json"]

_PIECE = 7  # characters; small, so that a stream has several events


def as_json(value: object) -> bytes:
    """JSON as Python writes it, NaN included."""
    return json.dumps(value).encode()


@attrs.frozen(kw_only=True)
class Dialect:
    """One wire format.

    ``root`` is where the base address ends, ``path`` what is asked below it. ``document(turn, number)`` is a whole reply and
    ``stream(document)`` the same in pieces; ``error(status, text)`` is an error's body, ``event(status, text)`` one in a stream.
    ``looked_up`` are the answers to other questions, by path.
    """

    name: str
    root: str
    path: str
    document: Callable[[Turn, int], dict[str, Any]]
    stream: Callable[[dict[str, Any]], Iterator[bytes]]
    stream_type: str
    error: Callable[[int, str], dict[str, Any]]
    event: Callable[[int, str], bytes]
    looked_up: Mapping[str, dict[str, Any]]


def _pieces(text: str) -> list[str]:
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


def _text_of(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


# OpenAI

_OPENAI_STOP = {"max_tokens": "length", "content_filter": "content_filter"}


def _openai_document(turn: Turn, number: int) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{number}_{place}" if call.id is None else call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": _text_of(call.arguments)},
        }
        for place, call in enumerate(turn.calls)
    ]
    refused = turn.stop == "refusal"
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if refused else turn.text or None,
        "refusal": turn.text if refused else None,
    }
    if calls:
        message["tool_calls"] = calls
    document: dict[str, Any] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": "test-model",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": _OPENAI_STOP.get(turn.stop, "tool_calls" if calls else "stop"),
            }
        ],
    }
    if turn.usage is not None:
        counts = {"prompt_tokens": turn.usage["prompt"], "completion_tokens": turn.usage["completion"]}
        document["usage"] = counts | {"prompt_tokens_details": {"cached_tokens": 0}}
    return document


def _sse(value: object) -> bytes:
    return b"data: " + as_json(value) + b"\n\n"


def _openai_stream(document: dict[str, Any]) -> Iterator[bytes]:
    choice = document["choices"][0]
    message = choice["message"]
    head = {key: document[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield chunk({"role": "assistant", "content": ""})
    for key in ("content", "refusal"):
        for piece in _pieces(message.get(key) or ""):
            yield chunk({key: piece})
    for place, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        opening = {**call, "index": place, "function": {"name": function["name"], "arguments": ""}}
        yield chunk({"tool_calls": [opening]})
        for piece in _pieces(function["arguments"]):
            yield chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
    yield chunk({}, choice["finish_reason"])
    if "usage" in document:
        yield _sse({**head, "choices": [], "usage": document["usage"]})
    yield b"data: [DONE]\n\n"


def _openai_error(_status: int, text: str) -> dict[str, Any]:
    return {"error": {"message": text, "type": "test", "param": None, "code": None}}


def _openrouter_document(turn: Turn, number: int) -> dict[str, Any]:
    document = _openai_document(turn, number)
    if "usage" in document:
        document["usage"]["cost"] = 0.0125
    return document


def _openrouter_error(status: int, text: str) -> dict[str, Any]:
    return {"error": {"message": text, "code": status, "metadata": {"provider_name": "test"}}}


# Anthropic

_ANTHROPIC_STOP = {"max_tokens": "max_tokens", "refusal": "refusal"}


def _anthropic_document(turn: Turn, number: int) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    content.extend(
        {
            "type": "tool_use",
            "id": f"toolu_{number}_{place}" if call.id is None else call.id,
            "name": call.name,
            "input": call.arguments,
        }
        for place, call in enumerate(turn.calls)
    )
    document: dict[str, Any] = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "test-model",
        "content": content,
        "stop_reason": _ANTHROPIC_STOP.get(turn.stop, "tool_use" if turn.calls else "end_turn"),
        "stop_sequence": None,
    }
    if turn.usage is not None:
        document["usage"] = {"input_tokens": turn.usage["prompt"], "output_tokens": turn.usage["completion"]}
    return document


def _event(value: dict[str, Any]) -> bytes:
    return f"event: {value['type']}\n".encode() + _sse(value)


def _anthropic_stream(document: dict[str, Any]) -> Iterator[bytes]:
    usage = document.get("usage")
    counted = {} if usage is None else {"usage": {**usage, "output_tokens": 1}}
    yield _event({"type": "message_start", "message": {**document, "content": [], "stop_reason": None, **counted}})
    yield _event({"type": "ping"})
    for index, block in enumerate(document["content"]):
        is_text = block["type"] == "text"
        opening = {**block, "text": ""} if is_text else {**block, "input": {}}
        yield _event({"type": "content_block_start", "index": index, "content_block": opening})
        for piece in _pieces(block["text"] if is_text else _text_of(block["input"])):
            delta = (
                {"type": "text_delta", "text": piece}
                if is_text
                else {"type": "input_json_delta", "partial_json": piece}
            )
            yield _event({"type": "content_block_delta", "index": index, "delta": delta})
        yield _event({"type": "content_block_stop", "index": index})
    last = {} if usage is None else {"usage": {"output_tokens": usage["output_tokens"]}}
    yield _event({"type": "message_delta", "delta": {"stop_reason": document["stop_reason"]}, **last})
    yield _event({"type": "message_stop"})


_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _anthropic_error(status: int, text: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": _ANTHROPIC_TYPES.get(status, "api_error"), "message": text}}


# Ollama


def _ollama_document(turn: Turn, _number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.text}
    if turn.calls:
        message["tool_calls"] = [{"function": {"name": call.name, "arguments": call.arguments}} for call in turn.calls]
    document = {
        "model": "test-model",
        "created_at": "2026-01-01T00:00:00Z",
        "message": message,
        "done": True,
        "done_reason": "length" if turn.stop == "max_tokens" else "stop",
        "total_duration": 1,
    }
    if turn.usage is not None:
        document |= {"prompt_eval_count": turn.usage["prompt"], "eval_count": turn.usage["completion"]}
    return document


def _ollama_stream(document: dict[str, Any]) -> Iterator[bytes]:
    head = {key: document[key] for key in ("model", "created_at")}
    message = document["message"]
    for piece in _pieces(message["content"]):
        yield as_json({**head, "message": {"role": "assistant", "content": piece}, "done": False}) + b"\n"
    if "tool_calls" in message:
        yield as_json({**head, "message": {**message, "content": ""}, "done": False}) + b"\n"
    yield as_json({**document, "message": {"role": "assistant", "content": ""}}) + b"\n"


def _ollama_error(_status: int, text: str) -> dict[str, Any]:
    return {"error": text}


_SSE_TYPE = "text/event-stream"
_MODELS = {"data": [{"id": "test-model", "created_at": "2026-01-01T00:00:00Z", "object": "model"}]}
_SHOWN = {"capabilities": ["completion", "tools"], "model_info": {"test.context_length": 4096}}

_openai = Dialect(
    name="openai",
    root="/v1",
    path="/chat/completions",
    document=_openai_document,
    stream=_openai_stream,
    stream_type=_SSE_TYPE,
    error=_openai_error,
    event=lambda status, text: _sse(_openrouter_error(status, text)),
    looked_up={"/models": _MODELS},
)
DIALECTS: Mapping[str, Dialect] = {
    "openai": _openai,
    "openrouter": attrs.evolve(
        _openai, name="openrouter", root="/api/v1", document=_openrouter_document, error=_openrouter_error
    ),
    "anthropic": Dialect(
        name="anthropic",
        root="",
        path="/v1/messages",
        document=_anthropic_document,
        stream=_anthropic_stream,
        stream_type=_SSE_TYPE,
        error=_anthropic_error,
        event=lambda status, text: _event(_anthropic_error(status, text)),
        looked_up={"/v1/models": _MODELS, "/v1/models/test-model": {"id": "test-model", "max_input_tokens": 200_000}},
    ),
    "ollama": Dialect(
        name="ollama",
        root="",
        path="/api/chat",
        document=_ollama_document,
        stream=_ollama_stream,
        stream_type="application/x-ndjson",
        error=_ollama_error,
        event=lambda status, text: as_json(_ollama_error(status, text)) + b"\n",
        looked_up={"/api/show": _SHOWN, "/api/tags": {"models": [{"name": "test-model", "modified_at": "2026"}]}},
    ),
}
