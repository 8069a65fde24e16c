"""How a run stands, and what each of its events says, in a few words: pure functions of the record."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sentinel_core.agent.events import DeliveryFinished, DeliveryStarted, Event, RunEnded
from sentinel_core.agent.resuming import is_over
from sentinel_core.agent.to_trace import INTERRUPTED
from sentinel_core.output.printable import clipped
from sentinel_core.trace import canonical

__all__ = ["standing_of", "told"]

_MOST = 120


def standing_of(events: Sequence[Event], holder: int | None) -> dict[str, Any]:
    """``state`` is ``working``, the outcome, or ``interrupted``; ``resumable`` whether ``--resume`` has something to do;
    ``delivery`` what came of the report; ``holder`` the process at work."""  # noqa: D205, D209 - one sentence
    ends = [event for event in events if isinstance(event, RunEnded)]
    started = any(isinstance(event, DeliveryStarted) for event in events)
    finished = [event for event in events if isinstance(event, DeliveryFinished)]
    delivery = finished[-1].status if finished else None
    over = is_over(events) and (delivery is not None or not started)
    state = ends[-1].outcome if ends and (over or not is_over(events)) else INTERRUPTED
    return {
        "state": "working" if holder else state,
        "resumable": not over,
        "delivery": delivery,
        "holder": holder,
    }


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
    "AttemptReflected": lambda e: f"alignment {e.alignment_score:.3g}, drift {e.drift_score:.3g} {e.note}",
    "LoopDecided": lambda e: f"{e.decision}: {e.reason}. {e.detail}",
    "DeliveryStarted": lambda e: f"severity {e.arguments.get('severity')}",
    "DeliveryFinished": lambda e: f"{e.status}: {e.report_id or e.content}",
}
