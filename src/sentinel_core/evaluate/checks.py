"""Calls that check something: tests, a build, a type check, a linter; which of them, and how it ended.

What is called is told by the tool's name, by the shell command, or by what a run of tests alone prints. How it ended is told by its
last telling line, and by the exit code where nothing in the command hides it (``| tail``, ``|| true``, ``; ls``).
"""

import functools
import json
import re
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, cast

from sentinel_core.evaluate import check_words as words
from sentinel_core.evaluate.expressions import regex
from sentinel_core.evaluate.facts.commands import check_kind, check_match, is_delegate, kinds_of_call
from sentinel_core.evaluate.shell import Part, command_of, parts_of

if TYPE_CHECKING:
    from sentinel_core.evaluate.outcome import Outcome
    from sentinel_core.trace import ToolCall, ToolResult

__all__ = ["Check", "Kind", "checks_of"]

Kind = Literal["tests", "build", "types", "lint"]


class Checkable(Protocol):
    """What of the index's ``Call`` tells of a check."""

    @property
    def call(self) -> "ToolCall":
        """Name and arguments."""

    @property
    def result(self) -> "ToolResult | None":
        """What came back."""

    @property
    def outcome(self) -> "Outcome":
        """Whether the call failed."""


class Check(NamedTuple):
    """A call that checks something. ``passed`` is None where nothing tells.

    ``ending`` are the words of the result that show it, empty where only the exit code or the source's flag does; ``command`` is what was
    called, as it was written; ``covers`` are the paths, targets and selections that it names, none where it covers everything.
    """

    kind: Kind
    passed: bool | None
    ending: str
    command: str
    covers: tuple[str, ...]


_LONGEST, _TAIL, _SHOWN_IN, _QUOTED = 2_000, 20_000, 2_000, 160
_MOST_COVERED = 20
_COLOUR = regex(r"\x1b\[[\d;?]{0,20}[A-Za-z]")
_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d*")
_NOT_RUN = regex(
    r"(?i)(?:missing script|command not found|no such file or directory|is not recognized|no module named)"
)
_PLAIN_MARK = regex(r"[\w .:!=-]{1,60}")
_TOLD_CODE = regex(r"(?i)(?:exit|status|code|rc)\D{0,12}(\d{1,3})\W{0,9}\Z")
_SIGNS = (" passed", " failed", "Ran ", "test result:", "Tests:", "Tests run:", " failure", "--- ", "Test Files")
_REPORTED = regex(
    r"\b(?:[1-9]\d{0,6} failed, \d{1,7} passed|\d{1,7} passed, [1-9]\d{0,6} failed)\b"
    r"|\b(?:[1-9]\d{0,5}|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive)(?: of (?:them|the))?(?: new| unit)?(?: tests?)?(?: is| are| still)* fail(?:s|ed|ing)?\b(?! (?:tests?|cases|specs)\b)"
)
_TRIVIAL = regex(r"(?:echo|cd|true|printf|date|pwd)\b")
_PRINTED = ("output", "stdout", "stderr")
_NONE = (": (none)", ": (empty)")  # fields that a host adds to what the program printed


def checks_of(call: "Checkable") -> tuple[Check, ...]:
    """The checks that the call ran, in order; none where it ran none."""
    name, arguments = call.call.name, call.call.arguments
    kind, runs = _tool(name)
    command = command_of(arguments) if runs and type(arguments) is dict else None
    if command is None:
        return _reported(call, name) if kind is None else (_by_itself(call, kind, name),)
    if runs == "itself":
        command = f"{name} {command}"
    found = _found(command[:_LONGEST]) if _has_one_of(words.HINTS, command) else ()
    if found:
        return tuple(_judged(call, kind, part, parts, at) for kind, part, parts, at in found)
    kind = kind or _unclear_kind(call)
    return () if kind is None else (_by_itself(call, kind, (command.strip() or name).partition("\n")[0][:_QUOTED]),)


def _reported(call: "Checkable", name: str) -> tuple[Check, ...]:
    """The failed run of tests that a sub-agent reports with its counts, and tells nothing better of after that."""
    content = "" if call.result is None else call.result.content[-_TAIL:]
    if " fail" not in content or not is_delegate(name):
        return ()
    last = next(reversed(list(_REPORTED.finditer(content))), None)
    if last is None or "pass" in content[last.end() :]:
        return ()
    return (Check("tests", passed=False, ending=last[0], command=name, covers=()),)


@functools.lru_cache(maxsize=1024)
def _tool(name: str) -> tuple[Kind | None, str]:
    """What a tool of this name checks, and what it runs: what it is given, "itself" (``pytest``), or nothing."""
    said = [word.lower() for word in _WORD.findall(name[:_QUOTED])]
    kind = next((cast("Kind", kind) for kind, row in words.NAMES if _pattern(row).fullmatch(" ".join(said))), None)
    if name in words.PROGRAMS:
        return kind, "itself"
    return kind, "" if words.RUNNERS.isdisjoint(said) else "command"


_Found = tuple[Kind, Part, tuple[Part, ...], int]


@functools.lru_cache(maxsize=256)
def _found(command: str) -> tuple[_Found, ...]:
    """The parts of a command that run checks."""
    parts = parts_of(command)
    found = ((check_kind(part.text), part, at) for at, part in enumerate(parts))
    return tuple((cast("Kind", kind), part, parts, at) for kind, part, at in found if kind is not None)


@functools.cache
def _pattern(row: str) -> re.Pattern[str]:
    return re.compile(row)


def _unclear_kind(call: "Checkable") -> Kind | None:
    """Of a script that can be a check: the kind that the call tells of it, or tests, where the result ends as only a run of tests does."""
    described = _described(call.call.arguments.get("description"))
    tail = "" if call.result is None else call.result.content[-_SHOWN_IN:]
    is_shown = _has_one_of(_SIGNS, tail) and any(map(_pattern(words.SHOWN).match, _lines(tail)))
    if described is None and not is_shown:  # what a script can be takes longer to tell
        return None
    may = kinds_of_call(call.call.name, call.call.arguments).may
    if described in may:
        return described
    return "tests" if is_shown and "tests" in may else None


def _described(description: object) -> Kind | None:
    if not isinstance(description, str):
        return None
    said = description[:_QUOTED].lower()
    return next((cast("Kind", kind) for kind, row in words.DESCRIBED if _pattern(row).match(said)), None)


def _has_one_of(hints: tuple[str, ...], text: str) -> bool:
    # A loop, because every command pays for it, and any() over a generator takes twice as long.
    for hint in hints:  # noqa: SIM110 - as above
        if hint in text:
            return True
    return False


def _by_itself(call: "Checkable", kind: Kind, command: str) -> Check:
    return _told(call, kind, command, (), _code(call), may_be_other=False)


def _judged(call: "Checkable", kind: Kind, part: Part, parts: tuple[Part, ...], at: int) -> Check:
    """What the exit code of the whole command says of this part, and then what its output does."""
    later = parts[at + 1 :]
    if later and (mark := _mark_after(part, later, call)):
        return Check(kind, passed=True, ending=mark, command=part.text, covers=_covers(part.text))
    code = _code(call)
    separators = [part.after, *(one.after for one in later)][: len(later)]
    if later and "$?" in later[-1].text and call.result is not None:
        told = _TOLD_CODE.search(call.result.content[-_QUOTED:].rstrip())
        code = None if told is None else told[1] == "0"
    elif any(separator != "&&" for separator in separators) and not (
        "pipefail" in parts[0].text and set(separators) <= {"&&", "|"}
    ):
        code = None
    others = [
        one
        for one in (*parts[:at], *later)
        if not _TRIVIAL.match(one.text) and one.text.partition(" ")[0] not in words.VIEWERS
    ]
    content = "" if call.result is None else call.result.content
    is_reached = not later and all(one.after == "&&" for one in parts[:at])  # and its output shows that it ran
    may_be_other = bool(others) and not (is_reached and _ending(kind, content)[0] is not None)
    check = _told(call, kind, part.text, _covers(part.text), code, may_be_other=may_be_other)
    if check.passed is False and may_be_other and _is_of_another(kind, others, content):
        return check._replace(passed=None, ending="")
    return check


def _is_of_another(kind: Kind, others: list[Part], content: str) -> bool:
    """True where a check of another kind stands beside it, and a line that only this one prints says that it passed."""
    if {check_kind(one.text) for one in others} <= {None, kind}:
        return False
    failed, passed = _pattern(words.FAILED[kind]).match, _pattern(words.PASSED[kind]).match
    lines = [line.lstrip() for line in _lines(_printed(content)[-_TAIL:])]
    return any(passed(line) and not failed(line) for line in lines)


def _mark_after(part: Part, later: tuple[Part, ...], call: "Checkable") -> str:
    """What an ``echo`` printed that only runs where this part worked; empty where none did."""
    separator, lines = part.after, None
    for one in later:
        if separator != "&&":
            break
        mark = one.text.removeprefix("echo ").strip().strip("'\"")
        if mark != one.text and _PLAIN_MARK.fullmatch(mark):
            lines = _lines(_printed(call.result.content)) if lines is None and call.result is not None else lines or []
            if mark in lines:
                return mark
        separator = one.after
    return ""


def _code(call: "Checkable") -> bool | None:
    """Whether the exit code or the source's flag says that the call worked."""
    outcome = call.outcome
    return outcome.state == "worked" if outcome.reason in {"flag", "exit_code"} else None


def _told(
    call: "Checkable", kind: Kind, command: str, covers: tuple[str, ...], code: bool | None, *, may_be_other: bool
) -> Check:
    outcome, content = call.outcome, "" if call.result is None else call.result.content
    passed, ending = _ending(kind, content)
    if code is False and not may_be_other:
        passed, ending = False, ending if passed is False else outcome.words
    elif passed is None and code is not None:
        passed = True if code else None  # of several commands, another may have failed
    elif passed is None and outcome.reason == "error_text":
        passed, ending = False, outcome.words
    elif passed is None and outcome.reason == "empty" and kind != "tests" and ">" not in command:
        passed = True  # compilers and linters are silent where all is well
    if passed is False and _NOT_RUN.search(ending) is not None:
        passed = None
    return Check(kind, passed, ending, command, covers)


def _ending(kind: Kind, content: str) -> tuple[bool | None, str]:
    """How the last telling line says that the run went, and that line as it stands in the result."""
    failed, passed = _pattern(words.FAILED[kind]).match, _pattern(words.PASSED[kind]).match
    lines = _lines(_printed(content)[-_TAIL:])
    for line in reversed(lines):
        if not line.strip() or line.endswith(_NONE):
            continue
        if failed(line) or failed(line.lstrip()):
            return False, _as_written(line, content)
        if passed(line) or passed(line.lstrip()):
            # Playwright counts what failed first, and what passed in its last line.
            above = (
                next((one for one in lines if re.match(r"\s+[1-9]\d* failed\Z", one)), None) if line[0] == " " else None
            )
            return above is None, _as_written(above or line, content)
    return None, ""


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in _COLOUR.sub("", text).split("\n")]


def _printed(content: str) -> str:
    """What a program printed, out of the JSON that some tools wrap it in."""
    if not content.startswith('{"'):
        return content
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError):
        return content
    texts = [fields[name] for name in _PRINTED if isinstance(fields.get(name), str)]
    return "\n".join(texts) or content


def _as_written(line: str, content: str) -> str:
    """The line as a substring of the result: in JSON it stands with escapes, and of a coloured one the longest piece is taken."""
    said = line.strip().strip("=").strip()[:_QUOTED]
    for spelt in (said, json.dumps(said, ensure_ascii=False)[1:-1]):
        if spelt in content:
            return spelt
    coloured = next((raw for raw in content.split("\n") if _COLOUR.sub("", raw).rstrip() == line), "")
    return max(_COLOUR.split(coloured), key=len).strip()


def _covers(text: str) -> tuple[str, ...]:
    """The paths, targets and selections among the words of a command."""
    match = check_match(text)
    rest = text[match.end() :].split() if match is not None else []
    found: list[str] = []
    skip = ""
    for word in rest:
        if skip:
            if skip in {"-k", "-m", "-t", "--testNamePattern"}:
                found.append(f"{skip} {word}")
            skip = ""
        elif word.startswith(("-", ">", "2>", "<")):
            skip = word if word in words.VALUED or word in {">", "2>", "<"} else ""
        elif word not in {".", "./...", "./", "--", "..."}:
            found.append(word.strip("'\""))
    return tuple(found[:_MOST_COVERED])
