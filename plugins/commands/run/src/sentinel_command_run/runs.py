"""``sentinel runs``: the runs in the journal."""

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from sentinel_core.cli import ERROR, HOME, complain, terminal_width
from sentinel_core.runtime.columns import in_columns
from sentinel_core.runtime.printable import printable, printable_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sentinel_agent.journal import Journal, Run
    from sentinel_core.host.settings import Layers

__all__ = ["command"]

_DAMAGED = "damaged"


@click.group("runs", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.pass_context
def command(context: click.Context, /, *, as_json: bool) -> int:
    """List the runs in the journal of this folder, oldest first, each with its id, its release, its state and whether its report was delivered."""
    if context.invoked_subcommand is not None:
        return 0
    with _journal() as journal:
        rows = [] if journal is None else _rows(journal)
    if not rows:
        click.echo('There are no runs in the journal: "sentinel run RELEASE" starts one.', err=True)
    if as_json:
        click.echo(printable_json(json.dumps(rows, indent=2).encode()))
    elif rows:
        for line in in_columns([("run", "release", "state", "report"), *map(_cells, rows)], terminal_width()):
            click.echo(line)
    return ERROR if any(row["state"] == _DAMAGED for row in rows) else 0


@command.command("show", short_help="Show what happened in one run.")
@click.argument("run_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print the record as JSON Lines, as --record writes it.")
def show(run_id: str, *, as_json: bool) -> int:
    """Show the events of run ID, one per line; --json shows them in full."""
    from sentinel_agent.replay import as_lines
    from sentinel_agent.run_progress import describe_event
    from sentinel_core.errors import JournalError

    with _journal() as journal:
        if journal is None:
            raise JournalError(f'there is no run "{run_id}", because "{HOME}" contains no journal')
        run = journal.read(run_id)
    if as_json:
        for line in as_lines(run):
            click.echo(printable_json(line), nl=False)
        return 0
    click.echo(f"run {printable(run.run_id)}, release {printable(run.release_id)}, started {printable(run.started_at)}")
    for event in run.events:
        click.echo(f"{event.sequence:>4}  {printable(event.at)}  {printable(describe_event(event))}")
    return 0 if run.events else ERROR


@contextmanager
def _journal() -> "Iterator[Journal | None]":
    """The journal of this folder; None if there is none; does not create one."""
    from sentinel_agent.journal import Journal

    if not (HOME / "journal.db").exists():
        yield None
        return
    journal = Journal(HOME)
    try:
        yield journal
    finally:
        journal.close()


def _rows(journal: "Journal") -> list[dict[str, Any]]:
    from sentinel_core.host.settings import read_layers

    now = read_layers({})
    return [_row(journal, run, now) for run in journal.runs()]


def _row(journal: "Journal", run: "Run", now: "Layers") -> dict[str, Any]:
    """One run; an unreadable record is reported, and does not keep the others from being listed."""
    from sentinel_agent.run_progress import run_status
    from sentinel_command_run.run_options import judged_by, with_resume_flags
    from sentinel_core.errors import JournalError

    row = {"run_id": run.run_id, "release_id": run.release_id, "started_at": run.started_at}
    try:
        events = journal.read(run.run_id).events
    except JournalError as error:
        complain(str(error))
        return {**row, "state": _DAMAGED, "resumable": False, "delivery": None, "holder": None}
    judged = judged_by(with_resume_flags(now, run.flags))
    return {**row, **run_status(events, journal.holder(run.run_id), judged=judged)}


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    held = f" (process {row['holder']})" if row["holder"] else ""
    none = "unknown" if row["state"] == _DAMAGED else "not yet" if row["resumable"] else "no report"
    return row["run_id"], row["release_id"], f"{row['state']}{held}", row["delivery"] or none
