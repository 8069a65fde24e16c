"""The agent's progress on standard error, with rich if it is installed; and the status of a recorded run."""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sentinel_agent import events as ev
from sentinel_agent.attempt_loop import attempts_of
from sentinel_agent.conversation import INTERRUPTED
from sentinel_agent.events import DeliveryFinished, DeliveryStarted, Event, Outcome
from sentinel_agent.resume import DELIVERED, RESUMABLE, is_over
from sentinel_core.runtime.outbox import Frame
from sentinel_core.runtime.printable import clipped, counted, printable
from sentinel_core.trace import canonical

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Progress", "Step", "Text", "is_resumable", "run_status", "step_of"]

_LINE = 200


class Step(Frame):
    """An event of the run, encoded."""

    event: bytes


class Text(Frame):
    """A piece of the model's text."""

    text: str


_STEPS: dict[str, Callable[[Any], str | None]] = {
    "AttemptStarted": lambda e: (
        f"asking the provider, turn {e.turn}" + (f", attempt {e.attempt}" if e.attempt > 1 else "")
    ),
    "AttemptFinished": lambda e: f"  failed: {e.error}" if e.error else None,
    "BackedOff": lambda e: f"  waiting {e.seconds:.1f} s",
    "ContextFitted": lambda e: f"  {e.left_out} older messages no longer fit" if e.left_out else None,
    "ToolStarted": lambda e: f"running {e.call.name}",
    "ToolFinished": lambda e: "  done" if e.result.success else f"  failed: {e.result.content}",
    "RunResumed": lambda _: "continuing where the run was interrupted",
    "LoopDecided": lambda e: f"{e.decision}: {e.reason}",
    "DeliveryStarted": lambda _: "delivering the report",
    "DeliveryFinished": lambda e: f"  {e.status}",
}


def step_of(event: object) -> str | None:
    """One line of progress for an event; None for events that are not shown."""
    step = _STEPS.get(type(event).__name__)
    return None if step is None else step(event)


class Progress:
    """Shows events and pieces of the model's text. Imports rich only when something is shown."""

    def __init__(self) -> None:
        self._console: Console | None = None
        self._begun = False
        self._in_text = False

    def show(self, frame: Step | Text) -> None:
        """Show one frame; nothing in it reaches the terminal as a control sequence."""
        if isinstance(frame, Text):
            self._write("\n".join(map(printable, frame.text.split("\n"))), "dim", end="")
            self._in_text = True
            return
        from sentinel_agent.journal import decode_event

        step = step_of(decode_event(frame.event))
        if step is not None:
            self._end_text()
            self._write(printable(clipped(step, _LINE)), "cyan")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_text()

    def _end_text(self) -> None:
        if self._in_text:
            self._write("", "dim")
            self._in_text = False

    def _write(self, text: str, style: str, end: str = "\n") -> None:
        if not self._begun:
            self._begun = True
            self._console = _rich_console()
        if self._console is None:
            sys.stderr.write(text + end)
            sys.stderr.flush()
        else:
            self._console.print(text, style=style, end=end, markup=False, highlight=False, soft_wrap=True)


def _rich_console() -> "Console | None":
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(stderr=True)


_MOST = 120
_E = TypeVar("_E", bound=Event)


def run_status(events: Sequence[Event], holder: int | None, *, judged: Collection[Outcome]) -> dict[str, Any]:
    """``state`` is ``working``, the outcome, or ``interrupted``; ``resumable`` is whether ``--resume`` has something to do.

    ``delivery`` is the status of the report's delivery, ``holder`` the process at work; ``judged`` as for ``is_resumable``.
    """
    delivery = _last(DeliveryFinished, events)
    resumable = is_resumable(events, judged=judged)
    outcome = next((attempt.outcome for attempt in reversed(attempts_of(events))), None)
    is_settled = outcome in RESUMABLE or delivery is not None or not resumable
    return {
        "state": "working" if holder else outcome if outcome is not None and is_settled else INTERRUPTED,
        "resumable": resumable,
        "delivery": None if delivery is None else delivery.status,
        "holder": holder,
    }


def is_resumable(events: Sequence[Event], *, judged: Collection[Outcome]) -> bool:
    """Whether ``--resume`` has something to do: an attempt or a decision to finish, or a report to deliver.

    ``judged`` are the outcomes that a guard decides upon (``limits.judged_ends``), empty without a guard. A delivery that did
    not succeed is repeated only if the receiver takes an idempotency key; else it could count twice.
    """
    if not is_over(events):
        return True
    started, finished = _last(DeliveryStarted, events), _last(DeliveryFinished, events)
    if finished is not None:
        return finished.status != "delivered" and started is not None and started.idempotency_key is not None
    last = attempts_of(events)[-1]
    is_undecided = last.decision is None and last.outcome in judged
    return is_undecided or (last.staged is not None and not last.objections and last.outcome in DELIVERED)


def _last(kind: type[_E], events: Sequence[Event]) -> _E | None:
    return next((event for event in reversed(events) if isinstance(event, kind)), None)


def describe_event(event: Event) -> str:
    """The event in one short line: its name and its most important fields. The record has all of it."""
    text = " ".join(_DESCRIBE[type(event)](event).split())
    return f"{type(event).__name__:<18} {clipped(text, _MOST)}".rstrip()


def _reply(event: Any) -> str:
    calls = [f"{call.name} {canonical(call.arguments).decode()}" for call in event.reply.tool_calls]
    return f"{_seconds(event.duration_ms)}  {'; '.join(calls) or event.reply.content}"


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.2f} s"


_DESCRIBE: Mapping[type[Event], Callable[[Any], str]] = {
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
