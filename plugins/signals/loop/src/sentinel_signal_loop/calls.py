"""Identical calls with identical results."""

from typing import TYPE_CHECKING

from sentinel_core.trace import canonical_each
from sentinel_signal_loop.stretches import NEW, Track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sentinel_core import Call, ToolResult
    from sentinel_signal_loop.settings import LoopSettings

__all__ = ["call_track"]

_FEWEST = 2
_DIGITS = b"0123456789"


def call_track(calls: "Sequence[Call]", settings: "LoopSettings") -> Track | None:
    """A step for each call, pointing at the latest same call if the result is the same too; None if none does.

    A changed result is polling: the call counts as new, and the repeats that it ends were waiting for it. A failure that
    ends failures is nothing that they waited for.
    """
    # Where the arguments differ, so do the keys; to write them all at once takes half as long.
    if len(calls) < _FEWEST or len(set(canonical_each([call.call.arguments for call in calls]))) == len(calls):
        return None
    keys = [call.key for call in calls]
    track = Track([call.message_index for call in calls], range(len(calls)))
    latest: dict[tuple[str, bytes], int] = {}
    for position, key in enumerate(keys):
        previous = latest.get(key, NEW)
        latest[key] = position
        if previous == NEW:
            continue
        earlier, call = calls[previous], calls[position]
        sureness = _sameness(earlier, call, settings)
        if sureness:
            track.repeat(position, previous, sureness)
        elif track.previous[previous] != NEW and not (_failed(earlier) and _failed(call)):
            _forgive(track, previous, settings.after_news_weight)
    return track if track.sureness else None


def _forgive(track: Track, waiting: int, weight: float) -> None:
    """Weigh less the repeats that led up to a step: their waiting has paid off. Each is reached once."""
    while waiting != NEW and track.previous[waiting] != NEW:
        track.sureness[waiting] *= weight
        waiting = track.previous[waiting]


def _sameness(earlier: "Call", call: "Call", settings: "LoopSettings") -> float:
    """How sure it is that the call brought what the earlier one had brought, from 0 to 1."""
    one, other = earlier.result, call.result
    if one is None or other is None:
        return settings.unrecorded_weight
    if one.success != other.success:
        return 0.0
    if one.content == other.content:
        return 1.0 if other.content.strip() else settings.unrecorded_weight
    # Most failures that differ have not as many lines.
    if not (_failed(earlier) and _failed(call)) or one.content.count("\n") != other.content.count("\n"):
        return 0.0
    return 1.0 if _uncounted(one) == _uncounted(other) else 0.0


def _uncounted(result: "ToolResult") -> bytes:
    """A result without its counters and clocks: the number of a cell, a time, a port."""
    return result.content.encode("utf-8", "surrogatepass").translate(None, _DIGITS)


def _failed(call: "Call") -> bool:
    return call.outcome.state == "failed"
