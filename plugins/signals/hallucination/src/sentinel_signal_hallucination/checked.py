"""Which checks ran, and how they ended, call by call."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.checkers import CHECKERS, KINDS, SCRIPTS, passes, program_of
from sentinel_signal_hallucination.printed import printed
from sentinel_signal_hallucination.shell import BEGINNING, is_known, parts_of, runs_tests
from sentinel_signal_hallucination.tables import regex, words
from sentinel_signal_hallucination.tools import RUN, ability

__all__ = ["Run", "Runs"]

_ALL = frozenset(KINDS)
_COMPILES = frozenset(("build", "types"))
# For tests of these to run, the code must have compiled.
_COMPILED = regex(rf"{BEGINNING}(?:cargo|ctest|dotnet|go|(?:\S*/)?(?:gradle|mvn)w?)\b")
# An installation of the project itself builds it.
_BUILDS = regex(rf"{BEGINNING}pip3? install (?:-\S+ )*\.")
_MAKE = regex(rf"{BEGINNING}g?make\b")
# What the checks elsewhere say.
_SHOWS_CHECKS = ("gh ", "glab ")
_TELLS_OF_CHECKS = regex(
    r"diagnostic|errors?\b|lint|problem|check|status|workflow|build|(?:^|[^a-z])ci(?:[^a-z]|$)", re.IGNORECASE
)
# Other code than before.
_CHANGES = regex(
    r"git (?:(?:-C \S+|--no-pager) )*(?:am|checkout|cherry-pick|merge|pull|rebase|reset|restore|revert|stash|switch)\b"
)
# These may run hooks, which print nothing where all is well.
_HOOKED = regex(r"git (?:(?:-C \S+|--no-pager) )*(?:commit|merge|push)\b")
# What such a script runs besides tests, nobody knows.
_SCRIPT_OF_TESTS = regex(r"(?:npm|pnpm|yarn|bun) (?:run )?(?:t|test)")
_MAKE_TESTS = regex(r"\b(?:ci|check|lint|run|test\w*|verify)\b")
_ASKS_ONLY = regex(r" (?:--help|--version|-V)\b| -n$")
_NOT_THERE = regex(r"(?i:missing script|command not found|no such file or directory|is not recognized)")
# Their exit codes tell of mere notes, too.
_BY_OUTPUT = words("pylint shellcheck")
_LONGEST = 300
_SHOWN = 120
_FAILED_COMMAND = regex(r"\A.{0,40}\bexit code:? [1-9]|exit[_ ]code\\?\"?:? ?[1-9][^\n]{0,60}\Z", re.IGNORECASE)
# Steps into a folder, and looks at what comes out.
_ASIDE = words("cd head tail grep tee cat echo true set")


class Run(NamedTuple):
    """The last run of a program: where its result stands, and the line with which it failed; empty where it did not."""

    message_index: int
    command: str
    ending: str


class Runs:
    """The last run of each program, call by call. What nobody knows may have run any of them again: then none is on record.

    ``kinds`` are those of what ran at all; ``printed`` is what other commands are, and what other calls gave.
    """

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._seen = 0
        self._is_lost = False
        self.kinds = frozenset[str]()
        self._has_commands = False
        self.printed: list[str] = []
        self.last: dict[str, Run] = {}
        # Commands that passed since the last edit: the agent may compare two.
        self._passed: set[tuple[str, str]] = set()

    @property
    def certain(self) -> bool:
        """True where it is known of each program whether it ran."""
        return self._has_commands and not self._is_lost

    def until(self, calls: int) -> None:
        """Look at the first ``calls`` calls, a number that never goes down."""
        for call in self._calls[self._seen : calls]:
            self._look(call)
        self._seen = max(self._seen, calls)

    def is_compared(self, program: str) -> bool:
        """True where another command ran the program on the same code, and passed."""
        return any(name == program and command != self.last[program].command for name, command in self._passed)

    def _look(self, call: Call) -> None:
        tool, result = ability(call.call.name), call.result
        text = result.content if result is not None else ""
        if RUN not in tool.families:
            if tool.edits:
                self._passed.clear()
            self._hear(text, lost=_TELLS_OF_CHECKS.search(call.call.name) is not None)
            return
        parts, is_told = parts_of(call)
        self._has_commands = True
        if not is_told or not parts:
            self._lose_sight()
        programs = [_checks(part) for part in parts]
        ran = [program for program in programs if program is not None]
        if not ran:
            self._hear(text, lost=False)
        plain = True
        for part, program in zip(parts, programs, strict=True):
            if program is None:
                plain = self._pass_over(part) and plain
            else:
                self._run(program, part)
        if ran:
            self._note(ran, call, plain=plain, alone=sum(map(_does, parts)) == 1)

    def _pass_over(self, part: str) -> bool:
        """A part that runs no check by itself; True where what is printed besides can only be of those that do."""
        self.printed.append(part)
        if _HOOKED.match(part):
            self._is_lost = True
        if not is_known(part) or part.startswith(_SHOWS_CHECKS) or _SCRIPT_OF_TESTS.match(part):
            self._lose_sight()
        elif _CHANGES.match(part):
            self._forget(_ALL)  # it is other code now
        elif _BUILDS.match(part):
            self._forget(_COMPILES)
        elif not runs_tests(part):
            return True
        elif _COMPILED.match(part):
            self.kinds |= _COMPILES
            self._forget(_COMPILES if "go test" not in part else _ALL)  # which vets, too
        return False

    def _run(self, program: str, part: str) -> None:
        self.kinds |= CHECKERS[program].kinds | (_COMPILES if program == "clippy" else frozenset())
        if program in SCRIPTS or _MAKE.match(part):
            self._is_lost = True
            self._forget_all_but(SCRIPTS)  # what it runs, nobody knows

    def _note(self, programs: list[str], call: Call, *, plain: bool, alone: bool) -> None:
        """How the programs of one command ended. Where more than one seems to have failed, nobody knows which."""
        command = " && ".join(parts_of(call)[0])[:_LONGEST]
        endings = {
            program: self._ending(program, call, alone=alone) if plain and programs.count(program) == 1 else None
            for program in programs
        }
        if sum(map(bool, endings.values())) > 1:
            endings = dict.fromkeys(endings)
        for program, ending in endings.items():
            self.last[program] = Run(call.message_index, command, ending or "")
            if not ending:
                self._passed.add((program, command))

    def _ending(self, program: str, call: Call, *, alone: bool) -> str | None:
        result = call.result
        if result is None or _NOT_THERE.search(result.content) is not None:
            return None
        ending = CHECKERS[program].ending(result.content)
        is_told_by_code = ending is None and alone and program not in _BY_OUTPUT
        if is_told_by_code and (result.success is False or _FAILED_COMMAND.search(result.content)):
            return printed(result.content).strip().rpartition("\n")[2][:_SHOWN] or None
        return ending

    def _hear(self, text: str, *, lost: bool) -> None:
        """What anything else printed may tell that a check passes."""
        if lost:
            self._lose_sight()
        if text:
            self.printed.append(text)
        if self.last and passes(text):
            self._forget(_ALL)
        for program in [name for name in self.last if f"{name}:" in text]:
            del self.last[program]

    def _lose_sight(self) -> None:
        self._is_lost = True
        self._forget(_ALL)

    def _forget_all_but(self, programs: frozenset[str]) -> None:
        self.last = {name: run for name, run in self.last.items() if name in programs}

    def _forget(self, kinds: frozenset[str]) -> None:
        self.last = {name: run for name, run in self.last.items() if kinds.isdisjoint(CHECKERS[name].kinds)}
        self._passed = {(name, part) for name, part in self._passed if name in self.last}


def _checks(part: str) -> str | None:
    """The program that the part runs to check something."""
    program = program_of(part)
    if program is None or _ASKS_ONLY.search(part) is not None or (_MAKE.match(part) and _MAKE_TESTS.search(part)):
        return None
    return program


def _does(part: str) -> bool:
    return bool(part) and part.partition(" ")[0] not in _ASIDE
