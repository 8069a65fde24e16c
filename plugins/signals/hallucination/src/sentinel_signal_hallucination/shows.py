"""Commands and queries that only show something: they did nothing that could be claimed."""

import re

from sentinel_core.evaluate.check_words import VIEWERS
from sentinel_core.evaluate.index import Call
from sentinel_core.evaluate.shell import parts_of
from sentinel_core.evaluate.tools import READING, STATES
from sentinel_signal_hallucination.words import word_set

__all__ = ["only_shows"]

_COMMANDS, _QUERIES = ("command", "cmd", "args", "argv", "script"), ("sql", "query", "statement")
_SHOWS = (
    READING
    | STATES
    | VIEWERS
    | word_set(
        "ps lsof top df du free uptime netstat ss dig nslookup host journalctl sort uniq cut awk env id whoami hostname select with "
        "explain desc logs events version blame branch remote cd pwd which"
    )
)
_CHANGES = re.compile(
    r"-exec\b|-delete\b|\b(?:insert|update|delete|drop|alter|truncate|merge|grant|sed -i|tee|xargs (?!wc|grep|cat|ls|du))\b"
)
_REDIRECTS = re.compile(r">(?!&)|<<")
_FLAG = re.compile(r"-\S*|\S*=\S*|sudo|\d+")
_LEAST = 2


def only_shows(call: Call) -> bool:
    """True for a command or query of which each part shows something or checks it: its program, or the verb after it, is of reading."""
    key = next((key for key in (*_COMMANDS, *_QUERIES) if key in call.call.arguments), "")
    value = call.call.arguments.get(key)
    command = " ".join(map(str, value)) if isinstance(value, list) else value
    if not isinstance(command, str) or _CHANGES.search(command.lower()):
        return False
    if key in _COMMANDS and _REDIRECTS.search(command):
        return False
    parts = [part.text.lower() for part in parts_of(command) if part.text]
    checks = {check.command.lower() for check in call.checks}
    return bool(parts) and all(
        part in checks or not _SHOWS.isdisjoint([word for word in part.split() if not _FLAG.fullmatch(word)][:_LEAST])
        for part in parts
    )
