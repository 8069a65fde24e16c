"""The rules of this signal, as the host shows them."""

from sentinel_core.offers import Rule

__all__ = ["RULES"]

_SINCE = "0.1.0"

RULES = (
    Rule(
        id="claim_without_call",
        severity="error",
        title="Says that it was done, and no call did it",
        help="A sentence says that something was done, and no earlier call could have done it.",
        since=_SINCE,
    ),
    Rule(
        id="contradicted_claim",
        severity="error",
        title="Says that it was done, and the call failed",
        help="A sentence says that something was done, and every call that could have done it failed.",
        since=_SINCE,
    ),
    Rule(
        id="imitated_call",
        severity="warning",
        title="A tool call written as text",
        help="The agent wrote a tool call into its message instead of making it.",
        since=_SINCE,
    ),
    Rule(
        id="imitated_output",
        severity="warning",
        title="Tool output written by the agent",
        help="The agent wrote what looks like the output of a tool.",
        since=_SINCE,
    ),
    Rule(
        id="contradicted_number",
        severity="warning",
        title="A number that the result contradicts",
        help="A labelled number of the last answer differs from the tool result of that label.",
        since=_SINCE,
    ),
    Rule(
        id="contradicted_tests",
        severity="error",
        title="Says that tests pass, and the last run failed",
        help="The tests are said to pass, and the last run of tests before it failed.",
        since=_SINCE,
    ),
    Rule(
        id="contradicted_check",
        severity="error",
        title="Says that a check passes, and the last run failed",
        help="A build, a type check or a linter is said to pass, and its last run before it failed.",
        since=_SINCE,
    ),
    Rule(
        id="call_without_result",
        severity="warning",
        title="A call without a result",
        help="A call has no result, although the run went on.",
        since=_SINCE,
    ),
    Rule(
        id="orphan_result",
        severity="warning",
        title="A result without a call",
        help="A result answers a call that was never made.",
        since=_SINCE,
    ),
)
"""All that this signal can find."""
