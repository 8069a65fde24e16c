"""``--emit otel`` and ``--otlp``, for the commands that give verdicts."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sentinel_core.cli import HOME

if TYPE_CHECKING:
    from sentinel_core.telemetry.verdicts import Emission

__all__ = ["emission_of", "emit_options", "finish"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def emit_options(function: _Function) -> _Function:
    """Both options."""
    function = click.option(
        "--otlp", metavar="ENDPOINT", help="Send verdicts to a collector, too (implies --emit otel)."
    )(function)
    return click.option(
        "--emit",
        type=click.Choice(["otel"]),
        help="Write verdicts as gen_ai.evaluation.result events to .sentinel/logs/verdicts.otlp.jsonl.",
    )(function)


def emission_of(options: Mapping[str, Any]) -> "Emission | None":
    """Where verdicts are to go; None where nobody asked, or where ``OTEL_SDK_DISABLED`` says that they go nowhere.

    Raises ``ConfigError`` where they cannot go there.
    """
    if options["emit"] is None and options["otlp"] is None:
        return None
    from sentinel_core.telemetry.observer import is_disabled
    from sentinel_core.telemetry.verdicts import Emission

    if is_disabled():
        return None

    return Emission.of(HOME, endpoint=options["otlp"]).prepared()


def finish(emission: "Emission | None") -> None:
    """Send what is to be sent; what was not kept or does not arrive is a warning and changes no exit code."""
    if emission is None:
        return
    from sentinel_core.cli.terminal import warn
    from sentinel_core.telemetry.send import Unsent

    for problem in emission.problems:
        warn(problem)
    try:
        emission.finish()
    except (OSError, Unsent) as error:
        warn(f"verdicts were not emitted: {error}")
