"""Whether a call failed: what the source says, else what the result text plainly says."""

from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.tools import ability

__all__ = ["failed"]

_HEAD = 300
_FIRST_WORDS = (
    "error:", "error ", "error\n", "[error", "exception", "traceback", "fatal", "failed", "failure", "usage:", "invalid", "unauthorized", "forbidden",
    "permission denied", "access denied", "could not", "cannot", "unable to", "no such file", "command not found",
    "timed out", "timeout", "rate limit", "internal server error", "bad request", "unknown tool", "unknown command",
    "unknown function", "<error", "<tool_use_error", "exit code 1", "exit code: 1", "exit code 2", "exit code: 2",
)  # fmt: skip
_LONGEST_FIRST = max(map(len, _FIRST_WORDS))
_NAMED_ERROR = regex(r"[A-Za-z.]{1,60}(?:Error|Exception)\b:")
# One of these stands in every failure; the key "status" is no sign, for most answers that have it are good.
_JSON_SIGNS = ('"error', '"exception"', '"success"', '"ok"', '"fail', '"denied"', '"rejected"')
_JSON_FAILURE = regex(
    r"\"(?:(?:success|ok)\"\s{0,4}:\s{0,4}false|status\"\s{0,4}:\s{0,4}\"(?:error|failed|failure|denied|rejected)\""
    r"|(?:error|errors|exception)\"\s{0,4}:(?!\s{0,4}(?:null|\[\]|\"\"|\{\}|false|0\b)))"
)


def failed(call: Call) -> bool:
    """True where the call's result is a failure. A call without a result has not failed: nobody knows.

    Where the source does not say, a tool that runs anything is given the benefit of the doubt: a shell's output may open
    with an error of which the rest took no harm.
    """
    result = call.result
    if result is None:
        return False
    if result.success is not None:
        return not result.success
    return ability(call.call.name).kind != "any" and _tells_failure(result.content[:_HEAD].lstrip())


def _tells_failure(head: str) -> bool:
    if head.startswith("{"):
        return _tells_json_failure(head)
    if head[:_LONGEST_FIRST].lower().startswith(_FIRST_WORDS):
        return True
    return ":" in head and _NAMED_ERROR.match(head) is not None


def _tells_json_failure(head: str) -> bool:
    # What lies deeper is what the tool was asked about, not how the call went.
    if not any(map(head.__contains__, _JSON_SIGNS)):
        return False
    found = _JSON_FAILURE.search(head)
    return found is not None and "{" not in head[1 : found.start()]
