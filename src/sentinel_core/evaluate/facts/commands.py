"""What a call can have done, by kind: told by program and subcommand, of scripts and task runners by the words of their target.

A command is what it *can* be. Only scripts and targets whose words say nothing are unclear, and may be of every kind; what the tables
do not know is of no kind. What a command prints never decides.
"""

import functools
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from sentinel_core.evaluate.expressions import matching, regex
from sentinel_core.evaluate.facts import command_table as table
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.evaluate.tools import facts_of, name_words

__all__ = [
    "EVERY",
    "NOTHING",
    "Kinds",
    "check_kind",
    "check_match",
    "is_delegate",
    "is_editor",
    "kinds_of",
    "kinds_of_call",
    "only_asks",
    "prepared_by",
]


class Kinds(NamedTuple):
    """The kinds that a command or call ``is`` of by what was called, and those that it also ``may`` be of."""

    sure: frozenset[str]
    may: frozenset[str]

    def can_be(self, kind: str) -> bool:
        """True where it is or may be of the kind."""
        return kind in self.sure or kind in self.may


_NONE = frozenset[str]()
NOTHING = Kinds(_NONE, _NONE)
"""Of a call that did nothing of any kind."""
EVERY = Kinds(_NONE, frozenset(table.WORDS))
"""Of a call of which nothing is known."""
DELEGATED = Kinds(_NONE, frozenset(table.WORDS))
"""Of a call to another agent, before its orders are looked at."""
_OUTWARD = frozenset(("push", "pull_request", "deploy", "publish", "migrate", "restart", "comment"))
_FORMATS = frozenset(("format", "edit"))
_CHECKS = frozenset((*table.CHECKS, "ci"))
_ELSEWHERE = EVERY.may - {"tests", "types", "lint", "build", "format", "edit", "ci"}

_LONGEST, _MOST_WORDS = 20_000, 20
_WHOLE = r"(?![\w=-])"  # after a program or subcommand
_WORD = regex(r"[a-z][a-z]+")
_QUOTED = regex(r"'[^']*'|\"[^\"]*\"")
_REMOTE = regex(r"ssh (?:-[46AaCfGgKkMNnqsTtVvXxYy]+ |-\w \S+ )*[\w.@$-]+ (.+)\Z", re.DOTALL)
_WRITES = regex(r"(?<![-=<>&])>>?(?![>&])\s*(?!/dev/)\S")
_REDIRECTED = regex(r"\d?>{1,2}\s*\S+")
_POSTS = regex(r"\s(?:-X\s*['\"]?(?:POST|PUT|PATCH|DELETE)|-d|--data\S*|-F|--json|--request|--post-data|--method)")
_INTERPRETERS = table.word_set("python node ruby perl php deno bun pwsh powershell osascript")
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "fish", "source", "."))
_ENDINGS = (".sh", ".py", ".js", ".ts", ".mjs", ".cjs", ".rb", ".pl", ".ps1", ".bat", ".bash", ".php")
_HERE = regex(r"<<-? {0,4}['\"]?(?P<end>\w{1,40})['\"]?[^\n]*\n(?P<body>.*?)^(?P=end)$", re.DOTALL | re.MULTILINE)
_FILTERS = table.word_set("sed grep rg awk cat head tail wc rm ls perl")
_FETCHERS = frozenset(("curl", "wget", "http"))
_PACKAGERS = frozenset(("npm", "pnpm", "yarn", "bun", "deno", "pdm", "hatch", "composer"))
_CONTAINERS = frozenset(("docker", "podman", "docker-compose"))
_RUNS = frozenset(("run", "run-script", "exec"))
_LISTS = table.word_set("todo todos task tasks plan memory memories note notes thought question")
_DELEGATES = table.word_set("agent subagent delegate dispatch workflow codex assistant")
_EDITORS = ("edit", "write", "patch", "replace", "insert", "create_file")
_HOSTS = ("github", "gitlab", "bitbucket", "gitea")
_SHARING = frozenset(("commit", "push", "pull_request", "comment"))
_CONSOLES = table.word_set("bash sh zsh shell powershell terminal console command cmd exec execute")
_TYPING = table.word_set("stdin keys keyboard")
_TELLING = regex(r"(?i)diagnostic|errors?\b|lint|problem|check|status|workflow|build|test|(?:^|[^a-z])ci(?:[^a-z]|$)")


@functools.lru_cache(maxsize=2048)
def _pattern(row: str) -> re.Pattern[str]:
    return re.compile(row)


def _begin(row: str, text: str, end: str = "") -> re.Match[str] | None:
    """Where the text begins with what a row of the tables says, and goes on with the end."""
    row_of_it = matching(row, text)
    return None if row_of_it is None else _pattern(f"(?:{row_of_it}){end}").match(text)


def _check(text: str) -> re.Match[str] | None:
    """Where the text begins with a check; the group is its kind."""
    rows = {kind: matching(row, text) for kind, row in table.CHECKS.items()}
    named = "|".join(f"(?P<{kind}>{row})" for kind, row in rows.items() if row is not None)
    return _pattern(rf"(?:{named})(?![\w./=-])").match(text) if named else None


def check_match(text: str) -> re.Match[str] | None:
    """The begin of a simple command that runs a check; its last group is the kind."""
    match = _check(text)
    if match is None or _begin(table.TELLS, text) or _pattern(table.ASKS_ONLY).search(text):
        return None
    return match


def check_kind(text: str) -> str | None:
    """What a simple command checks: "tests", "types", "lint" or "build"; None where it checks nothing, or only writes."""
    match = check_match(text)
    if match is None or (
        _begin(table.FORMATTERS, text)
        and not re.search(r" (?:--check|--check-only|-c|--diff|-l|-d|--list-different)\b", text)
    ):
        return None
    return match.lastgroup


@functools.lru_cache(maxsize=4096)
def kinds_of(command: str) -> Kinds:
    """What a command line can have done."""
    if len(command) > _LONGEST:
        return EVERY
    sure: set[str] = set()
    may: set[str] = set()
    for part in parts_of(command):
        kinds = _part(part.text, command)
        sure |= kinds.sure
        may |= kinds.may
    return Kinds(frozenset(sure), frozenset(may - sure))


def only_asks(text: str) -> bool:
    """True for a simple command that tells something and does nothing: ``alembic history``, ``npm ls``, ``pytest --version``."""
    return _begin(table.TELLS, text) is not None


def prepared_by(command: str) -> frozenset[str]:
    """The kinds of what a command line only prepares: "deploy" of ``terraform plan``, and of what runs dry what it would do."""
    found: set[str] = set()
    for part in parts_of(command[:_LONGEST]):
        found |= {kind for kind, row in table.PREPARES.items() if _begin(row, part.text, _WHOLE)}
        if " --dry-run" in part.text:
            found |= kinds_of(part.text.replace(" --dry-run", "")).sure
    return frozenset(found)


def _part(text: str, whole: str) -> Kinds:
    """Of one simple command; ``whole`` is the line with its here-documents."""
    if only_asks(text):
        return NOTHING
    remote = _REMOTE.match(text)
    if remote is not None:
        return kinds_of(remote[1].strip("'\""))
    bare = _QUOTED.sub(" ", text)
    program, _, rest = _REDIRECTED.sub(" ", bare).partition(" ")
    name = program.rpartition("/")[2].lower()
    own = text[program.rfind("/") + 1 :] if "/" in program and text.startswith(program) else text  # "bin/kamal deploy"
    sure = {
        kind
        for kind, row in table.DOES.items()
        if _begin(row, text, _WHOLE) or (own is not text and _begin(row, own, _WHOLE))
    }
    if check_match(text) is not None:
        sure |= {check} if (check := check_kind(text)) else _FORMATS
    elif _check(text) is not None:
        return NOTHING
    if _WRITES.search(bare):
        sure.add("edit")
    may = {kind for row, kinds in table.ALSO if _begin(row, text) for kind in kinds.split()}
    may |= _unclear(text, whole, name, rest, is_known=bool(sure), is_path=program != name and "/" in program)
    return Kinds(frozenset(sure), frozenset(may))


def _unclear(text: str, whole: str, name: str, rest: str, *, is_known: bool, is_path: bool) -> frozenset[str]:
    """What a script, a task runner or a program that runs others may be, and a program of which nothing else is known."""
    if name in table.LOOKS and not _begin(table.WRAPPERS, text):
        return _ELSEWHERE if name in _FETCHERS and _POSTS.search(text) else _NONE
    if name in _SHELLS or name.partition(".")[0].rstrip("0123456789") in _INTERPRETERS:
        return _interpreted(text, whole, rest, is_shell=name in _SHELLS)
    if _begin(table.WRAPPERS, text):
        return _wrapped(text) or (EVERY.may if name in _CONTAINERS else _NONE)
    if is_path or name.endswith(_ENDINGS) or name.startswith("$"):
        return _NONE if is_known else _script(name, rest)
    if name in table.RUNNERS and not (is_known and name in _PACKAGERS):
        return _of_words(_words(rest) - {"run"}) or (_NONE if is_known or _only_shows(rest) else EVERY.may)
    return _NONE if is_known else _of_words(_words(f"{name} {rest}"))


def _wrapped(text: str) -> frozenset[str]:
    """Of a program that runs the command in its arguments, wherever that begins."""
    words = text.replace("'", " ").replace('"', " ").split()[1:_MOST_WORDS]
    ends = [" ".join(words[at:]) for at in range(len(words))]
    own = [word for word in words if word[0] not in "-{"]
    if text.startswith("xargs ") and own and own[0] in _FILTERS:  # what it is given is no name of a target
        inner = " ".join(words[words.index(own[0]) :])
        return frozenset(kind for kind, row in table.DOES.items() if _begin(row, inner, _WHOLE))
    found = {kind for end in ends for kind, row in table.DOES.items() if _begin(row, end, _WHOLE)}
    return frozenset(found) | _of_words(_words(" ".join(words)))


def _interpreted(text: str, whole: str, rest: str, *, is_shell: bool) -> frozenset[str]:
    """Of what a shell or an interpreter runs: code in the command, or a file."""
    words = [word for word in rest.split() if not word.startswith("-")]
    if is_shell and (given := _HERE.match(whole, max(0, whole.find("<<")))):
        inner = EVERY if "<<" in given["body"] else kinds_of(given["body"])
        return inner.sure | inner.may
    if is_shell and (quoted := _QUOTED.search(text)):
        inner = kinds_of(quoted[0][1:-1])
        return inner.sure | inner.may
    if "<<" in whole or re.search(r" -\w*[cer]\b| --eval| -Command", text) or not words:
        return _of_code(whole if "<<" in whole else text) if re.search(r"<<| -", whole) else _NONE
    return _script(words[0].rpartition("/")[2], " ".join(words[1:]))


def _script(name: str, rest: str) -> frozenset[str]:
    if name.partition(".")[0] in table.QUIET_SCRIPTS or name == "":
        return _NONE
    found = _of_words(_words(f"{name.rpartition('.')[0] or name} {rest}"))
    return found or (_NONE if _only_shows(rest) else EVERY.may)


def _only_shows(rest: str) -> bool:
    """True where the first word that a script or task runner is given is of showing: "status"."""
    given = (word for word in rest.split() if not word.startswith("-") and word not in _RUNS)
    return not table.SHOWS.isdisjoint(next(given, "").split(":"))


def _of_code(code: str) -> frozenset[str]:
    found: set[str] = set()
    for row, kinds in table.CODE:
        if _pattern(row).search(code):
            found |= EVERY.may if kinds == "*" else set(kinds.split())
    return frozenset(found)


def _words(text: str) -> frozenset[str]:
    """The words of names and targets, in lower case, without options: "scripts/run-tests.sh" has "run" and "tests"."""
    plain = (word for word in text.replace("'", " ").replace('"', " ").split() if not word.startswith("--"))
    return frozenset(_WORD.findall(re.sub(r"([a-z])([A-Z])", r"\1 \2", " ".join(plain)).replace("_", " ").lower()))


def _of_words(words: frozenset[str]) -> frozenset[str]:
    return frozenset(kind for kind, row in table.WORDS.items() if not row.isdisjoint(words))


def kinds_of_call(name: str, arguments: Mapping[str, Any]) -> Kinds:
    """What a call can have done: by its command, else by the words of the tool's name."""
    by_name = _tool(name)
    if by_name is NOTHING or "edit" in by_name.sure:
        return by_name
    if by_name is DELEGATED:
        return _delegated(arguments)
    command = command_of(arguments) if isinstance(arguments, dict) else None
    if command is None:
        return by_name
    if facts_of(name).runs_anything or not by_name.sure:
        found = kinds_of(command)
        code = next((arguments[key] for key in ("code", "input") if isinstance(arguments.get(key), str)), "")
        return Kinds(found.sure, found.may | _of_code(code[:_LONGEST])) if code else found
    return by_name


def _delegated(arguments: Mapping[str, Any]) -> Kinds:
    """Of what is given to another agent: whatever is done in the folder, and outside of it what its orders speak of."""
    texts = [value for value in arguments.values() if isinstance(value, str)]
    if not any(" " in text for text in texts):
        return EVERY  # its orders are not on record
    orders = _of_words(frozenset(_WORD.findall(" ".join(texts)[:_LONGEST].lower())))
    return Kinds(_NONE, EVERY.may - (_OUTWARD - orders))


def is_delegate(name: str) -> bool:
    """True for a tool that hands work to another agent."""
    return _tool(name) is DELEGATED


def is_editor(name: str) -> bool:
    """True for a tool whose name says that it changes files, whatever else it is given."""
    return any(map(name.lower().__contains__, _EDITORS))


@functools.lru_cache(maxsize=1024)
def _tool(name: str) -> Kinds:
    """By the tool's name alone."""
    words, facts = frozenset(name_words(name)), facts_of(name)
    found = _of_words(words)
    if words == {"task"}:
        return DELEGATED
    if not words.isdisjoint(_TYPING):
        return EVERY
    if facts.is_inert or not words.isdisjoint(_LISTS):
        return NOTHING
    if is_editor(name):
        return Kinds(frozenset(("edit",)), found & _SHARING)
    if facts.effect == "reads" or "output" in words:
        return Kinds(_NONE, frozenset(("ci",))) if _TELLING.search(name) else NOTHING
    return _acting(name, words, found, runs_anything=facts.runs_anything)


def _acting(name: str, words: frozenset[str], found: frozenset[str], *, runs_anything: bool) -> Kinds:
    """Of a tool that does something."""
    if not words.isdisjoint(_DELEGATES):
        return DELEGATED
    if not words.isdisjoint(_CONSOLES):
        return EVERY  # what it was given is not recorded
    if found and found <= _CHECKS:
        return Kinds(found, _NONE)
    if found or not runs_anything:
        return Kinds(found, _ELSEWHERE if any(map(name.lower().__contains__, _HOSTS)) else _ELSEWHERE - _SHARING)
    return Kinds(found, _ELSEWHERE)
