"""``sentinel suite``."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sentinel_core.cli import ERROR, complain, help_without_command
from sentinel_core.cli.options import host_flags, layers_and_selection, plugin_options
from sentinel_core.cli.supervise import use_color, warn
from sentinel_core.errors import ConfigError, InputError

if TYPE_CHECKING:
    from sentinel_core.suite import Comparison, EvaluationResults, RunOptions, TrialResult
    from sentinel_core.suite.document import Labels
    from sentinel_core.suite.scenario import Scenario

__all__ = ["command"]

_HOME = Path(".sentinel")
_FORMATS = ("text", "json", "junit", "markdown")
_ENDINGS = {".json": "json", ".xml": "junit", ".md": "markdown"}
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _directory(function: _Function) -> _Function:
    return click.option(
        "--dir",
        "home",
        type=click.Path(path_type=Path, file_okay=False),
        default=_HOME,
        metavar="FOLDER",
        help='Where runs and baselines are kept (default ".sentinel").',
    )(function)


def _telling(function: _Function) -> _Function:
    """How results are told, and what counts."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
        click.option("--format", "form", type=click.Choice(_FORMATS), help="What goes to standard output."),
        click.option(
            "-o",
            "--output",
            "outputs",
            multiple=True,
            metavar="[FORMAT:]FILE",
            help="Write to FILE too, in the format that its ending says (.json, .xml, .md) or that is named.",
        ),
        click.option(
            "--fail-on",
            type=click.Choice(["failure", "regression", "never"]),
            default="failure",
            help="What exits with 2: a scenario that fails too (failure), or only what got worse by more than noise.",
        ),
        click.option(
            "--alpha",
            type=click.FloatRange(1e-6, 0.5),
            default=0.01,
            metavar="P",
            help="Level of the tests (default 0.01).",
        ),
        click.option("--labels", type=click.Path(path_type=Path), metavar="FILE", help="Human labels for the judge."),
        click.option("-v", "--verbose", is_flag=True, help="Every scenario."),
    ):
        function = option(function)
    return function


@click.group("suite", invoke_without_command=True, short_help="Evaluate an agent: scenarios, baselines, regressions.")
@click.pass_context
def command(context: click.Context) -> None:
    r"""Let an agent work in many scenarios, score it, and hold it against how it did before.

    \b
    sentinel suite run release-risk
    sentinel suite baseline save main
    sentinel suite compare --baseline main

    Exit codes: 0 as good as expected, 1 a warning, 2 a failure or a regression, 3 something could not be evaluated.
    """
    help_without_command(context)


@command.command("run", short_help="Run a suite, compare it with a baseline, tell what came of it.")
@click.argument("suite", metavar="SUITE")
@click.option("--provider", metavar="NAME", help="Who is evaluated (default: the suite's, else offline).")
@click.option("--trials", type=click.IntRange(1, 1000), metavar="N", help="How often each scenario is tried.")
@click.option("--only", multiple=True, metavar="ID|TAG", help="Only these scenarios.")
@click.option("--workers", type=click.IntRange(1, 256), metavar="N", help="Trials at once (default: one a processor).")
@click.option("--toolset", type=click.Choice(["scripted", "http", "installed"]), help="What the tools are.")
@click.option("--releases", metavar="PLACE", help="With --toolset installed: where summaries are.")
@click.option("--reports", metavar="PLACE", help="With --toolset installed: where reports go.")
@click.option("--resume", is_flag=True, help="Go on with the run of this suite that was cut off.")
@click.option("--max-cost", type=click.FloatRange(min=0), metavar="USD", help="Begin no trial once this is spent.")
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Keep every reply of the model.")
@click.option("--replay", type=click.Path(path_type=Path), metavar="FILE", help="Use those replies instead of a model.")
@click.option(
    "--timeout",
    "trial_timeout",
    type=click.FloatRange(min=0.1),
    default=600.0,
    metavar="SECONDS",
    help="Longest time for one trial (default 600).",
)
@click.option("--baseline", metavar="NAME", help="Compare with this baseline.")
@_directory
@_telling
@plugin_options
def run(suite: str, **options: Any) -> int:
    r"""Run every scenario of SUITE: a built-in one, or a TOML or YAML file.

    \b
    sentinel suite run release-risk --provider anthropic --trials 5 --max-cost 2
    sentinel suite run mine.toml --replay cassette.json -o junit.xml
    """
    from sentinel_core.suite import compare_to_baseline, document_of, load_baseline, read_suite, run_evaluation
    from sentinel_core.suite.files import write_whole

    read = read_suite(suite)
    baseline = options["baseline"] and load_baseline(options["baseline"], folder=options["home"] / "baselines")
    labels = _labels(options["labels"])
    targets = [_target(one) for one in options["outputs"]]
    try:
        results = run_evaluation(read, _run_options(read.name, options))
    except KeyboardInterrupt:
        click.echo("\nsentinel: stopped; finished trials are kept; to go on: the same command with --resume", err=True)
        raise
    if results.evaluated:
        for path in (_last(options["home"], read.name), options["home"] / "suites" / "last.json"):
            write_whole(path, results.to_json())
    comparison = compare_to_baseline(results, baseline, alpha=options["alpha"]) if baseline else None
    if options["max_cost"] is not None and document_of(results)["summary"]["cost_usd"] is None:
        warn("the provider reported no cost, so --max-cost limited nothing")
    return _tell(results, comparison, labels, targets, options)


def _run_options(name: str, options: dict[str, Any]) -> "RunOptions":
    from sentinel_core.suite import RunOptions

    flags = host_flags({"plugins": options["plugins"], "provider": options["provider"]})
    for flag, tool in (("releases", "get_release_summary"), ("reports", "file_risk_report")):
        if options[flag] is not None:
            flags[f"tools.{tool}.{flag}"] = (options[flag], f"--{flag}")
    layers, selection = layers_and_selection(flags, options["assignments"])
    host = layers.host()
    return RunOptions(
        provider=host.provider,
        trials=options["trials"],
        workers=options["workers"] or os.cpu_count() or 1,
        layers=layers,
        selection=selection,
        folder=options["home"] / "suites" / name,
        resume=options["resume"],
        max_cost=options["max_cost"],
        record=options["record"],
        replay=options["replay"],
        toolset=options["toolset"],
        only=options["only"],
        timeout=options["trial_timeout"],
        memory=host.max_memory_mb << 20,
        progress=_progress if sys.stderr.isatty() else lambda _done, _all, _result: None,
    )


def _progress(done: int, total: int, result: "TrialResult") -> None:
    end = "\n" if done == total else ""
    click.echo(f"\r\x1b[K{done}/{total} trials  {result.key} {result.status}{end}", err=True, nl=False)


@command.command("compare", short_help="Hold the last run against a baseline.")
@click.option("--baseline", required=True, metavar="NAME", help="The baseline to compare with.")
@click.option("--result", type=click.Path(path_type=Path), metavar="FILE", help="Results (default: the last run).")
@_directory
@_telling
def compare(baseline: str, result: Path | None, **options: Any) -> int:
    """Hold the last run against a baseline: what got worse, and whether that is more than noise."""
    from sentinel_core.suite import compare_to_baseline, load_baseline
    from sentinel_core.suite.baseline import load_results

    known = load_baseline(baseline, folder=options["home"] / "baselines")
    results = load_results(result or _last(options["home"], known.results.suite))
    comparison = compare_to_baseline(results, known, alpha=options["alpha"])
    targets = [_target(one) for one in options["outputs"]]
    return _tell(results, comparison, _labels(options["labels"]), targets, options)


@command.group("baseline", invoke_without_command=True)
@click.pass_context
def baseline_group(context: click.Context) -> None:
    """Keep results under a name, to hold later runs against."""
    help_without_command(context)


@baseline_group.command("save")
@click.argument("name")
@click.option("--result", type=click.Path(path_type=Path), metavar="FILE", help="Results (default: the last run).")
@_directory
def save(name: str, result: Path | None, home: Path) -> int:
    """Keep the results of the last run as baseline NAME."""
    from sentinel_core.suite import save_baseline
    from sentinel_core.suite.baseline import load_results

    results = load_results(result or home / "suites" / "last.json")
    replaced = ", replaced" if (home / "baselines" / f"{name}.json").exists() else ""
    path = save_baseline(results, name, folder=home / "baselines")
    click.echo(f"{path}{replaced}: {results.suite} with {results.provider}, {len(results.evaluated)} scenarios")
    return 0


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON list.")
@_directory
def list_suites(home: Path, *, as_json: bool) -> int:
    """List the built-in suites and the baselines."""
    from sentinel_core.suite import BUILT_IN, read_suite

    suites = [read_suite(name) for name in BUILT_IN]
    rows = [{"suite": one.name, "scenarios": len(one.scenarios), "summary": one.summary} for one in suites]
    known = sorted(one.stem for one in (home / "baselines").glob("*.json"))
    if as_json:
        click.echo(json.dumps({"suites": rows, "baselines": known}))
        return 0
    for row in rows:
        click.echo(f"{row['suite']}  {row['scenarios']} scenarios  {row['summary']}")
    for name in known:
        click.echo(f"baseline {_printable(name)}")
    return 0


@command.command("show", short_help="Show the scenarios of a suite.")
@click.argument("suite", metavar="SUITE")
@click.argument("scenario", required=False)
@click.option("--json", "as_json", is_flag=True, help="JSON, with everything that was read.")
def show(suite: str, scenario: str | None, *, as_json: bool) -> int:
    """Show the scenarios of SUITE, or one of them with all that is expected in it."""
    import attrs

    from sentinel_core.suite import read_suite

    read = read_suite(suite)
    chosen = [one for one in read.scenarios if scenario in (None, one.id)]
    if not chosen:
        from sentinel_core.selection import did_you_mean

        near = did_you_mean(scenario or "", (one.id for one in read.scenarios))
        raise ConfigError(f'suite "{read.name}" has no scenario "{scenario}"{near}')
    if as_json or scenario is not None:
        value = attrs.asdict(chosen[0]) if scenario is not None else attrs.asdict(read)
        click.echo(_json(value, indent=1))
        return 0
    for one in chosen:
        tags = f" [{', '.join(one.tags)}]" if one.tags else ""
        click.echo(_printable(f"{one.id}{tags}  {one.summary or _inputs(one)}"))
    return 0


@command.command("from-trace", short_help="Make a suite out of a trace: an incident becomes a test.")
@click.argument("trace", metavar="TRACE")
@click.option("--id", "name", metavar="ID", help="The scenario's id (default: from the trace's).")
@click.option(
    "--severity", type=click.Choice(["low", "medium", "high"]), help="The severity that would have been right."
)
@click.option("--from", "reader", metavar="FORMAT", help="Read as this format, whatever it looks like.")
@click.option("--trace-id", metavar="ID", help="Which trace, where TRACE holds several.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the suite to FILE.")
@click.option("--force", is_flag=True, help="Replace FILE where it is there.")
@click.option("--plugins", metavar="LIST", help='As for "sentinel evaluate".')
def from_trace(trace: str, *, name: str | None, severity: str | None, output: Path | None, **options: Any) -> int:
    """Make a suite of one scenario from TRACE: its tools answer as they did then, so that an incident becomes a test."""
    from sentinel_core.cli.reading import read_one
    from sentinel_core.suite.files import write_whole
    from sentinel_core.suite.from_trace import suite_from_trace
    from sentinel_core.suite.reading import decode_suite
    from sentinel_core.suite.toml import to_toml

    if output is not None and output.exists() and not options["force"]:
        raise ConfigError(f'-o "{output}" is there already; --force replaces it')
    found = read_one(trace, trace_id=options["trace_id"], reader=options["reader"], plugins=options["plugins"])
    made = to_toml(suite_from_trace(found, name=name, severity=severity))
    decode_suite(made.encode(), f"{Path(trace).name}.toml")
    if output is None:
        click.echo(_printable_lines(made), nl=False)
    else:
        write_whole(output, made.encode())
        click.echo(f"{output}: run it with: sentinel suite run {output}", err=True)
    return 0


def _inputs(scenario: "Scenario") -> str:
    """What a scenario without a summary is about."""
    sweep = f", {scenario.sweep.vary} varied" if scenario.sweep is not None else ""
    return f"release {scenario.release_id}{sweep}"


def _last(home: Path, suite: str) -> Path:
    return home / "suites" / suite / "result.json"


def _labels(path: Path | None) -> "Labels | None":
    if path is None:
        return None
    from sentinel_core.suite.judge import labels_in

    try:
        return labels_in(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f'labels "{path}" cannot be read: {error.strerror}') from None


def _target(text: str) -> tuple[str, Path]:
    """``junit:out.xml`` or ``out.xml``: format and file."""
    form, colon, rest = text.partition(":")
    if colon and form in _FORMATS:
        return form, Path(rest)
    found = _ENDINGS.get(Path(text).suffix)
    if found is None:
        raise ConfigError(f'-o "{text}": name the format ({", ".join(_FORMATS)}), as in "junit:{text}"')
    return found, Path(text)


def _tell(
    results: "EvaluationResults",
    comparison: "Comparison | None",
    labels: "Labels | None",
    targets: list[tuple[str, Path]],
    options: dict[str, Any],
) -> int:
    from sentinel_core.suite.document import exit_code

    form = "json" if options["as_json"] else options["form"] or "text"
    for target, path in targets:
        text = _rendered(target, results, comparison, labels, verbose=options["verbose"], color=False)
        path.write_text(text, encoding="utf-8", newline="\n")
    color = form == "text" and use_color()
    click.echo(_rendered(form, results, comparison, labels, verbose=options["verbose"], color=color), nl=False)
    code = exit_code(results, comparison, options["fail_on"])
    if code == ERROR:
        complain(results.incomplete or "some scenarios could not be evaluated; the reasons are with them")
    return code


def _rendered(
    form: str,
    results: "EvaluationResults",
    comparison: "Comparison | None",
    labels: "Labels | None",
    *,
    verbose: bool,
    color: bool,
) -> str:
    from sentinel_core.suite import document_of
    from sentinel_core.suite.render_ci import render_junit, render_markdown
    from sentinel_core.suite.render_text import render_text

    if form == "json":
        return _json(document_of(results, comparison, labels), indent=1) + "\n"
    if form == "junit":
        return render_junit(results, comparison)
    if form == "markdown":
        return render_markdown(results, comparison, labels=labels)
    return render_text(results, comparison, labels=labels, verbose=verbose, color=color)


def _json(value: object, *, indent: int) -> str:
    from sentinel_core.output.printable import printable_json

    return printable_json(json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "replace")).decode()


def _printable(text: str) -> str:
    from sentinel_core.output.printable import printable

    return printable(text)


def _printable_lines(text: str) -> str:
    return "".join(f"{_printable(line)}\n" for line in text.splitlines())
