"""What a record that broke off still says: pure functions of its events."""

from collections.abc import Iterable, Sequence

from sentinel_core.agent.events import (
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

__all__ = [
    "DELIVERED",
    "INTERRUPTED_ATTEMPT",
    "RESUMABLE",
    "attempts_in",
    "is_over",
    "last_run",
    "open_attempt",
    "replayable",
    "whole_run",
]

INTERRUPTED_ATTEMPT = "Interrupted"
# How a run may end and still go on later: nothing was wrong with what it had done.
RESUMABLE: frozenset[Outcome] = frozenset({"model_error", "deadline"})
# A run that ends so has done its work as far as it was let: its report counts. After the other ends it does not: they
# can be resumed, or the model would not or could not go on.
DELIVERED: frozenset[Outcome] = frozenset(
    {"completed", "max_turns", "max_tool_calls", "max_total_tokens", "max_cost", "truncated"}
)


def open_attempt(events: Sequence[Event]) -> AttemptFinished | None:
    """The end of an attempt that was under way when the record broke off; None where none was."""
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
    """Whether the last attempt came to an end that stands, and no decision upon it was begun that was not made.

    Its judging may be still to come, and its report on its way: ``standing.is_resumable`` looks at that too.
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
    """How often the model was asked in this turn of the last run so far."""
    return sum(isinstance(event, AttemptStarted) and event.turn == turn for event in last_run(events))


def replayable(events: Iterable[Event]) -> list[Event]:
    """The events that a resumed run plays.

    At each resumption, an end that was not final and a turn that had no reply yet are left out: both happen anew.
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
