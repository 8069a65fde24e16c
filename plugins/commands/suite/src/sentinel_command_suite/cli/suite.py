"""``sentinel suite``."""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sentinel_command_suite.cli.suite_output import ResultOutput, checked, in_json, output_options
from sentinel_core.cli import HOME, help_without_command, say, warn
from sentinel_core.cli.options import cores, host_flags, layers_and_selection, plugin_options, plugins_option
from sentinel_core.errors import ConfigError
from sentinel_core.host.connect import PROVIDER, refuse_two_places, without_repo
from sentinel_core.judging.output.sink import open_output
from sentinel_core.runtime.printable import counted, fitting, printable

if TYPE_CHECKING:
    from sentinel_command_suite.evaluation import RunOptions, TrialResult
    from sentinel_command_suite.scenario import Scenario

__all__ = ["command"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _directory(function: _Function) -> _Function:
    return click.option(
        "--dir",
        "home",
        type=click.Path(path_type=Path, file_okay=False),
        default=HOME,
        metavar="FOLDER",
        help='Where runs and baselines are stored (default ".sentinel").',
    )(function)


@click.group("suite", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    r"""Run Sentinel's detective in many scenarios, score it, and compare the scores with those of earlier runs.

    The command does not run other agents; use "sentinel evaluate" to judge their traces.

    \b
    sentinel suite run release-risk
    sentinel suite baseline save main
    sentinel suite compare --baseline main

    Exit codes: 0 if all results are as expected, 1 for a warning, 2 for a failure or a regression, 3 if anything could not be evaluated.
    """
    help_without_command(context)


@command.command("run", short_help="Run a suite, compare it with a baseline, report the results.")
@click.argument("suite", metavar="SUITE")
@click.option(
    "--provider", metavar="NAME", help="Provider to evaluate (default: from the settings, the suite, or offline)."
)
@click.option("--model", metavar="ID", help="The provider's model.")
@click.option("--base-url", metavar="URL", help="The provider's address, if it is not the default address.")
@click.option("--trials", type=click.IntRange(1, 1000), metavar="N", help="Number of trials per scenario.")
@click.option("--only", multiple=True, metavar="ID|TAG", help="Run only these scenarios.")
@click.option(
    "--workers", type=click.IntRange(1, 256), metavar="N", help="Parallel trials (default: one per processor)."
)
@click.option("--toolset", type=click.Choice(["scripted", "http", "installed"]), help="Which tools the agent uses.")
@click.option("--releases", metavar="PLACE", help="With --toolset installed: where to read release summaries.")
@click.option("--reports", metavar="PLACE", help="With --toolset installed: where to file reports.")
@click.option("--resume", is_flag=True, help="Continue the interrupted run of this suite.")
@click.option("--max-cost", type=click.FloatRange(min=0), metavar="USD", help="Start no trial once this much is spent.")
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Record every reply of the model.")
@click.option(
    "--replay", type=click.Path(path_type=Path), metavar="FILE", help="Use recorded replies instead of a model."
)
@click.option(
    "--timeout",
    "trial_timeout",
    type=click.FloatRange(min=0.1),
    default=600.0,
    metavar="SECONDS",
    help="Time limit for one trial (default 600).",
)
@click.option("--baseline", metavar="NAME", help="Compare with this baseline.")
@_directory
@output_options
@plugin_options
def run(suite: str, **options: Any) -> int:
    r"""Run every scenario of SUITE, which is a built-in suite or a TOML or YAML file.

    \b
    sentinel suite run release-risk --provider anthropic --trials 5 --max-cost 2
    sentinel suite run mine.toml --replay cassette.json -o junit.xml
    """
    from sentinel_command_suite.evaluation import compare_to_baseline, load_baseline, read_suite, run_evaluation
    from sentinel_core.runtime.state_files import write_whole

    read = read_suite(suite)
    named, folder = options["baseline"], options["home"] / "baselines"
    baseline = load_baseline(named, folder=folder, suite=read.name) if named else None
    output = ResultOutput.of(options)
    try:
        results = run_evaluation(read, _run_options(read.name, options))
    except KeyboardInterrupt:
        say("\nsentinel: stopped after saving the finished trials; to continue, run the same command with --resume")
        raise
    if results.evaluated:
        for path in (_last(options["home"], read.name), options["home"] / "suites" / "last.json"):
            write_whole(path, results.to_json())
    comparison = compare_to_baseline(results, baseline, alpha=options["alpha"]) if baseline else None
    notes = Counter(note for scenario in results.scenarios for trial in scenario.trials for note in trial.notes)
    for note, count in notes.items():
        warn(f"{note} (in {counted(count, 'trial')})")
    return output.write(results, comparison)


def _run_options(name: str, options: dict[str, Any]) -> "RunOptions":
    from sentinel_command_suite.evaluation import RunOptions

    flags = host_flags({"plugins": options["plugins"], "provider": options["provider"]})
    for flag, tool in (("releases", "get_release_summary"), ("reports", "file_risk_report")):
        if options[flag] is not None:
            flags[f"tools.{tool}.{flag}"] = (options[flag], f"--{flag}")
    layers, selection = layers_and_selection(flags, options["assignments"])
    refuse_two_places(options, layers)
    if options["releases"]:
        layers = without_repo(layers, ["get_release_summary"])
    host = layers.host()
    return RunOptions(
        provider=host.provider,
        of_provider={name: options[name] for name in PROVIDER if options[name] is not None},
        trials=options["trials"],
        workers=options["workers"] or cores(),
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
        warn=warn,
        progress=_progress if sys.stderr.isatty() else lambda _done, _all, _result: None,
    )


def _progress(done: int, total: int, result: "TrialResult") -> None:
    end = "\n" if done == total else ""
    line = fitting(f"{done}/{total} trials  {result.key} {result.status}", sys.stderr)
    click.echo(f"\r\x1b[K{line}{end}", err=True, nl=False)


@command.command("compare", short_help="Compare the last run with a baseline.")
@click.option("--baseline", required=True, metavar="NAME", help="The baseline to compare with.")
@click.option(
    "--result",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Results file to use (default: that of the last run).",
)
@_directory
@output_options
def compare(baseline: str, result: Path | None, **options: Any) -> int:
    """Compare the last run with a baseline: show what got worse, and whether the difference is more than noise."""
    from sentinel_command_suite.baseline import load_results
    from sentinel_command_suite.evaluation import compare_to_baseline, load_baseline

    output = ResultOutput.of(options, fail_on="regression")
    known = load_baseline(baseline, folder=options["home"] / "baselines")
    results = load_results(result or _last(options["home"], known.results.suite))
    return output.write(results, compare_to_baseline(results, known, alpha=options["alpha"]))


@command.group("baseline", invoke_without_command=True)
@click.pass_context
def baseline_group(context: click.Context) -> None:
    """Save results under a name to compare later runs with them."""
    help_without_command(context)


@baseline_group.command("save")
@click.argument("name")
@click.option(
    "--result",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Results file to use (default: that of the last run).",
)
@click.option("--force", is_flag=True, help="Replace a baseline even if it belongs to another suite or cannot be read.")
@_directory
def save(name: str, result: Path | None, home: Path, *, force: bool) -> int:
    """Save the results of the last run as baseline NAME, replacing an older baseline of the same suite."""
    from sentinel_command_suite.baseline import load_results
    from sentinel_command_suite.evaluation import save_baseline

    results = load_results(result or home / "suites" / "last.json")
    replaced = ", replaced" if (home / "baselines" / f"{name}.json").exists() else ""
    path = save_baseline(results, name, folder=home / "baselines", force=force)
    click.echo(
        f"{path}{replaced}: {results.suite} with {results.provider}, {counted(len(results.evaluated), 'scenario')}"
    )
    return 0


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@_directory
def list_suites(home: Path, *, as_json: bool) -> int:
    """List the built-in suites and the baselines."""
    from sentinel_command_suite.evaluation import BUILT_IN, read_suite

    suites = [read_suite(name) for name in BUILT_IN]
    rows = [{"suite": suite.name, "scenarios": len(suite.scenarios), "summary": suite.summary} for suite in suites]
    known = sorted(file.stem for file in (home / "baselines").glob("*.json"))
    if as_json:
        click.echo(json.dumps({"suites": rows, "baselines": known}))
        return 0
    for suite in suites:
        click.echo(f"{suite.name}  {counted(len(suite.scenarios), 'scenario')}  {suite.summary}")
    for name in known:
        click.echo(f"baseline {printable(name)}")
    return 0


@command.command("show", short_help="Show the scenarios of a suite.")
@click.argument("suite", metavar="SUITE")
@click.argument("scenario", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every field.")
def show(suite: str, scenario: str | None, *, as_json: bool) -> int:
    """Show the scenarios of SUITE, or one of them with all its expectations."""
    import attrs

    from sentinel_command_suite.evaluation import read_suite

    read = read_suite(suite)
    chosen = [candidate for candidate in read.scenarios if scenario in (None, candidate.id)]
    if not chosen:
        from sentinel_core.host.selection import did_you_mean

        near = did_you_mean(scenario or "", (candidate.id for candidate in read.scenarios))
        raise ConfigError(f'suite "{read.name}" has no scenario "{scenario}"{near}')
    if as_json or scenario is not None:
        value = attrs.asdict(chosen[0]) if scenario is not None else attrs.asdict(read)
        click.echo(in_json(value))
        return 0
    for entry in chosen:
        tags = f" [{', '.join(entry.tags)}]" if entry.tags else ""
        click.echo(printable(f"{entry.id}{tags}  {entry.summary or _inputs(entry)}"))
    return 0


@command.command("from-trace", short_help="Make a suite from a trace of the detective: an incident becomes a test.")
@click.argument("trace", metavar="TRACE")
@click.option("--id", "name", metavar="ID", help="The scenario's id (default: derived from the trace's id).")
@click.option(
    "--severity", type=click.Choice(["low", "medium", "high"]), help="The severity that is correct for the scenario."
)
@click.option("--from", "reader", metavar="FORMAT", help="Read the input as this format, without detection.")
@click.option("--trace-id", metavar="ID", help="Which trace to use if TRACE contains several traces.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the suite to FILE.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@plugins_option()
def from_trace(trace: str, *, name: str | None, severity: str | None, output: Path | None, **options: Any) -> int:
    """Turn an incident into a test: from TRACE, make a suite with one scenario, in which the tools answer as recorded.

    TRACE must be a run of Sentinel's detective; use "sentinel evaluate" to judge traces of other agents.
    """
    import tomli_w

    from sentinel_command_suite.from_trace import suite_from_trace
    from sentinel_command_suite.reading import decode_suite
    from sentinel_core.cli.trace_inputs import read_one

    if output is not None and checked(output).exists() and not options["force"]:
        raise ConfigError(f'-o "{output}" already exists; replace it with --force')
    found = read_one(trace, trace_id=options["trace_id"], reader=options["reader"], plugins=options["plugins"])
    made = tomli_w.dumps(suite_from_trace(found, name=name, severity=severity))
    decode_suite(made.encode(), f"{Path(trace).name}.toml")
    if output is None:
        click.echo("".join(f"{printable(line)}\n" for line in made.splitlines()), nl=False)
    else:
        with open_output(output) as stream:
            stream.write(made.encode())
        click.echo(f"{output}: run it with: sentinel suite run {output}", err=True)
    return 0


def _inputs(scenario: "Scenario") -> str:
    """A description of a scenario without a summary."""
    sweep = f", {scenario.sweep.vary} varied" if scenario.sweep is not None else ""
    return f"release {scenario.release_id}{sweep}"


def _last(home: Path, suite: str) -> Path:
    return home / "suites" / suite / "result.json"
