"""Which checks ran, and how they ended, call by call."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.checkers import CHECKERS, KINDS, SCRIPTS, program_of
from sentinel_signal_hallucination.printed import printed
from sentinel_signal_hallucination.shell import BEGINNING, is_known, only_looks, parts_of, runs_tests
from sentinel_signal_hallucination.tables import regex, words
from sentinel_signal_hallucination.tools import ability

__all__ = ["Run", "Runs"]

_RUN = "run"
_ALL = frozenset(KINDS)
_COMPILES = frozenset(("build", "types"))
# For tests of these to run, the code must have compiled.
_COMPILED = regex(rf"{BEGINNING}(?:cargo|ctest|dotnet|go|(?:\S*/)?(?:gradle|mvn)w?) ")
_MAKE = regex(rf"{BEGINNING}g?make\b")
# What the checks elsewhere say.
_SHOWS_CHECKS = ("gh ", "glab ")
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

    ``programs`` are those that ran at all; ``printed`` is what the calls that do something printed, in lower case.
    """

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._seen = 0
        self._is_lost = False
        self.programs: set[str] = set()
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
        tool = ability(call.call.name)
        if tool.edits:
            self._passed.clear()
            return
        if _RUN not in tool.families and "iagnostic" not in call.call.name:
            return
        parts, is_told = parts_of(call)
        if not is_told or not parts:
            self._lose_sight()
        self._has_commands = True
        if call.result is not None and not only_looks(call):
            self.printed.append(call.result.content.lower())
        for part in parts:
            program = program_of(part)
            if program is not None:
                if program in SCRIPTS or _MAKE.match(part):
                    self._is_lost = True
                    self._forget_all_but(SCRIPTS)  # what it runs, nobody knows
                self._note(program, part, call, alone=sum(map(_does, parts)) == 1)
            elif not is_known(part) or part.startswith(_SHOWS_CHECKS):
                self._lose_sight()
            elif runs_tests(part) and _COMPILED.match(part):
                self._forget(_COMPILES)

    def _note(self, program: str, part: str, call: Call, *, alone: bool) -> None:
        result = call.result
        self.programs.add(program)
        if result is None:
            self.last.pop(program, None)
            return
        ending = CHECKERS[program].ending(result.content)
        if ending is None and alone and (result.success is False or _FAILED_COMMAND.search(result.content)):
            ending = printed(result.content).strip().rpartition("\n")[2][:_SHOWN]
        if not ending:
            self._passed.add((program, part))
        self.last[program] = Run(call.message_index, part, ending or "")

    def _lose_sight(self) -> None:
        self._is_lost = True
        self._forget(_ALL)

    def _forget_all_but(self, programs: frozenset[str]) -> None:
        self.last = {name: run for name, run in self.last.items() if name in programs}

    def _forget(self, kinds: frozenset[str]) -> None:
        self.last = {name: run for name, run in self.last.items() if kinds.isdisjoint(CHECKERS[name].kinds)}
        self._passed = {(name, part) for name, part in self._passed if name in self.last}


def _does(part: str) -> bool:
    return bool(part) and part.partition(" ")[0] not in _ASIDE
