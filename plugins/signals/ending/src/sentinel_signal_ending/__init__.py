"""Sentinel signal: how a run ends.

The score is the worst of nine parts; the README has each with what it is worth and when it applies.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from sentinel_core import Detection, Signal, TraceIndex, hookimpl
from sentinel_signal_ending.last import Last
from sentinel_signal_ending.parts import PARTS
from sentinel_signal_ending.rules import RULES

if TYPE_CHECKING:
    from sentinel_core.offers import Explanation

__all__ = ["detect", "sentinel_signals"]


def detect(index: TraceIndex) -> Detection:
    """What the end of the trace shows; not measured where the agent said nothing and called nothing."""
    if not index.messages or index.is_silent:
        return _SILENT
    last = Last(index)
    parts = [part for part in (look(last) for look in PARTS) if part is not None]
    if not parts:
        return _FINE
    parts.sort(key=lambda part: -part[0])
    return Detection(score=parts[0][0], findings=[finding for _, finding in parts], details=parts[0][1].text)


_SILENT = Detection(score=None, details="The agent did nothing: there is no ending to check.")
_FINE = Detection(score=0.0, details="Nothing is wrong with how the run ended.")


def _explain() -> "Mapping[str, Explanation]":
    from sentinel_signal_ending.explained import explain

    return explain()


@hookimpl
def sentinel_signals() -> Iterable[Signal]:
    """Offer the ending signal."""
    return [Signal(name="ending", summary="how the run ends", detect=detect, rules=RULES, explain=_explain)]
