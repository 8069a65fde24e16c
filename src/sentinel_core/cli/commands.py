"""The commands: the core's own, and those of installed plugins, found by entry point.

Only ``sentinel --help`` asks every plugin for its summary, which imports the small module that its entry point names. A
command's own imports happen when it is called.
"""

from typing import TYPE_CHECKING

from sentinel_core.errors import PluginError, error_text

if TYPE_CHECKING:
    import click

    from sentinel_core.host.plugins import Installed, Plugin

__all__ = ["CORE", "below", "command_of", "find", "names", "needs_posix", "refuse_missing", "summaries"]

CORE = {
    "config": "Show each setting and where it comes from.",
    "convert": "Write traces in another format.",
    "evaluate": "Judge traces: PASS, WARN or FAIL, with evidence.",
    "explain": "Explain what a rule finds, why it matters, what to do, and how to switch it off.",
    "formats": "List the trace formats that can be read and written.",
    "plugins": "List, show and check the installed plugins.",
    "rules": "List the rules of the installed signals.",
    "schema": "Print the JSON Schema of traces or of reports.",
}

_KIND = ("commands",)
_BELOW = "."  # "plugins.new" is called as "sentinel plugins new"
_POSIX = frozenset(("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"))
_PACKAGES = {
    "audit": "reliability-sentinel-command-serve",
    "demo": "reliability-sentinel-command-start",
    "doctor": "reliability-sentinel-command-start",
    "hook": "reliability-sentinel-command-hook",
    "init": "reliability-sentinel-command-start",
    "loops": "reliability-sentinel-command-serve",
    "mcp": "reliability-sentinel-command-mcp",
    "mutate": "reliability-sentinel-command-mutate",
    "plugins.new": "reliability-sentinel-command-start",
    "receipt": "reliability-sentinel-command-hook",
    "receive": "reliability-sentinel-command-receive",
    "run": "reliability-sentinel-command-run",
    "runs": "reliability-sentinel-command-run",
    "serve": "reliability-sentinel-command-serve",
    "suite": "reliability-sentinel-command-suite",
}


def names() -> list[str]:
    """All commands, sorted; one that two distributions offer also with the distribution, as it is called. Imports no plugin."""
    return sorted({*CORE, *(name for source in _top() for name in (source.name, _called(source)))})


def _top() -> "list[Installed]":
    from sentinel_core.host.plugins import installed

    return [source for source in installed(_KIND) if _BELOW not in source.name]


def _called(source: "Installed") -> str:
    """Its name, or ``distribution:name`` where another distribution has a command of that name."""
    return f"{source.distribution}:{source.name}" if len(_offering(source.name)) > 1 else source.name


def _offering(name: str) -> "list[Installed]":
    """The installed commands of a name, or the one of a ``distribution:name``."""
    from sentinel_core.host.plugins import installed

    distribution, _, short = name.rpartition(":")
    return [source for source in installed(_KIND) if source.name == short and distribution in ("", source.distribution)]


def below(group: str) -> list[str]:
    """The installed subcommands of a core command, without its name. Imports no plugin."""
    from sentinel_core.host.plugins import installed

    prefix = f"{group}{_BELOW}"
    found = {source.name.removeprefix(prefix) for source in installed(_KIND) if source.name.startswith(prefix)}
    return sorted(found)


def summaries() -> tuple[dict[str, str], list[str]]:
    """The summaries of the commands that load, by name, sorted; and an error for each of the others and for each name that two have."""
    from sentinel_core.host.plugins import clashes, load

    found, top = dict(CORE), _top()
    problems = clashes(top)
    alone = [source for source in top if _called(source) == source.name]
    for sources in (alone, *([source] for source in top if source not in alone)):
        plugins, failures = load(sources)
        found |= {_called(plugin.source): plugin.offer.summary for plugin in plugins}
        problems += [f"command {failure.source.name} ({failure.source.origin}) {failure.error}" for failure in failures]
    return dict(sorted(found.items())), problems


def find(name: str) -> "click.Command | None":
    """The installed command of that name, or of ``distribution:name``; None if there is none.

    Raises ``PluginError`` if it cannot be loaded, and ``DuplicatePluginError`` if two distributions offer it.
    """
    from sentinel_core.errors import DuplicatePluginError
    from sentinel_core.host.plugins import clashes, load

    sources = _offering(name)
    for problem in clashes(sources):
        raise DuplicatePluginError(problem)
    plugins, failures = load(sources)
    for failure in failures:
        raise PluginError(f"command {name} ({failure.source.origin}) {failure.error}")
    if not plugins:
        return None
    try:
        return command_of(plugins[0])
    except PluginError as error:
        raise PluginError(f"command {name} ({plugins[0].source.origin}) {error}") from error


def command_of(plugin: "Plugin") -> "click.Command":
    """The plugin's click command. Raises ``PluginError`` if its ``load`` raises or returns something else."""
    import click

    try:
        made = plugin.offer.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if problem := needs_posix(error):
            raise PluginError(problem) from error
        raise PluginError(f"cannot be loaded: {type(error).__name__}: {error_text(error)}") from error
    if not isinstance(made, click.Command):
        raise PluginError(
            f"cannot be used: its load() must return a click.Command, but returned a {type(made).__name__}"
        )
    return made


def needs_posix(error: BaseException) -> str:
    """What to tell of an import that fails because the system is Windows; empty for any other error."""
    if not isinstance(error, ModuleNotFoundError) or error.name not in _POSIX:
        return ""
    return (
        f"needs {error.name}, which this system lacks: use Linux, macOS or WSL (evaluate, hook and judge() work here)"
    )


def refuse_missing(name: str) -> None:
    """Raises ``PluginError`` that says what to install, if the name is that of a known command."""
    if name in _PACKAGES:
        called = name.replace(_BELOW, " ")
        raise PluginError(f'the command "{called}" is not installed: pip install {_PACKAGES[name]}')
