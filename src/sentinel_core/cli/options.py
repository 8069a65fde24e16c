"""Options that several commands share, and the settings from them."""

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeVar

import click

from sentinel_core.cli import HOME, say, warn
from sentinel_core.errors import ConfigError
from sentinel_core.host.selection import SELECTABLE, Selection, did_you_mean, load_target_kind
from sentinel_core.host.settings import Layers, read_layers

if TYPE_CHECKING:
    from sentinel_core.telemetry.verdicts import Emission

__all__ = [
    "Assignment",
    "Many",
    "batch_options",
    "cores",
    "emission_of",
    "emit_options",
    "ending",
    "finish",
    "host_flags",
    "is_folder",
    "judging_flags",
    "judging_options",
    "layers_and_selection",
    "limit_options",
    "plugin_options",
    "plugins_option",
    "run_options",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_SET_UP = tuple(kind for kind in SELECTABLE if kind != "trace_readers")  # readers take no settings


if TYPE_CHECKING:
    _PairType = click.ParamType[tuple[str, str]]
else:  # not generic at run time in click 8.1
    _PairType = click.ParamType


class Assignment(_PairType):
    """``KEY=VALUE``; the option's metavar names the two."""

    name = "key=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Split at the first equals sign."""
        if isinstance(value, tuple):
            return value
        key, sign, text = str(value).partition("=")
        if not (sign and key.strip()):
            self.fail(f'"{value}" must be {param.metavar if param else "KEY=VALUE"}', param, ctx)
        return key.strip(), text.strip()


def plugin_options(function: _Function) -> _Function:
    """``--plugins`` and ``--set``."""
    function = click.option(
        "--set",
        "assignments",
        multiple=True,
        type=Assignment(),
        metavar="KEY=VALUE",
        help="Set a setting of a plugin or of the host, such as cost.budget_tokens=50000.",
    )(function)
    return plugins_option(
        'Which plugins to use, such as "loop,cost", "signals:loop", "no:cost" or "./mine.py"; "" selects none. Repeatable.'
    )(function)


def plugins_option(text: str = 'Which plugins to use; see "sentinel evaluate".') -> Callable[[_Function], _Function]:
    """``--plugins`` alone: all given lists as one; None if not given."""

    def joined(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> str | None:
        return ",".join(given) if given else None

    return click.option("--plugins", multiple=True, callback=joined, metavar="LIST", help=text)


def judging_options(function: _Function) -> _Function:
    """Options on how traces are judged, and which verdicts count."""
    for option in (
        click.option(
            "--fail-on",
            type=click.Choice(["warn", "fail", "never"]),
            help="Which verdicts on an agent lead to a non-zero exit code (default warn: WARN and FAIL).",
        ),
        click.option(
            "--rule",
            "rules",
            multiple=True,
            type=Assignment(),
            metavar="ID=LEVEL",
            help='Set the level of the rule ID: note, warning, error, or off to switch the rule off ("sentinel rules" lists the rules).',
        ),
        click.option(
            "--weight", "weights", multiple=True, type=Assignment(), metavar="NAME=W", help="Set a signal's weight."
        ),
        click.option(
            "--profile",
            metavar="NAME|FILE",
            help='Weights and thresholds: "standard" (the default), "rs1", or a TOML file.',
        ),
    ):
        function = option(function)
    return function


def judging_flags(options: Mapping[str, Any], *others: str) -> dict[str, tuple[Any, str]]:
    """The settings from ``judging_options``, ``--plugins`` and ``others``."""
    flags = host_flags({name: options[name] for name in ("profile", "fail_on", "plugins", *others)})
    flags |= {f"rules.{rule}": (level, "--rule") for rule, level in options["rules"]}
    return flags | {f"weights.{name}": (weight, "--weight") for name, weight in options["weights"]}


def limit_options(function: _Function) -> _Function:
    """Limits on judging one trace."""
    for option in (
        click.option(
            "--max-memory-mb",
            type=int,
            metavar="MB",
            help="Memory limit for judging, in addition to the memory in use at the start (default 4096).",
        ),
        click.option("--timeout", type=float, metavar="SECONDS", help="Time limit for one trace (default 60)."),
    ):
        function = option(function)
    return function


def batch_options(function: _Function) -> _Function:
    """Options on judging many traces."""
    for option in (
        click.option(
            "--output-format",
            type=click.Choice(["jsonl", "parquet"]),
            help="Format of the -o output, if its file name does not show the format.",
        ),
        click.option("--resume", is_flag=True, help="Continue a stopped batch; give the same -o as before."),
        click.option(
            "--engine",
            metavar="ENGINE",
            help='Where to judge: "local" (default), "dask" (a cluster on this machine) or "dask:ADDRESS".',
        ),
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(1, 1024),
            metavar="N",
            help="Number of processes (default: all cores for large inputs).",
        ),
    ):
        function = option(function)
    return function


def run_options(function: _Function) -> _Function:
    """Options on expectations, tasks, the step to look at first, and the ledger."""
    for option in (
        click.option("--ledger", is_flag=True, help="List every claim of the agent beside what the record shows."),
        click.option("--attribute", is_flag=True, help="Show the step to look at first, even for a PASS."),
        click.option(
            "--task-key",
            metavar="KEY",
            help='Compare runs of the same task, identified by "metadata.NAME" or "request".',
        ),
        click.option(
            "--expect-file", metavar="FILE.toml", help="File of expectations for all runs or for individual tasks."
        ),
        click.option(
            "--expect",
            "expected",
            multiple=True,
            metavar="WHAT",
            help="Expectation that the run must meet: called:TOOL, not called:TOOL, called:TOOL before TOOL, answer matches REGEX, grounded, max-calls:N.",
        ),
    ):
        function = option(function)
    return function


class Many(NamedTuple):
    """How many traces are judged: output, processes, engine, and whether a batch is resumed."""

    output: str | None = None
    output_format: str | None = None
    jobs: int | None = None
    engine: str | None = None
    address: str | None = None
    resume: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """From the flags. Raises ``click.UsageError``."""
        name, _, address = (options["engine"] or "local").partition(":")
        if name not in ("local", "dask") or (name == "local" and address):
            raise click.UsageError(f'--engine "{options["engine"]}": choose local, dask or dask:SCHEDULER')
        _refuse_misfit(options["output"], options["output_format"])
        return cls(
            output=options["output"],
            output_format=options["output_format"],
            jobs=options["jobs"],
            engine=None if name == "local" else name,
            address=address or None,
            resume=options["resume"],
        )

    @property
    def is_asked_for(self) -> bool:
        """True if a flag asks for a batch."""
        return bool(self.jobs or self.engine or self.resume or self.form)

    @property
    def form(self) -> Literal["jsonl", "rows"] | None:
        """The format by the output's name; ``rows`` becomes Parquet."""
        if self.output is None:
            return None
        wanted = self.output_format or _SUFFIXES.get(ending(self.output))
        if wanted is None and is_folder(self.output):
            wanted = "jsonl"
        return _FORMS.get(wanted or "")


def _refuse_misfit(output: str | None, wanted: str | None) -> None:
    """Raises ``click.UsageError`` for a format without an output, or with an output whose ending means another format."""
    if wanted is None:
        return
    if output is None:
        raise click.UsageError(f'--output-format "{wanted}" needs a place to write to: -o FILE or FOLDER/')
    if _SUFFIXES.get(ending(output), wanted) != wanted:
        raise click.UsageError(
            f'-o "{output}" does not match --output-format "{wanted}": the file extension stands for another format'
        )


_SUFFIXES = {"jsonl": "jsonl", "ndjson": "jsonl", "parquet": "parquet"}
_FORMS: Mapping[str, Literal["jsonl", "rows"]] = {"jsonl": "jsonl", "parquet": "rows"}


def ending(output: str) -> str:
    """The part of a file's name or URL after the last dot, in lower case: ``jsonl``."""
    return os.path.splitext(output)[1][1:].lower()  # noqa: PTH122 - pathlib would change a URL


def is_folder(output: str) -> bool:
    """True for an output that ends with a slash or is an existing folder."""
    return output.endswith("/") or os.path.isdir(output)  # noqa: PTH112 - pathlib would change a URL


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def host_flags(values: dict[str, Any]) -> dict[str, tuple[Any, str]]:
    """The given flags as settings: dotted key to value and flag."""
    return {
        key: (value, f"--{key.replace('_', '-')}")
        for key, value in values.items()
        if value is not None and value is not False
    }


def layers_and_selection(
    flags: dict[str, tuple[Any, str]], assignments: tuple[tuple[str, str], ...]
) -> tuple[Layers, Selection]:
    """All settings, and the plugins that they select.

    Raises ``ConfigError`` for invalid keys and values, ``PluginError`` for plugins that are not installed.
    """
    from sentinel_core.host.plugins import installed

    everything = installed(SELECTABLE)
    labels = {(source.kind, source.name) for source in everything}
    for key, text in assignments:
        flags[_full_key(key, labels, flags)] = (text, "--set")
    layers = read_layers(flags)
    for suspect in layers.suspects:
        warn(suspect)
    selection = Selection.parse(layers.host().plugins)
    if not selection.targets:
        layers.refuse_unknown_plugins(labels)
    for note in selection.notes(everything) if flags.get("plugins") else ():
        say(f"sentinel: note: {note}")
    return layers, selection


def _full_key(key: str, labels: set[tuple[str, str]], flags: Mapping[str, tuple[Any, str]]) -> str:
    """``cost.budget_tokens`` and ``signals:cost.budget_tokens`` become ``signals.cost.budget_tokens``.

    For a plugin in a file, the kind is the one of its hook.
    """
    head, dot, field = key.rpartition(".")
    if not dot or head in ("agent", "rules", "weights") or head.partition(".")[0] in SELECTABLE:
        return key
    kind, _, name = head.rpartition(":")
    found = sorted(label for label in labels if label[1] == name and kind in ("", label[0]))
    found = [label for label in found if label[0] in _SET_UP] or found
    if len(found) > 1:
        choices = " or ".join(f'"{kind}:{name}.{field}"' for kind, name in found)
        raise ConfigError(f'--set {key}: plugins of two kinds are named "{name}"; write {choices}')
    if found:
        return f"{found[0][0]}.{name}.{field}"
    if kind in SELECTABLE:
        return f"{kind}.{name}.{field}"
    targets = Selection.parse(read_layers(flags).host().plugins).targets
    if kind == "" and len(kinds := {its for target in targets for its in _kinds_in(target, name)}) == 1:
        return f"{kinds.pop()}.{name}.{field}"
    near = did_you_mean(name, (its for _, its in labels))
    raise ConfigError(
        f'--set {key}: no plugin "{name}" is installed{near}{_if_not_installed(f"{name}.{field}", targets)}'
    )


def _kinds_in(target: str, name: str) -> set[str]:
    """The kinds of plugin in a file, by its hooks, if the name is in it as a constant; the file is parsed, not run.

    Empty for a module, and for a computed name.
    """
    import ast
    import warnings

    path = Path(target)
    if load_target_kind(target) != "file" or not path.is_file():
        return set()
    try:
        with warnings.catch_warnings(action="ignore"):
            nodes = list(ast.walk(ast.parse(path.read_bytes())))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # loading it reports the error
        return set()
    if not any(isinstance(node, ast.Constant) and node.value == name for node in nodes):
        return set()
    return {
        kind
        for node in nodes
        for kind in SELECTABLE
        if isinstance(node, ast.FunctionDef) and node.name == f"sentinel_{kind}"
    }


def _if_not_installed(key: str, targets: Collection[str]) -> str:
    """A hint on settings of files and modules, whose plugins are known only after loading; empty without any."""
    if not targets:
        return ""
    likely, *others = sorted(_SET_UP, key=lambda kind: kind != "signals")
    places = " or ".join(f'"{target}"' for target in targets)
    return f'; for a plugin in {places} add its kind: "{likely}:{key}" (or {", ".join(others)})'


def emit_options(function: _Function) -> _Function:
    """``--emit`` and ``--otlp``."""
    function = click.option(
        "--otlp", metavar="ENDPOINT", help="Also send verdicts to a collector (implies --emit otel)."
    )(function)
    return click.option(
        "--emit",
        type=click.Choice(["otel"]),
        help="Write verdicts as gen_ai.evaluation.result events to .sentinel/logs/verdicts.otlp.jsonl.",
    )(function)


def emission_of(options: Mapping[str, Any]) -> "Emission | None":
    """Where verdicts are sent; None if not asked for, or if ``OTEL_SDK_DISABLED`` is set.

    Raises ``ConfigError`` if they cannot be written or sent there.
    """
    if options["emit"] is None and options["otlp"] is None:
        return None
    from sentinel_core.telemetry.encode import is_disabled
    from sentinel_core.telemetry.verdicts import Emission

    if is_disabled():
        return None

    return Emission.of(HOME, endpoint=options["otlp"]).prepared()


def finish(emission: "Emission | None") -> None:
    """Send the verdicts; a failure is a warning and does not change the exit code."""
    if emission is None:
        return
    from sentinel_core.cli import warn

    for problem in emission.problems:
        warn(problem)
    if emission.endpoint is None:
        return
    from sentinel_core.telemetry.send import Unsent

    try:
        emission.finish()
    except (OSError, Unsent) as error:
        warn(f"verdicts were not emitted: {error}")
