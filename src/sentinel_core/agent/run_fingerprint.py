"""What must be the same for a run to be resumed: told as values, so that differences can be told too."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from sentinel_core.offers import Tool
from sentinel_core.trace import canonical, from_json

__all__ = ["differences", "fingerprint"]

_SHOWN = 60


def fingerprint(
    *,
    provider: str,
    model: str | None,
    system_prompt: str,
    tools: Iterable[Tool],
    settings: Mapping[str, Mapping[str, Any]],
    plugins: Mapping[str, str],
) -> dict[str, Any]:
    """Flat: a name to a JSON value. ``settings`` are by group, ``plugins`` label to version."""
    schemas = {tool.name: _digest([tool.description, tool.parameters, tool.effect]) for tool in tools}
    flat: dict[str, Any] = {"provider": provider, "model": model, "prompt": _digest(system_prompt)}
    flat.update({f"tool {name}": digest for name, digest in schemas.items()})
    flat.update({f"plugin {label}": version for label, version in plugins.items()})
    flat.update({f"{group}.{name}": value for group, values in settings.items() for name, value in values.items()})
    plain: dict[str, Any] = from_json(canonical(flat))
    return plain


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """One text for each name that changed, sorted: ``agent.max_turns: 12 -> 3``."""
    names = sorted({*before, *now})
    return tuple(
        f"{name}: {_shown(before, name)} -> {_shown(now, name)}" for name in names if before.get(name) != now.get(name)
    )


def _shown(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return "nothing"
    text = canonical(values[name]).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _digest(value: object) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()[:16]
