"""The options of ``sentinel run`` that are about the agent: for its settings, its provider, its tools, and its journal."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import click

from sentinel_core.agent.events import Outcome
from sentinel_core.agent.limits import judged_ends
from sentinel_core.cli import HOME
from sentinel_core.errors import ConfigError
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.runtime.state_files import refuse_detours

if TYPE_CHECKING:
    from sentinel_core.agent.reflection.attempt_guard import Overriding

__all__ = [
    "AGENT",
    "PROVIDER",
    "check_places",
    "final_ends",
    "guard_flags",
    "judged_by",
    "of_tools",
    "overriding",
    "refuse_two_places",
    "run_options",
    "with_resume_flags",
    "without_repo",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])

AGENT: Mapping[str, str] = {
    "tool_mode": "--tool-mode",
    "max_turns": "--max-turns",
    "max_tool_calls": "--max-tool-calls",
    "max_total_tokens": "--max-tokens",
    "max_cost_usd": "--max-cost",
    "deadline": "--deadline",
    "call_timeout": "--call-timeout",
    "max_attempts": "--max-attempts",
    "initial_delay": "--initial-delay",
    "context_strategy": "--context",
}
PROVIDER = ("model", "base_url")
_TOOLS = ("releases", "reports", "repo", "junit", "metrics")
_READ = ("releases", "repo", "junit", "metrics")
_REPO = "tools.get_release_summary.repo"
_WRITTEN = ("logs", "metrics", "reports", "runs", "traces")
_KINDS = ("override_fatigue", "override_max_reruns", "override_bias_echo")

_PROVIDER_HELP = (
    "Who judges the risk: a provider plugin, or replay:FILE. Default: the first of anthropic, openrouter and openai "
    'whose key is in the environment, else "offline", fixed rules.'
)
# Flag, metavar, help. Values are checked, and converted, where all settings are.
_TEXTS = (
    ("--provider", "NAME", _PROVIDER_HELP),
    ("--model", "ID", "Which of the provider's models."),
    ("--base-url", "URL", "The provider's address, where it is not its own."),
    ("--releases", "PLACE", "Where summaries are: a JSON file, a folder, or a server's address."),
    ("--reports", "PLACE", "Where reports go: a folder, or a server's address."),
    ("--repo", "PATH", "A git repository; RELEASE is then a range, v2.0..v2.1."),
    ("--junit", "FILE", "The JUnit XML of the tests of what is investigated."),
    ("--metrics", "FILE", "A JSON object with its deployment metrics."),
    ("--max-turns", "N", "How often the model is asked at most (12)."),
    ("--max-tool-calls", "N", "How many tools are run at most."),
    ("--max-tokens", "N", "How many tokens the whole run may use."),
    ("--max-cost", "USD", "How much the whole run may cost, as far as costs are known."),
    ("--deadline", "SECONDS", "How long the whole run may take (600)."),
    ("--call-timeout", "SECONDS", "How long one call of the model may take (the provider's own)."),
    ("--max-attempts", "N", "How often a call that fails for the moment is tried in all (3)."),
    ("--initial-delay", "SECONDS", "The wait before the second attempt; it doubles with each (1)."),
    ("--max-reruns", "N", "How often the task is tried again at most, after attempts that are not good enough (3)."),
    (
        "--store",
        "PLACE",
        "Where attempts and decisions are kept: a path or postgresql://... (.sentinel/loops.sqlite3).",
    ),
    ("--by", "WHO", "Who overrides; goes on the record."),
    ("--reason", "WHY", "Why; goes on the record."),
    ("--resume", "ID", "Go on with a run that broke off; nothing that was done is done again."),
)
_OVERRIDE_HELP = {
    "override_fatigue": "One attempt more though the family is tired; needs --by and --reason.",
    "override_max_reruns": "One attempt more than --max-reruns; needs --by and --reason.",
    "override_bias_echo": "One attempt more though a bias repeats itself; needs --by and --reason.",
}
_NAMES = {"--max-tokens": "max_total_tokens", "--max-cost": "max_cost_usd"}


def run_options(function: _Function) -> _Function:
    """All of them."""
    for option in reversed(tuple(_options())):
        function = option(function)
    return function


def guard_flags(options: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """What was set about reruns, as settings. Raises ``click.UsageError`` for flags that do not go together."""
    flags = {name: (options[name], _flag(name)) for name in ("reflector", "store") if options[name] is not None}
    if options["max_reruns"] is not None:
        flags["guardrails.rerun_limit.max_reruns"] = (options["max_reruns"], "--max-reruns")
    if options["no_reflect"]:
        given = [flag for _, flag in flags.values()] + [_flag(kind) for kind in _KINDS if options[kind]]
        if given:
            raise click.UsageError(f"{given[0]} does not go with --no-reflect: there are no reruns then")
        flags["reflect"] = (False, "--no-reflect")
    return flags


def check_places(options: Mapping[str, Any]) -> None:
    """Raises ``ConfigError`` where no attempt could end well: what is to be read is not there, or to be written leads away."""
    for name in _READ:
        place = options[name]
        if place and "://" not in place and not Path(place).exists():
            raise ConfigError(f'{_flag(name)} "{place}": there is no such file or folder')
    for name in _WRITTEN:
        try:
            refuse_detours(HOME / name)
        except OSError as error:
            raise ConfigError(str(error.strerror)) from None


def of_tools(options: Mapping[str, Any], layers: "Layers") -> dict[str, Any]:
    """The flags for whichever tools have such a setting. Raises ``click.UsageError`` as ``refuse_two_places`` does."""
    given = {name: options[name] for name in _TOOLS if options[name] is not None}
    refuse_two_places(given, layers)
    return given


def refuse_two_places(given: Mapping[str, Any], layers: "Layers") -> None:
    """Raises ``click.UsageError`` where the command line names both ``--releases`` and a repository."""
    repo = layers.values.get(_REPO)
    is_set = repo is not None and repo.origin == "--set" and repo.value
    if given.get("releases") and (given.get("repo") or is_set):
        flag = "--repo" if given.get("repo") else f"--set {_REPO}"
        told = "a release is a summary from the one, or a range of commits in the other"
        raise click.UsageError(f"--releases does not go with {flag}: {told}")


def without_repo(layers: "Layers", tools: Iterable[str]) -> "Layers":
    """The layers without these tools' ``repo`` from elsewhere than the command line: ``--releases`` takes its place."""
    keys = {f"tools.{name}.repo" for name in tools}
    values = {key: one for key, one in layers.values.items() if key not in keys or one.origin == "--set"}
    return attrs.evolve(layers, values=values)


def overriding(options: Mapping[str, Any]) -> "Overriding | None":
    """A person's decision for this run; None where there is none.

    Raises ``click.UsageError`` where who or why is missing, ``LoopRequestError`` where one of them is too long or no text.
    """
    kinds = tuple(kind for kind in _KINDS if options[kind])
    who, why = options["by"], options["reason"]
    if not kinds:
        if who is not None or why is not None:
            raise click.UsageError("--by and --reason are for an override, such as --override-max-reruns")
        return None
    if not (who and why):
        raise click.UsageError(f"{_flag(kinds[0])} needs --by WHO and --reason WHY: it goes on the record")
    from sentinel_core.agent.reflection.attempt_guard import Overriding
    from sentinel_core.guardrails.schemas import check

    made = Overriding(kinds=kinds, by=who, reason=why)
    check({**made.flags(), "override_by": who, "override_reason": why}, "override")
    return made


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _options() -> list[Callable[[Any], Any]]:
    texts = [
        click.option(flag, _NAMES.get(flag, flag.removeprefix("--").replace("-", "_")), metavar=metavar, help=text)
        for flag, metavar, text in _TEXTS
    ]
    return [
        *texts,
        click.option(
            "--tool-mode", type=click.Choice(["auto", "guided"]), help="guided: one tool a step, for small models."
        ),
        click.option(
            "--context",
            "context_strategy",
            type=click.Choice(["truncation", "sliding_window", "importance"]),
            help="What is left out when the conversation outgrows the model's window.",
        ),
        click.option("--no-reflect", is_flag=True, help="One attempt, which nobody looks at before its report leaves."),
        click.option(
            "--reflector",
            type=click.Choice(["rules", "llm"]),
            help="Who says what an attempt was worth: fixed rules, or two personas of the run's model, SAGE and PESSIMIST.",
        ),
        *(click.option(_flag(kind), is_flag=True, help=_OVERRIDE_HELP[kind]) for kind in _KINDS),
        click.option("--accept-changes", is_flag=True, help="Resume though settings, model or plugins have changed."),
        click.option(
            "--record", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the run's record."
        ),
        click.option("--yes", is_flag=True, help="Let tools run that are marked sensitive."),
    ]


_ENDS: tuple[Outcome, ...] = ("max_turns", "max_tool_calls")  # an attempt; the other limits are of all together


def with_resume_flags(now: Layers, kept: Mapping[str, Any]) -> Layers:
    """The settings with the flags of a run that was begun before, below the flags that were given now."""
    values = {key: setting for key, setting in now.values.items() if not setting.origin.startswith("--")}
    for key, (value, origin) in kept.get("settings", {}).items():
        values[key] = Setting(key=key, value=value, origin=origin)
    values.update({key: setting for key, setting in now.values.items() if setting.origin.startswith("--")})
    return Layers(values=values)


def final_ends(layers: Layers) -> frozenset[Outcome]:
    """The limits of an attempt that a person set: one that meets them is the last."""
    return frozenset(end for end in _ENDS if f"agent.{end}" in layers.values)


def judged_by(layers: Layers) -> frozenset[Outcome]:
    """The ends of an attempt that the run's guard decides upon; none where it has no guard."""
    return judged_ends(final_ends(layers)) if layers.host().reflect else frozenset()
