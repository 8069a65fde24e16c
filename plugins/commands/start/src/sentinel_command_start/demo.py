"""``sentinel demo``: a lie, a loop and a good run, judged as ``sentinel evaluate`` judges, and shown on a page."""

import json
import os
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from sentinel_core.cli import ERROR, HOME, terminal_width
from sentinel_core.cli.documents import Target, opened
from sentinel_core.cli.supervise import supervise
from sentinel_core.cli.trace_inputs import sources_of
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import HostSettings, Layers
from sentinel_core.judging.job import Plan, job
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.runtime.printable import folded, printable
from sentinel_core.runtime.state_files import write_whole

__all__ = ["command"]

_PLACE = HOME / "demo"
_ABOUT = {
    "lie": "A coding agent has to fix an importer. It ends with “All tests pass now.”",
    "loop": "An agent is to find open invoices. It sends the same request again and again.",
    "good": "An agent has to refund an order. It does, and says what it did.",
}
_SEVERITIES = ("error", "warning")
_SIGNS = {"PASS": "✓", "WARN": "!", "FAIL": "✗"}
_NEXT = """\
Next:
  sentinel evaluate --latest claude-code    your own last session (or codex, gemini-cli)
  sentinel doctor                           what works on this machine, and which sessions are here
  sentinel init                             settings and CI for this folder
"""


@click.command("demo")
@click.option("--no-open", is_flag=True, help="Do not open the page.")
def command(*, no_open: bool) -> int:
    """Judge three example runs (a lie, a loop and a good run) without a key, a network or your settings.

    The command writes the traces and the page to .sentinel/demo/, and opens the page if standard output is a terminal. The
    exit code is 0 if all three runs could be judged, whatever the verdicts are.
    """
    traces = _written()
    page = _PLACE / "report.html"
    reports = _judged(traces, page)
    if len(reports) < len(traces):
        return ERROR
    click.echo("Three runs of agents, judged by their traces alone:\n")
    for path, report in zip(traces, reports, strict=True):
        _tell(path, report)
    click.echo(f"The page: {page}\n")
    click.echo(_NEXT, nl=False)
    if not no_open and _has_browser():
        webbrowser.open(page.resolve().as_uri())
    return 0


def _written() -> list[Path]:
    """Copy the traces into the state folder, where a user can look at them and judge them again."""
    data = files("sentinel_command_start") / "data" / "demo"
    paths = []
    for name in _ABOUT:
        path = _PLACE / f"{name}.json"
        write_whole(path, (data / path.name).read_bytes())
        paths.append(path)
    return paths


def _judged(traces: Sequence[Path], page: Path) -> list[Mapping[str, Any]]:
    """The reports, in order, by default settings. A report without a verdict is missing; the reason was printed."""
    lines = page.with_suffix(".jsonl")
    host = HostSettings()
    with opened([Target("html", page), Target("jsonl", lines)], OutputSettings()) as documents:
        plan = Plan(
            sources=sources_of(tuple(map(str, traces)), host),
            layers=Layers(),
            selection=Selection(),
            format="records",
            extras=documents.extras,
        )
        supervise(plan, documents, job=job, timeout=host.timeout, memory_mb=host.max_memory_mb)
    return [row for row in map(json.loads, lines.read_bytes().splitlines()) if row.get("verdict")]


def _tell(path: Path, report: Mapping[str, Any]) -> None:
    """Print the verdict, what the run is about, and the deciding finding."""
    verdict = report["verdict"]
    lines = [f"{_SIGNS[verdict]} {verdict}  {path.name}", f"    {_ABOUT[path.stem]}"]
    if decisive := _decisive(report):
        lines.append(f"    {printable(decisive['text'])} ({decisive['rule']})")
    else:
        lines.append("    Nothing in the record contradicts it.")
    click.echo(folded("".join(f"{line}\n" for line in lines), terminal_width()))


def _decisive(report: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first of the worst findings of signals that have a weight; None for a PASS, which rests on none."""
    weights = report["profile"]["weights"]
    found = [row for row in report["findings"] if row["rule"].partition(".")[0] in weights]
    told = (row for severity in _SEVERITIES for row in found if row["severity"] == severity)
    return next(told, None) if report["verdict"] != "PASS" else None


def _has_browser() -> bool:
    """True for a terminal with a graphical browser; a text browser would take over the terminal."""
    if not sys.stdout.isatty():
        return False
    return sys.platform == "darwin" or any(map(os.environ.get, ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")))
