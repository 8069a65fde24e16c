"""``sentinel doctor``: checks this machine and says how to fix what is wrong."""

import json
from collections.abc import Callable, Iterable, Iterator

import click

from sentinel_command_start import checks
from sentinel_command_start.checks import Row
from sentinel_command_start.hooks import hooks
from sentinel_core.cli import ERROR, terminal_width
from sentinel_core.cli.options import host_flags, layers_and_selection, plugins_option
from sentinel_core.errors import ConfigError, SentinelError
from sentinel_core.runtime.printable import counted, folded, printable
from sentinel_core.runtime.redact import redact

__all__ = ["command"]

_SIGNS = {"ok": "✓", "off": "·", "warning": "!", "error": "✗"}
_WARNED = 1
_FIX = "fix that setting; sentinel --no-config doctor looks at the rest"


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    metavar="SECONDS",
    help="Time limit for loading one plugin (default 60).",
)
@plugins_option()
def command(*, as_json: bool, timeout: float, plugins: str | None) -> int:
    """Check Python, plugins, settings, providers, stores, and the hooks and sessions of coding agents; explain how to fix each problem.

    The command changes nothing, prints no keys and sends nothing. Servers on this machine and its network are checked with a TCP
    connection; other servers are not contacted. Exit codes: 0 no problems, 1 warnings, 3 errors.
    """
    rows = [
        row._replace(detail=printable(redact(row.detail)), fix=printable(redact(row.fix)))
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
        click.echo(f"\n{wrong}" if wrong else "\nNo problems found.")
    return ERROR if errors else _WARNED if warnings else 0


def _rows(timeout: float, plugins: str | None) -> Iterator[Row]:
    yield from checks.python()
    yield from hooks()
    yield from _guarded("plugins", lambda: checks.plugins(timeout))
    try:
        layers, selection = layers_and_selection(host_flags({"plugins": plugins}), ())
    except SentinelError as error:
        yield Row("settings", "error", str(error), _FIX if isinstance(error, ConfigError) else "sentinel plugins")
        return
    changed = len(layers.values)
    told = "all have their defaults" if not changed else f"{counted(changed, 'setting')} changed from the default"
    yield Row("settings", "ok", told)
    yield from _guarded("profile", lambda: checks.weights(layers, selection))
    yield from _guarded("formats", lambda: checks.formats(plugins))
    yield from _guarded("providers", lambda: checks.providers(layers, selection))
    yield from _guarded("stores", lambda: checks.stores(layers))


def _guarded(name: str, check: Callable[[], Iterable[Row]]) -> Iterator[Row]:
    """The rows of a check, or an error row if it cannot be made; the other checks still run."""
    try:
        yield from check()
    except SentinelError as error:
        yield Row(name, "error", str(error), "sentinel plugins --check")


def _print(rows: Iterable[Row]) -> None:
    shown = list(rows)
    width = max(len(row.check) for row in shown)
    for row in shown:
        lines = f"{_SIGNS[row.state]} {printable(row.check):<{width}}  {row.detail}\n"
        if row.fix:
            lines += f"  {'':<{width}}  → {row.fix}\n"
        click.echo(folded(lines, terminal_width()), nl=False)
