"""Whether a call failed: what the source says, else what the result plainly says.

Conservative: only a result that begins or ends like a failure is one. A file, page or log that merely has the word "error"
somewhere in it is not. The words are data, in ``outcome_words``.
"""

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from sentinel_core.trace import ToolResult

__all__ = ["UNRECORDED", "Outcome", "Reason", "State", "judge_result", "judge_text"]

State = Literal["worked", "failed", "unknown"]
Reason = Literal[
    "flag", "exit_code", "error_text", "unknown_tool", "no_match", "empty", "no_sign", "unrecorded", "not_run"
]


class Outcome(NamedTuple):
    """What became of a call, why, and the words of the result that it rests on (a substring of it; empty where there are none).

    ``failed`` by ``flag`` (the source says so), ``exit_code``, ``error_text`` (an error message, an HTTP status, JSON that tells
    an error) or ``unknown_tool``. ``worked`` by ``flag``, ``exit_code`` (0), ``no_match`` (a lookup found nothing), ``empty`` (nothing
    came back) or ``no_sign`` (nothing in the result speaks of a failure). ``unknown`` where the result is ``unrecorded``, or the
    call was ``not_run`` because the agent's host met a limit of its own.
    """

    state: State
    reason: Reason
    words: str = ""


UNRECORDED = Outcome("unknown", "unrecorded")
_FLAGGED = Outcome("worked", "flag")
_EMPTY = Outcome("worked", "empty")
_NO_SIGN = Outcome("worked", "no_sign")

_HEAD, _TAIL, _SHORT = 300, 400, 200
_JSON_END = 200
_QUOTED, _END = 160, 60
_JSON_STARTS = ("{", "[{")
# JSON that tells of a failure has one of these near an end.
_JSON_HINTS = ("rror", "fail", "FAIL", "Fail", '"ok"', '"success', "xception", "code", "Code", "denied", "reject", "raceback")
# Lines after the last one that says how it went.
_FOOTERS = ("[notice]", "note:", "hint:", "[end of")

_Match = Callable[[str], re.Match[str] | None]


def judge_result(result: "ToolResult") -> Outcome:
    """What became of the call that this result answers. The source's own flag decides; the text of a failure may say more."""
    success = result.success
    if success is None:
        return judge_text(result.content)
    if success:
        return _FLAGGED
    if (result.metadata or {}).get("not_run") is True:
        return Outcome("unknown", "not_run")
    told = judge_text(result.content)
    if told.reason == "unknown_tool":
        return told
    return Outcome("failed", "flag", told.words or _first_line(result.content))


def judge_text(content: str) -> Outcome:
    """The outcome that a result's text tells: worked where it does not look like a failure."""
    if content.startswith(_JSON_STARTS):
        return _judge_json(content)
    head = content[:_HEAD].lstrip()
    if not head:
        return _NO_SIGN if content.strip() else _EMPTY
    start = head.lower()
    # Without a letter (a number) it tells nothing.
    if not start.islower() and start.isascii() and len(content) <= _HEAD:
        return _NO_SIGN
    match_start, match_last, match_end, match_short = _patterns()
    if (found := match_start(start)) is not None:
        return _told(found, _first_line(head))
    if len(content) <= _SHORT and (found := match_short(start)) is not None:
        return _told(found, _first_line(head))
    last = _last_line(content)
    lowered = last.lower()
    if (found := match_last(lowered)) is not None:
        return _told(found, last[:_QUOTED])
    if ("exit" in lowered or "unknown tool" in lowered) and (found := match_end(lowered[-_END:])) is not None:
        return _told(found, last[-_END:])
    return _NO_SIGN


def _told(found: re.Match[str], words: str) -> Outcome:
    reason: Any = found.lastgroup
    if reason == "exit_code":
        return Outcome("worked" if _IS_ZERO(found[0]) else "failed", "exit_code", words)
    return Outcome("worked" if reason == "no_match" else "failed", reason, words)


_IS_ZERO = re.compile(r".*\b0\W*\Z", re.DOTALL).match


def _first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0][:_QUOTED].rstrip()


def _last_line(content: str) -> str:
    """The last line that says something, as far as it stands in the last 400 characters."""
    for line in reversed(content[-_TAIL:].split("\n")):
        said = line.strip()
        if said and not said.lower().startswith(_FOOTERS):
            return said
    return ""


@functools.cache
def _patterns() -> tuple[_Match, ...]:
    """The tables as one pattern a part, compiled when the first result is read: most commands start faster without."""
    from sentinel_core.evaluate.outcome_words import ROWS

    def one(part: str) -> _Match:
        groups = ((reason, "|".join(row for of, row in rows if of == part)) for reason, rows in ROWS)
        return re.compile("|".join(f"(?P<{reason}>{rows})" for reason, rows in groups if rows)).match

    return one("start"), one("last"), one("end"), one("short")


def _judge_json(content: str) -> Outcome:
    ends = content if len(content) <= 2 * _JSON_END else content[:_JSON_END] + content[-_JSON_END:]
    for hint in _JSON_HINTS:
        if hint in ends:
            break
    else:
        return _NO_SIGN
    from sentinel_core.evaluate.outcome_json import told_by_json

    told = told_by_json(content)
    if told is None:
        return _NO_SIGN
    state, reason, words = told
    return Outcome(state, reason, words if words in content else "")
