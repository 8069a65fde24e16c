"""``sentinel formats``."""

import json
from functools import partial
from typing import Any

import click

from sentinel_core.cli import ERROR, complain
from sentinel_core.cli.options import plugins_option
from sentinel_core.cli.supervise import warn
from sentinel_core.errors import PluginError, WorkerError
from sentinel_core.host import Installed, load, select
from sentinel_core.isolate import Child, Outbox
from sentinel_core.output.printable import printable
from sentinel_core.selection import Selection

__all__ = ["command"]

_TIMEOUT = 60.0


@click.command("formats")
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
@plugins_option(name="selection", variable="SENTINEL_PLUGINS")
def command(*, as_json: bool, selection: str | None) -> int:
    """Every trace format that an installed reader knows: its name (for --from), what it is, and whether it can be written."""
    rows: list[dict[str, Any]] = []
    code = 0
    wanted = Selection.parse(selection)
    chosen, _ = select(wanted, ("trace_readers",))
    with Child(partial(_describe, chosen, wanted.targets)) as child:
        try:
            for frame in child.frames(_TIMEOUT):
                told = json.loads(frame)
                if "error" in told:
                    warn(told["error"])
                    code = ERROR
                else:
                    rows.append(told)
        except WorkerError as error:
            complain(f'a trace reader {error} ("sentinel plugins --check" tells which)')
            return ERROR
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return code
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        marks = " (also written)" if row["writes"] else ""
        click.echo(printable(f"{row['name']:<{width}}  {row['summary']}{marks}"))
    return code


def _describe(chosen: list[Installed], targets: tuple[str, ...], outbox: Outbox) -> None:
    from sentinel_core.watch import Watch

    try:
        plugins, failures = load(chosen, targets, kinds=("trace_readers",), watch=Watch(outbox))
    except PluginError as error:
        outbox.send(json.dumps({"error": str(error)}).encode())
        return
    for plugin in plugins:
        reader = plugin.offer
        row = {
            "name": reader.name,
            "summary": reader.summary,
            "grain": reader.grain,
            "writes": reader.write is not None,
            "distribution": plugin.source.distribution,
        }
        outbox.send(json.dumps(row).encode())
    for failure in failures:
        outbox.send(json.dumps({"error": f'plugin "{failure.source.label}" {failure.error}'}).encode())
