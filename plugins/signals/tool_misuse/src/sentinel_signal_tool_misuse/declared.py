"""The rules of this signal, as the host shows them."""

from sentinel_core.offers import Rule

__all__ = ["LONGEST", "RULES"]

LONGEST = 1_000
"""A longer text is the content of something, not an argument that anybody could suspect."""

_SINCE = "0.1.0"

RULES = (
    Rule(
        id="failed_call",
        severity="warning",
        title="A call failed",
        help="The source records that the call failed, or the result reads like a failure. It is a note if a later call of its kind succeeded, or if the agent admits a failure.",
        since=_SINCE,
    ),
    Rule(
        id="unknown_tool",
        severity="error",
        title="There is no such tool",
        help="The agent called a tool that is not available, or the result says that there is no tool of that name.",
        since=_SINCE,
    ),
    Rule(
        id="missing_argument",
        severity="error",
        title="A required argument is missing",
        help="The tool's schema requires an argument that the call does not pass.",
        since=_SINCE,
    ),
    Rule(
        id="invalid_argument",
        severity="error",
        title="An argument does not fit the schema",
        help="The tool's schema rejects an argument because its type is wrong or its value is not allowed.",
        since=_SINCE,
    ),
    Rule(
        id="arguments_not_json",
        severity="error",
        title="Arguments that are not JSON",
        help="The model wrote arguments that could not be parsed, and the call failed.",
        since=_SINCE,
    ),
    Rule(
        id="placeholder_argument",
        severity="warning",
        title="A placeholder as an argument",
        help="An argument is still a placeholder, such as TODO or <your_api_key>.",
        since=_SINCE,
    ),
    Rule(
        id="empty_argument",
        severity="warning",
        title="An empty argument",
        help="An argument is empty although other calls to the same tool pass a value, or all required arguments are empty.",
        since=_SINCE,
    ),
    Rule(
        id="suspicious_argument",
        severity="warning",
        title="A suspicious argument",
        help="An argument would delete or overwrite what no task asks for, such as the whole disk, a table or the main branch; run a script from the network; switch off checks; reach system files; or inject SQL through a value.",
        since=_SINCE,
    ),
    Rule(
        id="no_match",
        severity="warning",
        title="A lookup found nothing",
        help="The result says that nothing was found. This is often harmless, but many such results mean that the agent is guessing.",
        since=_SINCE,
    ),
)
"""All that this signal can find."""
