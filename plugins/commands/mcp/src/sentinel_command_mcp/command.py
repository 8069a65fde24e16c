"""The command: finds the folders that may be read, then runs the server."""

from pathlib import Path

import click

from sentinel_command_mcp.evaluations import Evaluations
from sentinel_command_mcp.sessions import Sessions
from sentinel_core.cli import HOME, warn
from sentinel_core.cli.options import plugins_option
from sentinel_core.cli.sessions import Place, known_places
from sentinel_core.errors import ConfigError
from sentinel_core.runtime.state_files import refuse_detours

__all__ = ["command"]


@click.command("mcp")
@click.option(
    "--folder",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder that may be read, instead of the default folders. Repeatable.",
)
@plugins_option()
def command(*, folders: tuple[Path, ...], plugins: str | None) -> int:
    r"""Serve the MCP tools judge_session, explain_rule and list_runs over standard input and output.

    By default, only the coding agents' session folders and .sentinel/runs in the working directory can be read; with
    --folder, only the folders that you name. Links that point outside these folders are rejected.

    \b
    claude mcp add sentinel -- sentinel mcp
    codex mcp add sentinel -- sentinel mcp

    The server uses the settings of the working directory; use --no-config for checkouts that you do not trust.
    """
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f'--folder "{folder}" is not a folder')
    places = known_places(plugins)  # before the server has threads, for this forks
    sessions = Sessions([*places, *_own_runs()], folders, Path.cwd())
    from sentinel_command_mcp.server import serve

    serve(sessions, Evaluations(plugins))
    return 0


def _own_runs() -> list[Place]:
    """The traces of ``sentinel run`` in this folder; nothing if a checkout put a symbolic link there."""
    runs = HOME.absolute() / "runs"
    try:
        refuse_detours(runs)
    except OSError as error:
        warn(str(error.strerror))
        return []
    return [Place("native", (str(runs / "*.trace.json"),))]
