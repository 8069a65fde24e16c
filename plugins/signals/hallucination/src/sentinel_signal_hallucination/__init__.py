"""Sentinel signal: tool use that is claimed, imitated or left unanswered.

Its parts are imported when they are asked for: to see that a text claims nothing takes only ``english``.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentinel_signal_hallucination._settings import Settings
    from sentinel_signal_hallucination.judging import detect
    from sentinel_signal_hallucination.offered import sentinel_signals

__all__ = ["Settings", "detect", "sentinel_signals"]

_HOME = {"Settings": "_settings", "detect": "judging", "sentinel_signals": "offered"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
