"""Finds out in a child process what the installed providers need."""

import json
from functools import partial
from typing import NamedTuple

from sentinel_core.errors import PluginError, SentinelError, WorkerError
from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Outbox
from sentinel_core.runtime.watch import Watch, at_fault

__all__ = ["Reached", "providers_of"]

_TIMEOUT = 30.0


class Reached(NamedTuple):
    """A provider: the variables of its secrets, its server's address, and what is wrong with its settings."""

    name: str
    env: tuple[str, ...]
    base_url: str
    error: str = ""


class _Row(Frame):
    """A provider as JSON, which holds whatever text stands in it."""

    json: bytes


def providers_of(layers: Layers, selection: Selection) -> list[Reached]:
    """The selected providers that load, sorted by name. Raises ``PluginError`` where they cannot be asked."""
    found = []
    with Child(partial(_ask, layers, selection), frames=_Row) as child:
        try:
            for frame in child.frames(_TIMEOUT):
                name, env, base_url, error = json.loads(frame.json)
                found.append(Reached(name, tuple(env), base_url, error))
        except WorkerError as error:
            raise PluginError(f"{at_fault(error.mark, 'the process that queries the providers')} {error}") from None
    return found


def _ask(layers: Layers, selection: Selection, outbox: Outbox) -> None:
    chosen, _ = select(selection, ("providers",))
    plugins, _ = load(chosen, selection.targets, kinds=("providers",), watch=Watch(outbox))
    for plugin in plugins:
        base_url = error = ""
        try:
            filled = layers.of_plugin("providers", plugin.source.name, plugin.offer.settings)
            base_url = str(getattr(filled, "base_url", ""))
        except SentinelError as problem:
            error = str(problem)
        outbox.send(_Row(json.dumps([plugin.source.name, plugin.offer.env, base_url, error]).encode()))
