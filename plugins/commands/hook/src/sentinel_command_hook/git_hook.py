"""The ``pre-push`` hook of a git repository: the newest session here must claim nothing that its record contradicts."""

import shlex
import shutil
import subprocess
from pathlib import Path

import click

from sentinel_command_hook.settings_file import own_program, show
from sentinel_core.errors import InputError
from sentinel_core.runtime.printable import printable
from sentinel_core.runtime.state_files import read_bytes, write_whole

__all__ = ["change"]

_NAME = "pre-push"
_RECEIPT = "receipt --latest any --check --fail-on fail"
_HEAD = "#!/bin/sh\n# Sentinel: no push while the newest coding session here claims what its record contradicts.\n"


def change(*, is_wanted: bool, dry_run: bool) -> None:
    """Write the hook, or remove it, and show what changes.

    Raises ``InputError`` where there is no repository, or another hook; ``OSError`` where it cannot be written.
    """
    path = _hooks() / _NAME
    before = (read_bytes(path) or b"").decode("utf-8", "replace")
    line = f"{shlex.quote(own_program())} {_RECEIPT}"
    if before and not before.startswith(_HEAD):
        if is_wanted:
            raise InputError(
                f"is another hook, so nothing was changed: add this line to it: {line} || exit", label=str(path)
            )
        before = ""
    after = f"{_HEAD}exec {line}\n" if is_wanted else ""
    if after == before:
        click.echo(
            f"{printable(str(path))}: {'the hook is installed' if is_wanted else 'there is no hook of Sentinel'}"
        )
        return
    show(path, before, after)
    if dry_run:
        return
    if is_wanted:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, after.encode())
        path.chmod(0o755)
        click.echo("It applies to the next push; git push --no-verify leaves it out.")
    else:
        path.unlink()
        click.echo("The hook is uninstalled.")


def _hooks() -> Path:
    """The folder of this repository's hooks, as git is configured."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            [shutil.which("git") or "git", "rev-parse", "--git-path", "hooks"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"git cannot be asked for the folder of its hooks: {error}") from None
    if done.returncode != 0:
        raise InputError("this folder is in no git repository, so there is no push to check")
    return Path(done.stdout.strip())
