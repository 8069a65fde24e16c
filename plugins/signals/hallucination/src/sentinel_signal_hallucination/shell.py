"""What shell commands could have done: a session that only lists, tests and commits has deployed and sent nothing."""

from functools import lru_cache

from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.tables import either, regex, words

__all__ = [
    "BEGINNING",
    "COMMANDS",
    "deeds_of",
    "has_steps",
    "is_known",
    "only_looks",
    "parts_of",
    "runs_no_tests",
    "runs_tests",
]

_LONGEST_WRITTEN = 20_000
_LONGEST = 2000
_MOST_TEXTS = 20
_MOVED = words("create delete file pause revert save scale share update")
_FIRST = r"(?:(?:[A-Z_][A-Z_0-9]{0,40}=\S{0,100}|nice|sudo|time|timeout \d{1,6}[smh]?) )*"
_BY = r"(?:(?:\S*/\.?bin/)|(?:(?:uv|poetry|pipenv|hatch) run|uvx|bundle exec|npx(?: -y| --yes)?|pnpm exec|python3?(?:\.\d+)? -m) )?"
BEGINNING = _FIRST + _BY
"""What may stand before a program's name."""
_KUBECTL = r"kubectl (?:(?:-n|--namespace|--context|-c|-l) \S+ |--\S+=\S+ )*"
_GIT = r"git (?:(?:-C \S+|--no-pager|-P) )*"


def _of(commands: str, by: str = "") -> str:
    return rf"{by}(?:{either(words(commands))})(?![\w.-])"


COMMANDS: tuple[tuple[str, frozenset[str]], ...] = (
    (
        _of(
            "basename cat cd cmp column cut date df diff dirname du echo egrep fgrep file find free grep groups head hexdump "
            "hostname id jq less ls man md5sum more nl nproc od printenv printf ps pwd readlink realpath rev rg sed sha1sum "
            "sha256sum sleep sort stat strings tac tail test tr tree true type uname uniq uptime wc which whereis whoami"
        )
        + rf"|\[ |{_GIT}(?:blame|describe|diff|grep|log|ls-files|rev-parse|shortlog|show|status)\b"
        r"|(?:source|\.) \S*activate$|set [-+]\w+|xargs (?:-\S+ )*(?:cat|echo|grep|head|ls|wc)\b|git (?:remote -v|config --get)\b"
        r"|docker compose ps\b|node --check\b|python3? -m py_compile\b"
        r"|(?:pip3?|npm|conda) (?:freeze|list|ls|show|view)\b|docker (?:images|inspect|logs|ps)\b"
        rf"|{_KUBECTL}(?:describe|explain|get|logs|top|version|rollout (?:history|status)|config (?:current-context|view))\b"
        r"|gh \w+ (?:diff|list|status|view)\b|\S+ --version$|docker manifest inspect\b|openssl (?:s_client|x509)\b"
        r"|(?:npm|pnpm|yarn) (?:audit(?! fix)|outdated|pack --dry-run|whoami)\b|crontab -l$|helm (?:get|history|lint|list|status|template)\b"
        r"|systemctl (?:-\S+ )*(?:cat|is-active|list-units|show|status)\b|(?:dig|host|journalctl|lsof|nslookup|ping|ss|uptime|vault kv get)(?![\w.-])"
        r"|(?:terraform|tofu) (?:-chdir=\S+ )?(?:output|plan|show|state list|validate)\b|aws (?:s3 ls|\S+ (?:describe|get|list)-\S+)"
        rf"|{_GIT}(?:branch(?: (?:-\w+|--show-current|--list))?$|cat-file|cherry |for-each-ref|ls-remote|ls-tree|reflog|rev-list|stash list"
        r"|tag (?:-l|--list|--sort))",
        words(""),
    ),
    (
        _of("ctest jest mocha phpunit prove py.test pytest rspec unittest vitest", _BY)
        + r"|(?:npm|pnpm|yarn|bun) (?:run )?(?:t|test)(?![\w.-])|(?:cargo|dotnet|go) test\b|cargo nextest\b|dotnet build\b"
        r"|(?:gradle|\./gradlew) (?:build|test)$|(?:mvn|\./mvnw) (?:-\S+ )*(?:compile|package|test|verify)\b",
        words("create delete run save update"),
    ),
    # What tests did elsewhere.
    (r"gh (?:pr checks|run (?:list|view|watch))\b|glab ci (?:list|status|view)\b", words("")),
    (
        _of(
            "autopep8 black clippy eslint flake8 gofmt isort mypy prettier pylint pyright ruff rustfmt shellcheck tsc",
            _BY,
        )
        + r"|(?:npm|pnpm|yarn) run (?:build|lint|format|typecheck|type-check)(?![\w.:-])"
        r"|(?:cargo|go) (?:build|check|clippy|fmt|vet)\b",
        words("create delete run save update"),
    ),
    (rf"{_GIT}(?:add|clone|fetch|init|tag)\b", words("create delete deploy save update")),
    (rf"{_GIT}(?:am|cherry-pick|commit)\b", words("commit create merge revert save trigger update")),
    (rf"{_GIT}(?:merge|pull|rebase)\b", words("commit deploy merge revert save update")),
    (
        rf"{_GIT}push [^|;&]*(?:-o|--push-option|refs/for)",
        words("commit create deploy file merge open push save update"),
    ),
    (rf"{_GIT}push\b", words("commit create delete deploy file merge push revert save trigger update")),
    (
        rf"{_GIT}(?:branch|checkout|clean|mv|reset|restore|revert|rm|stash|switch|worktree)\b",
        words("commit create delete merge revert save update"),
    ),
    (
        r"(?:gh|glab) (?!api)\w+ ",
        words(
            "cancel confirm create delete deploy file merge open pause push renew run save send share trigger update"
        ),
    ),
    (r"docker (?:buildx |compose )?build\b", words("create deploy push run save update")),
    (r"docker (?:image )?(?:push|tag)\b", words("create deploy push save update")),
    (
        (
            rf"{_KUBECTL}(?:annotate|apply|cordon|create|delete|drain|edit|label|patch|replace|rollout|scale|set)\b"
            r"|helm (?:install|rollback|uninstall|upgrade)\b"
            r"|(?:terraform|tofu) (?:-chdir=\S+ )?(?:apply|destroy)\b|systemctl \w+|service \S+ \w+"
        ),
        words("cancel create delete deploy pause renew revert run save scale share trigger update"),
    ),
    (
        r"(?:npm|pnpm|yarn) (?:publish|version)\b|twine upload\b|cargo publish\b",
        words("commit create deploy push save update"),
    ),
    (r"vault kv (?:patch|put)\b|certbot renew\b", words("create renew run save update")),
    (r"aws s3 (?:cp|mv|rm|sync)\b", words("create delete deploy push save update")),
    (r"crontab -$", words("book create delete deploy pause trigger update")),
    (_of("chmod chown"), words("share update")),
    (_of("apply_patch cp export ln mkdir mv rm rmdir tee touch"), _MOVED),
    (
        (
            r"(?:(?:pip3?|npm|pnpm|yarn|bun|uv|uv pip|poetry|cargo|gem|bundle|brew|apt|apt-get|dnf|conda) |python3? -m pip )"
            r"(?:-\S+ )*(?:add|ci|i|install|remove|sync|uninstall|upgrade)\b"
        ),
        words("delete deploy revert run save update"),
    ),
)
"""How a part of a command begins, and the families of claims that it backs besides that something was looked up."""

_NAMES = ("command", "cmd", "CommandLine", "input")
_LOOKS = 0
_TESTS = 1
_MAY_TEST = (_TESTS, 2, None)
# A text in the command, and one that another program is given by way of "cat".
_HERE = regex(r"<<-?[ ]?(['\"])(\w{1,40})\1")
_GIVEN = regex(r"\$\(cat\s*\)")
# Outside the folder of the work, and where a server looks for a sign to restart, this is how programs are deployed.
_DEPLOYS = regex(r"(?:\b(?:cp|ln|mv|tee|touch)\b[^|;&\n]* |> ?)(?:/(?!tmp/|dev/null)|~|\S*restart)")
# These write a file, whatever the command; those run what they are given, or what they find.
_WRITES = regex(r">| -(?:delete|fprint\w*|fls)\b|\bsed\b.* (?:-\w*i|--in-place)|\bsort\b.* (?:-\w*o|--output)")
_RUNS = regex(r"<\(|<<| -(?:exec|execdir|ok|okdir)\b")
_FENCE = regex(r"\A\s*```\w*\n|\n?```\s*\Z")
# What another machine is told to run.
_THERE = regex(r"\bssh (?:-\w+ (?:[^\s-]\S* )?)*[\w@.-]+ (?:'([^'\n]*)'|\"([^\"\n]*)\"|(?=[a-z])([^|;&\n]*))")
_QUOTED = regex(r"'[^'\n]*'|\"[^\"\n]*\"")
_DISCARDED = regex(r"\d?>&\d|[\d&]?>{1,2} ?/dev/null\b")
_NEXT = regex(r"\|\||&&|[|;&\n]")
_SHELL = regex(r"(?:/\w+/)*(?:ba|z|da|k)?sh\Z")
_KNOWN = regex(rf"{_FIRST}(?:" + "|".join(f"(?P<d{row}>{start})" for row, (start, _) in enumerate(COMMANDS)) + ")")


def deeds_of(call: Call) -> frozenset[str] | None:
    """The families of claims that the call's command backs, none for one that only looks; None where that is not known."""
    command = _plain(call)
    known = [_known(part) for part in _parts(command)] if command and _RUNS.search(command) is None else [None]
    if None in known or _DEPLOYS.search(command) is not None:
        return None
    deeds = frozenset[str]().union(*(COMMANDS[row][1] for row in known if row is not None))
    return deeds if _WRITES.search(command) is None else deeds | _MOVED


def runs_no_tests(call: Call) -> bool:
    """True where each part of the command is known, and none runs tests."""
    command = _plain(call)
    return bool(command) and all(_known(part) not in _MAY_TEST for part in _parts(command))


def only_looks(call: Call) -> bool:
    """True where each part of the command is known to do no more than show something."""
    return deeds_of(call) == frozenset()


def has_steps(call: Call) -> bool:
    """True where more than one part of the command does something, or where that cannot be told: a script has steps, too."""
    if not _command(call):
        return False
    command = _plain(call)
    known = [_known(part) for part in _parts(command)] if command else [None]
    return None in known or sum(row != _LOOKS for row in known) > 1


def parts_of(call: Call) -> tuple[list[str], bool]:
    """The commands of the call, one after the other, and whether they are all; without those that it makes as it goes."""
    command = _plain(call)
    if command:
        return _parts(command), True
    written = (_command(call) or "")[:_LONGEST]
    return _parts(_QUOTED.sub("Q", written)) if written else [], False


def runs_tests(part: str) -> bool:
    """True for a part of a command that is known to run tests."""
    return _known(part) == _TESTS


def is_known(part: str) -> bool:
    """True for a part of a command of which the table tells what it does."""
    return _known(part) is not None


def _known(part: str) -> int | None:
    """The row of the table."""
    if not part:
        return _LOOKS
    match = _KNOWN.match(part)
    return None if match is None or match.lastgroup is None else int(match.lastgroup[1:])


def _plain(call: Call) -> str:
    """The command with quoted texts as one letter each; empty where there is none, or too much to be told from its words."""
    written = _command(call)
    return _told(written) if written and len(written) <= _LONGEST_WRITTEN else ""


@lru_cache(maxsize=64)
def _told(written: str) -> str:
    # Kept, for several questions are asked of each command.
    written = _GIVEN.sub("Q", _without_texts(_FENCE.sub("", written)))
    # In double quotes, too, these run what they hold.
    if "`" in written or "$(" in written or len(written) > _LONGEST:
        return ""
    written = _THERE.sub(lambda match: match[1] or match[2] or match[3] or "", written)
    return _DISCARDED.sub("", _QUOTED.sub("Q", written))


def _without_texts(command: str) -> str:
    """The command without the lines that it gives to programs as they stand; empty where such a text has no end."""
    for _ in range(_MOST_TEXTS):
        if (opening := _HERE.search(command)) is None:
            return command
        line = command.find("\n", opening.end())
        end = command.find(f"\n{opening[2]}", line)
        if line < 0 or end < 0:
            return ""
        command = f"{command[: opening.start()]}{command[opening.end() : line]}{command[end + 1 + len(opening[2]) :]}"
    return ""


def _parts(command: str) -> list[str]:
    return [part.strip() for part in _NEXT.split(command)]


def _command(call: Call) -> str | None:
    arguments = call.call.arguments
    command = next((arguments[name] for name in _NAMES if name in arguments), None)
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        # ["bash", "-lc", "ls -la"] runs what its third word says.
        is_wrapped = len(command) > 2 and _SHELL.match(command[0]) and command[1].endswith("c")  # noqa: PLR2004 - as above
        return command[2] if is_wrapped else " ".join(command)
    return command if isinstance(command, str) else None
