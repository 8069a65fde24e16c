"""``sentinel receive``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sentinel_core.cli import HOME
from sentinel_core.cli.options import (
    emission_of,
    emit_options,
    judging_flags,
    judging_options,
    layers_and_selection,
    limit_options,
    plugin_options,
)

__all__ = ["command"]

_SECONDS = click.FloatRange(min=0)
_COUNT = click.IntRange(min=1)


def _number(
    flag: str, kind: click.ParamType[Any], default: float | None, metavar: str, text: str
) -> Callable[..., Any]:
    return click.option(flag, type=kind, default=default, show_default=True, metavar=metavar, help=text)


def _timing(function: Callable[..., Any]) -> Callable[..., Any]:
    """When a trace is complete, and when the command ends."""
    for option in (
        _number(
            "--until-quiet",
            _SECONDS,
            None,
            "SECONDS",
            "Exit once something has been judged and no spans have arrived for this long.",
        ),
        _number(
            "--patience",
            _SECONDS,
            60.0,
            "SECONDS",
            "Judge a trace this long after its last span, if its outermost span has not arrived.",
        ),
        _number(
            "--quiet",
            _SECONDS,
            2.0,
            "SECONDS",
            "Judge a trace this long after its last span, once its outermost span has arrived.",
        ),
    ):
        function = option(function)
    return function


@click.command("receive")
@click.option(
    "--host", "address", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen on."
)
@_number("--port", click.IntRange(0, 65535), 4318, "N", "Port to listen on; 0 picks a free port.")
@_timing
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another name to accept in the Host header, for example the name of a container.",
)
@_number("--max-body-mb", _COUNT, 64, "MB", "Size limit for one request after decompression.")
@_number("--max-spans", _COUNT, 2_000_000, "N", "Limit on the spans in memory; above this limit, senders must wait.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=HOME / "reports.jsonl",
    show_default=True,
    metavar="FILE",
    help="Append reports to FILE, each as one line of JSON.",
)
@emit_options
@judging_options
@limit_options
@plugin_options
def command(**options: Any) -> int:
    r"""Listen for OTLP over HTTP (JSON or protobuf, with or without gzip) and judge each agent trace once no more spans arrive.

    \b
    sentinel receive
    OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 python my_agent.py

    Spans are stored before they are acknowledged: if the command is killed, its next start judges them.

    Spans of one trace, and traces of one conversation, are judged together. Ctrl-C or SIGTERM: judge what has arrived, then exit.
    Exit codes: 0 PASS, 1 WARN, 2 FAIL (for several traces, the worst verdict); 3 if anything could not be judged; 130 after Ctrl-C.
    """
    import sentinel_core.runtime.http_server  # noqa: F401 - its error says what to install
    from sentinel_command_receive.cli.receiving import Receiver

    flags = judging_flags(options, "timeout", "max_memory_mb")
    layers, selection = layers_and_selection(flags, options["assignments"])
    emission = emission_of(options)
    return Receiver(layers=layers, selection=selection, output=options["output"], emission=emission).run(
        (options["address"], options["port"]), options
    )
