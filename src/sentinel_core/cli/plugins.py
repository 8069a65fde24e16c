"""``sentinel plugins``: what is installed, what it offers, and whether it loads."""

import json
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from sentinel_core.cli import ERROR, complain, prepare, terminal_width, warn
from sentinel_core.cli.commands import below, command_of, find, refuse_missing
from sentinel_core.cli.options import host_flags, layers_and_selection, plugins_option
from sentinel_core.errors import PluginError, WorkerError
from sentinel_core.host.conversion import in_order, settable
from sentinel_core.host.plugins import Installed, Plugin, clashes, installed, load, misnamed
from sentinel_core.host.selection import SELECTABLE, Selection, did_you_mean, load_target_kind
from sentinel_core.runtime.columns import in_columns
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Outbox
from sentinel_core.runtime.printable import folded, printable

if TYPE_CHECKING:
    from sentinel_core.runtime.watch import Watch
    from sentinel_core.trace import ExecutionTrace

__all__ = ["command", "described"]

_TIMEOUT = 60.0
_MEMORY = 4096 << 20
_INDENT = "    "
_UNDECLARED = "undeclared rules"

_loading_option = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=_TIMEOUT,
    metavar="SECONDS",
    help="Time limit for loading one plugin (default 60).",
)


def _installed_command(name: str) -> click.Command | None:
    """The plugin that stands below this group under that name. Raises ``PluginError`` where it cannot be loaded."""
    found = find(f"plugins.{name}")
    if found is not None:
        prepare(found)
    return found


class _WithInstalled(click.Group):
    """A group with the installed commands that stand below it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *below("plugins")})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        try:
            return own or _installed_command(cmd_name)
        except PluginError as error:  # one that cannot be loaded costs the list of the others nothing
            warn(str(error))
            return None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        if args[0] not in below("plugins"):
            refuse_missing(f"plugins.{args[0]}")
            return super().resolve_command(ctx, args)
        return args[0], _installed_command(args[0]), args[1:]


@click.group("plugins", cls=_WithInstalled, invoke_without_command=True)
@click.option("--check", is_flag=True, help="Load each plugin in its own process and report what went wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@plugins_option()
@_loading_option
@click.pass_context
def command(context: click.Context, /, *, check: bool, as_json: bool, plugins: str | None, timeout: float) -> int:
    """List the installed plugins with their kind, name, distribution, version and state. Without --check, no plugin is imported."""
    if context.invoked_subcommand is not None:
        _refuse_flags(context)
        return 0
    everything = installed()
    _, selection = layers_and_selection(host_flags({"plugins": plugins}), ())
    wanted = _wanted(selection, everything)
    seconds = timeout if check else None
    for problem in (
        *misnamed(),
        *clashes(one for one in everything if one.kind == "commands" or one in (wanted or ())),
    ):
        warn(problem)
    rows = [_row(one, wanted, seconds) for one in everything]
    for target in selection.targets:
        rows += _rows_of_target(target, wanted or (), seconds)
    _print(rows, as_json=as_json)
    if not rows:
        click.echo('No plugins are installed: pip install "reliability-sentinel[standard]"', err=True)
        return ERROR
    return ERROR if wanted is None or any(row["error"] for row in rows) else 0


def _refuse_flags(context: click.Context) -> None:
    """Raises ``click.UsageError`` for options of the list that somebody gave to what takes none of them."""
    for option in context.command.params:
        if option.name and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            flag, name = option.opts[-1], context.invoked_subcommand
            raise click.UsageError(
                f'"{flag}" before "{name}" is an option for listing the plugins; write the options of "{name}" after "{name}"'
            )


def _wanted(selection: Selection, everything: list[Installed]) -> set[Installed] | None:
    """What is selected; None, and told, where the selection names what is not there: all are listed to choose from."""
    try:
        return selection.resolve(one for one in everything if one.kind in SELECTABLE)
    except PluginError as error:
        complain(str(error))
        return None


@command.command("show", short_help="Show everything about one plugin, with its settings.")
@click.argument("name")
@_loading_option
def show(name: str, *, timeout: float) -> int:
    """Show everything about the plugin NAME (or KIND:NAME, or DISTRIBUTION:NAME): where it comes from, what it does, and which settings it has."""
    everything = installed()
    short = name.rpartition(":")[2]
    found = [one for one in everything if name in (one.name, one.label, f"{one.distribution}:{one.name}")]
    if not found:
        for misnomer in misnamed():
            warn(misnomer)
        raise PluginError(
            f'no plugin named "{name}" is installed{did_you_mean(short, (one.name for one in everything))}'
            ' ("sentinel plugins" lists the plugins)'
        )
    code = 0
    for one in found:
        told, error = described(one, timeout)
        told.pop(_UNDECLARED, None)
        facts = {"plugin": one.label, "distribution": one.origin, "module": one.target, **told}
        if error:
            facts["error"] = error
            code = ERROR
        width = max(map(len, facts)) + 2
        for key, value in facts.items():
            click.echo(f"{key + ':':<{width}}{printable(str(value))}")
    return code


def _row(one: Installed, wanted: Collection[Installed] | None, timeout: float | None) -> dict[str, Any]:
    told, error = described(one, timeout) if timeout is not None else ({}, "")
    _warn_of_rules(one.label, told)
    chosen = None if one.kind not in SELECTABLE else wanted
    state = "installed" if chosen is None else "selected" if one in chosen else "left out"
    if timeout is not None:
        state = "broken" if error else f"loads, {state}" if chosen is not None else "loads"
    return _as_row(one, state, error)


def _warn_of_rules(label: str, told: dict[str, Any]) -> None:
    if told.get(_UNDECLARED):
        warn(f'plugin "{label}" reports findings of rules that it does not declare: {told[_UNDECLARED]}')


def _rows_of_target(target: str, wanted: Collection[Installed], timeout: float | None) -> list[dict[str, Any]]:
    """A row for each plugin in a file or module that ``--plugins`` names; what is in it is known once it is loaded."""
    whole = Installed(kind=load_target_kind(target) or "", name=target, target=target)
    if timeout is None:
        return [_as_row(whole, "selected", "")]
    told, error = _ask_child(partial(_describe_target, target), timeout)
    if error:
        return [_as_row(whole, "broken", error)]
    _warn_of_rules(target, told)
    rows = []
    for kind, name in told["offers"]:
        taken = f"a plugin with that name is also installed; --plugins no:{name} leaves it out"
        clash = taken if any((kind, name) == (other.kind, other.name) for other in wanted) else ""
        one = Installed(kind=kind, name=name, target=target)
        rows.append(_as_row(one, "broken" if clash else "loads, selected", clash))
    return rows


def _as_row(one: Installed, state: str, error: str) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "name": one.name,
        "distribution": one.distribution,
        "version": one.version,
        "state": state,
        "error": error,
    }


def _print(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    columns = ("kind", "name", "distribution", "version", "state")
    width = terminal_width()
    head, *lines = in_columns([columns, *([str(row[column] or "-") for column in columns] for row in rows)], width)
    click.echo(head)
    for line, row in zip(lines, rows, strict=True):
        error = printable(row["error"])
        if error and width:
            click.echo(line)
            click.echo(folded(f"{_INDENT}{error}\n", width), nl=False)
        else:
            click.echo(f"{line}  {error}".rstrip())


def described(one: Installed, timeout: float) -> tuple[dict[str, Any], str]:
    """What a plugin says of itself, and what went wrong: it is loaded in a process of its own, within ``timeout`` seconds."""
    return _ask_child(partial(_describe, one), timeout)


def _ask_child(job: Callable[[Outbox], None], timeout: float) -> tuple[dict[str, Any], str]:
    """What a plugin says of itself, and what went wrong, asked in a process of its own."""
    try:
        with Child(job, frames=bytes, memory=_MEMORY) as child:
            (frame,) = child.frames(timeout)
    except WorkerError as error:
        return {}, str(error)
    told = json.loads(frame)
    return told["facts"], told["error"]


def _describe(one: Installed, outbox: Outbox) -> None:
    from sentinel_core.runtime.watch import Watch

    watch = Watch(outbox)
    plugins, failures = load([one], watch=watch)
    error = failures[0].error if failures else ""
    facts = _facts(plugins[0]) if plugins else {}
    if plugins and one.kind == "signals":
        facts[_UNDECLARED] = _undeclared(plugins[0], watch)
    if plugins and one.kind == "commands":
        try:
            with watch("load", one.label):
                command_of(plugins[0])
        except PluginError as problem:
            error = str(problem)
    outbox.send(json.dumps({"facts": facts, "error": error}).encode())


def _undeclared(plugin: Plugin, watch: "Watch") -> str:
    """The rules of the signal's findings on two traces that it does not declare, as one text; the contract suite tries more."""
    import attrs

    from sentinel_core.host.panel import undeclared_rules

    settings = plugin.offer.settings
    if settings is not None and any(field.default is attrs.NOTHING for field in attrs.fields(settings)):
        return ""  # it cannot be tried before somebody has configured it
    with watch("detect", plugin.source.label):
        return ", ".join(undeclared_rules(plugin.offer, _tried()))


def _tried() -> "list[ExecutionTrace]":
    """A short answer, and a run in which the same call fails again and again."""
    from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult

    messages = [
        Message(role="user", content="Look it up."),
        Message(role="assistant", content="I LOOKED IT UP. Sorry!"),
    ]
    for name in map(str, range(8)):
        messages.append(
            Message(role="assistant", tool_calls=(ToolCall(id=name, name="look", arguments={"at": "TODO"}),))
        )
        messages.append(Message(role="tool", tool_results=(ToolResult(tool_call_id=name, content="Error: closed"),)))
    return [
        ExecutionTrace(trace_id="said", messages=messages[:2]),
        ExecutionTrace(trace_id="failed", messages=messages),
    ]


def _describe_target(target: str, outbox: Outbox) -> None:
    from sentinel_core.runtime.watch import Watch

    error, plugins = "", list[Plugin]()
    try:
        plugins, _ = load((), (target,), watch=Watch(outbox))
    except PluginError as problem:
        error = str(problem)
    offers = [(one.source.kind, one.source.name) for one in plugins]
    missing = [text for one in plugins if one.source.kind == "signals" and (text := _undeclared(one, Watch(outbox)))]
    outbox.send(json.dumps({"facts": {"offers": offers, _UNDECLARED: ", ".join(missing)}, "error": error}).encode())


def _facts(plugin: Plugin) -> dict[str, Any]:
    import attrs

    offer = plugin.offer
    facts: dict[str, Any] = {"summary": getattr(offer, "summary", None) or offer.description}
    if isinstance(getattr(offer, "env", None), tuple) and offer.env:
        facts["environment"] = ", ".join(offer.env)
    if getattr(offer, "settings", None) is not None:
        for name, field in settable(offer.settings).items():
            default = "required" if field.default is attrs.NOTHING else f"default {_default(field.default)}"
            facts[f"  {name}"] = default
    return facts


def _default(default: Any) -> str:
    if not hasattr(default, "factory"):
        return str(in_order(default))
    return "computed from the others" if default.takes_self else str(in_order(default.factory()))
