"""``sentinel formats``."""

import json
from functools import partial
from typing import Any

import click

from sentinel_core.cli import ERROR, complain, terminal_width, warn
from sentinel_core.cli.options import host_flags, layers_and_selection, plugins_option
from sentinel_core.errors import PluginError, WorkerError
from sentinel_core.host.plugins import Installed, load, select
from sentinel_core.runtime.columns import in_columns
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Outbox, Warned
from sentinel_core.runtime.watch import Watch, at_fault

__all__ = ["command"]

_TIMEOUT = 60.0


@click.command("formats")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@plugins_option()
def command(*, as_json: bool, plugins: str | None) -> int:
    """List the trace formats of the selected readers, with the name for --from, a summary, and whether Sentinel can write the format.

    Files can be in folders or zip archives, and can be compressed with gzip or, if the extra "zstd" is installed
    (pip install 'reliability-sentinel[zstd]'), with Zstandard.
    """
    rows: list[dict[str, Any]] = []
    code = 0
    _, selection = layers_and_selection(host_flags({"plugins": plugins}), ())
    chosen, _ = select(selection, ("trace_readers",))
    with Child(partial(_describe, chosen, selection.targets), frames=_Row | Warned) as child:
        try:
            for frame in child.frames(_TIMEOUT):
                if isinstance(frame, Warned):
                    warn(frame.text)
                    code = ERROR
                else:
                    rows.append(json.loads(frame.json))
        except WorkerError as error:
            complain(f"{at_fault(error.mark, 'listing the formats')} {error}")
            return ERROR
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return code
    cells = [(row["name"], f"{row['summary']}{' (also written)' if row['writes'] else ''}") for row in rows]
    for line in in_columns(cells, terminal_width()):
        click.echo(line)
    return code


class _Row(Frame):
    """A format as JSON, which can hold any text."""

    json: bytes


def _describe(chosen: list[Installed], targets: tuple[str, ...], outbox: Outbox) -> None:
    try:
        plugins, failures = load(chosen, targets, kinds=("trace_readers",), watch=Watch(outbox))
    except PluginError as error:
        outbox.warn(str(error))
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
        outbox.send(_Row(json.dumps(row).encode()))
    for failure in failures:
        outbox.warn(f'plugin "{failure.source.label}" {failure.error}')
