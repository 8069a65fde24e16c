"""The options of ``sentinel run`` for the agent: settings, provider, tools, and journal."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sentinel_agent.events import Outcome
from sentinel_agent.limits import judged_ends
from sentinel_core.cli import HOME
from sentinel_core.errors import ConfigError
from sentinel_core.host.connect import refuse_two_places
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.runtime.state_files import refuse_detours

if TYPE_CHECKING:
    from sentinel_agent.reflection.attempt_guard import Overriding

__all__ = [
    "AGENT",
    "check_places",
    "final_ends",
    "guard_flags",
    "judged_by",
    "of_tools",
    "overriding",
    "run_options",
    "with_resume_flags",
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
_TOOLS = ("releases", "reports", "repo", "junit", "metrics")
_READ = ("releases", "repo", "junit", "metrics")
_WRITTEN = ("logs", "metrics", "reports", "runs", "traces")
_KINDS = ("override_fatigue", "override_max_reruns", "override_bias_echo")

_PROVIDER_HELP = (
    "The provider plugin that judges the risk, or replay:FILE. Default: the first of anthropic, openrouter and openai "
    'whose key is in the environment; otherwise "offline", which uses fixed rules.'
)
# Flag, metavar, help. Values are checked and converted with all other settings.
_TEXTS = (
    ("--provider", "NAME", _PROVIDER_HELP),
    ("--model", "ID", "The provider's model."),
    ("--base-url", "URL", "The provider's address, if it is not the default address."),
    ("--releases", "PLACE", "Where to read release summaries: a JSON file, a folder, or the address of a server."),
    ("--reports", "PLACE", "Where to file reports: a folder, or the address of a server."),
    ("--repo", "PATH", "A git repository; RELEASE is then a range of commits, such as v2.0..v2.1."),
    ("--junit", "FILE", "JUnit XML file with the test results of the release."),
    ("--metrics", "FILE", "JSON file with the deployment metrics of the release."),
    ("--max-turns", "N", "Limit on model requests per attempt (default 12)."),
    ("--max-tool-calls", "N", "Limit on tool calls per attempt (default 100)."),
    ("--max-tokens", "N", "Token limit for the whole run."),
    ("--max-cost", "USD", "Cost limit for the whole run, as far as costs are known."),
    ("--deadline", "SECONDS", "Time limit for the whole run (default 600)."),
    ("--call-timeout", "SECONDS", "Time limit for one model call (default: the limit of the provider)."),
    ("--max-attempts", "N", "Limit on attempts at a model call that fails temporarily (default 3)."),
    ("--initial-delay", "SECONDS", "Wait before the second attempt; it doubles each time (default 1)."),
    ("--max-reruns", "N", "Limit on reruns of the task after attempts that are not good enough (default 3)."),
    (
        "--store",
        "PLACE",
        "Where attempts and decisions are stored: a path or postgresql://... (default .sentinel/loops.sqlite3).",
    ),
    ("--by", "WHO", "Name of the person who overrides a guardrail; the name is recorded."),
    ("--reason", "WHY", "Reason for overriding the guardrail; the reason is recorded."),
    ("--resume", "ID", "Continue an interrupted run, without repeating finished work."),
)
_OVERRIDE_HELP = {
    "override_fatigue": "Allow one more attempt despite reflection fatigue; needs --by and --reason.",
    "override_max_reruns": "Allow one more attempt than --max-reruns allows; needs --by and --reason.",
    "override_bias_echo": "Allow one more attempt despite a repeated bias; needs --by and --reason.",
}
_NAMES = {"--max-tokens": "max_total_tokens", "--max-cost": "max_cost_usd"}


def run_options(function: _Function) -> _Function:
    """Add all options."""
    for option in reversed(tuple(_options())):
        function = option(function)
    return function


def guard_flags(options: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """The flags on reruns, as settings. Raises ``click.UsageError`` for flags that contradict each other."""
    flags = {name: (options[name], _flag(name)) for name in ("reflector", "store") if options[name] is not None}
    if options["max_reruns"] is not None:
        flags["guardrails.rerun_limit.max_reruns"] = (options["max_reruns"], "--max-reruns")
    if options["no_reflect"]:
        given = [flag for _, flag in flags.values()] + [_flag(kind) for kind in _KINDS if options[kind]]
        if given:
            raise click.UsageError(f"{given[0]} cannot be combined with --no-reflect, which turns reruns off")
        flags["reflect"] = (False, "--no-reflect")
    return flags


def check_places(options: Mapping[str, Any]) -> None:
    """Raises ``ConfigError`` if no attempt could succeed: an input is missing, or an output folder is a link."""
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
    """The flags for the tools that have such a setting. Raises ``ConfigError`` like ``refuse_two_places``."""
    given = {name: options[name] for name in _TOOLS if options[name] is not None}
    refuse_two_places(given, layers)
    return given


def overriding(options: Mapping[str, Any]) -> "Overriding | None":
    """A person's override for this run; None if there is none.

    Raises ``click.UsageError`` if ``--by`` or ``--reason`` is missing, ``LoopRequestError`` if one is invalid.
    """
    kinds = tuple(kind for kind in _KINDS if options[kind])
    who, why = options["by"], options["reason"]
    if not kinds:
        if who is not None or why is not None:
            raise click.UsageError("--by and --reason are only for overrides, such as --override-max-reruns")
        return None
    if not (who and why):
        raise click.UsageError(f"{_flag(kinds[0])} needs --by WHO and --reason WHY, because it is recorded")
    from sentinel_agent.reflection.attempt_guard import Overriding
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
            "--tool-mode", type=click.Choice(["auto", "guided"]), help="guided offers small models one tool per step."
        ),
        click.option(
            "--context",
            "context_strategy",
            type=click.Choice(["truncation", "sliding_window", "importance"]),
            help="What to leave out when the conversation exceeds the model's context window.",
        ),
        click.option(
            "--no-reflect", is_flag=True, help="Make only one attempt, and deliver its report without rating it."
        ),
        click.option(
            "--reflector",
            type=click.Choice(["rules", "llm"]),
            help="How an attempt is rated: by fixed rules, or by two personas of the run's model, SAGE and PESSIMIST.",
        ),
        *(click.option(_flag(kind), is_flag=True, help=_OVERRIDE_HELP[kind]) for kind in _KINDS),
        click.option("--accept-changes", is_flag=True, help="Resume even if settings, models or plugins have changed."),
        click.option(
            "--record",
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            help="Write the run's record to FILE.",
        ),
        click.option("--yes", is_flag=True, help="Allow tools that are marked as sensitive."),
    ]


_ENDS: tuple[Outcome, ...] = ("max_turns", "max_tool_calls")  # limits of one attempt; the others apply to the whole run


def with_resume_flags(now: Layers, resume_flags: Mapping[str, Any]) -> Layers:
    """The settings with the flags of the resumed run, below the flags given now."""
    values = {key: setting for key, setting in now.values.items() if not setting.origin.startswith("--")}
    for key, (value, origin) in resume_flags.get("settings", {}).items():
        values[key] = Setting(key=key, value=value, origin=origin)
    values.update({key: setting for key, setting in now.values.items() if setting.origin.startswith("--")})
    return Layers(values=values)


def final_ends(layers: Layers) -> frozenset[Outcome]:
    """The limits of an attempt that the user set: an attempt that reaches one is the last."""
    return frozenset(end for end in _ENDS if f"agent.{end}" in layers.values)


def judged_by(layers: Layers) -> frozenset[Outcome]:
    """The outcomes of an attempt that the run's guard decides upon; empty without a guard."""
    return judged_ends(final_ends(layers)) if layers.host().reflect else frozenset()
