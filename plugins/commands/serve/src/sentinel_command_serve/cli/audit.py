"""``sentinel audit``: checks that the record of decisions and overrides was not changed."""

import click

from sentinel_command_serve.cli.loops import kept_store, store_option
from sentinel_core.cli import ERROR, complain, help_without_command
from sentinel_core.guardrails import Store
from sentinel_core.runtime.printable import counted

__all__ = ["command"]

_TRIES = 3


@click.group("audit", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Verify the audit log of decisions and overrides, in which each row contains a hash of itself and of the row before it."""
    help_without_command(context)


@command.command("verify", short_help="Check every row, and compare the loops with the rows.")
@store_option
def verify(*, store: str | None) -> int:
    """Check that the hash of every row is correct, that no row is missing, and that loops and overrides match their rows.

    Exit codes: 0 if nothing was changed, 3 if a row was changed; the output identifies the row.
    """
    with kept_store(store) as kept:
        found = _problems(kept)
        families, rows = len(kept.families()), len(kept.audit())
    for problem in found:
        complain(problem)
    if found:
        return ERROR
    state = "is unchanged" if rows == 1 else "are unchanged"
    click.echo(f"{counted(rows, 'audit row')} of {counted(families, 'family', 'families')} {state}.")
    return 0


def _problems(kept: Store) -> list[str]:
    """The problems. If there are any, reads again, because another process may have written between the two reads."""
    from sentinel_core.guardrails import audit_problems

    for _ in range(_TRIES):
        found = list(audit_problems(kept.families(), kept.audit()))
        if not found:
            break
    return found
