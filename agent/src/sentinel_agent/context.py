"""Chooses the messages of a request when not all fit, and shortens their longest results: pure functions."""

from collections.abc import Callable, Sequence

import attrs

from sentinel_core.host.agent_settings import ContextStrategy
from sentinel_core.runtime.cut import LEAST, cut
from sentinel_core.trace import Message

__all__ = [
    "Estimate",
    "ManagedContext",
    "Summary",
    "budget_of",
    "manage_context",
    "shorten",
]


def shorten(
    messages: Sequence[Message], budget: int, estimate: Callable[[Sequence[Message]], int]
) -> tuple[Message, ...]:
    """The messages, with the longest tool result halved repeatedly until they fit or none is long."""
    shortened = list(messages)
    while estimate(shortened) > budget:
        longest = max(range(len(shortened)), key=lambda place: _longest(shortened[place]))
        limit = _longest(shortened[longest]) // 2
        if limit < LEAST:
            break
        original = messages[longest]  # cut from the whole again, so that the mark gives its full length
        results = tuple(attrs.evolve(result, content=cut(result.content, limit)) for result in original.tool_results)
        shortened[longest] = attrs.evolve(original, tool_results=results)
    return tuple(shortened)


def _longest(message: Message) -> int:
    return max((len(result.content) for result in message.tool_results), default=0)


Estimate = Callable[[Sequence[Message]], int]
_Unit = tuple[Message, ...]

_MARGIN = 0.10  # of the window, for what the estimate gets wrong
_REPLY = 4096  # tokens reserved for the reply if no limit is set; at most a quarter of the window
_AFTER_SUMMARY = 0.5  # of the budget: a summary makes room for several turns


@attrs.frozen
class Summary:
    """A text that replaces the first ``covers`` messages after the task."""

    covers: int
    text: str


@attrs.frozen(kw_only=True)
class ManagedContext:
    """The messages to show, how many were left out, and the estimate of those shown.

    ``to_summarize`` are the messages that ``sliding_window`` leaves out; the caller may summarize them.
    """

    messages: tuple[Message, ...]
    left_out: int = 0
    estimated_tokens: int = 0
    to_summarize: tuple[Message, ...] = ()


def budget_of(window: int | None, overhead: int, max_tokens: int | None) -> int | None:
    """Tokens for the messages: window - system prompt and tools - reply - 10 %; None for an unknown window."""
    if window is None:
        return None
    reply = max_tokens if max_tokens is not None else min(_REPLY, window // 4)
    return max(1, int(window * (1 - _MARGIN)) - overhead - reply)


def manage_context(
    messages: Sequence[Message],
    *,
    budget: int | None,
    strategy: ContextStrategy,
    estimate: Estimate,
    summary: Summary | None = None,
) -> ManagedContext:
    """The conversation within ``budget`` tokens; all of it if it fits or the budget is None.

    A unit is a message with the tool results that follow it. ``truncation`` keeps the newest units, ``importance`` those that
    weigh most (the user's messages, failed results, then the newest), ``sliding_window`` the newest after a ``summary`` of
    the older ones. The first and the last unit are always kept; if they do not fit, their longest tool results are cut.
    """
    shown = _with_summary(messages, summary)
    everything = estimate(shown)
    if budget is None or everything <= budget:
        hidden = len(messages) - len(shown)
        return ManagedContext(messages=shown, left_out=hidden, estimated_tokens=everything)
    units = _units(shown)
    kept = _CHOOSE[strategy](units, budget, estimate)
    chosen = tuple(message for place in sorted(kept) for message in units[place])
    gone = tuple(message for place, unit in enumerate(units) if place not in kept for message in unit)
    fitted = shorten(chosen, budget, estimate)
    return ManagedContext(
        messages=fitted,
        left_out=len(messages) - len(fitted),
        estimated_tokens=estimate(fitted),
        to_summarize=gone if strategy == "sliding_window" else (),
    )


def _with_summary(messages: Sequence[Message], summary: Summary | None) -> tuple[Message, ...]:
    """Appends the summary to the task's message, because providers require roles to alternate."""
    if summary is None or not messages:
        return tuple(messages)
    task = messages[0]
    content = f"{task.content or ''}\n\nWhat happened so far, in short:\n{summary.text}"
    return (attrs.evolve(task, content=content), *messages[1 + summary.covers :])


def _units(messages: Sequence[Message]) -> list[_Unit]:
    units: list[list[Message]] = []
    for message in messages:
        if message.role == "tool" and units:
            units[-1].append(message)
        else:
            units.append([message])
    return [tuple(unit) for unit in units]


def _newest(units: list[_Unit], budget: int, estimate: Estimate) -> set[int]:
    return _fill(units, range(len(units) - 1, -1, -1), budget, estimate, skip=False)


def _window(units: list[_Unit], budget: int, estimate: Estimate) -> set[int]:
    return _newest(units, int(budget * _AFTER_SUMMARY), estimate)


def _weightiest(units: list[_Unit], budget: int, estimate: Estimate) -> set[int]:
    order = sorted(range(len(units)), key=lambda place: (_weight(units[place]), place), reverse=True)
    return _fill(units, order, budget, estimate, skip=True)


def _fill(units: list[_Unit], order: Sequence[int], budget: int, estimate: Estimate, *, skip: bool) -> set[int]:
    """The first and the last unit, then others in this order while they fit; ``skip`` passes over those that do not fit."""
    kept = {0, len(units) - 1}
    left = budget - sum(estimate(units[place]) for place in kept)
    for place in order:
        if place in kept:
            continue
        size = estimate(units[place])
        if size <= left:
            kept.add(place)
            left -= size
        elif not skip:
            break
    return kept


def _weight(unit: _Unit) -> int:
    """The user's messages weigh 3, failed results 2, everything else 1."""
    if unit[0].role == "user":
        return 3
    return 2 if any(result.success is False for message in unit for result in message.tool_results) else 1


_CHOOSE: dict[ContextStrategy, Callable[[list[_Unit], int, Estimate], set[int]]] = {
    "truncation": _newest,
    "sliding_window": _window,
    "importance": _weightiest,
}
