"""Chooses, loads and configures the provider and the tools of a run."""

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from sentinel_agent.prompts import FILE_REPORT, GET_SUMMARY
from sentinel_core import Model, Tool
from sentinel_core.errors import ConfigError, PluginError
from sentinel_core.host.connect import fields_of, key_sent_elsewhere, model_of, with_flags, without_repo
from sentinel_core.host.conversion import printed
from sentinel_core.host.plugins import Installed, Plugin, installed, load, select
from sentinel_core.host.selection import Selection, no_provider
from sentinel_core.host.settings import Layers
from sentinel_core.host.tools import bind_tool, offered
from sentinel_core.runtime.outbox import Frame, Outbox
from sentinel_core.runtime.redact import Redactor
from sentinel_core.runtime.watch import AtWork, Watch

__all__ = ["Connected", "Note", "ResumeFlags", "connect"]

_BY_KEY = ("anthropic", "openrouter", "openai")  # the first whose key is in the environment is used
_OFFLINE = "offline"
_REPLAY = "replay:"
_NO_MODEL = "No provider chosen (--provider): using the offline rules, without a language model."


class Note(Frame):
    """A line of information for the user."""

    text: str


@attrs.frozen(kw_only=True)
class Connected:
    """A model and tools, ready to be used. ``settings`` are by group, ``versions`` by plugin label.

    ``attempts`` is the number of attempts in a replay's record; None for other models.
    """

    name: str
    model: Model
    tools: tuple[Tool, ...]
    env: tuple[str, ...] = ()
    model_name: str | None = None
    deterministic: bool = False
    attempts: int | None = None
    settings: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    versions: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen
class ResumeFlags:
    """The flags for a provider that a run was begun with; they do not apply to another provider."""

    provider: str
    flags: Mapping[str, Any]


@attrs.define
class _Shelf:
    """Loads plugins by name, and reports failures. Includes the tools that the task needs, unless ``no:NAME`` removes them."""

    selection: Selection
    outbox: Outbox
    dead: Mapping[str, str]
    chosen: Sequence[Installed] = attrs.field(init=False)
    known: frozenset[str] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        chosen, left_out = select(self.selection, ("providers", "tools"))
        unwanted = set(self.selection.items or ())
        needed = (tool for tool in left_out if tool.kind == "tools" and tool.name in (GET_SUMMARY, FILE_REPORT))
        self.chosen = [*chosen, *(tool for tool in needed if not {f"no:{tool.name}", f"no:{tool.label}"} & unwanted)]
        self.known = frozenset(source.name for source in self.chosen if source.kind == "providers")

    def named(self) -> list[str]:
        """The providers in ``--plugins``: named directly, or offered by a file or module."""
        own = self.selection.asked_for(installed())
        made, _ = load((), self.selection.targets, kinds=("providers",), watch=Watch(self.outbox))
        return sorted(
            {source.name for source in own if source.kind == "providers"} | {plugin.source.name for plugin in made}
        )

    def load(self, kind: str, name: str | None = None) -> list[Plugin]:
        wanted = [source for source in self.chosen if source.kind == kind and name in (None, source.name)]
        plugins, failures = load(
            wanted, self.selection.targets, kinds=(kind,), dead=self.dead, watch=Watch(self.outbox)
        )
        for failure in failures:
            if kind == "providers":
                raise PluginError(f'provider "{failure.source.name}" ({failure.source.origin}) {failure.error}')
            self.outbox.warn(f'plugin "{failure.source.label}" ({failure.source.origin}) {failure.error}')
        return [plugin for plugin in plugins if name in (None, plugin.source.name)]

    def provider(self, name: str) -> Plugin:
        for plugin in self.load("providers", name):
            return plugin
        raise no_provider(name, self.known)


def connect(
    layers: Layers,
    selection: Selection,
    outbox: Outbox,
    *,
    of_provider: Mapping[str, Any],
    of_tools: Mapping[str, Any],
    resume_flags: ResumeFlags | None = None,
    subject: str = "",
    dead: Mapping[str, str] | None = None,
) -> Connected:
    """The chosen provider and every tool that can work.

    The provider is the user's choice, else the only one in ``--plugins``, else the first whose key is in the environment,
    else the offline rules. ``subject`` is the release; ``dead`` are plugins not to load again: label to error.
    ``of_provider`` and ``of_tools`` are values of flags for every plugin that has a setting of that name; ``resume_flags`` are those
    of a resumed run, below ``of_provider``. Warnings that plugins log are sent as warnings. Raises ``ConfigError``,
    ``PluginError``, and what the provider raises.
    """
    _send_warnings(outbox)
    shelf = _Shelf(selection, outbox, dead or {})
    chosen = layers.host().provider
    bound, settings, versions = _tools(shelf, layers, of_tools)
    found = offered(bound, subject)
    for name, why in found.unsure.items():
        outbox.warn(f'tool "{name}": could not check whether the tool can work: {why}')
    if chosen is not None and chosen.startswith(_REPLAY):
        from sentinel_agent.replay import ReplayModel, load_record

        replay = ReplayModel(load_record(Path(chosen.removeprefix(_REPLAY))))
        return Connected(
            name="replay", model=replay, tools=bound, attempts=replay.attempts, settings=settings, versions=versions
        )
    plugin = _choose(shelf, chosen)
    if resume_flags is not None and resume_flags.provider == plugin.source.name:
        of_provider = {**resume_flags.flags, **of_provider}
    layers = with_flags(plugin, _with_call_timeout(plugin, layers), of_provider, required=True)
    own = layers.of_plugin("providers", plugin.source.name, plugin.offer.settings)
    if reason := key_sent_elsewhere(plugin, own, layers):
        outbox.warn(reason)
    outbox.mark(str(AtWork("run", plugin.source.label, 0)))
    model = model_of(plugin, own)
    return Connected(
        name=plugin.source.name,
        model=model,
        tools=found.tools,
        env=plugin.offer.env,
        deterministic=plugin.offer.deterministic,
        model_name=_text_or_none(getattr(model, "model", None)) or getattr(own, "model", None),
        settings={**settings, plugin.source.label.replace(":", "."): _values(own)},
        versions={**versions, plugin.source.label: plugin.source.version or ""},
    )


def _choose(shelf: _Shelf, chosen: str | None) -> Plugin:
    if chosen is not None:
        return shelf.provider(chosen)
    if len(named := shelf.named()) == 1:
        return shelf.provider(named[0])
    for name in _BY_KEY:
        if name not in shelf.known:
            continue
        plugin = shelf.provider(name)
        found = next((variable for variable in plugin.offer.env if os.environ.get(variable, "").strip()), None)
        if found is not None:
            shelf.outbox.send(Note(f"No provider chosen (--provider): {found} is set, so {name} is used."))
            return plugin
    if named and _OFFLINE not in shelf.known:
        raise PluginError(f"--plugins selects several providers; choose one with --provider: {', '.join(named)}")
    shelf.outbox.send(Note(_NO_MODEL))
    return shelf.provider(_OFFLINE)


def _tools(
    shelf: _Shelf, layers: Layers, flags: Mapping[str, Any]
) -> tuple[tuple[Tool, ...], dict[str, Mapping[str, Any]], dict[str, str]]:
    """Every tool with its settings bound, those settings by group, and the plugins' versions."""
    plugins = shelf.load("tools")
    if unknown := sorted(set(flags).difference(*map(fields_of, plugins))):
        raise ConfigError(f"--{unknown[0]}: no installed tool has this setting")
    if flags.get("releases"):
        layers = without_repo(layers, [plugin.source.name for plugin in plugins if "releases" in fields_of(plugin)])
    settings = {
        plugin.source.name: with_flags(plugin, layers, flags, required=False).of_plugin(
            "tools", plugin.source.name, plugin.offer.settings
        )
        for plugin in plugins
    }
    return (
        tuple(bind_tool(plugin.offer, settings[plugin.source.name]) for plugin in plugins),
        {f"tools.{name}": _values(own) for name, own in settings.items()},
        {plugin.source.label: plugin.source.version or "" for plugin in plugins},
    )


def _with_call_timeout(plugin: Plugin, layers: Layers) -> Layers:
    """Use the agent's limit on one call for the provider too, unless the provider's own is set."""
    key = f"{plugin.source.kind}.{plugin.source.name}.call_timeout"
    wanted = layers.values.get("agent.call_timeout")
    if wanted is None or key in layers.values or "call_timeout" not in fields_of(plugin):
        return layers
    return Layers(values={**layers.values, key: wanted._replace(key=key)})


def _text_or_none(name: object) -> str | None:
    return name if isinstance(name, str) and name else None


class _Sending(logging.Handler):
    """Sends logged records as warnings."""

    def __init__(self, outbox: Outbox) -> None:
        super().__init__(logging.WARNING)
        self._outbox = outbox
        self._process = os.getpid()

    def filter(self, record: logging.LogRecord) -> bool:
        """False in a tool's process, which must not write to its parent's outbox."""
        return os.getpid() == self._process and bool(super().filter(record))

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record, without secrets."""
        self._outbox.warn(Redactor.of_environment().text(record.getMessage()))


def _send_warnings(outbox: Outbox) -> None:
    log = logging.getLogger("sentinel")
    for handler in [handler for handler in log.handlers if isinstance(handler, _Sending)]:
        log.removeHandler(handler)
    log.addHandler(_Sending(outbox))
    log.propagate = False


def _values(settings: Any) -> dict[str, Any]:
    return {} if settings is None else printed(settings)
