"""What shell commands surely do not do: those that list and read files have run, changed and sent nothing."""

from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.tables import regex, words

__all__ = ["has_steps", "only_looks", "runs_no_tests"]

_LONGEST_WRITTEN = 20_000
_LONGEST = 2000
_LOOKING = words(
    "[ basename cat cd cmp column cut date df diff dirname du echo egrep fgrep file find free grep groups head hexdump "
    "hostname id jq less ls man md5sum more nl nproc od printenv printf ps pwd readlink realpath rev rg sed sha1sum sha256sum "
    "sleep sort stat strings tac tail test tr tree true type uname uniq uptime wc which whereis whoami"
)
# They change something, and run no tests by it.
_MOVING = words(
    "autopep8 black chmod clippy cp eslint export flake8 gh git isort ln mkdir mv mypy prettier pylint pyright rm ruff rustfmt tee "
    "touch tsc wget"
)
_MOVING_PAIR = regex(
    r"(?:npx|python3? -m|uv run|poetry run) (?:black|eslint|flake8|isort|mypy|pip|prettier|pylint|pyright|ruff|tsc)\b"
    r"|(?:pip3?|npm|pnpm|yarn|uv pip|poetry|cargo) (?:add|ci|fmt|i|install|remove|uninstall)\b|cargo (?:build|check|clippy)\b"
)
# A text in the command, and one that another program is given by way of "cat".
_HERE = regex(r"<<-?[ ]?(['\"])(\w{1,40})\1")
_GIVEN = regex(r"\$\(cat\s*\)")
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
    command = _plain(call)
    return bool(command) and _DOES_MORE.search(command) is None and all(map(_looks, _parts(command)))


def runs_no_tests(call: Call) -> bool:
    """True where each part of the command is known to run no tests, whatever else it does."""
    command = _plain(call)
    return bool(command) and all(_looks(part) or _moves(part) for part in _parts(command))


def has_steps(call: Call) -> bool:
    """True where more than one part of the command does something, or where that cannot be told."""
    command = _plain(call)
    return bool(_command(call)) if not command else sum(not _looks(part) for part in _parts(command)) > 1


def _plain(call: Call) -> str:
    """The command with quoted texts as one letter each; empty where there is none, or too much to be told from its words."""
    written = _command(call)
    if not written or len(written) > _LONGEST_WRITTEN:
        return ""
    written = _GIVEN.sub("Q", _without_texts(_FENCE.sub("", written)))
    # In double quotes, too, these run what they hold.
    if "`" in written or "$(" in written or len(written) > _LONGEST:
        return ""
    return _DISCARDED.sub("", _QUOTED.sub("Q", written))


def _without_texts(command: str) -> str:
    """The command without the lines that it gives to programs as they stand; empty where such a text has no end."""
    while (opening := _HERE.search(command)) is not None:
        line = command.find("\n", opening.end())
        end = command.find(f"\n{opening[2]}", line)
        if line < 0 or end < 0:
            return ""
        command = f"{command[: opening.start()]}{command[opening.end() : line]}{command[end + 1 + len(opening[2]) :]}"
    return command


def _parts(command: str) -> list[str]:
    return [part.strip() for part in _NEXT.split(command)]


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


def _moves(part: str) -> bool:
    return part.partition(" ")[0] in _MOVING or _MOVING_PAIR.match(part) is not None
