"""``sentinel doctor``: what works here, what does not, and the command that mends it."""

import json
from collections.abc import Callable, Iterable, Iterator

import click

from sentinel_command_start import checks
from sentinel_command_start.checks import Row
from sentinel_core.cli import ERROR, terminal_width
from sentinel_core.cli.options import host_flags, layers_and_selection, plugins_option
from sentinel_core.errors import ConfigError, SentinelError
from sentinel_core.runtime.printable import counted, folded, printable
from sentinel_core.runtime.redact import redact

__all__ = ["command"]

_SIGNS = {"ok": "✓", "off": "·", "warning": "!", "error": "✗"}
_WARNED = 1
_MEND = "mend that setting; sentinel --no-config doctor looks at the rest"


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    metavar="SECONDS",
    help="Longest time for loading one plugin (default 60).",
)
@plugins_option()
def command(*, as_json: bool, timeout: float, plugins: str | None) -> int:
    """Look at Python, plugins, settings, sessions of coding agents, providers and stores; say what mends what is wrong.

    Nothing is changed, no key is printed, and nothing is sent: of servers only those on this machine or its network are asked
    whether they answer. Exit codes: 0 all is well, 1 warnings, 3 errors.
    """
    rows = [
        row._replace(detail=printable(redact(row.detail)), mend=printable(redact(row.mend)))
        for row in _rows(timeout, plugins)
    ]
    errors, warnings = (sum(row.state == state for row in rows) for state in ("error", "warning"))
    if as_json:
        click.echo(json.dumps([row._asdict() for row in rows], indent=2))
    else:
        _print(rows)
        wrong = ", ".join(
            counted(number, name) for number, name in ((errors, "error"), (warnings, "warning")) if number
        )
        click.echo(f"\n{wrong}" if wrong else "\nAll is well.")
    return ERROR if errors else _WARNED if warnings else 0


def _rows(timeout: float, plugins: str | None) -> Iterator[Row]:
    yield from checks.python()
    yield from _told("plugins", lambda: checks.plugins(timeout))
    try:
        layers, selection = layers_and_selection(host_flags({"plugins": plugins}), ())
    except SentinelError as error:
        yield Row("settings", "error", str(error), _MEND if isinstance(error, ConfigError) else "sentinel plugins")
        return
    yield Row("settings", "ok", counted(len(layers.values), "setting") + " that differ from the default")
    yield from _told("profile", lambda: checks.weights(layers, selection))
    yield from _told("formats", lambda: checks.formats(plugins))
    yield from _told("providers", lambda: checks.providers(layers, selection))
    yield from _told("stores", lambda: checks.stores(layers))


def _told(name: str, check: Callable[[], Iterable[Row]]) -> Iterator[Row]:
    """A check that cannot be made is an error, and costs the others nothing."""
    try:
        yield from check()
    except SentinelError as error:
        yield Row(name, "error", str(error), "sentinel plugins --check")


def _print(rows: Iterable[Row]) -> None:
    shown = list(rows)
    width = max(len(row.check) for row in shown)
    for row in shown:
        lines = f"{_SIGNS[row.state]} {printable(row.check):<{width}}  {row.detail}\n"
        if row.mend:
            lines += f"  {'':<{width}}  → {row.mend}\n"
        click.echo(folded(lines, terminal_width()), nl=False)
