"""Shell commands as signals read them: which parts a command has, and what stands between them. Nothing is ever run."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sentinel_core.evaluate.expressions import regex

__all__ = ["Part", "command_of", "parts_of"]

_KEYS = ("command", "cmd", "CommandLine", "script")
_CODE_KEYS = ("code", "input", "content")
_GIVING = frozenset(_KEYS + _CODE_KEYS)
_CELL = regex(r"^\s{0,20}[!%](?=[a-z./])([^\n]{1,2000})", re.MULTILINE)
_PYTHON = regex(r"\b(?:import|print|def|for|assert)\b|[=(]")
_SHORT = 200
_LONGEST = 20_000
_MOST_TEXTS = 20

_SHELL = regex(r"(?:\S{0,60}/)?(?:ba|z|da|k)?sh\Z")
_FENCE = regex(r"\A\s{0,9}```\w{0,20}\n|\n?```\s{0,9}\Z")
_HERE = regex(r"<<-?[ ]?(['\"]?)(\w{1,40})\1")
_REDIRECTED = regex(r"\d?>&\d|&(?=>)")
_TOKEN = regex(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|&&|\|\||\|&|[|;&\n]|[^'\"\\|;&\n]+|['\"\\]", re.DOTALL)
_SEPARATORS = frozenset(("&&", "||", "|", "|&", ";", "&", "\n"))
_WITHIN = regex(r"(?:\S{0,60}/)?(?:ba|z|da|k)?sh (?:-\w{1,9} ){0,3}-\w{0,5}c\s+(['\"])(.*)\1\s*\Z", re.DOTALL)

# What stands before a program's name.
_BEFORE = regex(
    r"(?:[A-Za-z_]\w{0,60}=(?:'[^']{0,200}'|\"[^\"]{0,200}\"|\S{0,200}) +|[!({]+ *|%cd |(?:sudo|time|nice|exec|command|env|nohup|then|do|else|if|while|until|elif) +"
    r"|timeout (?:-\S{1,20} )*\S{1,9} +|(?:uv|poetry|pipenv|hatch|rye|pdm) run +(?:-{1,2}[\w-]+(?:=\S+)? +|--with \S+ +)*|uvx +|bundle exec +"
    r"|(?:npx|bunx)(?: -y| --yes| --no-install)? +|(?:pnpm|yarn|bun)(?: --filter[ =]\S+| -[CF] \S+| -r| -w| --recursive){0,2} (?:exec|dlx|x) +|(?:pnpm|yarn)(?: --filter[ =]\S+| -[CF] \S+)? +(?=(?:vitest|jest|eslint|tsc|mocha|playwright|prettier)\b)|dotenv +(?:-- +)?|xvfb-run +(?:-\S+ +)*"
    r"|docker[ -]compose (?:exec|run) +(?:-\S+ +)*\S+ +|docker exec +(?:-\S+ +)*\S+ +|(?:\S{0,200}/)?python[\d.]{0,4} (?:-[uBEIsS] )*-m +"
    r"|(?:\S{0,200}/)?\.?(?:bin|Scripts)/)*"
)


class Part(NamedTuple):
    """One simple command, without what stands before the program, and the separator after it; empty for the last."""

    text: str
    after: str


def command_of(arguments: Mapping[str, Any]) -> str | None:
    """The command line that the arguments of a call give, None where they give none; of code in cells, its shell lines."""
    if _GIVING.isdisjoint(arguments):  # of most calls
        return None
    for key in _KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, (list, tuple)) and value and all(isinstance(word, str) for word in value):
            # ["bash", "-lc", "ls -la"] runs what its third word says.
            is_wrapped = len(value) > 2 and _SHELL.match(value[0]) and value[1].endswith("c")  # noqa: PLR2004 - as above
            return str(value[2]) if is_wrapped else " ".join(value)
    for key in _CODE_KEYS:
        if isinstance(value := arguments.get(key), str):
            return _shell_lines(value)
    return None


def _shell_lines(code: str) -> str:
    """The lines of a notebook's cell that a shell runs; short code that is no Python may be a command itself."""
    if "!" in code and (lines := _CELL.findall(code)):
        return "\n".join(lines)
    return "" if len(code) > _SHORT or _PYTHON.search(code) else code


@lru_cache(maxsize=64)
def parts_of(command: str) -> tuple[Part, ...]:
    """The simple commands of a command line, in order; none where it is longer than 20,000 characters."""
    if len(command) > _LONGEST:
        return ()
    command = _without_texts(_FENCE.sub("", command).strip())
    within = _WITHIN.match(command)
    if within is not None:
        command = within[2]
    parts: list[Part] = []
    text = ""
    for token in _TOKEN.findall(_REDIRECTED.sub("", command)):
        if token in _SEPARATORS:
            parts.append(Part(_bare(text), token))
            text = ""
        elif token != "\\\n":  # noqa: S105 - a word of a command line
            text += token
    parts.append(Part(_bare(text), ""))
    return tuple(part for part in parts if part.text)


def _bare(text: str) -> str:
    text = text.strip()
    before = _BEFORE.match(text)
    return text[before.end() :] if before is not None else text


def _without_texts(command: str) -> str:
    """The command without the lines that it gives to programs as they stand (here-documents)."""
    for _ in range(_MOST_TEXTS):
        opening = _HERE.search(command)
        if opening is None:
            break
        line = command.find("\n", opening.end())
        end = command.find(f"\n{opening[2]}", line) if line >= 0 else -1
        rest = command[opening.end() : line] + command[end + 1 + len(opening[2]) :] if end >= 0 else ""
        command = command[: opening.start()] + rest
    return command
