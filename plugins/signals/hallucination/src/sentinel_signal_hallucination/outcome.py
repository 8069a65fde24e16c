"""Whether a call did nothing for what the agent says of it."""

from sentinel_core.evaluate.index import Call
from sentinel_core.evaluate.tools import facts_of

__all__ = ["failed"]

_STEPS = (";", "&&", "|", "\n")


def failed(call: Call) -> bool:
    """True where the call failed, and nothing of what it was made for can have been done.

    What runs anything is given the benefit of the doubt: of several steps, the last may have failed.
    """
    if call.outcome.state != "failed":
        return False
    return not facts_of(call.call.name).runs_anything or _is_one_step(call)


def _is_one_step(call: Call) -> bool:
    arguments = call.call.arguments
    command = next((arguments[name] for name in ("command", "cmd") if name in arguments), None)
    return isinstance(command, str) and not any(map(command.strip().__contains__, _STEPS))
