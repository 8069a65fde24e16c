"""What the settings of a run in the journal say of it: those that it was begun with, and those that hold now."""

from collections.abc import Mapping
from typing import Any

from sentinel_core.agent.events import Outcome
from sentinel_core.agent.limits import judged_ends
from sentinel_core.host.settings import Layers, Setting

__all__ = ["final_ends", "judged_by", "with_kept"]

_ENDS: tuple[Outcome, ...] = ("max_turns", "max_tool_calls")  # an attempt; the other limits are of all together


def with_kept(now: Layers, kept: Mapping[str, Any]) -> Layers:
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
