"""``sentinel convert``."""

from pathlib import Path

import click

from sentinel_core.cli import ERROR
from sentinel_core.cli.convert_child import Conversion, convert_job
from sentinel_core.cli.options import host_flags, layers_and_selection, plugins_option
from sentinel_core.cli.supervise import say_session, supervise
from sentinel_core.cli.trace_inputs import sources_of
from sentinel_core.judging.output.sink import open_output

__all__ = ["command"]


@click.command("convert")
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--to", default="native", metavar="FORMAT", help="The format to write: native (default) or atif.")
@click.option("--from", "reader", metavar="FORMAT", help="Read the input as this format, without detection.")
@click.option(
    "--latest",
    metavar="TOOL",
    is_flag=False,
    flag_value="",  # without a name, the error says which there are
    help="Read the newest session of claude-code, codex or gemini-cli in this folder or, if there is none, in any folder.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE.")
@plugins_option()
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    paths: tuple[str, ...],
    to: str,
    reader: str | None,
    latest: str | None,
    output: str | None,
    plugins: str | None,
) -> int:
    r"""Read the traces in PATH... and write each as one line of JSON, with secrets removed.

    \b
    sentinel convert session.jsonl > trace.jsonl
    sentinel convert runs/ --to atif -o runs.atif.jsonl

    Exit codes: 0, or 3 if anything could not be read.
    """
    if not paths and latest is None:
        raise click.UsageError("nothing to convert: give a file, a folder, a glob, or - for standard input", context)
    if output is not None and output.endswith("/"):
        raise click.UsageError(f'-o "{output}": all traces are written to one file; give the name of a file', context)
    layers, selection = layers_and_selection(host_flags({"plugins": plugins}), ())
    host = layers.host()
    work = Conversion(
        sources=sources_of(paths, host, (output,) if output else ()),
        selection=selection,
        to=to,
        reader=reader,
        latest=latest,
        strict=host.strict,
        max_record=host.max_record_mb << 20,
    )
    with open_output(None if output is None else Path(output)) as stream:
        tally = supervise(work, stream, job=convert_job, timeout=host.timeout, memory_mb=host.max_memory_mb)
    say_session(tally.latest)
    return ERROR if tally.exit_code("never") else 0
