"""Chooses the messages of a request when not all fit, and cuts long texts in the middle: pure functions."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import attrs

from sentinel_core.host.agent_settings import ContextStrategy
from sentinel_core.offers import Tool
from sentinel_core.trace import Message, canonical, from_json, to_json

__all__ = [
    "Estimate",
    "ManagedContext",
    "Summary",
    "budget_of",
    "capped",
    "estimate_overhead",
    "estimate_tokens",
    "manage_context",
    "shorten",
]

_LEAST = 200  # characters of a result that are always left
_LONGEST_JSON = 2_000_000  # characters; what is longer is cut as text
_FIRST_TRY = 256  # keys of an object
_KEYS_AN_ELEMENT = 8  # keys of an object kept for each kept element of a list: keys differ more than elements do


def capped(text: str, limit: int) -> tuple[str, dict[str, Any]]:
    """A tool's result cut to ``limit`` characters, and metadata on the whole: its SHA-256 and length."""
    if len(text) <= limit:
        return text, {}
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return _as_json(text, limit) or _cut(text, limit), {"cut": True, "full_chars": len(text), "full_sha256": digest}


def shorten(
    messages: Sequence[Message], budget: int, estimate: Callable[[Sequence[Message]], int]
) -> tuple[Message, ...]:
    """The messages, with the longest tool result halved repeatedly until they fit or none is long."""
    shortened = list(messages)
    while estimate(shortened) > budget:
        longest = max(range(len(shortened)), key=lambda place: _longest(shortened[place]))
        limit = _longest(shortened[longest]) // 2
        if limit < _LEAST:
            break
        original = messages[longest]  # cut from the whole again, so that the mark gives its full length
        results = tuple(attrs.evolve(result, content=_cut(result.content, limit)) for result in original.tool_results)
        shortened[longest] = attrs.evolve(original, tool_results=results)
    return tuple(shortened)


def _as_json(text: str, limit: int) -> str | None:
    """The JSON document with as much in it as fits; None for other texts, very long ones, and if nothing fits."""
    try:
        document = from_json(text) if len(text) <= _LONGEST_JSON else None
        return _as_much_as_fits(document, limit) if isinstance(document, dict | list) else None
    except (ValueError, RecursionError):
        return None


def _as_much_as_fits(document: Any, limit: int) -> str | None:
    """Doubles the number of keys until it does not fit or is complete; divides by 4 while the first try does not fit."""
    fits, most = None, _FIRST_TRY
    while most:
        shorter = to_json(_with_less(document, most, iter(range(limit)))).decode()
        is_too_long = len(shorter) > limit
        if is_too_long and fits is None:
            most //= 4
        elif is_too_long or shorter == fits:
            break
        else:
            fits, most = shorter, most * 2
    return fits


def _with_less(value: Any, most: int, room: Iterator[int]) -> Any:
    """At most ``most`` keys and characters. ``room`` ends after ``limit`` values, because more can never fit."""
    if next(room, None) is None:
        return None
    if isinstance(value, str):
        return _cut(value, max(most, _LEAST))
    if isinstance(value, dict):
        less = {key: _with_less(inner, most, room) for key, inner in islice(value.items(), most)}
        return less | dict.fromkeys(_left_out(len(value), most))
    if isinstance(value, list):
        kept = max(1, most // _KEYS_AN_ELEMENT)
        return [*(_with_less(inner, most, room) for inner in value[:kept]), *_left_out(len(value), kept)]
    return value


def _left_out(of: int, kept: int) -> list[str]:
    return [f"[cut at max_result_chars: {of - kept} of {of} left out]"] if of > kept else []


def _longest(message: Message) -> int:
    return max((len(result.content) for result in message.tool_results), default=0)


def _cut(text: str, limit: int) -> str:
    """At most ``limit`` characters: the start, a mark with the full length, and the end."""
    if len(text) <= limit:
        return text
    mark = f"\n[cut: {len(text)} characters in all]\n"
    room = max(0, limit - len(mark))
    head = room - room // 4
    return text[:head] + mark + text[len(text) - (room - head) :]


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


# Bytes of UTF-8 per token, times ten, to stay in integers; prose has more bytes per token than JSON.
_TEXT_BYTES_X10 = 36
_JSON_BYTES_X10 = 30
_PER_MESSAGE = 4


def estimate_tokens(messages: Sequence[Message]) -> int:
    """Estimated tokens of the messages: UTF-8 bytes / 3.6 of text, / 3.0 of call arguments, and 4 per message."""
    return sum(map(_message_tokens, messages))


def estimate_overhead(system_prompt: str, tools: Iterable[Tool]) -> int:
    """Estimated tokens of a request beside its messages: the system prompt and the tools' descriptions."""
    json = sum(len(canonical([tool.name, tool.description, tool.parameters])) for tool in tools)
    return _PER_MESSAGE + -(-_size(system_prompt) * 10 // _TEXT_BYTES_X10) + -(-json * 10 // _JSON_BYTES_X10)


def _message_tokens(message: Message) -> int:
    texts = [message.content or "", *(result.content for result in message.tool_results)]
    text = sum(_size(part) for part in texts)
    json = sum(_size(call.name) + len(canonical(call.arguments)) for call in message.tool_calls)
    return _PER_MESSAGE + -(-text * 10 // _TEXT_BYTES_X10) + -(-json * 10 // _JSON_BYTES_X10)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
