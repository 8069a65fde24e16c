"""What calls brought: whether a call did nothing for what the agent says, and what tools told."""

from sentinel_core.evaluate.index import Call, TraceIndex
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.tools import ability

__all__ = ["failed", "told_by_tools"]

# When something was done tells not that it was: "updated_at".
_TIME_KEY = regex(r"\"\w{1,40}_(?:at|by|date|on|time)\"\s{0,4}:")


def failed(call: Call) -> bool:
    """True where the call failed and nothing of what it was made for can have been done.

    A tool that runs anything is given the benefit of the doubt: of several steps, the last may have failed.
    """
    return call.outcome.state == "failed" and not (ability(call.call.name).kind == "any" and _may_have_gone_far(call))


def _may_have_gone_far(call: Call) -> bool:
    from sentinel_signal_hallucination.shell import deeds_of, has_steps  # most traces have no such tool

    flagged = call.result is not None and call.result.success is False
    return has_steps(call) or (not flagged and deeds_of(call) is None)


def told_by_tools(index: TraceIndex) -> list[str]:
    """What tools gave, in lower case, message by message; a call that failed says nothing of what was done."""
    in_vain = {id(call.result) for call in index.calls if failed(call)}
    given = []
    for message in index.messages:
        contents = [result.content for result in message.tool_results if id(result) not in in_vain]
        if message.role == "tool" and message.content:
            contents.append(message.content)
        given.append(_TIME_KEY.sub(" ", "\n".join(contents).lower()) if contents else "")
    return given
