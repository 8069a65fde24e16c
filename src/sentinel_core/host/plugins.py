"""Finds, selects and loads plugins. Nothing else knows pluggy.

Listing reads entry points and imports nothing. Loading imports one plugin at a time, calls its hook, and takes the offer
with the entry point's name. A plugin that cannot be loaded is a ``LoadFailure``, never an exception.
"""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import pluggy

from sentinel_core import hookspecs
from sentinel_core.errors import DuplicatePluginError, PluginError, error_text
from sentinel_core.host.entry_points import HOST, entry_points
from sentinel_core.host.selection import KINDS, SELECTABLE, Selection, did_you_mean, load_target_kind
from sentinel_core.host.validate_offers import checked, listed

__all__ = [
    "HOST",
    "Installed",
    "LoadFailure",
    "Plugin",
    "clashes",
    "installed",
    "load",
    "misnamed",
    "refuse_clashes",
    "select",
]

_GROUPS = "sentinel."


class Installed(NamedTuple):
    """A plugin that can be loaded: an entry point, or a file or module named by the user (without a distribution)."""

    kind: str
    name: str
    distribution: str | None = None
    version: str | None = None
    target: str = ""
    requires: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """``signals:loop``, as ``--plugins`` takes it."""
        return f"{self.kind}:{self.name}"

    @property
    def origin(self) -> str:
        """Distribution and version, or the file or module that the user named."""
        return f"{self.distribution} {self.version}" if self.distribution else self.target


class Plugin(NamedTuple):
    """A loaded plugin: where it came from and what it offers."""

    source: Installed
    offer: Any


class LoadFailure(NamedTuple):
    """A plugin that could not be loaded, and why."""

    source: Installed
    error: str


def installed(kinds: Iterable[str] = KINDS) -> list[Installed]:
    """Every entry point of these kinds, sorted by kind, name and distribution; namesakes stand side by side. Imports no plugin."""
    wanted = frozenset(f"{_GROUPS}{kind}" for kind in kinds)
    return sorted(
        Installed(
            kind=entry.group.removeprefix(_GROUPS),
            name=entry.name,
            distribution=entry.distribution,
            version=entry.version,
            target=entry.value,
            requires=entry.requires,
        )
        for entry in entry_points(_GROUPS)
        if entry.group in wanted
    )


def clashes(plugins: Iterable[Installed]) -> list[str]:
    """What is wrong with plugins of one kind that have one name, and what settles it, for each such name."""
    namesakes: dict[str, list[Installed]] = {}
    for plugin in plugins:
        namesakes.setdefault(plugin.label, []).append(plugin)
    return [_clash(label, found) for label, found in namesakes.items() if len(found) > 1]


def _clash(label: str, found: Sequence[Installed]) -> str:
    one = f"{found[0].distribution}:{found[0].name}"
    chosen = f"call it as {one}" if found[0].kind == "commands" else f"choose one with --plugins +{one}"
    origins = " and ".join(plugin.origin for plugin in found)
    return f'two plugins are named "{label}": {origins}; {chosen}, or uninstall one of them'


def misnamed() -> list[str]:
    """A warning for each entry-point group that looks like a mistyped plugin group, so nothing loads it."""
    known = [f"{_GROUPS}{kind}" for kind in KINDS]
    groups = {
        (entry.distribution, entry.version, entry.group) for entry in entry_points(_GROUPS) if entry.group not in known
    }
    return [
        f'{distribution} {version}: "{group}" is not a plugin group, so nothing loads it{did_you_mean(group, known)}'
        for distribution, version, group in sorted(groups)
        if did_you_mean(group.removeprefix(_GROUPS), KINDS)
    ]


def select(selection: Selection, kinds: Sequence[str]) -> tuple[list[Installed], list[Installed]]:
    """The plugins of these kinds to load, and those that the user left out.

    A namesake of a chosen plugin is in neither list. Raises ``PluginError`` for a name that is not installed, or that is
    ambiguous between two kinds, and ``DuplicatePluginError`` if two of these plugins have one kind and name.
    """
    everything = installed(SELECTABLE)
    wanted = selection.resolve(everything)
    of_kinds = [plugin for plugin in everything if plugin.kind in kinds]
    chosen = [plugin for plugin in of_kinds if plugin in wanted]
    for problem in clashes(chosen):
        raise DuplicatePluginError(problem)
    labels = {plugin.label for plugin in chosen}
    return chosen, [plugin for plugin in of_kinds if plugin.label not in labels]


Watch = Callable[[str, str], AbstractContextManager[object]]


def load(
    chosen: Iterable[Installed],
    targets: Iterable[str] = (),
    *,
    kinds: Sequence[str] = SELECTABLE,
    dead: Mapping[str, str] | None = None,
    watch: Watch = lambda _stage, _label: nullcontext(),
) -> tuple[list[Plugin], list[LoadFailure]]:
    """Load plugins, and files or modules (``targets``) that are not installed; sorted by kind and name.

    ``dead`` maps labels that must not be loaded again to the reason; plugin code runs inside ``watch(stage, label)``.
    Raises ``DuplicatePluginError`` if a file offers a name that is taken.
    """
    plugins: list[Plugin] = []
    failures: list[LoadFailure] = []
    reasons = dead or {}
    offered: dict[tuple[str, str], list[Any]] = {}  # several entry points often name one module
    for source in chosen:
        try:
            with watch("load", source.label):
                plugin = _load_installed(source, reasons.get(source.label), offered)
            plugins.append(plugin)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - an import may raise anything; only that plugin is lost
            failures.append(LoadFailure(source=source, error=_reason(error)))
            offered.pop(
                (source.target, source.kind), None
            )  # call the hook again for each name: its side effects count against each
    for target in targets:
        plugins.extend(_load_target(target, kinds, watch))
    refuse_clashes(plugins)
    plugins.sort(key=lambda plugin: plugin.source)
    return plugins, failures


def _load_installed(source: Installed, died_of: str | None, offered: dict[tuple[str, str], list[Any]]) -> Plugin:
    if died_of is not None:
        raise PluginError(died_of)
    _check_host_version(source.requires)
    module, _, attribute = source.target.partition(":")
    plugin: object = importlib.import_module(module)
    for name in filter(None, attribute.split(".")):
        plugin = getattr(plugin, name)
    if isinstance(plugin, FunctionType):
        raise PluginError(
            f'its entry point refers to a function; refer to the module alone: {source.name} = "{module}"'
        )
    key = (source.target, source.kind)
    if key not in offered:
        offered[key] = _offered(plugin, source.kind)
    for offer in offered[key]:
        if offer.name == source.name:
            return Plugin(source=source, offer=offer)
    raise PluginError(f'its module offers nothing named "{source.name}" through sentinel_{source.kind}')


def _load_target(target: str, kinds: Sequence[str], watch: Watch) -> list[Plugin]:
    """All that a file or module offers. The user named it, so a failure is an error, not a warning."""
    try:
        with watch("load", target):
            offers = _all_offered(_import_target(target))
    except PluginError as error:
        raise PluginError(f'plugin "{target}": {error}') from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(f'plugin "{target}" {_reason(error)}') from error
    return [
        Plugin(source=Installed(kind=kind, name=offer.name, target=target), offer=offer)
        for kind in kinds
        for offer in offers[kind]
    ]


def _all_offered(module: ModuleType) -> dict[str, list[Any]]:
    """The offers by kind. Raises ``PluginError`` if there are none, so that a forgotten ``@hookimpl`` is noticed."""
    offers = {kind: _offered(module, kind, needed=False) for kind in SELECTABLE}
    if not any(offers.values()):
        if _offered(module, "commands", needed=False):
            raise PluginError("it offers only commands, which must be installed: pip install -e PACKAGE")
        raise PluginError("it offers nothing; mark sentinel_signals or another hook with @hookimpl")
    return offers


def _import_target(target: str) -> ModuleType:
    if load_target_kind(target) == "module":
        return importlib.import_module(target)
    path = Path(target)
    if not path.is_file():
        raise PluginError("there is no such file")
    name = f"sentinel_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError("is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class _Manager(pluggy.PluginManager):
    """Skips names that cannot be hook specifications: pluggy tries every name of a module, once for each plugin."""

    def parse_hookspec_opts(self, module_or_class: ModuleType | type, name: str) -> pluggy.HookspecOpts | None:
        return super().parse_hookspec_opts(module_or_class, name) if name.startswith("sentinel_") else None


def _offered(plugin: object, kind: str, *, needed: bool = True) -> list[Any]:
    """What one plugin's hook returns, validated.

    Each implementation is called alone: pluggy's own call would stop at the first that raises, and would let a wrapper
    rewrite the offers of others.
    """
    manager = _Manager("sentinel")
    manager.add_hookspecs(hookspecs)
    try:
        manager.register(plugin)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        if problem := _hook_problem(plugin, manager):
            raise PluginError(problem) from error
        raise
    hook = f"sentinel_{kind}"
    implementations = getattr(manager.hook, hook).get_hookimpls()
    if not implementations:
        if needed:
            raise PluginError(f"it does not implement {hook}; mark the function with @hookimpl")
        return []
    (implementation,) = implementations
    if implementation.wrapper or implementation.hookwrapper:
        raise PluginError(
            f"its {hook} is a hook wrapper; a Sentinel hook must return offers and cannot wrap other hooks"
        )
    return [checked(offer, kind) for offer in listed(implementation.function(), kind)]


def _hook_problem(plugin: object, manager: _Manager) -> str:
    """What is wrong with a plugin's marked functions; empty if pluggy's own message must do."""
    import inspect

    known = [f"sentinel_{kind}" for kind in KINDS]
    for name in dir(plugin):
        options = manager.parse_hookimpl_opts(plugin, name)
        if options is None:
            continue
        hook = options["specname"] or name
        if hook not in known:
            return f'"{hook}" is not a hook (the hooks are {", ".join(known)}){did_you_mean(hook, known)}'
        if taken := ", ".join(inspect.signature(getattr(plugin, name)).parameters):
            return f"its {hook} takes arguments ({taken}); a hook takes none"
    return ""


def _check_host_version(requirements: Iterable[str]) -> None:
    from sentinel_core._version import __version__

    for requirement in requirements:
        if not requirement.startswith(HOST) or requirement == f"{HOST}=={__version__}":
            continue
        from packaging.requirements import Requirement

        parsed = Requirement(requirement)
        if (
            parsed.name == HOST
            and parsed.marker is None
            and not parsed.specifier.contains(__version__, prereleases=True)
        ):
            raise PluginError(f"needs {requirement}, but {HOST} {__version__} is installed; install matching versions")


def refuse_clashes(plugins: Iterable[Plugin]) -> None:
    """Raises ``DuplicatePluginError`` if two of the plugins have one kind and name."""
    taken: dict[str, Installed] = {}
    for plugin in plugins:
        first = taken.setdefault(plugin.source.label, plugin.source)
        if first is not plugin.source:
            remedy = (
                f"leave one out with --plugins no:{first.name}, or rename yours"
                if first.distribution
                else "remove one of them from --plugins, or rename its plugin"
            )
            raise DuplicatePluginError(
                f'two plugins are named "{first.label}": {first.origin} and {plugin.source.origin}; {remedy}'
            )


def _reason(error: BaseException) -> str:
    """The error on one line of at most 300 characters, without lone surrogates, which UTF-8 cannot encode."""
    text = " ".join(error_text(error).split())[:300]
    if isinstance(error, PluginError):
        return text
    return (
        f"cannot be imported: {type(error).__name__}: {text}" if text else f"cannot be imported: {type(error).__name__}"
    )
