"""``sentinel config show``: each setting, its value, and where the value came from."""

import json
from functools import partial
from typing import Any

import click

from sentinel_core.cli import ERROR, complain, help_without_command, terminal_width, warn
from sentinel_core.cli.options import host_flags, layers_and_selection, plugin_options
from sentinel_core.errors import PluginError, SentinelError, WorkerError
from sentinel_core.host.plugins import Plugin, load, select
from sentinel_core.host.selection import SELECTABLE, Selection
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.runtime.columns import in_columns
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned
from sentinel_core.runtime.watch import Watch, at_fault

__all__ = ["command"]

_TIMEOUT = 60.0


@click.group("config", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show each setting and where it comes from: flag > environment > sentinel.toml or [tool.sentinel] > default."""
    help_without_command(context)


@command.command("show", short_help="Show every setting: key, value, origin.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@plugin_options
def show(*, as_json: bool, plugins: str | None, assignments: tuple[tuple[str, str], ...]) -> int:
    """Show every setting of the host, the agent and each plugin with its key, value and origin. Unknown keys are errors."""
    layers, selection = layers_and_selection(host_flags({"plugins": plugins}), assignments)
    rows: list[dict[str, Any]] = []
    code = 0
    with Child(partial(_explain, layers, selection), frames=_Row | Warned | Refusal) as child:
        try:
            for frame in child.frames(_TIMEOUT):
                match frame:
                    case Refusal():
                        complain(frame.text)
                        code = ERROR
                    case Warned():
                        warn(frame.text)
                    case _:
                        rows.append(json.loads(frame.json))
        except WorkerError as error:
            complain(f"{at_fault(error.mark, 'reading the settings')} {error}")
            return ERROR
    if code:
        return code
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return 0
    for line in in_columns([(row["key"], _shown(row["value"]), row["origin"]) for row in rows], terminal_width()):
        click.echo(line)
    return 0


def _shown(value: object) -> str:
    """A value as a settings file writes it; text without quotes."""
    if value is None:
        return "not set"
    return value if isinstance(value, str) else json.dumps(value)


class _Row(Frame):
    """A setting as JSON, which can hold any text."""

    json: bytes


def _explain(layers: Layers, selection: Selection, outbox: Outbox) -> None:
    try:
        for setting in _all(layers, selection, outbox):
            row = {"key": setting.key, "value": setting.value, "origin": setting.origin}
            outbox.send(_Row(json.dumps(row, default=str).encode()))
    except SentinelError as error:
        outbox.refuse(error)


def _all(layers: Layers, selection: Selection, outbox: Outbox) -> list[Setting]:
    from sentinel_core.host.agent_settings import AgentSettings
    from sentinel_core.host.panel import weighted, with_presets

    chosen, left_out = select(selection, SELECTABLE)
    plugins, failures = load(chosen, selection.targets, watch=Watch(outbox))
    for failure in failures:
        plugin_name = f'plugin "{failure.source.label}" ({failure.source.origin})'
        outbox.warn(f"{plugin_name} {failure.error}; its settings are not shown")
    if selection.targets:  # their offers are known only after loading
        offered = {(plugin.source.kind, plugin.source.name) for plugin in plugins}
        layers.refuse_unknown_plugins(offered | {(source.kind, source.name) for source in (*chosen, *left_out)})
    host = layers.host()
    rows = [*layers.explain("", host), *layers.explain("agent.", layers.of_agent(AgentSettings))]
    names = {source.name for source in (*chosen, *left_out) if source.kind == "signals"}
    names |= {plugin.source.name for plugin in plugins if plugin.source.kind == "signals"}
    profile = weighted(layers, names)
    for name, weight in profile.weights.items():
        key = f"weights.{name}"
        origin = layers.values[key].origin if key in layers.values else f"profile {host.profile}"
        rows.append(Setting(key=key, value=weight, origin=origin))
    layers = with_presets(layers, profile, plugins)
    for plugin in plugins:
        rows.extend(_of_plugin(plugin, layers))
    return rows


def _of_plugin(plugin: Plugin, layers: Layers) -> list[Setting]:
    source = plugin.source
    try:
        filled = layers.of_plugin(source.kind, source.name, getattr(plugin.offer, "settings", None))
    except PluginError as error:
        return [Setting(key=f"{source.kind}.{source.name}", value=str(error), origin="not set")]
    return [] if filled is None else layers.explain(f"{source.kind}.{source.name}.", filled)
