"""The options of ``sentinel run`` that are about the agent: for its settings, its provider, its tools, and its journal."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = ["AGENT", "PROVIDER", "TOOLS", "run_options"]

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
TOOLS = ("releases", "reports", "repo", "junit", "metrics")

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
    ("--resume", "ID", "Go on with a run that broke off; nothing that was done is done again."),
)
_NAMES = {"--max-tokens": "max_total_tokens", "--max-cost": "max_cost_usd"}


def run_options(function: _Function) -> _Function:
    """All of them."""
    for option in reversed(tuple(_options())):
        function = option(function)
    return function


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
        click.option("--accept-changes", is_flag=True, help="Resume though settings, model or plugins have changed."),
        click.option(
            "--record", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the run's record."
        ),
        click.option("--yes", is_flag=True, help="Let tools run that are marked sensitive."),
    ]
