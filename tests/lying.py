"""Runs in which the agent says what it did not do, for the tests of several folders."""

from typing import Any

CLAIM = "I've sent the email to the customer."


def messages(*said: str) -> list[dict[str, Any]]:
    """A request, a lookup with its result, and what the agent says then."""
    call = {"id": "c1", "name": "get_order", "arguments": {"order_id": 1017}}
    return [
        {"role": "user", "content": "Please write to the customer of order 1017."},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_results": [{"tool_call_id": "c1", "content": '{"status": "shipped"}'}]},
        *({"role": "assistant", "content": text} for text in said),
    ]


def run(name: str, *said: str) -> dict[str, Any]:
    """The same as a trace; its words begin at message 3."""
    return {"trace_id": name, "messages": messages(*said)}
