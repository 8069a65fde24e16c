"""Whether a call failed: what the source says, else what the result plainly says.

Conservative: only a result that begins or ends like a failure is one. A file, page or log that merely has the word
"error" somewhere in it is not. The words are data, in ``outcome_words``.
"""

import functools
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from sentinel_core.evaluate.expressions import regex

if TYPE_CHECKING:
    from sentinel_core.trace import ToolResult

__all__ = ["UNRECORDED", "Outcome", "Reason", "State", "judge_result", "judge_text"]

State = Literal["worked", "failed", "unknown"]
Reason = Literal[
    "flag", "exit_code", "error_text", "unknown_tool", "no_match", "empty", "no_sign", "unrecorded", "not_run"
]


class Outcome(NamedTuple):
    """The outcome of a call, the reason, and the words of the result that show it (a substring of the result; empty if there are none).

    ``failed`` by ``flag`` (the source says so), ``exit_code``, ``error_text`` (an error message, an HTTP status, JSON
    that reports an error) or ``unknown_tool``. ``worked`` by ``flag``, ``exit_code`` (0), ``no_match`` (a lookup found
    nothing), ``empty`` (nothing came back) or ``no_sign`` (nothing in the result indicates a failure). ``unknown`` if
    the result is ``unrecorded``, or if the call was ``not_run`` because the agent's host reached a limit of its own.
    """

    state: State
    reason: Reason
    words: str = ""


UNRECORDED = Outcome("unknown", "unrecorded")
_FLAGGED = Outcome("worked", "flag")
_EMPTY = Outcome("worked", "empty")
_NO_SIGN = Outcome("worked", "no_sign")

_HEAD, _OPENING, _TAIL, _SHORT = 300, 160, 400, 200
_JSON_END = 100
_QUOTED, _END = 160, 60
_CROSSES = "✘✗✖❌× "  # with which command lines of web services mark what failed
_WARNINGS = ("warning: ", "[warning]", "warn: ", "[warn]")
_TRACEBACK, _LONGEST_TRACEBACK = 2_000, 8_000
_EXCEPTION = regex(r"[A-Za-z_][\w.]{0,120}(?:: |\Z)")
_RAISED = re.compile(r"[A-Za-z_][\w.]{0,80}(?:Error|Exception|Exit|Interrupt|Warning)\b").match
_CODE = re.compile(r"-?\d+").search
_ONLY_CODE = re.compile(
    r"\W*(?:command |process )?(?:exit(?:ed)?|finished|failed)(?: with)?(?: (?:exit )?(?:code|status))?\W*\d{1,3}\W*",
    re.IGNORECASE,
).fullmatch
_RAISED_BEFORE = ("traceback", "╭", "------", "cell in", "file ")
_ANSWERS = ('{"error"', '{"success"', '{"ok"', '{"isError"', '{"is_error"')
# A list is a good answer, save one of parts of a message.
_LISTS = ("[{", "[[", '["', "[(", "[]", "['", "[\n")
# What wraps a whole answer.
_PARTS = ('[{"type"', '[{"text"')
_WRAPPED = (
    *_PARTS,
    '{"message"',
    '{"text"',
    '{"content"',
    '{"output"',
    '{"result"',
    '{"response"',
    '{"std',
    '{"body"',
    '{"status": 4',
    '{"status": 5',
)
# Lines after the last one that says how it went.
_FOOTERS = (
    "[notice]", "note:", "hint:", "[end of", "signal:", "background pids:", "process group pgid:",
    "[current working directory", "[python interpreter", "please make sure you have the correct access", "and the repository exists", 'see "systemctl',
    "[sql:", "(background on this error",
)  # fmt: skip

# Codex says first how long a command took, and how it ended.
_TIMED = ("Chunk ID: ", "Wall time: ")
_ENDED = regex(r"(?:Chunk ID: [^\n]{0,60}\n)?Wall time: [^\n]{0,60}\n(Process exited with code (-?\d{1,9}))\b")

_Match = Callable[[str], re.Match[str] | None]
_Tried = tuple[tuple[str, ...], _Match]


def judge_result(result: "ToolResult") -> Outcome:
    """What became of the call that this result answers. The source's own flag decides; the text of a failure may say more."""
    success = result.success
    if not success and (result.metadata or {}).get("not_run") is True:
        return Outcome("unknown", "not_run")
    if success is None:
        return judge_text(result.content)
    if success:
        # Some frameworks set the flag for every answer that arrives: an answer that begins with its own word, or an exit code, goes before.
        content = result.content
        answers = content.startswith(_ANSWERS)
        told = judge_text(content) if answers or "xit" in content else _FLAGGED
        return told if told.state == "failed" and (answers or told.reason == "exit_code") else _FLAGGED
    told = judge_text(result.content)
    if told.reason == "unknown_tool":
        return told
    return Outcome("failed", "flag", told.words or _first_line(result.content))


def judge_text(content: str) -> Outcome:  # noqa: PLR0911 - one test a line
    """The outcome that a result's text tells: worked where it does not look like a failure."""
    first = content[:2]
    if first[:1] == "{" or first in _LISTS:
        told = _judge_json(content)
        last = "" if told is not _NO_SIGN or content.rstrip()[-1] in "]}" else _last_line(content)
        return _judge_end(content, last, last.lower()) if last else told  # a program says after the answer how it went
    ended = _ENDED.match(content) if content.startswith(_TIMED) else None
    if ended is not None:
        return Outcome("failed" if int(ended[2]) else "worked", "exit_code", ended[1])
    head = content[:_HEAD].lstrip()
    if not head:
        return _NO_SIGN if content.strip() else _EMPTY
    start = head.lstrip(_CROSSES).lower()
    # Without a letter (a number) it tells nothing.
    if len(content) <= _HEAD and start.isascii() and not start.islower():
        return _NO_SIGN
    groups = _groups()
    last = _last_line(content)
    if start.startswith(_WARNINGS):  # what follows it may have worked all the same
        return _judge_end(content, last, last.lower())
    reason = _first(groups["start"], start) or _first(groups["opening"], start[:_OPENING])
    if reason is None and len(content) <= _SHORT:
        reason = _first(groups["short"], start)
    if reason is None:
        return _judge_end(content, last, last.lower())
    is_done = reason == "error_text" and _is_done(last.lower())
    return _NO_SIGN if is_done else _told(reason, content, _first_line(head))


def _judge_end(content: str, last: str, lowered: str) -> Outcome:
    groups = _groups()
    reason = _first(groups["last"], lowered)
    if reason is None and _ends_in_traceback(content, last):
        reason = "error_text"
    if reason is not None:
        return _told(reason, content, last[:_QUOTED])
    reason = _first(groups["end"], lowered[-_END:])
    return _NO_SIGN if reason is None else _told(reason, content, last if len(last) <= _QUOTED else last[-_END:])


def _first(groups: Sequence[_Tried], part: str) -> Reason | None:
    """The reason of the first group of which a row matches."""
    for hints, match in groups:
        for hint in hints:
            if hint in part:
                found = match(part)
                if found is not None:
                    return cast("Reason", found.lastgroup)
                break
    return None


def _told(reason: Reason, content: str, words: str) -> Outcome:
    if words.lower().startswith(_RAISED_BEFORE):
        words = _raised(content) or words
    if reason == "exit_code":
        code = _CODE(words)
        if code is not None and not int(code[0]):
            return Outcome("worked", "exit_code", words)
        says_more = words == content.strip() or _ONLY_CODE(words) is None
        return Outcome("failed", "exit_code", words if says_more else _last_line(content)[:_QUOTED])
    return Outcome("worked" if reason == "no_match" else "failed", reason, words)


def _ends_in_traceback(content: str, last: str) -> bool:
    """True for the last line of a Python traceback, whatever the exception is called."""
    if _EXCEPTION.match(last) is None:
        return False
    if content.find("Traceback (most recent call last)", max(0, len(content) - _LONGEST_TRACEBACK)) < 0:
        return False
    before = content[: content.rfind(last)].rstrip()
    return before[before.rfind("\n") + 1 :][:1] == " "  # where it was raised


def _raised(content: str) -> str:
    """The line with which a Python traceback ends."""
    lines = reversed(content[-_TRACEBACK:].split("\n"))
    return next((line[:_QUOTED].rstrip() for line in lines if _RAISED(line) is not None), "")


def _first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0][:_QUOTED].rstrip()


def _last_line(content: str) -> str:
    """The last line that says something: where footers follow it, as far as it stands in the last 800 characters."""
    tail = content[-_TAIL:].rstrip()
    last = tail[tail.rfind("\n") + 1 :].lstrip()
    if last.lower().startswith(_FOOTERS):
        tail = content[-2 * _TAIL :].rstrip()
    while last.lower().startswith(_FOOTERS) and "\n" in tail:
        tail = tail[: tail.rfind("\n")].rstrip()
        last = tail[tail.rfind("\n") + 1 :].lstrip()
    return last


@functools.cache
def _groups() -> Mapping[str, Sequence[_Tried]]:
    """The tables by part, compiled when the first result is read: most commands start faster without."""
    from sentinel_core.evaluate.outcome_words import ROWS

    tried: dict[str, list[_Tried]] = {}
    for (part, hints), rows in itertools.groupby(ROWS, key=lambda row: (row.part, row.hints)):
        pattern = "|".join(f"(?P<{row.reason}>{'|'.join(row.patterns)})" for row in rows)
        tried.setdefault(part, []).append((hints, re.compile(pattern).match))
    return tried


@functools.cache
def _done() -> _Match:
    from sentinel_core.evaluate.outcome_words import DONE

    return re.compile(DONE).match


def _is_done(last: str) -> bool:
    return _done()(last) is not None


def _judge_json(content: str) -> Outcome:
    if content[0] == "[" and not content.startswith(_PARTS):
        return _NO_SIGN
    ends = (content if len(content) <= 2 * _JSON_END else content[:_JSON_END] + content[-_JSON_END:]).lower()
    # JSON that tells of a failure has one of these near an end. Written out, because every result pays for it.
    if not (
        "rror" in ends
        or 'ode"' in ends
        or "fail" in ends
        or '"ok"' in ends
        or '"success' in ends
        or "xception" in ends
        or "denied" in ends
        or "reject" in ends
        or content.startswith(_WRAPPED)
    ):
        return _NO_SIGN
    from sentinel_core.evaluate.outcome_json import told_by_json

    told = told_by_json(content, judge_text)
    if told is None:
        return _NO_SIGN
    state, reason, words = told
    return Outcome(state, cast("Reason", reason), words if words in content else "")
