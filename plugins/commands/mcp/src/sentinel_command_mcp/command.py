"""The command: which folders may be read, and then the server until its client is gone."""

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
    help="What may be read, instead of the sessions of coding agents. May be given again.",
)
@plugins_option()
def command(*, folders: tuple[Path, ...], plugins: str | None) -> int:
    r"""Serve the tools judge_session, explain_rule and list_runs over standard input and output, until the client is gone.

    Read are sessions of coding agents where their tools keep them, and .sentinel/runs below this folder; or what --folder names,
    and nothing else. A link that leads out of these is refused.

    \b
    claude mcp add sentinel -- sentinel mcp
    codex mcp add sentinel -- sentinel mcp

    The settings of this folder hold; --no-config reads none, for the checkout of a stranger.
    """
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f'--folder "{folder}" is no folder')
    places = known_places(plugins)  # before the server has threads, for this forks
    sessions = Sessions([*places, *_own_runs()], folders, Path.cwd())
    from sentinel_command_mcp.server import serve

    serve(sessions, Evaluations(plugins))
    return 0


def _own_runs() -> list[Place]:
    """What "sentinel run" leaves in this folder; nothing where a checkout has brought a link in its place."""
    runs = HOME.absolute() / "runs"
    try:
        refuse_detours(runs)
    except OSError as error:
        warn(str(error.strerror))
        return []
    return [Place("native", (str(runs / "*.trace.json"),))]
