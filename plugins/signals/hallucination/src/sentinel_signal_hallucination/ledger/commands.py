"""Commands and queries: which only show something and did nothing that could be claimed, and how evidence names them."""

from sentinel_core.evaluate.check_words import VIEWERS
from sentinel_core.evaluate.facts.commands import is_editor, kinds_of, only_asks
from sentinel_core.evaluate.index import Call
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.evaluate.tools import READING, SHOWN
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.tables import regex

__all__ = ["brief", "named", "only_shows"]

_LONGEST_SHOWN = 80

_QUERIES = ("sql", "query", "statement", "args")
_SHOWS = READING.union(
    SHOWN,
    VIEWERS,
    word_set(
        "ps pgrep ping lsof top df du free uptime netstat ss dig nslookup host journalctl sort uniq cut awk env id whoami hostname select with "
        "explain desc logs events version blame branch remote cd pwd which"
    ),
)
_CHANGES = regex(
    r"-exec\b|-delete\b|\b(?:insert|update|delete|drop|alter|truncate|merge|grant|sed -i|tee|xargs (?!wc|grep|cat|ls|du))\b"
)
_LOOKS = frozenset(("tests", "types", "lint", "build", "ci", "migrate", "edit", "restart"))
_REDIRECTS = regex(r">(?!&)|<<")


def only_shows(call: Call) -> bool:
    """True for a command or query of which each part shows or checks something: its program, or the verb after it, is of reading."""
    arguments = call.call.arguments
    query = next((arguments[name] for name in _QUERIES if isinstance(arguments.get(name), str)), None)
    command = (query or command_of(arguments) or "").lower()
    if _CHANGES.search(command) or (query is None and _REDIRECTS.search(command)):
        return False
    if query is None and kinds_of(command).sure - _LOOKS:
        return False
    parts = parts_of(command)
    others = {
        part.text for part in parts if _SHOWS.isdisjoint(part.text.split(None, 2)[:2]) and not only_asks(part.text)
    }
    if not others:
        return bool(parts)
    return others <= {check.command.lower() for check in call.checks if check.kind != "build"}


def named(call: Call, kind: str = "") -> str:
    """How evidence names a call: by its command, or the part of it that is of the kind, else by its tool."""
    command = None if is_editor(call.call.name) else command_of(call.call.arguments)
    if command is None or not command.strip():
        return f'the call to "{call.call.name}"'
    own = (part.text for part in parts_of(command) if kinds_of(part.text).can_be(kind))
    return f'"{brief(next(own, command))}"'


def brief(command: str) -> str:
    """The first words of a command, in one line."""
    line = " ".join(command.split())
    if len(line) <= _LONGEST_SHOWN:
        return line
    begin, _, _ = line[:_LONGEST_SHOWN].rpartition(" ")
    return f"{begin or line[: _LONGEST_SHOWN - 1]}…"
