"""Whether a call failed: what the source says, else what the result text plainly says."""

import re

from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.tables import regex, words
from sentinel_core.evaluate.tools import facts_of

__all__ = ["failed"]

_HEAD = 300
_FIRST_WORDS = (
    "error:", "error ", "error\n", "[error", "exception", "traceback", "fatal", "failed", "failure", "usage:", "invalid", "unauthorized", "forbidden",
    "permission denied", "access denied", "could not", "cannot", "unable to", "no such file", "command not found",
    "timed out", "timeout", "rate limit", "internal server error", "bad request", "unknown tool", "unknown command",
    "unknown function", "<error", "<tool_use_error", "exit code 1", "exit code: 1", "exit code 2", "exit code: 2",
    "no such tool", "no such function", "no such action", "npm err!", "npm error",
)  # fmt: skip
_OPENING = 120
# The first words of what the next pattern takes: most results have another, and it need not even be compiled.
_OPENERS = words(
    "a an the your api http http/1.1 http/2 action call command connection database execution function network operation "
    "request server tool 400 401 403 404 405 408 409 422 429 500 502 503 504"
)
_FAILED_OPENING = regex(
    r"an? (?:\w{1,30} ){0,2}error (?:has |was )?(?:encountered|occurred|raised|returned)"
    r"|(?:the |your )?(?:(?:api|database|http|network|server|tool) )?(?:call|command|connection|execution|operation|request|tool) "
    r"(?:has been |was )?(?:aborted|denied|failed|refused|rejected|timed out)"
    r"|(?:the )?(?:action|function|tool) (?:\S{1,60} )?(?:(?:is |was )?not (?:available|found|registered)|does not exist)"
    r"|http(?:/[\d.]{1,3})?(?: error| status)?(?: code)?[: ]{1,2}[45]\d\d\b"
    r"|\d{3}[: ]{1,2}(?:bad (?:gateway|request)|conflict|forbidden|gateway time|internal server|method not|not found"
    r"|request time|service unavailable|too many requests|unauthorized|unprocessable)"
)
_NAMED_ERROR = regex(r"[A-Za-z.]{1,60}(?:Error|Exception)\b:")
# One of these stands in every failure; the key "status" is no sign, for most answers that have it are good.
_JSON_SIGNS = (
    '"error', '"exception"', '"success"', '"ok"', '"fail', '"denied"', '"rejected"', '"isError"', '"is_error"',
    '"object"', '"ERROR"', '"Error"', '"FAIL', '"Fail', '"DENIED"', '"Denied"', '"REJECTED"', '"Rejected"',
)  # fmt: skip
# How a command that is one step tells that it failed.
_FAILED_STEP = regex(r"^(?:error: |fatal: | ! \[(?:remote )?rejected\]|npm (?:ERR!|error) )", re.MULTILINE)
_EXITED = regex(r"\A\s*(?:<\w+>|Error: )?[Ee]xit code:? [1-9]|\"exit_code\": ?[1-9]|\[[Ee]xit code: [1-9]\d*\]\s*\Z")
# What tells besides of what it could not do.
_DID_SOMETHING = regex(r"uccessfully installed|\S (?:configured|created|unchanged)$", re.MULTILINE)
# An answer that is nothing but an error.
_ANSWERED_ERROR = regex(
    r"\{\s{0,4}\"(?:(?:success|ok|delivered)\"\s{0,4}:\s{0,4}false|(?:isError|is_error)\"\s{0,4}:\s{0,4}true"
    r"|error\"\s{0,4}:\s{0,4}[\"{]|status\"\s{0,4}:\s{0,4}\"error\")"
)
_END = 2000
# When something was done tells not that it was: "updated_at".
_TIME_KEY = regex(r"\"\w{1,40}_(?:at|by|date|on|time)\"\s{0,4}:")
_JSON_FAILURE = regex(
    r"\"(?:(?:success|ok)\"\s{0,4}:\s{0,4}false|(?:isError|is_error)\"\s{0,4}:\s{0,4}true"
    r"|(?:status|object)\"\s{0,4}:\s{0,4}\"(?i:error|failed|failure|denied|rejected)\""
    # A number of errors counts those of something that was asked about.
    r"|(?:error|errorMessages?|errors(?!\"\s{0,4}:\s{0,4}\d)|exception)\"\s{0,4}:(?!\s{0,4}(?:null|\[\]|\"\"|\{\}|false|0\b)))"
)


def failed(call: Call) -> bool:
    """True where the call's result is a failure. A call without a result has not failed: nobody knows.

    Where the source does not say, a tool that runs anything is given the benefit of the doubt: a shell's output may open
    with an error of which the rest took no harm. So is a shell command of several steps, of which the last may have failed.
    """
    result = call.result
    if result is None:
        return False
    if result.success is False:
        return not _may_have_gone_far(call)
    head = result.content[:_HEAD].lstrip()
    if facts_of(call.call.name).runs_anything:
        return result.success is None and _is_one_step(call) and _failed_step(head, result.content[-_END:])
    # Some frameworks set the flag for every answer that arrives.
    return _ANSWERED_ERROR.match(head) is not None if result.success else _tells_failure(head)


def _failed_step(head: str, end: str) -> bool:
    if _DID_SOMETHING.search(end) is not None:
        return False
    return _tells_failure(head) or _FAILED_STEP.search(end) is not None or _EXITED.search(end) is not None


def _is_one_step(call: Call) -> bool:
    command = next((call.call.arguments[name] for name in ("command", "cmd") if name in call.call.arguments), None)
    return isinstance(command, str) and not any(sign in command for sign in (";", "&", "|", "\n"))


def _may_have_gone_far(call: Call) -> bool:
    return facts_of(call.call.name).runs_anything and not _is_one_step(call)


def _tells_failure(head: str) -> bool:
    if head.startswith("{"):
        return _tells_json_failure(head)
    opening = head[:_OPENING].lower()
    if opening.startswith(_FIRST_WORDS):
        return True
    if opening.partition(" ")[0].rstrip(":") in _OPENERS and _FAILED_OPENING.match(opening):
        return True
    return ":" in head and _NAMED_ERROR.match(head) is not None


def _tells_json_failure(head: str) -> bool:
    # What lies deeper is what the tool was asked about, not how the call went.
    if not any(map(head.__contains__, _JSON_SIGNS)):
        return False
    found = _JSON_FAILURE.search(head)
    return found is not None and "{" not in head[1 : found.start()]


