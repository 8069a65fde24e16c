"""Whether a call worked, told from its result's text where the source does not say.

Conservative: only a result that begins or ends like a failure is one. A file, page or log that merely has the word
"error" somewhere in it is not.
"""

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sentinel_core import ToolResult

__all__ = ["FAILURES", "NO_MATCH", "UNKNOWN_TOOL", "Outcome", "outcomes", "told_by"]

Outcome = Literal["worked", "failed", "no_match", "unknown_tool", "unrecorded", "not_run"]

_Check = tuple[str, Callable[[str], re.Match[str] | None]]

_HEAD, _TAIL = 300, 200
_JSON_HEAD, _JSON_TAIL = 150, 100
_SHORT = 200

# A text without any of these is neither failure nor empty lookup; looking for them is cheaper than one pattern.
_HINTS = (
    "error", "exception", "fail", "invalid", "denied", "not ", "no ", "n't", "unable", "unknown", "cannot", "none ",
    "timed out", "timeout", "limit", "unavailable", "too many", "exit", "refused", "traceback", "fatal", "panic",
    "undefined", "unrecognized", "unexpected", "nothing", "aborted", "0 ", "is a directory",
    "unauthorized", "forbidden", "bad ", "gateway",
)  # fmt: skip

# A shell names the script, which may be any text, and its line.
_SHELL_LINE = r"(?:[^:\n]*+:){1,6}? (?:-c: )?line \d+: (?:syntax error|unexpected eof|[^\n]{1,200}: command not found)"
_NOT_FIND = r"(?:could not|couldn't|cannot|can't|did not|unable to) find\b"
# What an editor was to do with it; a search for "how to change a tyre" is a lookup, and so is what stands in brackets.
_TO_EDIT = (
    r"[^\n\[]*(?:['\"`]|\b(?:block|code|content|context|line|match|occurrence|section|snippet|string|text)s?\b)"
    r"[^\n\[]*(?<!\bhow)(?<!\bway) to (?:change|delete|edit|insert|remove|replace|update)\b"
)

# Each row: which part of the text it looks at, and a pattern for that part in lower case. "start" is the beginning of
# the text, "line" the first line, "last" the last line; "short" is the whole text where it is at most 200 characters.
FAILURES: tuple[tuple[str, str], ...] = (
    (
        "start",
        r"(?:(?:an|the|api|client|connection|database|execution|fatal|import|internal|network|parsing|query|runtime|server|system|tool|type|unexpected|unhandled|unknown|validation) ){0,3}error(?: (?:\w+ing|at|code|during|encountered|from|in|occurred|on|when|while|with|\d+)(?: [\w./'\"-]+){0,4})? ?[:!\n]",
    ),
    ("start", r"[\w.]++: (?:(?<=error: )|(?<=exception: ))"),
    ("start", r"(?=[\w.]++: )[\w.]*exceptions\.\w+: "),
    ("start", r"(?:error|failed|failure|fail)$"),
    # Not of a person: "Unable to win a sponsor, they paid for it".
    ("start", r"(?:failed|unable) to \w+(?![^.:\n]*, (?:he|she|they)\b)"),
    (
        "start",
        r"(?:\S+: )?(?:can't|cannot|could not|couldn't) (?:access|be parsed|connect|execute|import|load|open|parse|read|run|stat|write)\b",
    ),
    ("start", r"exit(?:ed with)?(?: code| status)?[: ]+-?[1-9]"),
    ("start", r"(?:fatal|panic|failure|exception): "),
    ("start", r"traceback \(most recent call last\)"),
    ("start", r"[╭─ ]+traceback \(most recent call last\)"),
    ("start", r"-{10,}\n\w+(?:error|exception)\s"),
    # Python could not compile it; then there is no traceback.
    ("start", r"(?:file \"[^\"\n]{1,200}\"|(?:cell )?in ?\[\d+\]), line \d+\n(?:[^\n]*\n){1,6}?\w*error: "),
    ("start", r"invalid (?:action|argument|command|format|input|json|parameter|request|syntax|tool|value)"),
    (
        "start",
        r"(?:permission|access|request|authentication|authorization) (?:was )?(?:denied|refused|failed|timed out)",
    ),
    (
        "start",
        r"(?:command|execution|operation|connection|call|tool) (?:was )?(?:failed|refused|timed out|aborted|not allowed)",
    ),
    (
        "start",
        r"(?:http(?: error| status)?[: ]+)?[45]\d\d[: ]+(?:client error|server error|bad|forbidden|gateway|internal|method|not|service|too many|unauthorized)",
    ),
    (
        "line",
        r"^\S*\b(?:ba|z|da|k|c)?sh: .*(?:command not found|syntax error|unexpected|no such file|not recognized|permission denied|cannot )",
    ),
    (
        "line",
        r"^[\w./-]+: .*(?:no such file or directory|permission denied|invalid option|unrecognized option|is a directory|not a directory)",
    ),
    ("line", rf"^{_SHELL_LINE}"),
    ("line", rf"^{_NOT_FIND}{_TO_EDIT}"),
    ("line", r"^syntax ?error\b"),
    ("line", r"\b(?:contains?|found|has|have|introduced)(?: \w+){0,2} syntax ?errors?\b"),
    ("line", r"not (?:provided )?in the (?:correct|right|expected|required) format"),
    ("last", r"^\w*(?:error|exception)(?:: |$)"),
    ("last", r"^[\w./-]+: error: "),
    ("last", rf"^{_SHELL_LINE}"),
    ("last", r"(?:exit(?:ed with)?(?: code| status)?|returned non-zero exit status)[: ]+-?[1-9]\d*\W*$"),
    (
        "short",
        r"rate[ -]limit(?:ed(?! to\b)| (?:was |has been |is )?(?:error|exceeded|hit|reached)|\W{1,3}(?:please )?(?:re)?try)|too many requests",
    ),
    ("short", r"^(?:\S++ ){0,6}?(?:exceeded|hit|reached) (?:\w+ ){0,3}rate limit"),
    # Few words, and no colon after them, may stand before these: a ticket may be about something that timed out.
    (
        "short",
        r"^(?:\S++(?<![:,;]) ){0,4}?(?:timed out|timeout exceeded|service unavailable|temporarily unavailable)",
    ),
)
"""Texts that mean failure."""

UNKNOWN_TOOL: tuple[tuple[str, str], ...] = (
    ("line", r"^(?:error: ?)?(?:unknown|no such|invalid|undefined|unrecognized) (?:tool|function|action)\b"),
    (
        "line",
        r"^(?:error: ?)?(?:the )?(?:tool|action) (?:\S{1,60} )?(?:(?:is |was )?not (?:found|available|registered)|does not exist)",
    ),
)
"""Texts that mean that there is no such tool."""

NO_MATCH: tuple[tuple[str, str], ...] = (
    ("line", rf"^{_NOT_FIND}(?!{_TO_EDIT})"),
    (
        "line",
        r"^no (?:\w+ ){0,2}(?:match|matches|result|results|records|rows|documents|entries)\b(?: (?:found|were found|for|in)|[.!]?$)",
    ),
    ("line", r"^(?:nothing|not|none|0 \w+|page not|file not) found\b"),
    ("short", r"^(?:file|directory|folder|path) \S+ not found\b"),
)
"""Texts with which a lookup says that it found nothing."""


def _compiled(rows: tuple[tuple[str, str], ...]) -> tuple[_Check, ...]:
    """One check for the rows of each part that are tied to its start, and one for those that are not.

    The former are matched, for a search would try each place of the text, even with an anchor.
    """
    groups: dict[tuple[str, bool], list[str]] = {}
    for part, row in rows:
        groups.setdefault((part, part == "start" or row.startswith("^")), []).append(row)
    patterns = {key: re.compile("|".join(group)) for key, group in groups.items()}
    return tuple((part, one.match if tied else one.search) for (part, tied), one in patterns.items())


@functools.cache
def _checks() -> tuple[tuple[Outcome, tuple[_Check, ...]], ...]:
    """The tables, compiled when the first result looks odd: most commands start faster without.

    The order decides: an unknown tool is a failure too, and an empty lookup may use a failure's words.
    """
    return ("unknown_tool", _compiled(UNKNOWN_TOOL)), ("no_match", _compiled(NO_MATCH)), ("failed", _compiled(FAILURES))


def _is_failed(status: object) -> bool:
    return str(status).lower() in {"error", "failed", "failure"}


def _is_false(value: object) -> bool:
    return value is False


def _are_told(errors: object) -> bool:
    """False also for a number: it counts the errors of something that was asked about."""
    return bool(errors) and type(errors) not in {int, float}


_JSON_KEYS: dict[str, Callable[[object], bool]] = {
    "error": bool,
    "errors": _are_told,
    "exception": bool,
    "isError": bool,
    "is_error": bool,
    "ok": _is_false,
    "success": _is_false,
}
"""Top-level keys of a JSON result, and which of their values mean failure."""

_WITH_STATUS = frozenset(
    ("status", "code", "detail", "details", "error", "errors", "message", "msg", "reason", "status_code", "type")
)
"""Where a key beside these has a value, "status" is that of the thing that was asked about, such as a build."""


def outcomes(results: "Iterable[ToolResult | None]") -> list[Outcome]:
    """What became of each call. The source's own flag decides; a failure's text may still say that the tool is unknown."""
    found: list[Outcome] = []
    for result in results:
        if result is None:
            found.append("unrecorded")
        elif result.success:
            found.append("worked")
        elif result.success is False and (result.metadata or {}).get("not_run") is True:
            found.append("not_run")  # the agent's host met a limit of its own: nobody looked at what the call asks for
        else:
            told = told_by(result.content)
            if result.success is not None and told != "unknown_tool":
                told = "failed"
            found.append(told)
    return found


def told_by(content: str) -> Outcome:
    """The outcome that a result's text tells: ``worked`` where it does not look like a failure."""
    first = content[:1]
    if first == "{":
        ends = content[:_JSON_HEAD] + content[-_JSON_TAIL:]
        # A failure told in JSON has one of these near its start or end; "status" is a key that good answers often have too.
        # Written out, because every result pays for it.
        if (
            "rror" in ends
            or '"exception"' in ends
            or '"ok"' in ends
            or '"success"' in ends
            or '"fail' in ends
            or '"FAIL' in ends
            or '"Fail' in ends
            or '"ERROR"' in ends
        ):
            return _told_by_json(content)
        return "worked"
    if first == "[" or not first:
        return "worked"
    return _told_by_plain(content)


def _told_by_plain(content: str) -> Outcome:
    ends = content if len(content) <= _HEAD + _TAIL else f"{content[:_HEAD]}\n{content[-_TAIL:]}"
    text = ends.strip().lower()
    # Without a letter (a number) it tells nothing.
    if text.islower() or not text.isascii():
        for hint in _HINTS:
            if hint in text:
                return _told_by_text(text, short=len(content) <= _SHORT)
    return "worked"


def _told_by_text(text: str, *, short: bool) -> Outcome:
    parts = {"start": text, "line": text.partition("\n")[0], "last": text.rpartition("\n")[2]}
    parts["short"] = text if short else ""
    for told, checks in _checks():
        for part, check in checks:
            if check(parts[part]):
                return told
    return "worked"


def _told_by_json(content: str) -> Outcome:
    """Only the top level counts: a list of jobs of which one has failed is a good answer."""
    try:
        body = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return "worked"
    if any(key in body and wrong(body[key]) for key, wrong in _JSON_KEYS.items()):
        return "failed"
    if _is_failed(body.get("status")) and not any(body[key] for key in body.keys() - _WITH_STATUS):
        return "failed"
    return "worked"
