"""Texts that repeat a call which was made: no call that was only written."""

from collections.abc import Iterable

from sentinel_core.evaluate.index import Call
from sentinel_core.trace import from_json

__all__ = ["is_echo"]

_ARGUMENTS = ("arguments", "parameters", "args", "input")


def is_echo(content: str, made: Iterable[Call]) -> bool:
    """True for a text that is nothing but a call, as JSON, that was made before and worked."""
    start, end = content.find("{"), content.rfind("}")
    try:
        written = from_json(content[start : end + 1])
    except (ValueError, RecursionError):
        return False
    if not isinstance(written, dict):
        return False
    given: object = next((written[key] for key in _ARGUMENTS if key in written), {})
    return any(
        call.call.name == written.get("name") and call.call.arguments == given and call.outcome.state == "worked"
        for call in made
    )
