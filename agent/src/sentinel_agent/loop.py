"""One run of the agent: check limits, ask the model, run the tools, until the run ends.

Guided mode offers one tool a step, for models too small to plan.
"""

from collections.abc import Callable, Sequence

import attrs

from sentinel_agent.events import Decided, GuardrailChecked, MessageReceived, Outcome, RunEnded, ToolStarted
from sentinel_agent.limits import Limit, Used, limit_met, too_many_calls, used_in
from sentinel_agent.model_call import Asker, outcome_of
from sentinel_agent.prompts import answer_reminder, reminder
from sentinel_agent.recorder import Record
from sentinel_agent.tool_execution import refuse_calls, run_calls
from sentinel_core.errors import InputError, ModelError, ToolNotFoundError
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.tools import Toolbox
from sentinel_core.model import Reply, ToolChoice
from sentinel_core.offers import Tool
from sentinel_core.runtime.clock import Clock
from sentinel_core.trace import Message, ToolCall, canonical

__all__ = ["Guide", "LiveCheck", "Loop", "Objects"]

_MAX_REMINDERS = 2
_CALL_SIGNS = ("{", "<tool_call", "```json")

LiveCheck = Callable[[Sequence[Message]], "GuardrailChecked | None"]
"""Checks the conversation so far; the result is recorded, and any action but ``allow`` stops the run."""

Objects = Callable[[ToolCall, Sequence[Message]], str]
"""Why a call must not run, from the conversation so far; empty if it may."""


@attrs.frozen(kw_only=True)
class Guide:
    """What guided mode asks for: the tools of its steps, in order, and how each is offered.

    If it is not ``is_on`` from the start, it is once the model goes in circles: it repeats a call that was refused or failed,
    or that of the last step.

    ``shape`` gives the tool of a step as the conversation so far allows it; ``closing`` is the request for the answer after
    the last step, empty for none.
    """

    steps: tuple[str, ...] = ()
    is_on: bool = True
    shape: Callable[[Tool, Sequence[Message]], Tool] = lambda tool, _messages: tool
    closing: Callable[[Sequence[Message]], str] = lambda _messages: ""


_End = tuple[Outcome, str]


@attrs.frozen
class _Offer:
    """The tools that the model may call in a turn; ``step`` is the one that it must call, None if it is free."""

    tools: tuple[Tool, ...]
    choice: ToolChoice = "auto"
    step: str | None = None

    def has(self, name: str) -> bool:
        """False for a tool of another step; without guided mode always True, and the toolbox decides."""
        return self.choice == "auto" or any(tool.name == name for tool in self.tools)

    def refusal(self, name: str) -> str:
        """The result of a call to another tool."""
        then = "answer in text now" if self.step is None else f"call {self.step}"
        return f'"{name}" is not available in this step; {then}'


def _offer_for(tools: tuple[Tool, ...], guide: Guide, messages: Sequence[Message]) -> _Offer:
    """Without guidance every tool; else the tool of the first step that has not succeeded yet, and none after the last."""
    if not guide.steps or not (guide.is_on or _goes_in_circles(guide.steps, messages)):
        return _Offer(tools)
    done = _succeeded(messages)
    for step in guide.steps:
        wanted = tuple(guide.shape(tool, messages) for tool in tools if tool.name == step)
        if wanted and step not in done:
            return _Offer(wanted, "required", step)
    return _Offer((), "none")


def _reminder_for(offer: _Offer, told: str, messages: Sequence[Message]) -> str | None:
    """The reminder for a model that gave a text instead of the step's call, or the text of a call instead of its answer.

    None after ``_MAX_REMINDERS``.
    """
    if offer.step is None and not (offer.choice == "none" and told.lstrip().startswith(_CALL_SIGNS)):
        return None
    text = answer_reminder() if offer.step is None else reminder(offer.step)
    sent = sum(message.role == "user" and message.content == text for message in messages)
    return text if sent < _MAX_REMINDERS else None


def _goes_in_circles(steps: Sequence[str], messages: Sequence[Message]) -> bool:
    """Whether a call of a step was repeated unchanged although it had been refused or had failed, or was the last step's."""
    worked = {result.tool_call_id for message in messages for result in message.tool_results if result.success}
    made = set[tuple[str, bytes]]()
    for call in (call for message in messages for call in message.tool_calls if call.name in steps):
        identity = call.name, canonical(call.arguments)
        if identity in made:
            return True
        if call.id not in worked or call.name == steps[-1]:
            made.add(identity)
    return False


def _succeeded(messages: Sequence[Message]) -> set[str]:
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    results = [result for message in messages for result in message.tool_results]
    return {names[result.tool_call_id] for result in results if result.success and result.tool_call_id in names}


@attrs.define(eq=False, kw_only=True)
class Loop:
    """A run under way. ``started`` is a reading of the stopwatch; a ``guide`` with steps is guided mode.

    ``objects`` is asked before each call.
    """

    asker: Asker
    record: Record
    toolbox: Toolbox
    settings: AgentSettings
    clock: Clock
    run_id: str
    started: float
    guide: Guide = attrs.field(factory=Guide)
    check: LiveCheck | None = None
    objects: Objects = lambda _call, _messages: ""

    def run(self) -> _End:
        """The outcome and the model's last text. Raises ``ModelError`` after recording that end."""
        try:
            return self._turns()
        except ModelError as error:
            late = self._late()
            if late is not None:
                return self._finalize(late.outcome, f"{late.detail}; {error}"), ""
            later = f"; resume after {error.resume_after}" if error.resume_after else ""
            self._finalize("model_error", f"{error}{later}")
            raise

    def _turns(self) -> _End:
        turn, text = 0, ""
        while (stop := self._stop()) is None:
            turn += 1
            offer = _offer_for(self.toolbox.tools, self.guide, self.record.messages)
            self._close(offer)
            reply = self.asker.ask(turn, offer.tools, offer.choice, self._deadline())
            text = reply.content
            outcome = self._next(reply, offer)
            if outcome is not None:
                return outcome, text
        return self._finalize(stop.outcome, stop.detail), text

    def _close(self, offer: _Offer) -> None:
        """Ask for the answer, once, when every step is done; a resumed record of an older version has no such request."""
        if offer.choice != "none" or not isinstance(self.record.upcoming, MessageReceived | None):
            return
        text = self.guide.closing(self.record.messages)
        if text and all(message.content != text for message in self.record.messages):
            self.record.emit(MessageReceived(content=text))

    def _next(self, reply: Reply, offer: _Offer) -> Outcome | None:
        """Do what the reply asks for; the outcome if it ends the run, else None."""
        outcome = outcome_of(reply)
        only_text = outcome in ("completed", "truncated") and not reply.tool_calls
        reminder = _reminder_for(offer, reply.content, self.record.messages) if only_text else None
        if reminder is not None:
            self.record.emit(Decided(decision="continue", reason="guided_step", detail=offer.step or "answer"))
            self.record.emit(MessageReceived(content=reminder))
            return None
        if outcome is not None:
            return self._finalize(outcome, refused=reply.tool_calls, why=f"the reply that asked for it was {outcome}")
        refused = self._refused(reply, offer)
        calls = [call for place, call in enumerate(reply.tool_calls) if place not in refused]
        calls, beyond = calls[: self.settings.max_calls_per_reply], calls[self.settings.max_calls_per_reply :]
        limit = self._recorded_end() if self.record.upcoming is not None else self._call_limit(len(calls))
        if limit is not None:
            return self._finalize(limit.outcome, limit.detail, refused=reply.tool_calls, why=limit.detail)
        self.record.emit(Decided(decision="continue", reason="tool_calls"))
        if isinstance(self.record.upcoming, ToolStarted):  # refusals come first; older records have none
            calls = list(reply.tool_calls)
        else:
            for place, (why, blame) in refused.items():
                refuse_calls((reply.tool_calls[place],), self.record, why, blame=blame)
            refuse_calls(beyond, self.record, f"only the first {len(calls)} calls of one reply are run")
        run_calls(calls, self.toolbox, self.record, self.run_id, self._late)
        return None

    def _refused(self, reply: Reply, offer: _Offer) -> dict[int, tuple[str, str]]:
        """The calls that are not run: by place in the reply, why, and the error's class."""
        refused: dict[int, tuple[str, str]] = {}
        for place, call in enumerate(reply.tool_calls):
            if not offer.has(call.name):
                refused[place] = offer.refusal(call.name), ToolNotFoundError.__name__
            elif why := self.objects(call, self.record.messages):
                refused[place] = why, InputError.__name__
        return refused

    def _stop(self) -> Limit | None:
        """Why the model may not be asked again, or None. In a resumed record the recorded decision counts."""
        checked = self._checked()
        if checked is not None and checked.action != "allow":
            return Limit("stopped", f"{checked.guardrail}: {checked.reason}; {checked.detail}".rstrip("; "))
        if self.record.upcoming is not None:
            return self._recorded_end()
        return limit_met(self._used(), self.settings)

    def _recorded_end(self) -> Limit | None:
        end = self.record.upcoming
        if not isinstance(end, Decided) or end.decision != "finalize":
            return None
        return Limit(end.reason, end.detail)  # type: ignore[arg-type] # a decision to end has the outcome as its reason

    def _checked(self) -> GuardrailChecked | None:
        found = None if self.check is None else self.check(self.record.messages)
        if self.record.upcoming is not None:
            return self.record.recall(GuardrailChecked) if isinstance(self.record.upcoming, GuardrailChecked) else None
        return None if found is None else self.record.emit(found)

    def _call_limit(self, asked: int) -> Limit | None:
        return too_many_calls(self._used(), asked, self.settings)

    def _used(self) -> Used:
        return used_in(self.record.events, seconds=self._seconds())

    def _late(self) -> Limit | None:
        """The deadline, if it has passed."""
        return limit_met(Used(seconds=self._seconds()), self.settings)

    def _seconds(self) -> float:
        return self.clock.stopwatch() - self.started

    def _deadline(self) -> float | None:
        return None if self.settings.deadline is None else self.started + self.settings.deadline

    def _finalize(
        self, outcome: Outcome, detail: str = "", *, refused: Sequence[ToolCall] = (), why: str = ""
    ) -> Outcome:
        """End the run. The calls of a cut-off reply may be cut off themselves, so each gets a refusal as its result."""
        self.record.emit(Decided(decision="finalize", reason=outcome, detail=detail))
        refuse_calls(refused, self.record, why)
        self.record.emit(RunEnded(outcome=outcome, detail=detail))
        return outcome
