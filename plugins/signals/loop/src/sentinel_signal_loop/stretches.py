"""Repeats in a sequence of steps, gathered into stretches in which nothing new happened."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sentinel_core import Call, ToolResult
    from sentinel_signal_loop import LoopSettings

__all__ = ["NEW", "Repeat", "Stretch", "Track", "call_track", "rising", "stretches"]

NEW = -1
"""Stands in a track where a step repeats none."""


class Track:
    """The steps of one kind, calls or texts, in order; plain numbers, because a long run has many.

    For each step: ``messages``, the index of its message; ``sources``, its place in the trace's index; ``previous``, the
    latest step that it repeats or ``NEW``. ``sureness`` says for each repeat how sure it is, in [0, 1].
    """

    __slots__ = ("messages", "previous", "sources", "sureness")

    def __init__(self, messages: Sequence[int], sources: Sequence[int]) -> None:
        self.messages = messages
        self.sources = sources
        self.previous = [NEW] * len(messages)
        self.sureness: dict[int, float] = {}

    def repeat(self, step: int, previous: int, sureness: float = 1.0) -> None:
        """Say that a step repeats an earlier one."""
        self.previous[step] = previous
        self.sureness[step] = sureness

    @property
    def new(self) -> list[int]:
        """The messages of the steps that repeat none, ascending."""
        return [message for message, previous in zip(self.messages, self.previous, strict=True) if previous == NEW]


class Repeat:
    """A step that repeats an earlier one. It is dry where nothing new happened in between; then it weighs in full."""

    __slots__ = ("distance", "dry", "source", "step", "weight")

    def __init__(self, step: int, source: int, distance: int, weight: float) -> None:
        self.step = step
        self.source = source
        self.distance = distance
        self.weight = weight
        self.dry = False


class Stretch:
    """Consecutive repeats with no news between them, oldest first. ``since`` is the message of the last news before."""

    __slots__ = ("_wet", "repeats", "since")

    def __init__(self, since: int) -> None:
        self.since = since
        self.repeats: list[Repeat] = []
        self._wet: list[Repeat] = []

    def add(self, repeat: Repeat, *, dry: bool) -> None:
        """Append a repeat; one that is dry closes a round, which makes the other repeats of that round dry too."""
        self.repeats.append(repeat)
        self._wet.append(repeat)
        while dry and self._wet and self._wet[-1].step > repeat.step - repeat.distance:
            self._wet.pop().dry = True

    @property
    def dry(self) -> list[Repeat]:
        """The repeats since whose last time nothing new happened."""
        return [repeat for repeat in self.repeats if repeat.dry]

    def weight(self, after_news_weight: float) -> float:
        """Sum over the repeats; those that are not dry weigh ``after_news_weight`` times as much."""
        return sum(repeat.weight * (1.0 if repeat.dry else after_news_weight) for repeat in self.repeats)


def stretches(track: Track, news: Sequence[int]) -> list[Stretch]:
    """Gather repeats into stretches; linear in the number of steps.

    ``news`` holds the message indices, ascending, at which something new came from outside the track. A repeat is dry
    where neither that nor a new step came after the step that it repeats, and that step is in an earlier message. The
    first round of a cycle is known only by the second: A and B of A-B-A-B come after the news of each other.
    """
    found: list[Stretch] = []
    latest, ahead = -1, 0
    for step, (message, previous) in enumerate(zip(track.messages, track.previous, strict=True)):
        while ahead < len(news) and news[ahead] <= message:
            latest = news[ahead]
            ahead += 1
        if previous == NEW:
            latest = message
            continue
        if not found or found[-1].since != latest:
            found.append(Stretch(latest))
        repeat = Repeat(step, track.sources[step], step - previous, track.sureness[step])
        found[-1].add(repeat, dry=latest <= track.messages[previous] < message)
    return found


def rising(amount: float, half: float) -> float:
    """A score from 0 towards 1 that is 0.5 at ``half``: Hill's function with exponent 2."""
    squared = amount * amount
    return squared / (squared + half * half)


_DIGITS = b"0123456789"


def call_track(calls: "Sequence[Call]", given: Sequence[bytes], settings: "LoopSettings") -> Track | None:
    """A step for each call, pointing at the latest same call if the result is the same too; None if none does.

    ``given`` has the canonical arguments of each call. A changed result is polling: the call counts as new, and the repeats
    that it ends were waiting for it. A failure that ends failures is nothing that they waited for.
    """
    track = Track([call.message_index for call in calls], range(len(calls)))
    latest: dict[tuple[str, bytes], int] = {}
    for position, key in enumerate(zip([call.call.name for call in calls], given, strict=True)):
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
