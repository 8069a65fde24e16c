"""How a run stands, and what each of its events says, in a few words: pure functions of the record."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from sentinel_core.agent import events as ev
from sentinel_core.agent.attempts import attempts_of
from sentinel_core.agent.events import DeliveryFinished, DeliveryStarted, Event, Outcome
from sentinel_core.agent.resume import DELIVERED, RESUMABLE, is_over
from sentinel_core.agent.to_trace import INTERRUPTED
from sentinel_core.runtime.plural import counted
from sentinel_core.runtime.printable import clipped
from sentinel_core.trace import canonical

__all__ = ["is_resumable", "standing_of", "told"]

_MOST = 120
_E = TypeVar("_E", bound=Event)


def standing_of(events: Sequence[Event], holder: int | None, *, judged: Collection[Outcome]) -> dict[str, Any]:
    """``state`` is ``working``, the outcome, or ``interrupted``; ``resumable`` whether ``--resume`` has something to do.

    ``delivery`` is what came of the report, ``holder`` the process at work; ``judged`` as for ``is_resumable``.
    """
    delivery = _last(DeliveryFinished, events)
    resumable = is_resumable(events, judged=judged)
    outcome = next((attempt.outcome for attempt in reversed(attempts_of(events))), None)
    stands = outcome in RESUMABLE or delivery is not None or not resumable
    return {
        "state": "working" if holder else outcome if outcome is not None and stands else INTERRUPTED,
        "resumable": resumable,
        "delivery": None if delivery is None else delivery.status,
        "holder": holder,
    }


def is_resumable(events: Sequence[Event], *, judged: Collection[Outcome]) -> bool:
    """Whether ``--resume`` has something to do: an attempt or a decision to finish, or a report to deliver.

    ``judged`` are the ends that a guard decides upon (``limits.judged_ends``), none where there is no guard. A delivery that
    did not succeed is tried again where the receiver takes a key; else it could count twice.
    """
    if not is_over(events):
        return True
    started, finished = _last(DeliveryStarted, events), _last(DeliveryFinished, events)
    if finished is not None:
        return finished.status != "delivered" and started is not None and started.idempotency_key is not None
    last = attempts_of(events)[-1]
    is_undecided = last.decision is None and last.outcome in judged
    return is_undecided or (last.staged is not None and last.outcome in DELIVERED)


def _last(kind: type[_E], events: Sequence[Event]) -> _E | None:
    return next((event for event in reversed(events) if isinstance(event, kind)), None)


def told(event: Event) -> str:
    """The event in one short line: its name, and what a person wants to know of it. The whole of it is in the record."""
    text = " ".join(_TOLD[type(event)](event).split())
    return f"{type(event).__name__:<18} {clipped(text, _MOST)}".rstrip()


def _reply(event: Any) -> str:
    calls = [f"{call.name} {canonical(call.arguments).decode()}" for call in event.reply.tool_calls]
    return f"{_seconds(event.duration_ms)}  {'; '.join(calls) or event.reply.content}"


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.2f} s"


_TOLD: Mapping[type[Event], Callable[[Any], str]] = {
    ev.RunStarted: lambda e: " ".join(filter(None, (e.run_id, e.provider, e.model, e.rerun_of and "tries again"))),
    ev.MessageReceived: lambda e: e.content,
    ev.ContextFitted: lambda e: counted(e.messages, "message") + (f", {e.left_out} left out" if e.left_out else ""),
    ev.ContextSummarized: lambda e: e.summary,
    ev.AttemptStarted: lambda e: f"turn {e.turn}, attempt {e.attempt}",
    ev.AttemptFinished: lambda e: f"{e.error_type}: {e.error}" if e.error_type else _seconds(e.duration_ms),
    ev.BackedOff: lambda e: f"{e.seconds:.1f} s after {e.reason}",
    ev.ReplyReceived: _reply,
    ev.Decided: lambda e: f"{e.decision}: {e.reason}. {e.detail}" if e.detail else f"{e.decision}: {e.reason}",
    ev.ToolStarted: lambda e: f"{e.call.name} {canonical(e.call.arguments).decode()}",
    ev.ToolFinished: lambda e: ("ok: " if e.result.success else "failed: ") + e.result.content,
    ev.GuardrailChecked: lambda e: f"{e.guardrail}: {e.action} {e.reason} {e.detail}",
    ev.RunEnded: lambda e: f"{e.outcome} {e.detail}",
    ev.RunResumed: lambda e: "; ".join(e.accepted),
    ev.AttemptJudged: lambda e: f"{e.verdict or 'no verdict'} {' '.join(e.rules)}",
    ev.ReflectorAsked: lambda e: f"{e.persona} {_seconds(e.duration_ms)}",
    ev.AttemptReflected: lambda e: f"alignment {e.alignment_score:.3g}, drift {e.drift_score:.3g} {e.note}",
    ev.LoopDecided: lambda e: f"{e.decision}: {e.reason}. {e.detail}",
    ev.DeliveryStarted: lambda e: f"severity {e.arguments.get('severity')}",
    ev.DeliveryFinished: lambda e: f"{e.status}: {e.report_id or e.content}",
}
