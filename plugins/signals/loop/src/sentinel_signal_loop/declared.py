"""The rules of this signal, as the host shows them."""

from sentinel_core.offers import Rule

__all__ = ["RULES", "USUAL_LIMIT"]

USUAL_LIMIT = 100
"""Messages above which length gives a score where no limit is set."""

_SINCE = "0.1.0"

RULES = (
    Rule(
        id="identical_calls",
        severity="error",
        title="The same call again and again",
        help="The agent made the same call with the same arguments, and got the same result. Tell the agent what it has tried, or stop the run.",
        since=_SINCE,
    ),
    Rule(
        id="cycle",
        severity="error",
        title="The same calls in a cycle",
        help="The agent went through the same calls several times, and nothing new came back. Tell the agent what it has tried, or stop the run.",
        since=_SINCE,
    ),
    Rule(
        id="repeated_messages",
        severity="error",
        title="The same message again and again",
        help="The agent said nearly the same thing several times, with nothing new in between.",
        since=_SINCE,
    ),
    Rule(
        id="too_many_messages",
        severity="warning",
        title="A very long run",
        help="The run has more messages than message_limit, or than 100 if message_limit is not set; then it is a note.",
        since=_SINCE,
    ),
)
"""All that this signal can find."""
