"""How a run stands, and what each of its events says, in a few words: pure functions of the record."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from sentinel_core.agent.attempts import attempts_of
from sentinel_core.agent.detective import DELIVERED
from sentinel_core.agent.events import DeliveryFinished, DeliveryStarted, Event
from sentinel_core.agent.resuming import RESUMABLE, is_over
from sentinel_core.agent.to_trace import INTERRUPTED
from sentinel_core.output.printable import clipped
from sentinel_core.trace import canonical

__all__ = ["is_resumable", "standing_of", "told"]

_MOST = 120
_E = TypeVar("_E", bound=Event)


def standing_of(events: Sequence[Event], holder: int | None) -> dict[str, Any]:
    """``state`` is ``working``, the outcome, or ``interrupted``; ``resumable`` whether ``--resume`` has something to do;
    ``delivery`` what came of the report; ``holder`` the process at work."""  # noqa: D205, D209 - one sentence
    delivery = _last(DeliveryFinished, events)
    resumable = is_resumable(events)
    outcome = next((attempt.outcome for attempt in reversed(attempts_of(events))), None)
    stands = outcome in RESUMABLE or delivery is not None or not resumable
    return {
        "state": "working" if holder else outcome if outcome is not None and stands else INTERRUPTED,
        "resumable": resumable,
        "delivery": None if delivery is None else delivery.status,
        "holder": holder,
    }


def is_resumable(events: Sequence[Event]) -> bool:
    """Whether ``--resume`` has something to do: an attempt or a decision to finish, or a report to deliver.

    A delivery that did not succeed is tried again where the receiver takes a key; else it could count twice.
    """
    if not is_over(events):
        return True
    started, finished = _last(DeliveryStarted, events), _last(DeliveryFinished, events)
    if finished is not None:
        return finished.status != "delivered" and started is not None and started.idempotency_key is not None
    last = attempts_of(events)[-1]
    return last.staged is not None and last.outcome in DELIVERED


def _last(kind: type[_E], events: Sequence[Event]) -> _E | None:
    return next((event for event in reversed(events) if isinstance(event, kind)), None)


def told(event: Event) -> str:
    """The event in one short line: its name, and what a person wants to know of it. The whole of it is in the record."""
    name = type(event).__name__
    text = " ".join(_TOLD.get(name, lambda _event: "")(event).split())
    return f"{name:<18} {clipped(text, _MOST)}".rstrip()


def _reply(event: Any) -> str:
    calls = [f"{call.name} {canonical(call.arguments).decode()}" for call in event.reply.tool_calls]
    return f"{_seconds(event.duration_ms)}  {'; '.join(calls) or event.reply.content}"


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.2f} s"


_TOLD: Mapping[str, Callable[[Any], str]] = {
    "RunStarted": lambda e: " ".join(filter(None, (e.run_id, e.provider, e.model, e.rerun_of and "tries again"))),
    "MessageReceived": lambda e: e.content,
    "ContextFitted": lambda e: f"{e.messages} messages" + (f", {e.left_out} left out" if e.left_out else ""),
    "ContextSummarized": lambda e: e.summary,
    "AttemptStarted": lambda e: f"turn {e.turn}, attempt {e.attempt}",
    "AttemptFinished": lambda e: f"{e.error_type}: {e.error}" if e.error_type else _seconds(e.duration_ms),
    "BackedOff": lambda e: f"{e.seconds:.1f} s after {e.reason}",
    "ReplyReceived": _reply,
    "Decided": lambda e: f"{e.decision}: {e.reason}. {e.detail}" if e.detail else f"{e.decision}: {e.reason}",
    "ToolStarted": lambda e: f"{e.call.name} {canonical(e.call.arguments).decode()}",
    "ToolFinished": lambda e: ("ok: " if e.result.success else "failed: ") + e.result.content,
    "GuardrailChecked": lambda e: f"{e.guardrail}: {e.action} {e.reason} {e.detail}",
    "RunEnded": lambda e: f"{e.outcome} {e.detail}",
    "RunResumed": lambda e: "; ".join(e.accepted),
    "AttemptJudged": lambda e: f"{e.verdict or 'no verdict'} {' '.join(e.rules)}",
    "ReflectorAsked": lambda e: f"{e.persona} {_seconds(e.duration_ms)}",
    "AttemptReflected": lambda e: f"alignment {e.alignment_score:.3g}, drift {e.drift_score:.3g} {e.note}",
    "LoopDecided": lambda e: f"{e.decision}: {e.reason}. {e.detail}",
    "DeliveryStarted": lambda e: f"severity {e.arguments.get('severity')}",
    "DeliveryFinished": lambda e: f"{e.status}: {e.report_id or e.content}",
}
