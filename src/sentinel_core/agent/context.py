"""Which messages the model is shown when not all of them fit: pure functions of the conversation.

A unit is a message of the user, or one of the model with the results of its calls; it is kept or left out as a whole, so
that no call is ever shown without its result. The first unit, the task, and the last one are always kept.
"""

from collections.abc import Callable, Iterable, Sequence

import attrs

from sentinel_core.agent.truncation import shorten
from sentinel_core.host.agent_settings import ContextStrategy
from sentinel_core.offers import Tool
from sentinel_core.trace import Message, canonical

__all__ = [
    "Estimate",
    "ManagedContext",
    "Summary",
    "budget_of",
    "estimate_overhead",
    "estimate_tokens",
    "manage_context",
]

Estimate = Callable[[Sequence[Message]], int]
_Unit = tuple[Message, ...]

_MARGIN = 0.10  # of the window, for what the estimate gets wrong
_REPLY = 4096  # tokens kept for the reply where no limit is set, or a quarter of a small window
_AFTER_SUMMARY = 0.5  # of the budget: a summary makes room for several turns


@attrs.frozen
class Summary:
    """A text that stands for the first ``covers`` messages after the task."""

    covers: int
    text: str


@attrs.frozen(kw_only=True)
class ManagedContext:
    """The messages to show, how many were left out, and the estimate of those shown.

    ``to_summarize`` are the messages that ``sliding_window`` wants summarized; the caller does so, or shows it as it is.
    """

    messages: tuple[Message, ...]
    left_out: int = 0
    estimated_tokens: int = 0
    to_summarize: tuple[Message, ...] = ()


def budget_of(window: int | None, overhead: int, max_tokens: int | None) -> int | None:
    """Tokens that the messages may take: window - system prompt and tools - reply - 10 %; None for an unknown window."""
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
    """The conversation as it fits ``budget`` tokens; all of it where it does, or where the budget is not known.

    ``truncation`` keeps the newest units, ``importance`` those that weigh most (the user's words, failed results, then the
    newest), ``sliding_window`` the newest after a ``summary`` of the older ones. What must be kept and still does not fit
    has its longest tool results cut in the middle.
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
    """The task's message carries the summary, so that the roles still alternate as providers want them."""
    if summary is None or not messages:
        return tuple(messages)
    task = messages[0]
    told = f"{task.content or ''}\n\nWhat happened so far, in short:\n{summary.text}"
    return (attrs.evolve(task, content=told), *messages[1 + summary.covers :])


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
    """The first and the last unit, then others in this order while they fit; past one that does not only with ``skip``."""
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
    """The user's words weigh 3, results that failed 2, everything else 1."""
    if unit[0].role == "user":
        return 3
    return 2 if any(result.success is False for message in unit for result in message.tool_results) else 1


_CHOOSE: dict[ContextStrategy, Callable[[list[_Unit], int, Estimate], set[int]]] = {
    "truncation": _newest,
    "sliding_window": _window,
    "importance": _weightiest,
}


# Bytes of UTF-8 a token, times ten, so that the arithmetic stays whole: prose packs better than JSON.
_TEXT_BYTES_X10 = 36
_JSON_BYTES_X10 = 30
_PER_MESSAGE = 4


def estimate_tokens(messages: Sequence[Message]) -> int:
    """About how many tokens these messages are: UTF-8 bytes / 3.6 of text, / 3.0 of call arguments, and 4 a message."""
    return sum(map(_message_tokens, messages))


def estimate_overhead(system_prompt: str, tools: Iterable[Tool]) -> int:
    """About how many tokens a request has beside its messages: the system prompt and the descriptions of the tools."""
    json = sum(len(canonical([tool.name, tool.description, tool.parameters])) for tool in tools)
    return _PER_MESSAGE + -(-_size(system_prompt) * 10 // _TEXT_BYTES_X10) + -(-json * 10 // _JSON_BYTES_X10)


def _message_tokens(message: Message) -> int:
    texts = [message.content or "", *(result.content for result in message.tool_results)]
    text = sum(_size(part) for part in texts)
    json = sum(_size(call.name) + len(canonical(call.arguments)) for call in message.tool_calls)
    return _PER_MESSAGE + -(-text * 10 // _TEXT_BYTES_X10) + -(-json * 10 // _JSON_BYTES_X10)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
