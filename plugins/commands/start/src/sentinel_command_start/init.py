"""``sentinel init``: settings and a CI workflow for the working directory. Existing files are kept."""

import os
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from string import Template

import click

from sentinel_command_start.hooks import installed
from sentinel_core import __version__
from sentinel_core.cli import warn
from sentinel_core.cli.sessions import known_places, sessions_in
from sentinel_core.errors import SentinelError
from sentinel_core.host.settings import find_file

__all__ = ["command"]

_SETTINGS = Path("sentinel.toml")
_WORKFLOW = Path(".github/workflows/sentinel.yml")
_ACTION = "reliability-sentinel/reliability-sentinel"
_HOME = f"https://github.com/{_ACTION}"
_PUBLISHED = (
    f"{_WORKFLOW} fails until {_ACTION} has the tag v{__version__}. To see whether it has: git ls-remote --tags {_HOME} v{__version__}\n"
    "If that shows nothing, a comment in the workflow says what to do."
)
_TRACES = ("traces", "runs", "trajectories", "logs")  # usual names; the first is the default
_ENDINGS = (".json", ".jsonl")
_HOOKED = ("claude-code", "codex", "copilot", "gemini-cli")


@click.command("init")
@click.option("--yes", is_flag=True, help="Write the workflow without asking.")
def command(*, yes: bool) -> int:
    """Write a commented sentinel.toml, and offer to write a GitHub Actions workflow that judges traces.

    The command checks whether settings already apply here, whether the folder is a checkout, where traces are, and which coding
    agents have sessions on this machine. It overwrites nothing. Without a terminal and without --yes, it writes only sentinel.toml.
    """
    folder = Path.cwd()
    if held := find_file(folder):
        click.echo(f"{os.path.relpath(held)} already has settings and was not changed")
    else:
        _write(_SETTINGS, _data("sentinel.toml"))
    if _is_checkout(folder):
        _offer_workflow(yes=yes)
    for line in _hooks():
        click.echo(line)
    return 0


def _is_checkout(folder: Path) -> bool:
    """The workflow belongs at the top of a checkout, where GitHub looks for it."""
    return (folder / ".git").exists() or (folder / ".github").is_dir()


def _offer_workflow(*, yes: bool) -> None:
    if _WORKFLOW.exists():
        click.echo(f"{_WORKFLOW} already exists and was not changed")
        return
    is_asked = not yes and sys.stdin.isatty()
    if yes or (is_asked and click.confirm(f"Write {_WORKFLOW}, which judges traces in pull requests?", default=True)):
        filled = {"traces": f"{_traces()}/", "version": __version__, "action": _ACTION, "home": _HOME}
        _write(_WORKFLOW, Template(_data("sentinel.yml.tmpl")).substitute(filled))
        click.echo(_PUBLISHED)
    elif not is_asked:
        click.echo(f"{_WORKFLOW} was not written: sentinel init --yes writes it")


def _traces() -> str:
    """The folder that holds traces, by its name and the endings of its files."""
    for name in _TRACES:
        folder = Path(name)
        if folder.is_dir() and any(path.suffix in _ENDINGS for path in folder.iterdir()):
            return name
    return _TRACES[0]


def _hooks() -> Iterator[str]:
    """For each coding agent that has sessions on this machine and no hook here, the command that installs it."""
    try:
        used = {session.reader for session in sessions_in(known_places())}
    except SentinelError as error:
        warn(str(error))
        return
    hooked = installed()
    for tool in _HOOKED:
        if tool in used and tool not in hooked:
            yield f"{tool} is used on this machine; to check its sessions before they end: sentinel hook install {tool} --project"


def _data(name: str) -> str:
    return (files("sentinel_command_start") / "data" / name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    """A new file, shown as it is written. Raises ``FileExistsError`` where somebody else made it meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    click.echo(f"wrote {path}:")
    click.echo("".join(f"  {line}\n" if line else "\n" for line in text.splitlines()))
