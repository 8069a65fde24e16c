"""``sentinel loops``: lists the stored families of attempts, and draws one family."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sentinel_core.cli import terminal_width
from sentinel_core.cli.options import host_flags
from sentinel_core.errors import UnknownLoopError
from sentinel_core.guardrails import DEFAULT_STORE, Store, open_store
from sentinel_core.host.settings import read_layers
from sentinel_core.runtime.printable import folded, printable_json

if TYPE_CHECKING:
    from sentinel_core.guardrails import Family

__all__ = ["command", "kept_store", "store_option"]

store_option = click.option(
    "--store",
    metavar="PLACE",
    help="Where loops are stored: a path or postgresql://... (default .sentinel/loops.sqlite3).",
)


def kept_store(place: str | None) -> closing[Store]:
    """The configured store, for a ``with`` block; not created. Raises ``StoreError`` if there is none yet."""
    layers = read_layers(host_flags({"store": place}))
    return closing(open_store(layers.host().store, create=False))


@click.group("loops", invoke_without_command=True)
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.pass_context
def command(context: click.Context, /, *, store: str | None, as_json: bool) -> int:
    """List the stored families (an attempt and its reruns) with the number of attempts and reruns, the outcome and its reason."""
    context.obj = store
    if context.invoked_subcommand is not None:
        return 0
    from sentinel_command_serve.loops_text import render_families
    from sentinel_core.guardrails import family_answer

    families = _families(store)
    if as_json:
        _print_json([family_answer(family, {})["family"] for family in families])
        return 0
    if not families:
        click.echo('No loops are stored here: "sentinel run" and "sentinel serve" store them.', err=True)
        return 0
    width = terminal_width()
    click.echo(folded(render_families(families, width), width), nl=False)
    return 0


@command.command("show", short_help="Draw one family of attempts.")
@click.argument("loop_id", metavar="ID")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def show(context: click.Context, /, *, loop_id: str, store: str | None, as_json: bool) -> int:
    """Draw the family of loop ID, with the alignment, drift and fatigue of each attempt, their thresholds, and the reason for each decision."""
    from sentinel_command_serve.loops_text import render_family
    from sentinel_core.guardrails import family_answer

    with kept_store(store or context.obj) as kept:
        family = kept.family_of(loop_id)
        if family is None:
            raise UnknownLoopError(f'unknown loop "{loop_id}" ("sentinel loops" lists the families)')
        elsewhere = kept.tags_elsewhere(family.root, family.tags()) if as_json else {}
    if as_json:
        _print_json(family_answer(family, elsewhere)["family"])
    else:
        click.echo(render_family(family), nl=False)
    return 0


def _families(store: str | None) -> Sequence["Family"]:
    """All stored families; none if the default store does not exist yet. A store that is named must exist."""
    named = read_layers(host_flags({"store": store})).host().store
    if named in (None, DEFAULT_STORE) and not Path(DEFAULT_STORE).exists():
        return ()
    with kept_store(store) as kept:
        return kept.families()


def _print_json(value: Any) -> None:
    click.echo(printable_json(json.dumps(value, indent=2, ensure_ascii=False).encode()))
