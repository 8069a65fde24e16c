"""Which commands there are: the core's own, and those of installed plugins, which are found by entry point.

Only ``sentinel --help`` asks every plugin for its summary, which imports the small module that its entry point names. What a
command needs is imported when it is called.
"""

from typing import TYPE_CHECKING

from sentinel_core.errors import PluginError, error_text

if TYPE_CHECKING:
    import click

    from sentinel_core.host.plugins import Plugin

__all__ = ["CORE", "command_of", "find", "names", "refuse_missing", "summaries"]

CORE = {
    "config": "Show each setting and where it comes from.",
    "convert": "Write traces in another format.",
    "evaluate": "Judge traces: PASS, WARN or FAIL, with evidence.",
    "explain": "Say what a rule finds, why it matters, what to do, and how to switch it off.",
    "formats": "List the trace formats that can be read and written.",
    "plugins": "List, show and check the installed plugins.",
    "rules": "List the rules of the installed signals.",
    "run": "Investigate a release with the detective agent, then judge the agent.",
    "runs": "List the detective's runs, and show what happened in one.",
    "schema": "Print the JSON Schema of traces or of reports.",
}

_KIND = ("commands",)
_PACKAGES = {
    "audit": "reliability-sentinel-command-serve",
    "hook": "reliability-sentinel-command-hook",
    "loops": "reliability-sentinel-command-serve",
    "mutate": "reliability-sentinel-command-mutate",
    "receive": "reliability-sentinel-command-receive",
    "serve": "reliability-sentinel-command-serve",
    "suite": "reliability-sentinel-command-suite",
}


def names() -> list[str]:
    """All commands, sorted. Imports no plugin. Raises ``DuplicatePluginError`` where two plugins offer one name."""
    from sentinel_core.host.plugins import installed

    return sorted({*CORE, *(one.name for one in installed(_KIND))})


def summaries() -> tuple[dict[str, str], list[str]]:
    """Name to summary, sorted, of the commands that load; and, in words, what is wrong with the others."""
    from sentinel_core.host.plugins import installed, load

    plugins, failures = load(installed(_KIND))
    found = CORE | {one.source.name: one.offer.summary for one in plugins}
    problems = [f"command {one.source.name} ({one.source.origin}) {one.error}" for one in failures]
    return dict(sorted(found.items())), problems


def find(name: str) -> "click.Command | None":
    """The installed command of that name. Raises ``PluginError`` where it cannot be loaded."""
    from sentinel_core.host.plugins import installed, load

    plugins, failures = load(one for one in installed(_KIND) if one.name == name)
    for failure in failures:
        raise PluginError(f"command {name} ({failure.source.origin}) {failure.error}")
    if not plugins:
        return None
    try:
        return command_of(plugins[0])
    except PluginError as error:
        raise PluginError(f"command {name} ({plugins[0].source.origin}) {error}") from error


def command_of(plugin: "Plugin") -> "click.Command":
    """What it does, once loaded. Raises ``PluginError`` where its ``load`` raises, or gives no click command."""
    import click

    try:
        made = plugin.offer.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(f"cannot be loaded: {type(error).__name__}: {error_text(error)}") from error
    if not isinstance(made, click.Command):
        raise PluginError(f"cannot be used: its load() must give a click.Command, and it gave a {type(made).__name__}")
    return made


def refuse_missing(name: str) -> None:
    """Raises ``PluginError`` that says what to install, where the name is that of a built-in command."""
    if name in _PACKAGES:
        raise PluginError(f'the command "{name}" is not installed: pip install {_PACKAGES[name]}')
