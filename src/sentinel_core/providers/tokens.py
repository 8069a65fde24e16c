"""Token counts estimated without a tokenizer."""

from collections.abc import Iterable, Sequence

from sentinel_core.offers import Tool
from sentinel_core.trace import Message, canonical

__all__ = ["estimate_overhead", "estimate_tokens"]

# Bytes of UTF-8 per token, times ten, to stay in integers; prose has more bytes per token than JSON.
_TEXT_BYTES_X10 = 36
_JSON_BYTES_X10 = 30
_PER_MESSAGE = 4


def estimate_tokens(messages: Sequence[Message]) -> int:
    """Estimated tokens of the messages: UTF-8 bytes / 3.6 of text, / 3.0 of call arguments, and 4 per message."""
    return sum(map(_message_tokens, messages))


def estimate_overhead(system_prompt: str, tools: Iterable[Tool]) -> int:
    """Estimated tokens of a request beside its messages: the system prompt and the tools' descriptions."""
    json = sum(len(canonical([tool.name, tool.description, tool.parameters])) for tool in tools)
    return _PER_MESSAGE + -(-_size(system_prompt) * 10 // _TEXT_BYTES_X10) + -(-json * 10 // _JSON_BYTES_X10)


def _message_tokens(message: Message) -> int:
    texts = [message.content or "", *(result.content for result in message.tool_results)]
    text = sum(_size(part) for part in texts)
    json = sum(_size(call.name) + len(canonical(call.arguments)) for call in message.tool_calls)
    return _PER_MESSAGE + -(-text * 10 // _TEXT_BYTES_X10) + -(-json * 10 // _JSON_BYTES_X10)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
