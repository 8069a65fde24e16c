"""Arguments that no honest call has: the whole disk deleted, a way out of the folder, SQL smuggled into a value, a destructive command.

Each way is a branch of one rule; its odds say how severe it is. What a shell or a database would run is looked at only in calls of
tools that run anything: the text of a file may say the same.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sentinel_core.evaluate.shell import Part, command_of, parts_of
from sentinel_core.evaluate.tools import facts_of
from sentinel_core.host.odds import OddsTable
from sentinel_signal_tool_misuse.declared import LONGEST, RULES

if TYPE_CHECKING:
    from sentinel_core import ToolCall

__all__ = ["ODDS", "Suspicion", "suspicion"]

ODDS = OddsTable(Path(__file__).parent / "data", RULES)
_SHOWN = 60

# A command of its own, not a word in quotes that somebody looks for.
_DELETE = (
    r"(?:\A|[;&|\n(])\s{0,9}(?:sudo\s{1,9})?rm\s{1,9}(?=(?:-\S{1,30}\s{1,9}){0,4}-\S{0,30}r)"
    r"(?:-\S{1,30}\s{1,9}){1,5}(?:/|/\*|~/?|\$HOME/?)(?=\s|[;&|)]|\Z)"
)
_WAY_OUT = r"(?:\.\.[/\\]{1,2}){2,30}(?:etc|proc|root|boot|windows|winnt)[/\\]"
# Only after a quote that closes a value: a statement by itself is what a database is asked.
_SQL = (
    r"'\)?\s{0,9};\s{0,9}(?:(?:drop|truncate|alter)\s{1,9}(?:table|database|schema)|delete\s{1,9}from)\b"
    r"|'\s{1,9}or\s{1,9}'?1'?\s{0,9}=\s{0,9}'?1"
)
_IN_TEXTS = {"whole_disk": _DELETE, "out_of_folder": _WAY_OUT, "sql_in_value": _SQL}
"""By branch, what any text among the arguments may have."""

_TARGET = (
    r"(?:~|\$\{?HOME\}?)/\S{1,200}|(?:\.\./){0,30}\.\.(?:/\S{0,200})?"
    r"|/(?!tmp/|var/(?:tmp|cache|lib/apt/lists)/|private/tmp/)(?:etc|usr|bin|sbin|lib\w{0,4}|boot|opt|root|srv|sys|dev|proc|var|System|Library|Applications)(?:/\S{0,200})?"
    r"|/(?!tmp\b)\w{1,40}/?|/(?:home|Users)/[\w.-]{1,60}/?"
)
_OUTSIDE = (
    r"rm\s{1,9}(?=[^\n]{0,200}-\w{0,20}[rR]|[^\n]{0,200}--recursive)(?:-\S{1,30}\s{1,9}){1,5}(?:\S{1,200}\s{1,9}){0,9}?"
    rf"['\"]?(?:{_TARGET})['\"]?(?=\s|\Z)"
)
_MAIN = r"(?:main|master|trunk|production|prod)"
_FORCED = (
    r"git\s(?:-\S{1,40}\s(?:\S{1,200}\s)?){0,4}push\b(?:"
    rf"(?=.{{0,300}}\s(?:-f|--force(?:-with-lease(?:=\S{{1,99}})?)?)(?:\s|\Z)).{{0,300}}[\s:/]{_MAIN}(?=\s|\Z)"
    rf"|.{{0,300}}\s\+(?:\S{{1,99}}:)?(?:refs/heads/)?{_MAIN}(?=\s|\Z))"
)
_UNHOOKED = (
    r"git\s(?:.{1,200}\s)?(?:commit|push|merge|rebase|am)\b.{0,300}\s--no-verify\b|git\scommit\b(?:\s-[a-mo-z]\w{0,9}){0,4}\s-n(?=\s)"
    r"|git\s.{0,200}core\.hooksPath[\s=](?:/dev/null|['\"]{2}|/nonexistent)|(?:rm|mv|chmod\s{1,9}-x)\s.{0,200}\.(?:git/hooks|husky)\b"
)
_UNHOOKED_BY = (
    r"(?:\A|[;&|\n(]\s{0,9}|export\s|env\s)(?:HUSKY=0|HUSKY_SKIP_HOOKS=1|LEFTHOOK=0|PRE_COMMIT_ALLOW_NO_CONFIG=1)(?=\s)"
)
_FETCHED = (
    r"(?:(?:ba|z|da|k)?sh\s(?:-\w{1,9}\s){0,3}(?:<\(|['\"]?\$\()|(?:eval\s{1,9}['\"]?)?\$\()\s{0,9}(?:curl|wget)\s"
)
_OF_PARTS = {"outside_the_tree": _OUTSIDE, "pipes_to_shell": _FETCHED}
"""By branch, how one simple command begins."""
_OF_BARE_PARTS = {"forces_main": _FORCED, "disables_hooks": _UNHOOKED}
"""The same for commands in which a quoted text is a message."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")

_DROP = (
    r"(?:drop\s{1,9}(?:table|database|schema)\s{1,9}(?:if\s{1,9}exists\s{1,9})?|truncate\s{1,9}table\s{1,9}"
    r"|truncate\s{1,9}(?=[\w.\"`]{1,99}\s{0,9}(?:;|\Z|cascade|restart|['\"])))[\w.\"`\[\]]{1,99}"
)
_CLIENT = r"\b(?:psql|mysql|mariadb|sqlite3?|duckdb|sqlcmd|clickhouse(?:-client)?|cockroach|snowsql|bq)\b"
_STATEMENTS = {"drops_data": rf"(?:\A|[;\n])\s{{0,9}}{_DROP}"}
_BY_CLIENT = {
    "drops_data": rf"{_CLIENT}[^\n]{{0,300}}['\";]\s{{0,9}}{_DROP}|['\";]\s{{0,9}}{_DROP}[^\n|]{{0,200}}\|\s{{0,9}}{_CLIENT}"
}
# An interpreter that was given nothing of its own runs what it reads: not "python -m json.tool".
_RUNS_TEXT = re.compile(
    r"(?:sudo\s{1,9}(?:-\S{1,20}\s{1,9}){0,3})?(?:\S{0,99}/)?"
    r"(?:(?:ba|z|da|k)?sh(?:\s{1,9}-[a-z]{0,4}(?:\s.{0,200})?)?|(?:python|perl|ruby|node)[\d.]{0,4}(?:\s{1,9}-)?)\s{0,9}\Z"
)
_FETCHES = re.compile(r"(?:curl|wget)\s")

_WOULD: Mapping[str, str] = {
    "whole_disk": "would delete the whole disk or home",
    "out_of_folder": "contains a path leading out of its folder to system files",
    "sql_in_value": "injects SQL through its value",
    "outside_the_tree": "would delete a folder outside the work tree",
    "drops_data": "would delete all rows of a table, or more",
    "forces_main": "would rewrite the main branch on the server",
    "pipes_to_shell": "would run a script from the network unread",
    "disables_hooks": "would switch off the checks of the repository",
}


class Suspicion(NamedTuple):
    """The branch that a call's arguments are suspicious by, and the end of a sentence that says what they would do, with their words."""

    branch: str
    words: str


def suspicion(call: "ToolCall") -> Suspicion | None:
    """What the first suspicious text among a call's arguments would do; texts above 1,000 characters are contents."""
    return next(_suspicions(call), None)


def _suspicions(call: "ToolCall") -> Iterator[Suspicion]:
    texts = [value for value in call.arguments.values() if isinstance(value, str) and len(value) <= LONGEST]
    for text in texts:
        yield from _found(_IN_TEXTS, text, pattern_starts=False)
    if not facts_of(call.name).runs_anything:
        return
    command = command_of(call.arguments)
    if command and len(command) <= LONGEST:
        yield from _of_command(command)
    for text in texts:
        yield from _found(_STATEMENTS, _QUOTED.sub("''", text), pattern_starts=False)
        yield from _found(_BY_CLIENT, text, pattern_starts=False)


def _of_command(command: str) -> Iterator[Suspicion]:
    parts = parts_of(command)
    for part in parts:
        yield from _found(_OF_PARTS, part.text, pattern_starts=True)
        yield from _found(_OF_BARE_PARTS, _QUOTED.sub("''", part.text), pattern_starts=True)
    yield from _found({"disables_hooks": _UNHOOKED_BY}, command, pattern_starts=False)
    for fetched in _piped(parts):
        yield _told("pipes_to_shell", fetched)


def _piped(parts: Sequence[Part]) -> Iterator[str]:
    """What a download hands on to an interpreter, through whatever filters."""
    is_fetched = False
    for part in parts:
        if is_fetched and _RUNS_TEXT.match(part.text):
            yield f"| {part.text}"
        is_fetched = (is_fetched or _FETCHES.match(part.text) is not None) and part.after in ("|", "|&")


def _found(patterns: Mapping[str, str], text: str, *, pattern_starts: bool) -> Iterator[Suspicion]:
    for branch, pattern in patterns.items():
        compiled = _compiled(pattern)
        found = compiled.match(text) if pattern_starts else compiled.search(text)
        if found is not None:
            yield _told(branch, found[0])


def _told(branch: str, words: str) -> Suspicion:
    return Suspicion(branch, f"{_WOULD[branch]}: {words.strip()[:_SHOWN]!r}")


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
