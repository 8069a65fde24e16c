"""The state of a record that broke off: pure functions of its events."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sentinel_agent.events import (
    AttemptFinished,
    AttemptJudged,
    AttemptStarted,
    ContextFitted,
    ContextSummarized,
    Decided,
    Event,
    LoopDecided,
    Outcome,
    ReplyReceived,
    RunEnded,
    RunResumed,
    RunStarted,
)
from sentinel_core.offers import Tool
from sentinel_core.trace import canonical, from_json

__all__ = [
    "DELIVERED",
    "INTERRUPTED_ATTEMPT",
    "RESUMABLE",
    "attempts_in",
    "differences",
    "fingerprint",
    "is_over",
    "last_run",
    "open_attempt",
    "replayable",
    "whole_run",
]

INTERRUPTED_ATTEMPT = "Interrupted"
# Outcomes after which a run can be resumed, because the work so far is sound.
RESUMABLE: frozenset[Outcome] = frozenset({"model_error", "deadline"})
# Outcomes after which the staged report is delivered. After the others the run can be resumed, or the model refused or failed.
DELIVERED: frozenset[Outcome] = frozenset(
    {"completed", "max_turns", "max_tool_calls", "max_total_tokens", "max_cost", "truncated", "stopped"}
)


def open_attempt(events: Sequence[Event]) -> AttemptFinished | None:
    """The end of an attempt that was running when the record broke off; None if none was."""
    last = events[-1] if events else None
    if not isinstance(last, AttemptStarted):
        return None
    return AttemptFinished(
        turn=last.turn,
        attempt=last.attempt,
        duration_ms=0.0,
        error_type=INTERRUPTED_ATTEMPT,
        error="the process ended before the reply came",
    )


def is_over(events: Sequence[Event]) -> bool:
    """Whether the last attempt ended for good, and was either not judged yet or decided upon.

    Its judging and the delivery of its report may be missing: ``run_progress.is_resumable`` checks these too.
    """
    last = last_run(replayable([*events, RunResumed()]))
    judged = any(isinstance(event, AttemptJudged) for event in last)
    final = any(isinstance(event, LoopDecided) and event.decision == "finalize" for event in last)
    return any(isinstance(event, RunEnded) for event in last) and (final or not judged)


def last_run(events: Sequence[Event]) -> Sequence[Event]:
    """The events of the last run in a record, from its start."""
    for place in range(len(events) - 1, -1, -1):
        if isinstance(events[place], RunStarted):
            return events[place:]
    return events


def whole_run(events: Sequence[Event]) -> Sequence[Event]:
    """The events of the last run in a record and of the attempts before it that it is a rerun of."""
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        if isinstance(event, RunStarted) and event.rerun_of is None:
            return events[place:]
    return events


def attempts_in(events: Sequence[Event], turn: int) -> int:
    """Attempts so far in this turn of the last run."""
    return sum(isinstance(event, AttemptStarted) and event.turn == turn for event in last_run(events))


def replayable(events: Iterable[Event]) -> list[Event]:
    """The events that a resumed run replays.

    Before each ``RunResumed``, an end that can be resumed and a turn without a reply are dropped: both happen again.
    """
    kept: list[Event] = []
    for event in events:
        if isinstance(event, RunResumed):
            _drop_resumable_end(kept)
            _drop_unanswered_turn(kept)
        else:
            kept.append(event)
    return kept


def _drop_resumable_end(kept: list[Event]) -> None:
    if kept and isinstance(kept[-1], RunEnded) and kept[-1].outcome in RESUMABLE:
        kept.pop()
    if kept and isinstance(kept[-1], Decided) and kept[-1].decision == "finalize" and kept[-1].reason in RESUMABLE:
        kept.pop()


def _drop_unanswered_turn(kept: list[Event]) -> None:
    place = len(kept)
    while place and not isinstance(kept[place - 1], ReplyReceived | RunStarted | RunEnded):
        place -= 1
    for start in range(place, len(kept)):
        if isinstance(kept[start], ContextFitted | ContextSummarized | AttemptStarted):
            del kept[start:]
            return


_SHOWN = 60


def fingerprint(
    *,
    provider: str,
    model: str | None,
    system_prompt: str,
    tools: Iterable[Tool],
    settings: Mapping[str, Mapping[str, Any]],
    plugins: Mapping[str, str],
) -> dict[str, Any]:
    """What a resumed run must share, as a flat dict of JSON values. ``settings`` are by group, ``plugins`` label to version."""
    schemas = {tool.name: _digest([tool.description, tool.parameters, tool.effect]) for tool in tools}
    flat: dict[str, Any] = {"provider": provider, "model": model, "prompt": _digest(system_prompt)}
    flat.update({f"tool {name}": digest for name, digest in schemas.items()})
    flat.update({f"plugin {label}": version for label, version in plugins.items()})
    flat.update({f"{group}.{name}": value for group, values in settings.items() for name, value in values.items()})
    plain: dict[str, Any] = from_json(canonical(flat))
    return plain


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """One text for each name that changed, sorted: ``agent.max_turns: 12 -> 3``."""
    names = sorted({*before, *now})
    return tuple(
        f"{name}: {_shown(before, name)} -> {_shown(now, name)}" for name in names if before.get(name) != now.get(name)
    )


def _shown(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return "nothing"
    text = canonical(values[name]).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _digest(value: object) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()[:16]
