"""``sentinel evaluate``."""

import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sentinel_core.cli import complain, say, terminal_width, use_color
from sentinel_core.cli.options import (
    Many,
    batch_options,
    emission_of,
    emit_options,
    ending,
    finish,
    judging_flags,
    judging_options,
    layers_and_selection,
    limit_options,
    plugin_options,
    run_options,
)
from sentinel_core.cli.output_options import output_options
from sentinel_core.cli.supervise import (
    NothingOpenedError,
    files_of,
    refuse_nothing_opened,
    refuse_unopened,
    summarize,
    supervise,
    update,
    warn_unmet,
)
from sentinel_core.cli.trace_inputs import sources_of
from sentinel_core.errors import ERROR, InputError
from sentinel_core.host.settings import HostSettings
from sentinel_core.judging.job import Format as Form
from sentinel_core.judging.job import Plan, job
from sentinel_core.judging.output.formats import PLAIN
from sentinel_core.judging.output.sink import open_output
from sentinel_core.runtime.printable import printable

if TYPE_CHECKING:
    from sentinel_core.cli.documents import Target
    from sentinel_core.host.expectations import Expected
    from sentinel_core.judging.output.baseline import Baseline
    from sentinel_core.judging.output.documents import Documents

__all__ = ["command"]


_MANY_BYTES = 16 << 20
_MANY_FILES = 200
_NO_TEXT = frozenset((
    "arrow", "avro", "csv", "feather", "gz", "htm", "html", "json", "md", "orc", "pdf", "sarif", "tsv", "xls", "xlsx", "xml",
    "yaml", "yml", "zip", "zst",
))  # fmt: skip


@click.command("evaluate")
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--stdin", is_flag=True, help='Read from standard input, like the path "-".')
@output_options
@batch_options
@judging_options
@click.option(
    "--from",
    "reader",
    metavar="FORMAT",
    help='Read the input as this format ("sentinel formats" lists them), without detection.',
)
@click.option(
    "--latest",
    metavar="TOOL",
    is_flag=False,
    flag_value="",  # without a name, the error says which there are
    help="Read the newest session of claude-code, codex or gemini-cli in this folder or, if there is none, in any folder.",
)
@emit_options
@run_options
@click.option(
    "--strict", is_flag=True, help="Reject unknown and duplicate keys, and traces that could not be read completely."
)
@limit_options
@click.option(
    "--max-record-mb", type=int, metavar="MB", help="Size limit for one record after decompression (default 256)."
)
@plugin_options
@click.pass_context
def command(context: click.Context, /, paths: tuple[str, ...], **options: Any) -> int:
    r"""Judge each trace in PATH... (files, folders, globs; "-" is standard input), whatever tool wrote it.

    \b
    sentinel evaluate trace.json
    sentinel evaluate runs/ -o reports.jsonl
    sentinel evaluate night/*.jsonl --jobs 8 -o reports/ --output-format parquet
    cat trace.json | sentinel evaluate -

    Exit codes: 0 PASS, 1 WARN, 2 FAIL (for several traces, the worst verdict); 3 if anything could not be judged; 130 after
    Ctrl-C; 141 if the reader of the output closed the pipe.
    """
    arguments = (*paths, "-") if options["stdin"] and "-" not in paths else paths
    if not arguments and options["latest"] is None:
        raise click.UsageError("nothing to evaluate: give a file, a folder, a glob, or - for standard input", context)
    targets = _settle_outputs(options)
    _refuse_comparison(options, targets)
    many = Many.of(options)
    plan, host = _plan(arguments, options, many)
    baseline = _baseline(options)
    files = files_of(many.output, targets)
    try:
        refuse_unopened(plan, files)
        if not targets and baseline is None:
            return _evaluate(plan, host, many, files)
        code = _evaluate_into(targets, baseline, plan, host, many, options)
    except NothingOpenedError:
        say("nothing was written")
        return ERROR
    return code if baseline is None else _apply_baseline(baseline, code, host, to_update=options["update_baseline"])


def _refuse_comparison(options: dict[str, Any], targets: "list[Target]") -> None:
    """Raises ``click.UsageError`` for a comparison without a page."""
    if options["compare"] and not any(target.form == "html" for target in targets):
        raise click.UsageError('--compare needs a page to write, such as "-o page.html"')


def _evaluate_into(
    targets: "list[Target]",
    baseline: "Baseline | None",
    plan: Plan,
    host: HostSettings,
    many: Many,
    options: dict[str, Any],
) -> int:
    """Judge everything, into several outputs or documents, held against the baseline; returns the exit code."""
    from sentinel_core.cli.documents import opened
    from sentinel_core.judging.output.settings import OutputSettings

    known = frozenset[str]() if baseline is None else baseline.known
    settings = OutputSettings(
        fail_on=host.fail_on,
        pretty=options["pretty"],
        has_baseline=baseline is not None,
        updates_baseline=options["update_baseline"],
        compares=options["compare"],
        known=known,
    )
    with opened(targets, settings, baseline) as documents:
        plan = plan._replace(format="records", extras=documents.extras, known=known)
        return _evaluate(plan, host, many, files_of(None, targets), documents)


def _baseline(options: dict[str, Any]) -> "Baseline | None":
    if options["baseline"] is None:
        if options["update_baseline"]:
            raise click.UsageError("--update-baseline needs --baseline FILE, the file to write")
        return None
    from sentinel_core.judging.output.baseline import Baseline

    return Baseline.read(options["baseline"], to_update=options["update_baseline"])


def _apply_baseline(baseline: "Baseline", code: int, host: HostSettings, *, to_update: bool) -> int:
    for line in baseline.told(is_whole=code != ERROR):
        say(line)
    if not to_update:
        return baseline.exit_code(code, host.fail_on)
    if code == ERROR:
        complain("the baseline was not updated, because not everything could be judged")
        return code
    update(baseline)
    return 0


def _evaluate(
    plan: Plan, host: HostSettings, many: Many, files: Sequence[str], documents: "Documents | None" = None
) -> int:
    if many.is_asked_for or plan.task_key is not None or _is_much(plan):
        from sentinel_core.cli.batch_options import evaluate_many

        plan = plan._replace(brief=not plan.verbose)
        try:
            code = evaluate_many(plan, host, many, files, documents)
        except KeyboardInterrupt:
            _say_how_to_resume(many, no_config=host.no_config)
            raise
        finish(plan.emission)
        return code
    if documents is not None:
        tally = supervise(plan, documents, job=job, timeout=host.timeout, memory_mb=host.max_memory_mb)
        refuse_nothing_opened(plan, tally, files)
    else:
        with open_output(None if many.output is None else Path(many.output)) as stream:
            tally = supervise(plan, stream, job=job, timeout=host.timeout, memory_mb=host.max_memory_mb)
            refuse_nothing_opened(plan, tally, files)
    finish(plan.emission)
    warn_unmet(plan.expected, tally)
    summarize(tally, files=files, form=plan.format)
    return tally.exit_code(host.fail_on)


def _settle_outputs(options: dict[str, Any]) -> "list[Target]":
    """The outputs that ``Documents`` write; if there are none, ``options["output"]`` is the one plain output.

    Raises ``click.UsageError`` and ``ConfigError``.
    """
    outputs: tuple[str, ...] = options["outputs"]
    form: str | None = options["form"]
    if form is not None and (options["as_json"] or options["jsonl"]):
        raise click.UsageError(
            "--format cannot be combined with --json or --jsonl: each sets the format on standard output"
        )
    options["output"] = outputs[0] if len(outputs) == 1 else None
    if options["baseline"] is not None:
        return _beside_baseline(options, form)
    if not outputs and form in (None, *PLAIN):
        options["as_json"], options["jsonl"] = options["as_json"] or form == "json", options["jsonl"] or form == "jsonl"
        return []
    from sentinel_core.cli.documents import is_for_documents, refuse_unknown_ending, targets_of

    if form is None and not (options["as_json"] or options["jsonl"] or options["pretty"] or options["output_format"]):
        for output in outputs:
            refuse_unknown_ending(output)
    if not is_for_documents(outputs, form):
        if ending(outputs[0]) == "json" and not options["jsonl"] and options["output_format"] is None:
            options["as_json"] = True
        return []
    options["output"] = None
    return targets_of(outputs, _printed(options, form))


def _beside_baseline(options: dict[str, Any], form: str | None) -> "list[Target]":
    """The outputs with a baseline: all mark known findings."""
    from sentinel_core.cli.documents import targets_of

    options["output"] = None
    printed = _printed(options, form)
    return targets_of(options["outputs"], printed or (None if options["outputs"] else "text"))


def _printed(options: dict[str, Any], form: str | None) -> str | None:
    """The format on standard output."""
    if options["jsonl"]:
        return "jsonl"
    return "json" if options["as_json"] or options["pretty"] else form


def _say_how_to_resume(many: Many, *, no_config: bool) -> None:
    """Print the command that resumes the batch, if its output can be resumed."""
    if many.form is None:
        return
    import shlex

    from sentinel_core.runtime.redact import redact

    given = [argument for argument in sys.argv[1:] if argument != "--resume"]
    if no_config and "--no-config" not in given:  # the variable may be set for this command only
        given.insert(0, "--no-config")
    command = printable(redact(shlex.join(["sentinel", *given, "--resume"])))
    say(f"stopped; to continue: {command}")


def _is_much(plan: Plan) -> bool:
    """True if several processes are worth their start, or files must be fetched."""
    files = [source for source in plan.sources if not isinstance(source, InputError)]
    return (
        any(file.url for file in files)
        or len(files) > _MANY_FILES
        or sum(file.bytes_on_disk for file in files) > _MANY_BYTES
    )


def _plan(arguments: tuple[str, ...], options: dict[str, Any], many: Many) -> tuple[Plan, HostSettings]:
    flags = judging_flags(options, "strict", "timeout", "max_memory_mb", "max_record_mb")
    layers, selection = layers_and_selection(flags, options["assignments"])
    host = layers.host()
    plan = Plan(
        sources=sources_of(arguments, host, options["outputs"]),
        layers=layers,
        selection=selection,
        latest=options["latest"],
        strict=host.strict,
        attribute=options["attribute"],
        ledger=options["ledger"],
        task_key=options["task_key"],
        expected=_expected(options),
        max_record=host.max_record_mb << 20,
        reader=options["reader"],
        format=_format(options, many),
        pretty=options["pretty"],
        verbose=options["verbose"],
        color=not options["outputs"] and use_color(),
        width=0 if many.output is not None else terminal_width(),
        emission=emission_of(options),
        timeout=host.timeout,
        memory=host.max_memory_mb << 20,
    )
    return plan, host


def _expected(options: dict[str, Any]) -> "Expected | None":
    if not options["expected"] and options["expect_file"] is None:
        return None
    from sentinel_core.host.expectations import read_expectations

    return read_expectations(options["expected"], options["expect_file"])


def _format(options: dict[str, Any], many: Many) -> Form:
    if options["jsonl"] and (options["as_json"] or options["pretty"]):
        raise click.UsageError("--jsonl cannot be combined with --json or --pretty: choose one")
    as_document = options["as_json"] or options["pretty"]
    if many.form == "rows":
        if as_document or options["jsonl"]:
            raise click.UsageError("Parquet cannot be combined with --json, --jsonl or --pretty")
        _refuse_name(many.output, _NO_TEXT, "a table: name it .parquet")
        return "rows"
    if many.form == "jsonl" and as_document:
        raise click.UsageError(
            f'-o "{many.output}" contains one report per line: leave out --json and --pretty, or use a file name that ends with .json'
        )
    if options["jsonl"] or many.form == "jsonl":
        _refuse_name(many.output, _NO_TEXT, "lines of JSON: name it .jsonl")
        return "jsonl"
    if as_document:
        _refuse_name(many.output, _NO_TEXT - {"json"}, "JSON: name it .json")
        return "json"
    if many.output is not None:
        from sentinel_core.cli.documents import told_endings

        _refuse_name(many.output, _NO_TEXT, f"text: name it {told_endings()}, or write FORMAT:FILE")
    return "text"


def _refuse_name(output: str | None, unfit: Collection[str], instead: str) -> None:
    """Raises ``click.UsageError`` for a name with another format's ending."""
    if output is not None and ending(output) in unfit:
        raise click.UsageError(f'-o "{output}" would contain {instead}')
