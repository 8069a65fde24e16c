"""The limits of one run: how each would end it, in words; a pure look at what was used."""

from collections.abc import Sequence

import attrs

from sentinel_core.agent.events import ContextSummarized, Event, Outcome, ReflectorAsked, ReplyReceived, ToolStarted
from sentinel_core.agent.resuming import last_run, whole_run
from sentinel_core.agent.settings import AgentSettings
from sentinel_core.trace import TokenUsage

__all__ = ["SPENT", "Limit", "Used", "limit_met", "too_many_calls", "used_in", "used_up"]

# Limits of all attempts at a task together: after these ends another attempt could not even ask.
SPENT: frozenset[Outcome] = frozenset({"max_total_tokens", "max_cost"})


@attrs.frozen
class Limit:
    """How a run ends, and why."""

    outcome: Outcome
    detail: str


@attrs.frozen(kw_only=True)
class Used:
    """What a run used: replies, tool calls that were run, tokens, US dollars, and seconds of this process."""

    turns: int = 0
    tool_calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0


def used_in(events: Sequence[Event], *, seconds: float = 0.0) -> Used:
    """Turns and tool calls of the last attempt in a record; tokens and dollars of the run with all its attempts.

    Replies, summaries and the reflector's answers count; what a provider does not report counts nothing.
    """
    attempt, spent = last_run(events), [_spent(event) for event in whole_run(events)]
    return Used(
        turns=sum(isinstance(event, ReplyReceived) for event in attempt),
        tool_calls=sum(isinstance(event, ToolStarted) for event in attempt),
        tokens=sum(usage.total for usage, _ in spent if usage is not None),
        cost_usd=sum(cost or 0.0 for _, cost in spent),
        seconds=seconds,
    )


def used_up(events: Sequence[Event], settings: AgentSettings) -> Limit | None:
    """The limit on tokens or money after which no other attempt could ask; None where it could."""
    return limit_met(attrs.evolve(used_in(events), turns=0), settings)


def _spent(event: Event) -> tuple[TokenUsage | None, float | None]:
    if isinstance(event, ReplyReceived):
        return event.reply.usage, event.reply.cost_usd
    if isinstance(event, ContextSummarized | ReflectorAsked):
        return event.usage, event.cost_usd
    return None, None


def limit_met(used: Used, settings: AgentSettings) -> Limit | None:
    """The first limit that forbids asking the model again; None where none does."""
    checks: tuple[tuple[Outcome, float, float | None, str], ...] = (
        ("max_turns", used.turns, settings.max_turns, "the model was asked {0} times, the limit"),
        ("max_total_tokens", used.tokens, settings.max_total_tokens, "{1} tokens were used; the limit is {0}"),
        ("max_cost", used.cost_usd, settings.max_cost_usd, "${1:.6g} were spent; the limit is ${0:g}"),
        ("deadline", used.seconds, settings.deadline, "the run took {1:.1f} s; its deadline is {0:g} s"),
    )
    for outcome, value, limit, text in checks:
        if limit is not None and value >= limit:
            return Limit(outcome, text.format(limit, value))
    return None


def too_many_calls(used: Used, asked: int, settings: AgentSettings) -> Limit | None:
    """The limit on tool calls, where so many more would go beyond it."""
    if settings.max_tool_calls is None or used.tool_calls + asked <= settings.max_tool_calls:
        return None
    return Limit(
        "max_tool_calls",
        f"{used.tool_calls} tool calls were run and {asked} more were asked for; the limit is {settings.max_tool_calls}",
    )
