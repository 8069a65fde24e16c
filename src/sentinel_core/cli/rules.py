"""``sentinel rules``, and the rules for ``sentinel explain``; signals are asked in a child process."""

import json
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import click

from sentinel_core.cli import ERROR, terminal_width, warn
from sentinel_core.cli.firing_rate import firing_rate
from sentinel_core.cli.options import host_flags, layers_and_selection, plugins_option
from sentinel_core.errors import PluginError, WorkerError
from sentinel_core.runtime.columns import in_columns
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Outbox
from sentinel_core.runtime.printable import printable

if TYPE_CHECKING:
    from sentinel_core.host.plugins import Plugin
    from sentinel_core.host.selection import Selection
    from sentinel_core.host.settings import Layers
    from sentinel_core.offers import Explanation, Rule, Signal
    from sentinel_core.runtime.watch import Watch

__all__ = ["command", "known_rules"]

_TIMEOUT = 60.0
_MEMORY = 4096 << 20


@click.command("rules")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@plugins_option()
def command(*, as_json: bool, plugins: str | None) -> int:
    """List the rules of the installed signals, each with its id, severity, configured level and title, and how often it fires on labelled runs.

    The labelled runs are those of the detection card: runs of other people's agents, each labelled as failed or good.
    """
    rows = known_rules(plugins)
    if as_json:
        click.echo(json.dumps([{name: row[name] for name in _FACTS} for row in rows], indent=2))
        return 0 if rows else ERROR
    for line in in_columns(list(_table(rows)), terminal_width()):
        click.echo(line)
    if not rows:
        click.echo('No installed signal declares a rule: pip install "reliability-sentinel[standard]"', err=True)
        return ERROR
    return 0


_FACTS = ("rule", "signal", "severity", "level", "title", "help", "since", "fires_on", "distribution", "version")


def _table(rows: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """With how often each fires; a dash where that was not measured."""
    rates = [row["fires_on"] for row in rows]
    measured = next(filter(None, rates), None)
    heads = () if measured is None else (f"failed of {measured['of_failed']:,}", f"good of {measured['of_good']:,}")
    yield ("rule", "severity", *heads, "title")
    for row, rate in zip(rows, rates, strict=True):
        level = f"{row['severity']}, set to {row['level']}" if row["level"] else row["severity"]
        told = ("–", "–") if rate is None else (f"{rate['failed']:,}", f"{rate['good']:,}")
        yield (printable(row["rule"]), level, *(told if heads else ()), printable(row["title"]))


def known_rules(plugins: str | None, wanted: str | None = None) -> list[dict[str, Any]]:
    """A row for each declared rule, sorted by id; rules that ``wanted`` names also have their explanation.

    Raises ``PluginError`` if the signals cannot be asked.
    """
    layers, selection = layers_and_selection(host_flags({"plugins": plugins}), ())
    try:
        with Child(partial(_send_rules, layers, selection, wanted), frames=bytes, memory=_MEMORY) as child:
            (frame,) = child.frames(_TIMEOUT)
    except WorkerError as error:
        raise PluginError(f"the rules of the signals could not be read: {error}") from None
    answer = json.loads(frame)
    for problem in answer["problems"]:
        warn(problem)
    if answer["refused"]:
        raise PluginError(answer["refused"])
    rows: list[dict[str, Any]] = answer["rows"]
    return rows


def _send_rules(layers: "Layers", selection: "Selection", wanted: str | None, outbox: Outbox) -> None:
    from sentinel_core.errors import SentinelError
    from sentinel_core.host.plugins import load, select
    from sentinel_core.host.rule_levels import check_rules
    from sentinel_core.runtime.watch import Watch

    watch = Watch(outbox)
    rows, problems, refused = list[dict[str, Any]](), list[str](), ""
    try:
        chosen, left_out = select(selection, ("signals",))
        plugins, failures = load(chosen, selection.targets, kinds=("signals",), watch=watch)
        problems = [
            f'plugin "{failure.source.label}" ({failure.source.origin}) {failure.error}' for failure in failures
        ]
        absent = {source.name for source in left_out} | {failure.source.name for failure in failures}
        levels = check_rules(layers.rules(), [plugin.offer for plugin in plugins], absent)
        for plugin in plugins:
            rows += _rows(plugin, levels, wanted, watch)
    except SentinelError as error:
        refused = str(error)
    rows.sort(key=lambda row: str(row["rule"]))
    outbox.send(json.dumps({"rows": rows, "problems": problems, "refused": refused}).encode())


def _rows(plugin: "Plugin", levels: Any, wanted: str | None, watch: "Watch") -> list[dict[str, Any]]:
    signal: Signal = plugin.offer
    rows: list[dict[str, Any]] = [
        {
            "rule": f"{signal.name}.{rule.id}",
            "signal": signal.name,
            "severity": rule.severity,
            "level": levels.get(f"{signal.name}.{rule.id}"),
            "title": rule.title,
            "help": rule.help,
            "since": rule.since,
            "fires_on": _rate(f"{signal.name}.{rule.id}", plugin),
            "distribution": plugin.source.distribution,
            "version": plugin.source.version,
        }
        for rule in signal.rules
    ]
    if wanted is None or signal.explain is None or not any(_names(wanted, row["rule"]) for row in rows):
        return rows
    with watch("load", plugin.source.label):
        explained = signal.explain()
        for row, rule in zip(rows, signal.rules, strict=True):
            if _names(wanted, row["rule"]) and rule.id in explained:
                row.update(_explained(signal, rule, explained[rule.id]))
    return rows


def _rate(rule: str, plugin: "Plugin") -> dict[str, int] | None:
    rate = firing_rate(rule, plugin.source.distribution)
    return None if rate is None else attrs.asdict(rate)


def _names(wanted: str, rule: str) -> bool:
    """Whether ``wanted`` names the rule; ``*`` names all, and the signal's name may be left out."""
    return wanted in ("*", rule, rule.partition(".")[2])


def _explained(signal: "Signal", rule: "Rule", explanation: "Explanation") -> dict[str, Any]:
    """The explanation, the example's messages, and the signal's finding in it."""
    import msgspec

    from sentinel_core.evaluate.evaluator import evaluate
    from sentinel_core.evaluate.index import TraceIndex
    from sentinel_core.host.panel import panel_of

    trace = explanation.trace
    report = evaluate(TraceIndex(trace), panel_of(signal))
    found = next((finding for finding in report.findings if finding.rule == f"{signal.name}.{rule.id}"), None)
    return {
        "why": explanation.why,
        "mend": explanation.mend,
        "branches": [attrs.asdict(branch) for branch in explanation.branches],
        "messages": msgspec.to_builtins(trace.messages),
        "finding": None if found is None else msgspec.to_builtins(found),
    }
