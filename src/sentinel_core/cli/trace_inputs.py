"""The inputs of commands: the sources of arguments, and traces for a command that needs them in this process."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sentinel_core.cli import HOME, say
from sentinel_core.cli.options import host_flags, layers_and_selection
from sentinel_core.cli.supervise import supervise
from sentinel_core.errors import InputError
from sentinel_core.host.settings import HostSettings
from sentinel_core.runtime.printable import counted
from sentinel_core.traces.sources import FileSource, find_sources, spool

if TYPE_CHECKING:
    from sentinel_core.trace import ExecutionTrace
    from sentinel_core.traces.sources.own import LeftOut

__all__ = ["read_all", "read_one", "sources_of"]

_NATIVE = "native"
_MOST_SHOWN = 5
_NAMED = 3


def sources_of(
    arguments: tuple[str, ...], host: HostSettings, outputs: Sequence[str] = ()
) -> tuple[FileSource | InputError, ...]:
    """Every file of the arguments; standard input is copied to a temporary file.

    Prints a line on standard error for each reason why files in folders were left out. Raises ``click.UsageError`` if one of
    the ``outputs`` is an input, because it would be overwritten.
    """
    stdin = spool(sys.stdin.buffer) if "-" in arguments else None
    most = host.max_record_mb << 20
    left_out: LeftOut = {}
    found = tuple(find_sources(arguments, stdin=stdin, strict=host.strict, max_record=most, left_out=left_out))
    for why, labels in left_out.items():
        _print_left_out(why, labels)
    for output in outputs:
        place = _place_of(output)
        if any(isinstance(source, FileSource) and place in (source.url, source.path.resolve()) for source in found):
            raise click.UsageError(f'-o "{output}" is also an input and would be replaced: give another file')
    return found


def _print_left_out(why: str, labels: list[str]) -> None:
    """Print why files were left out, how many, and the first ones; files in the state folder come last."""
    from sentinel_core.runtime.printable import printable
    from sentinel_core.runtime.redact import redact

    first = sorted(labels, key=lambda label: HOME.name in Path(label).parts)[:_NAMED]
    names = ", ".join(f'"{label}"' for label in first)
    more = f" and {len(labels) - _NAMED:,} more" if len(labels) > _NAMED else ""
    say(f"sentinel: {why}: {counted(len(labels), 'file')} ({printable(redact(names))}{more})")


def _place_of(output: str) -> Path | str:
    """The output's place as sources have it: a path, or a full URL. Raises ``InputError`` for a URL that cannot be reached."""
    if "://" not in output:
        return Path(output).resolve()
    from sentinel_core.traces.sources.remote import file_system

    try:
        system, path = file_system(output)
    except InputError:
        raise
    except Exception:  # noqa: BLE001 - each file system has its own errors; writing the output reports it
        return output
    whole = str(system.unstrip_protocol(path))
    return Path(path).resolve() if whole.startswith("file://") else whole


def read_one(
    path: str, *, trace_id: str | None = None, reader: str | None = None, plugins: str | None = None
) -> "ExecutionTrace":
    """The trace in a file (``trace_id`` picks one of several), without secrets. Readers work in a child.

    Raises ``InputError`` if there is none, if there are several and none is picked, or if it cannot be read.
    """
    shown = "stdin" if path == "-" else path
    return _picked(read_all((path,), reader=reader, plugins=plugins), shown, trace_id)


def read_all(
    paths: tuple[str, ...], *, reader: str | None = None, plugins: str | None = None
) -> "list[ExecutionTrace]":
    """The traces in files and folders, without secrets. Readers work in a child.

    Raises ``InputError`` if nothing could be read.
    """
    from sentinel_core.cli.convert_child import Conversion, convert_job
    from sentinel_core.traces.codec import decode_trace

    layers, selection = layers_and_selection(host_flags({"plugins": plugins}), ())
    host = layers.host()
    work = Conversion(
        sources=sources_of(paths, host),
        selection=selection,
        to=_NATIVE,
        reader=reader,
        strict=host.strict,
        max_record=host.max_record_mb << 20,
    )
    written = io.BytesIO()
    tally = supervise(work, written, job=convert_job, timeout=host.timeout, memory_mb=host.max_memory_mb)
    traces = [decode_trace(line) for line in written.getvalue().splitlines()]
    if not traces and tally.exit_code("never"):
        shown = "stdin" if paths == ("-",) else ", ".join(paths)
        raise InputError(f'no trace could be read from "{shown}"')
    return traces


def _picked(traces: "list[ExecutionTrace]", path: str, trace_id: str | None) -> "ExecutionTrace":
    chosen = [trace for trace in traces if trace_id in (None, trace.trace_id)]
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        first = ", ".join(f'"{trace.trace_id}"' for trace in chosen[:_MOST_SHOWN])
        raise InputError(f'"{path}" contains {len(chosen)} traces ({first}): choose one with --trace-id')
    raise InputError(f'"{path}" contains no trace "{trace_id}"')
