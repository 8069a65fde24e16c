"""The limits of one run: what was used, which limit that reaches, and the message. Pure functions."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, get_args

import attrs

from sentinel_agent.events import ContextSummarized, Event, Outcome, ReflectorAsked, ReplyReceived, ToolStarted
from sentinel_agent.resume import RESUMABLE, last_run, whole_run
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.runtime.printable import counted
from sentinel_core.trace import TokenUsage

__all__ = ["SPENT", "Limit", "Used", "judged_ends", "limit_met", "too_many_calls", "used_in", "used_up"]

# Limits on all attempts at a task together: after these outcomes another attempt could not ask the model once.
SPENT: frozenset[Outcome] = frozenset({"max_total_tokens", "max_cost"})


@attrs.frozen
class Limit:
    """A reached limit: the outcome and the message."""

    outcome: Outcome
    detail: str


@attrs.frozen(kw_only=True)
class Used:
    """Usage of a run: replies, executed tool calls, tokens, US dollars, and seconds of this process."""

    turns: int = 0
    tool_calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0


def used_in(events: Sequence[Event], *, seconds: float = 0.0) -> Used:
    """Turns and tool calls of the last attempt in a record; tokens and dollars of the run with all its attempts.

    Replies, summaries and the reflector's answers count; usage that a provider does not report counts as 0.
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
    """The limit on tokens or money that forbids another attempt; None if there is none."""
    used = attrs.evolve(used_in(events), turns=0)  # turns are of one attempt; the next begins at 0
    return limit_met(used, settings)


def judged_ends(final: Collection[Outcome]) -> frozenset[Outcome]:
    """The outcomes of an attempt that a guard decides upon; no attempt follows one that ended in one of ``final``."""
    return frozenset(get_args(Outcome)) - RESUMABLE - SPENT - frozenset(final)


def _spent(event: Event) -> tuple[TokenUsage | None, float | None]:
    if isinstance(event, ReplyReceived):
        return event.reply.usage, event.reply.cost_usd
    if isinstance(event, ContextSummarized | ReflectorAsked):
        return event.usage, event.cost_usd
    return None, None


def limit_met(used: Used, settings: AgentSettings) -> Limit | None:
    """The first limit that forbids asking the model again; None if none does."""
    checks: tuple[tuple[Outcome, float, float | None], ...] = (
        ("max_turns", used.turns, settings.max_turns),
        ("max_total_tokens", used.tokens, settings.max_total_tokens),
        ("max_cost", used.cost_usd, settings.max_cost_usd),
        ("deadline", used.seconds, settings.deadline),
    )
    for outcome, value, limit in checks:
        if limit is not None and value >= limit:
            return Limit(outcome, _MESSAGES[outcome](value, limit))
    return None


def too_many_calls(used: Used, asked: int, settings: AgentSettings) -> Limit | None:
    """The limit on tool calls, if ``asked`` more would exceed it; else None."""
    if settings.max_tool_calls is None or used.tool_calls + asked <= settings.max_tool_calls:
        return None
    return Limit(
        "max_tool_calls",
        f"the run made {counted(used.tool_calls, 'tool call')} and asked for {asked:,} more; "
        f"the limit is {settings.max_tool_calls:,}",
    )


# The message for each limit, from the usage and the limit.
_MESSAGES: dict[Outcome, Callable[[Any, Any], str]] = {
    "max_turns": lambda _asked, limit: f"the model was asked {counted(limit, 'time')}, which is the limit",
    "max_total_tokens": lambda used, limit: f"the run used {counted(used, 'token')}; the limit is {limit:,}",
    "max_cost": lambda spent, limit: f"the run spent ${spent:.6g}; the limit is ${limit:g}",
    "deadline": lambda took, limit: f"the run took {took:.1f} s; its deadline is {limit:g} s",
}
