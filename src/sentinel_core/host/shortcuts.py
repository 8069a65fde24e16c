"""Parts of plugins that answer alone, before the plugin and what it needs are imported.

An entry point of the group ``sentinel.shortcuts`` names one: ``commands.hook.run = "package.module:function"``. It counts where no other
distribution offers the plugin, and the distribution's own version fits.
"""

import importlib
from collections.abc import Callable
from typing import Any

from sentinel_core._version import __version__
from sentinel_core.host.entry_points import HOST, entry_points

__all__ = ["shortcut"]

_PREFIX = "sentinel."


def shortcut(kind: str, name: str, part: str) -> Callable[..., Any] | None:
    """The function for a part of a plugin; None where the plugin itself has to answer, or to say what is wrong."""
    points = entry_points(_PREFIX)
    offered = [one for one in points if one.group == f"{_PREFIX}{kind}" and one.name == name]
    found = [one for one in points if one.group == f"{_PREFIX}shortcuts" and one.name == f"{kind}.{name}.{part}"]
    if len(offered) != 1 or len(found) != 1 or found[0].distribution != offered[0].distribution:
        return None
    if f"{HOST}=={__version__}" not in found[0].requires:
        return None
    module, _, attribute = found[0].value.partition(":")
    try:
        function: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except Exception:  # noqa: BLE001 - the plugin itself will say so
        return None
    return function
