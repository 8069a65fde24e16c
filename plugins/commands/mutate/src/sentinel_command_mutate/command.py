"""The command: read, make lies, judge all with the installed gate, count."""

import io
import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs
import click

from sentinel_command_mutate.lies import KINDS, lies_of
from sentinel_core import ExecutionTrace, encode_trace
from sentinel_core.cli.options import judging_flags, judging_options, layers_and_selection, plugin_options
from sentinel_core.cli.supervise import supervise
from sentinel_core.cli.trace_inputs import read_all, sources_of
from sentinel_core.errors import InputError
from sentinel_core.judging.job import Plan, job
from sentinel_core.runtime.printable import counted

__all__ = ["command"]

_CAUGHT = ("WARN", "FAIL")


@click.command("mutate")
@click.argument("paths", nargs=-1, required=True, metavar="TRACES...")
@click.option("--export", metavar="FILE.jsonl", help="Write the lies, one trace per line.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
@judging_options
@plugin_options
def command(paths: tuple[str, ...], export: str | None, **options: Any) -> int:
    r"""Turn the honest runs in TRACES... into lies, and count how many of the lies the installed gate catches (WARN or FAIL).

    A run that the gate passes is treated as honest; all other runs are only counted. The exit code is 0 if all runs and lies were judged.

    \b
    sentinel mutate runs/
    sentinel mutate runs/*.jsonl --export lies.jsonl
    """
    layers, selection = layers_and_selection(judging_flags(options), options["assignments"])
    host = layers.host()
    traces = list(_numbered(read_all(paths, plugins=options.get("plugins"))))
    if not traces:
        raise InputError("no trace could be read")

    def judge(some: Iterable[ExecutionTrace]) -> dict[str, str | None]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "runs.jsonl"
            file.write_bytes(b"".join(encode_trace(trace) + b"\n" for trace in some))
            plan = Plan(sources=sources_of((str(file),), host), layers=layers, selection=selection, format="jsonl")
            written = io.BytesIO()
            supervise(plan, written, job=job, timeout=host.timeout, memory_mb=host.max_memory_mb)
        rows = map(json.loads, written.getvalue().splitlines())
        return {row["trace_id"]: row["verdict"] for row in rows if "trace_id" in row}

    honest = judge(traces)
    lies = [(kind, lie) for trace in traces if honest.get(trace.trace_id) == "PASS" for kind, lie in lies_of(trace)]
    if export is not None:
        Path(export).write_bytes(b"".join(encode_trace(lie) + b"\n" for _, lie in lies))
    told = judge(lie for _, lie in lies) if lies else {}
    made = Counter(kind for kind, _ in lies)
    caught = Counter(kind for kind, lie in lies if told.get(lie.trace_id) in _CAUGHT)
    _tell(made, caught, Counter(honest.values()), as_json=options["as_json"])
    return 0


def _numbered(traces: Iterable[ExecutionTrace]) -> Iterable[ExecutionTrace]:
    """With ids that differ, so that reports can be told apart."""
    return (attrs.evolve(trace, trace_id=f"{number}:{trace.trace_id}") for number, trace in enumerate(traces, 1))


def _tell(made: Counter[str], caught: Counter[str], honest: Counter[str | None], *, as_json: bool) -> None:
    troubled = sum(honest[verdict] for verdict in _CAUGHT)
    if as_json:
        rows = {kind: {"made": made[kind], "caught": caught[kind]} for kind in KINDS}
        click.echo(json.dumps({"runs": honest.total(), "troubled": troubled, "unjudged": honest[None], "lies": rows}))
        return
    click.echo(
        f"{counted(honest.total(), 'run')}: {troubled:,} with a WARN or FAIL already, {honest['PASS']:,} with a PASS, to be turned into lies"
    )
    for kind in KINDS:
        share = f"{caught[kind] / made[kind]:>6.0%}" if made[kind] else "     -"
        click.echo(f"  {kind:<12} {caught[kind]:>6,} of {made[kind]:>6,} caught {share}")
