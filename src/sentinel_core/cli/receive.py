"""``sentinel receive``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sentinel_core.cli.emitting import emission_of, emit_options
from sentinel_core.cli.options import Assignment, host_flags, layers_and_selection, plugin_options

__all__ = ["command"]

_DIRECTORY = Path(".sentinel")
_Function = TypeVar("_Function", bound=Callable[..., Any])


_WAITING = (
    click.option(
        "--host", "address", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen."
    ),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=4318,
        show_default=True,
        metavar="N",
        help="0 takes any free one.",
    ),
    click.option(
        "--quiet",
        type=click.FloatRange(min=0),
        default=2.0,
        show_default=True,
        metavar="SECONDS",
        help="A trace is judged so long after its last span, where its outermost span has come.",
    ),
    click.option(
        "--patience",
        type=click.FloatRange(min=0),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="The same where the outermost span has not come.",
    ),
    click.option(
        "--until-quiet",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        help="End once something was judged and nothing came for so long.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        default=_DIRECTORY / "reports.jsonl",
        show_default=True,
        metavar="FILE",
        help="Reports are added to FILE, a line of JSON each.",
    ),
)


def waiting_options(function: _Function) -> _Function:
    """Where to listen, how long to wait, where reports go."""
    for option in reversed(_WAITING):
        function = option(function)
    return function


@click.command("receive", short_help="Take OpenTelemetry spans over HTTP and judge the agents that they tell of.")
@waiting_options
@emit_options
@click.option(
    "--max-body-mb",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    metavar="MB",
    help="Largest request, decompressed.",
)
@click.option(
    "--max-spans",
    type=click.IntRange(min=1),
    default=2_000_000,
    show_default=True,
    metavar="N",
    help="Most spans held at a time; beyond, senders are told to wait.",
)
@click.option("--profile", metavar="NAME|FILE", help='Weights and thresholds: "rs1", or a TOML file.')
@click.option("--weight", "weights", multiple=True, type=Assignment(), metavar="NAME=W", help="Give a signal a weight.")
@click.option("--fail-on", type=click.Choice(["warn", "fail", "never"]), help="Which verdicts give a non-zero exit.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Longest time for one trace (default 60).")
@click.option("--max-memory-mb", type=int, metavar="MB", help="Most memory that judging may take (default 4096).")
@plugin_options
def command(**options: Any) -> int:
    r"""Listen for OTLP over HTTP (JSON or protobuf, gzip) and judge each trace of an agent once it is quiet.

    \b
    sentinel receive
    OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 python my_agent.py

    Spans of one trace, and traces of one conversation, are judged together. Ctrl-C or SIGTERM judges what is there and
    ends. Exit codes: 0 PASS, 1 WARN, 2 FAIL, of many the worst; 3 where anything could not be judged; 130 after Ctrl-C.
    """
    from sentinel_core.cli.receiving import Receiver

    flags = host_flags({name: options[name] for name in ("profile", "fail_on", "timeout", "max_memory_mb", "plugins")})
    flags.update({f"weights.{name}": (weight, "--weight") for name, weight in options["weights"]})
    layers, selection = layers_and_selection(flags, options["assignments"])
    emission = emission_of(options)
    return Receiver(layers=layers, selection=selection, output=options["output"], emission=emission).run(
        (options["address"], options["port"]), options
    )
