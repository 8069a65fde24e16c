"""Reads ``GET /models``: OpenRouter describes its models fully, vLLM and llama.cpp partly, OpenAI lists ids only."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from sentinel_core.model import Capabilities

__all__ = ["capabilities_in", "ids_in"]

_WINDOW = ("context_length", "max_model_len", "context_window", "n_ctx", "n_ctx_train")
_MILLION = 1_000_000


def ids_in(models: Iterable[Mapping[str, Any]]) -> list[str]:
    """The ids, sorted."""
    return sorted(entry["id"] for entry in models if isinstance(entry.get("id"), str))


def capabilities_in(models: Iterable[Mapping[str, Any]], model: str, assumed: Capabilities) -> Capabilities:
    """A model's capabilities: those in the list, else ``assumed``. Listed prices are US dollars per token, as text."""
    entry = next((item for item in models if model in (item.get("id"), item.get("canonical_slug"))), None)
    if entry is None:
        return assumed
    accepted = entry.get("supported_parameters")
    names = accepted if isinstance(accepted, list) else ["temperature", "tools"]
    shape, prices = _table(entry.get("architecture")), _table(entry.get("pricing"))
    modalities = shape.get("input_modalities")
    return attrs.evolve(
        assumed,
        tools="tools" in names,
        sampling="temperature" in names,
        vision=isinstance(modalities, list) and "image" in modalities,
        context_window=_window(entry),
        prompt_price=_price(prices.get("prompt")),
        completion_price=_price(prices.get("completion")),
    )


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _window(entry: Mapping[str, Any]) -> int | None:
    places = (_table(entry.get("top_provider")), entry, _table(entry.get("meta")))
    found = (place[key] for place in places for key in _WINDOW if type(place.get(key)) is int and place[key] > 0)
    return next(found, None)


def _price(text: object) -> float | None:
    try:
        price = float(text) * _MILLION if isinstance(text, str) else math.nan
    except ValueError:
        return None
    return round(price, 6) if math.isfinite(price) and price >= 0 else None
