"""What Aider's own lines say that it did: edits, commits, commands, tests and linters that failed."""

import re
from collections.abc import Callable, Container
from typing import Any

import attrs

from sentinel_core import CallDetails, ToolCall
from sentinel_core.traces.readers.chat import Result

__all__ = ["Deed", "deeds", "of_user", "unseen"]

_EDIT, _COMMIT, _RUN, _TEST, _LINT = "edit_file", "git_commit", "run_command", "run_tests", "run_linter"
_NOT_RUN = "not run"


@attrs.frozen(kw_only=True)
class Deed:
    """One call. ``content`` is None where no result is on record; ``success`` is None where it is not known."""

    name: str
    arguments: dict[str, Any]
    content: str | None = None
    success: bool | None = None
    is_run: bool = True

    def call(self) -> ToolCall:
        """The call, without an id."""
        details = None if self.content is not None else CallDetails(result_expected=False)
        return ToolCall(id="", name=self.name, arguments=self.arguments, details=details)

    def result(self, call_id: str) -> Result:
        """Its result."""
        return Result(
            call_id=call_id,
            name=self.name,
            content=self.content or "",
            success=self.success if self.is_run else False,
            metadata=None if self.is_run else {"not_run": True},
        )


def _edit(match: re.Match[str], success: bool | None, *, is_run: bool = True) -> Deed:
    return Deed(name=_EDIT, arguments={"path": match["path"]}, content=match[0], success=success, is_run=is_run)


def _failed(name: str) -> Callable[[re.Match[str]], Deed]:
    return lambda match: Deed(name=name, arguments={}, content=match[0], success=False)


# Whole lines, as Aider writes them, and what each is.
_LINES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Deed]], ...] = (
    (re.compile(r"Applied edit to (?P<path>.+)"), lambda match: _edit(match, True)),
    (re.compile(r"Did not apply edit to (?P<path>.+) \(--dry-run\)"), lambda match: _edit(match, None, is_run=False)),
    (re.compile(r"Skipping edits to (?P<path>.+?)(?: that matches gitignore spec\.)?"), lambda match: _edit(match, None, is_run=False)),
    (re.compile(r"Failed to apply edit to (?P<path>.+)"), lambda match: _edit(match, False)),
    (re.compile(r"Unable to create (?P<path>.+), skipping edits\."), lambda match: _edit(match, False)),
    (re.compile(r"The LLM did not conform to the edit format\."), _failed(_EDIT)),
    (re.compile(r"Exception while updating files:"), _failed(_EDIT)),
    (
        re.compile(r"Commit (?P<hash>[0-9a-f]{7,40}) (?P<message>.*)"),
        lambda match: Deed(name=_COMMIT, arguments={"message": match["message"]}, content=match[0], success=True),
    ),
    (re.compile(r"Unable to commit: .*"), _failed(_COMMIT)),
    (re.compile(r"Running (?P<command>.+)"), lambda match: Deed(name=_RUN, arguments={"command": match["command"]})),
    (re.compile(r"Attempt to fix test errors\? .*"), _failed(_TEST)),
    (re.compile(r"Attempt to fix lint errors\? .*"), _failed(_LINT)),
)  # fmt: skip
# Lines that end the account of a failed edit.
_NOTICE = re.compile(r"(?:Tokens|Only \d+ reflections|Attempt to fix) .*")
_MOST_REASONS = 40
_SOME_APPLIED = "applied successfully"
_COMMAND_FAILED = "Error occurred while running command "
# The user's own commands, and what Aider runs for them.
_COMMANDS = {"/run": _RUN, "!": _RUN, "/test": _TEST, "/lint": _LINT, "/git": _RUN}
_TESTS_FAILED = re.compile(r"Added \d+ lines? of output to the chat\.")  # after /test, only where they failed


def deeds(lines: list[str], *, by_user: bool) -> list[Deed]:
    """What Aider did, in order. After a message of the user, commands are his own and not in these lines."""
    found: list[Deed] = []
    for line in lines:
        deed = next(
            (make(match) for pattern, make in _LINES if (match := pattern.fullmatch(line.strip())) is not None), None
        )
        if deed is not None:
            if not (by_user and deed.name == _RUN):
                found.append(deed)
        elif found and line.startswith(_COMMAND_FAILED):
            found[-1] = attrs.evolve(found[-1], content=line, success=False)
        elif found and found[-1].name == _EDIT and found[-1].success is False and _NOTICE.fullmatch(line) is None:
            # The reason follows; where it says that other parts were applied, files did change.
            told = found[-1].content or ""
            more = told if told.count("\n") == _MOST_REASONS else f"{told}\n{line}"
            found[-1] = attrs.evolve(found[-1], content=more, success=None if _SOME_APPLIED in line else False)
    return found


def unseen(done: list[Deed], watched: Container[str]) -> list[Deed]:
    """The checks that Aider ran again after an edit, as it did before in this chat (``watched``), without a word of failure."""
    if not any(deed.name == _EDIT and deed.success for deed in done):
        return []
    names = {deed.name for deed in done}
    return [Deed(name=name, arguments={}) for name in (_TEST, _LINT) if name in watched and name not in names]


def of_user(text: str, notices: list[str]) -> list[Deed]:
    """What Aider ran because the user told it to: ``/run make``, ``!make``, ``/test``."""
    first, _, rest = text.partition("\n")
    word, _, argument = ("!", "", first[1:]) if first.startswith("!") else first.partition(" ")
    name = _COMMANDS.get(word)
    if name is None or rest.strip():
        return []
    command = f"git {argument.strip()}" if word == "/git" else argument.strip()
    failed = name == _TEST and any(_TESTS_FAILED.fullmatch(line) is not None for line in notices)
    notice = next((line for line in notices if failed and _TESTS_FAILED.fullmatch(line) is not None), "")
    return [
        Deed(
            name=name,
            arguments={"command": command} if command else {},
            content=notice,
            success=False if failed else None,
        )
    ]
