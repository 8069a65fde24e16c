"""``sentinel serve``: the guardrails over HTTP."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sentinel_command_serve.cli.loops import store_option
from sentinel_core.cli import complain
from sentinel_core.cli.options import cores, host_flags, layers_and_selection, plugin_options
from sentinel_core.runtime.printable import printable

if TYPE_CHECKING:
    from sentinel_command_serve.routes import Work
    from sentinel_command_serve.tokens import Tokens
    from sentinel_core.host.selection import Selection
    from sentinel_core.host.settings import Layers

__all__ = ["command"]

_PORT = 8471
_RATE = 200.0


@click.command("serve")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    metavar="N",
    help="Port on 127.0.0.1; 0 picks a free port.",
)
@store_option
@click.option(
    "--tokens",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A TOML file with the callers' tokens (default: SENTINEL_SERVE_TOKENS, or .sentinel/tokens.toml, which is created if it is missing).",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another name to accept in the Host header, for example the name of a proxy.",
)
@click.option(
    "--allow-origin", "origins", multiple=True, metavar="URL", help="An origin whose web pages may call the service."
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0.1),
    default=_RATE,
    show_default=True,
    metavar="N",
    help="Rate limit per token, in requests per second.",
)
@plugin_options
def command(*, port: int, tokens: Path | None, **options: Any) -> None:
    r"""Serve the reflection guardrails on 127.0.0.1: submit attempts, complete loops, override decisions, read the state.

    \b
    PUT  /orchestrator/loops/ID                  submit an attempt
    POST /orchestrator/loop-complete             rerun, or finalize?
    GET  /orchestrator/guardrails-status/ID
    POST /orchestrator/override-guardrails/ID
    GET  /openapi.json                           all other endpoints

    Guardrails and signals run in processes of their own, with the time limit for one record (the setting "timeout").
    """
    from sentinel_command_serve.app import make_app
    from sentinel_command_serve.gate import LOOPBACK, Gate
    from sentinel_command_serve.serving import serve

    layers, selection = layers_and_selection(
        host_flags({name: options[name] for name in ("store", "plugins")}), options["assignments"]
    )
    known = _tokens(tokens)
    gate = Gate(tokens=known, hosts=(*LOOPBACK, *options["hosts"]), origins=options["origins"], rate=options["rate"])
    with _work(layers, selection) as work:
        serve(make_app(work, gate), port, lambda address: click.echo(f"Listening on {address}"))


def _tokens(path: Path | None) -> "Tokens":
    """The configured tokens; if there are none, creates new ones in the default file and prints its name."""
    from sentinel_command_serve.tokens import DEFAULT_FILE, VARIABLE, make_tokens, read_tokens

    if path is None and not os.environ.get(VARIABLE) and not DEFAULT_FILE.exists():
        make_tokens(DEFAULT_FILE)
        click.echo(f"New tokens are in {DEFAULT_FILE}", err=True)
    return read_tokens(path)


@contextmanager
def _work(layers: "Layers", selection: "Selection") -> Iterator["Work"]:
    """Guardrails and signals with their settings, and the store."""
    from sentinel_command_serve.routes import Work
    from sentinel_command_serve.worker_pool import WorkerPool
    from sentinel_core.guardrails import Orchestrator, open_store, quality_of

    with ExitStack() as stack:
        workers = stack.enter_context(closing(WorkerPool(layers, selection, most=cores())))
        store = stack.enter_context(closing(open_store(layers.host().store)))
        for warning in workers.warnings:
            complain(printable(warning))
        orchestrator = Orchestrator(store=store, guardrails=workers.guardrails(), quality=quality_of(layers))
        yield Work(orchestrator=orchestrator, judge=workers.judge)
