"""Shell commands that only look: a session that lists and reads files with them has run, changed and sent nothing."""

from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.tables import regex, words

__all__ = ["only_looks"]

_LONGEST = 2000
_LOOKING = words(
    "[ basename cat cd cmp column cut date df diff dirname du echo egrep fgrep file find free grep groups head hexdump "
    "hostname id jq less ls man md5sum more nl nproc od printenv printf ps pwd readlink realpath rev rg sed sha1sum sha256sum "
    "sleep sort stat strings tac tail test tr tree true type uname uniq uptime wc which whereis whoami"
)
# With these even a command of the table does more: it writes a file, or runs what it finds.
_DOES_MORE = regex(
    r">|<\(|<<| -(?:exec|execdir|ok|okdir|delete|fprint\w*|fls)\b|\bsed\b.* (?:-\w*i|--in-place|'?w )|\bsort\b.* (?:-\w*o|--output)"
)
_LOOKING_PAIR = regex(
    r"git (?:(?:-C \S+|--no-pager|-P) )*(?:blame|describe|diff|grep|log|ls-files|rev-parse|shortlog|show|status)\b"
    r"|(?:pip3?|npm|conda) (?:freeze|list|ls|show|view)\b"
    r"|docker (?:images|inspect|logs|ps)\b|kubectl (?:describe|get|logs)\b|gh \w+ (?:list|status|view)\b"
    r"|\S+ (?:--version|-V)$"
)
_FENCE = regex(r"\A\s*```\w*\n|\n?```\s*\Z")
_QUOTED = regex(r"'[^'\n]*'|\"[^\"\n]*\"")
_DISCARDED = regex(r"\d?>&\d|[\d&]?>{1,2} ?/dev/null\b")
_NEXT = regex(r"\|\||&&|[|;&\n]")
_SHELL = regex(r"(?:/\w+/)*(?:ba|z|da|k)?sh\Z")


def only_looks(call: Call) -> bool:
    """True where the call's arguments are one shell command, of which each part is known to do no more than show something."""
    written = _command(call)
    if not written or len(written) > _LONGEST:
        return False
    written = _FENCE.sub("", written)
    # In double quotes, too, these run what they hold.
    if "`" in written or "$(" in written:
        return False
    command = _DISCARDED.sub("", _QUOTED.sub("Q", written))
    if _DOES_MORE.search(command) is not None:
        return False
    return all(_looks(part.strip()) for part in _NEXT.split(command))


def _command(call: Call) -> str | None:
    arguments = call.call.arguments
    command = arguments.get("command", arguments.get("cmd"))
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        # ["bash", "-lc", "ls -la"] runs what its last word says.
        is_wrapped = len(command) > 2 and _SHELL.match(command[0]) and command[1].endswith("c")  # noqa: PLR2004 - as above
        return command[-1] if is_wrapped else " ".join(command)
    return command if isinstance(command, str) else None


def _looks(part: str) -> bool:
    return not part or part.partition(" ")[0] in _LOOKING or _LOOKING_PAIR.match(part) is not None
