"""``sentinel schema``: the JSON Schema of traces and reports."""

import json

import click

__all__ = ["command"]


@click.command("schema")
@click.argument("what", type=click.Choice(["trace", "report"]))
def command(*, what: str) -> int:
    """Print the JSON Schema (2020-12) of a trace in Sentinel's own format, or of a report."""
    from sentinel_core.traces.schemas import schema_of

    click.echo(json.dumps(schema_of("trace" if what == "trace" else "report"), indent=1, ensure_ascii=False))
    return 0
