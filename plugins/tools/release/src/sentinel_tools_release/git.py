"""Runs git on an untrusted repository: reads it, and executes nothing in it.

A repository's own configuration can name programs (pagers, hooks, monitors, filters, signature checks, transports). Each
one that a reading command would start is switched off here. The user's configuration stays in force, because its
``safe.directory`` says whose repositories may be read.
"""

import os
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import IO

import attrs

from sentinel_core.errors import InputError

__all__ = ["Range", "Repository", "between", "resolve"]

_OVERRIDES = {
    "core.alternateRefsCommand": "",
    "core.attributesFile": os.devnull,
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.quotePath": "false",
    "core.sshCommand": "false",
    "diff.external": "",
    "diff.orderFile": os.devnull,
    "diff.relative": "false",
    "gpg.program": "false",
    "i18n.logOutputEncoding": "UTF-8",
    "log.mailmap": "false",
    "log.showRoot": "true",
    "log.showSignature": "false",
    "protocol.allow": "never",
}
_FLAGS = tuple(part for key, value in _OVERRIDES.items() for part in ("-c", f"{key}={value}"))
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would fetch missing objects with any transport that its remote names
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


@attrs.frozen
class Repository:
    """A repository at ``path``, or above it. ``timeout`` is in seconds per command, ``max_bytes`` caps its output."""

    path: str
    timeout: float
    max_bytes: int

    def ask(self, *arguments: str) -> str:
        """The output of a git command as text; bytes that are not UTF-8 become U+FFFD.

        Raises ``InputError`` if git is missing, fails, takes too long or prints too much.
        """
        out, error, code = self._run(arguments)
        if code != 0:
            why = _first_line(error) or f"exit code {code}"
            raise InputError(f'"{self.path}": git {arguments[0]} failed: {why}')
        return out.decode("utf-8", "replace")

    def find(self, *arguments: str) -> str | None:
        """Like ``ask``, stripped; None if git's exit code says that there is nothing."""
        out, _, code = self._run(arguments)
        return out.decode("utf-8", "replace").strip() if code == 0 else None

    def check(self) -> None:
        """Raises ``InputError`` if git cannot read a repository at the path."""
        self.ask("rev-parse", "--git-dir")

    def _run(self, arguments: tuple[str, ...]) -> tuple[bytes, str, int]:
        program = shutil.which("git")
        if program is None:
            raise InputError('"git" is not on the PATH; install it, or pass the release data with --releases')
        if not Path(self.path).is_dir():
            raise InputError(f'"{self.path}" is not a folder; --repo sets the path of the repository')
        # Absolute, because a relative path would be looked up in the repository.
        command = [str(Path(program).absolute()), "--no-pager", *_FLAGS, *arguments]
        with tempfile.TemporaryFile() as complaints:
            process = subprocess.Popen(  # noqa: S603 - no shell; the model's arguments are validated before
                command,
                cwd=self.path,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
            )
            out = self._read(process, arguments[0])
            return out, _text(complaints), process.returncode

    def _read(self, process: "subprocess.Popen[bytes]", name: str) -> bytes:
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self.timeout, stop)
        timer.daemon = True
        timer.start()
        try:
            with process:
                assert process.stdout is not None
                out = process.stdout.read(self.max_bytes + 1)
                if len(out) > self.max_bytes:
                    process.kill()
        finally:
            timer.cancel()
        if late.is_set():
            raise InputError(f'"{self.path}": git {name} took longer than {self.timeout:g} s; raise "timeout"')
        if len(out) > self.max_bytes:
            raise InputError(
                f'"{self.path}": git {name} printed more than {self.max_bytes} bytes; use a shorter range or raise "max_bytes"'
            )
        return out


def _environment() -> dict[str, str]:
    """The user's environment without git's variables, which could point at another repository or name a program."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_ENVIRONMENT}


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(4096).decode("utf-8", "replace")


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0].removeprefix("fatal: ").removeprefix("error: ")
    return "".join(character for character in line if character.isprintable())


# Git's names for revisions, except message searches (":/text", "^{/text}"), files ("rev:path") and options.
_REVISION = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_./@+~^-]{0,199}")


@attrs.frozen
class Range:
    """The commits that are in ``to`` but not in ``since``; both are full commit hashes.

    Files are compared with ``base``, the merge base of ``since`` and ``to``.
    """

    since: str
    to: str
    base: str

    @property
    def commits(self) -> str:
        """The range in git's syntax."""
        return f"{self.since}..{self.to}"


def resolve(repository: Repository, release_id: str) -> Range:
    """Find the commits that a release id names.

    Raises ``InputError`` if it is not a range, names an unknown commit, or is empty.
    """
    repository.check()
    start, dots, end = release_id.partition("..")
    if end.startswith("."):
        raise InputError(f'"{release_id}" has three dots; write a range as OLD..NEW')
    to = _commit(repository, (end or "HEAD") if dots else start)
    since = _commit(repository, start or "HEAD") if dots else _tag_before(repository, release_id, to)
    found = between(repository, since, to)
    if repository.ask("rev-list", "--count", found.commits).strip() == "0":
        raise InputError(
            f'"{release_id}" in "{repository.path}" contains no commits; write the older end first: OLD..NEW'
        )
    return found


def between(repository: Repository, since: str, to: str) -> Range:
    """The range between two commits, by their hashes. Raises ``InputError`` if they have no common history."""
    base = repository.find("merge-base", since, to)
    if base is None:
        raise InputError(f'{since[:12]} and {to[:12]} in "{repository.path}" have no common history')
    return Range(since=since, to=to, base=base)


def _commit(repository: Repository, name: str) -> str:
    if not _REVISION.fullmatch(name):
        raise InputError(f'"{name}" is not a commit; give a tag, a branch or a hash, with ~N if needed')
    found = repository.find("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if not found:
        raise InputError(f'"{repository.path}" has no commit "{name}"; in a shallow clone, fetch more of the history')
    return found


def _tag_before(repository: Repository, name: str, commit: str) -> str:
    tag = repository.find("describe", "--tags", "--abbrev=0", f"{commit}^")
    if tag is None:
        raise InputError(f'no tag comes before "{name}" in "{repository.path}"; give a range as OLD..NEW')
    return _commit(repository, f"refs/tags/{tag}")
