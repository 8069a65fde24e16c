"""One turn of the model: fit the conversation into its window, retry until it answers, calibrate the token estimate."""

from collections.abc import Callable, Iterable, Sequence

import attrs

from sentinel_agent.context import ManagedContext, Summary, budget_of, manage_context
from sentinel_agent.events import (
    AttemptFinished,
    AttemptStarted,
    BackedOff,
    ContextFitted,
    ContextSummarized,
    Outcome,
    ReplyReceived,
)
from sentinel_agent.prompts import SUMMARIZE, summary_task
from sentinel_agent.recorder import Record
from sentinel_agent.resume import attempts_in, last_run
from sentinel_agent.retry import execute_with_retry, retry_after_of
from sentinel_core.errors import ContextLengthError, ModelError, NetworkError, ProviderError, error_text
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.validate_offers import misfit_of
from sentinel_core.model import Capabilities, Model, Reply, Request, StopReason, ToolChoice, estimate_overhead
from sentinel_core.offers import Tool
from sentinel_core.runtime.clock import Clock
from sentinel_core.runtime.watch import shielded, time_limit
from sentinel_core.trace import Message, ToolCall

__all__ = ["Asker", "complete", "outcome_of", "with_unique_call_ids"]

_FACTORS = (0.5, 4.0)  # bounds of the calibration: beyond them the reported count is wrong, not the estimate
_GRACE = 1.0  # seconds past the timeout in which a provider may still give up by itself, with a better error
_SHRUNK = 0.5  # of the messages that the server refused as too long


def complete(model: Model, request: Request, on_text: Callable[[str], None] | None = None, *, who: str) -> Reply:
    """One call of a plugin's model: anything but a ``Reply`` is raised as a ``ModelError``.

    A model that exceeds the request's timeout is interrupted ``_GRACE`` seconds later.
    """
    try:
        with time_limit(None if request.timeout is None else request.timeout + _GRACE):
            reply = model.complete(request) if on_text is None else model.complete(request, shielded(on_text))
    except ModelError:
        raise
    except TimeoutError as error:
        raise NetworkError(f"{who} did not answer in time: {error}") from error
    except Exception as error:  # a provider is a plugin and may raise anything
        raise ProviderError(f"{who} failed: {type(error).__name__}: {error_text(error)}") from error
    if problem := misfit_of(reply):
        raise ProviderError(f"{who} returned {problem}")
    return reply


@attrs.frozen(kw_only=True)
class _Question:
    """The parts of one turn's requests."""

    turn: int
    tools: tuple[Tool, ...]
    tool_choice: ToolChoice
    deadline: float | None


@attrs.define(eq=False, kw_only=True)
class Asker:
    """A model and how to ask it. ``on_text`` gets pieces of the reply's text as they come."""

    model: Model
    record: Record
    clock: Clock
    settings: AgentSettings
    provider: str
    system_prompt: str
    on_text: Callable[[str], None] | None = None
    _factor: float = attrs.field(default=1.0, init=False)
    _capabilities: Capabilities | None = attrs.field(default=None, init=False)
    _summary: Summary | None = attrs.field(default=None, init=False)
    _most: int | None = attrs.field(
        default=None, init=False
    )  # tokens of messages, after the server refused a request as too long

    def ask(
        self, turn: int, tools: tuple[Tool, ...], tool_choice: ToolChoice = "auto", deadline: float | None = None
    ) -> Reply:
        """The model's reply, recorded. ``deadline`` is a reading of the stopwatch. Raises ``ModelError``."""
        if self.record.upcoming is not None and (recalled := self.record.recall(ReplyReceived)) is not None:
            return recalled.reply
        self._summary = self._summary or _last_summary(self.record)
        question = _Question(turn=turn, tools=tools, tool_choice=tool_choice, deadline=deadline)
        try:
            return self._answer(question, self._fit(question))
        except ContextLengthError:
            return self._answer(question, self._fit(question, too_long=True))

    def _answer(self, question: _Question, managed: ManagedContext) -> Reply:
        log = _TurnLog(self.record, question.turn)
        reply = self._tried(question, self._request(question, managed), log, self.on_text)
        self._learn(question, managed, reply)
        unique = with_unique_call_ids(reply, self.record.messages)
        received = ReplyReceived(turn=question.turn, reply=unique, duration_ms=log.duration_ms)
        return self.record.emit(received).reply

    def _tried(
        self, question: _Question, request: Request, log: "_TurnLog", on_text: Callable[[str], None] | None = None
    ) -> Reply:
        return execute_with_retry(
            lambda: complete(
                self.model,
                attrs.evolve(request, timeout=self._time_left(question.deadline)),
                on_text,
                who=f'provider "{self.provider}"',
            ),
            self.settings.retry,
            clock=self.clock,
            log=log,
            deadline=question.deadline,
            earlier=attempts_in(self.record.events, question.turn),
        )

    def _request(self, question: _Question, managed: ManagedContext) -> Request:
        return Request(
            system_prompt=self.system_prompt,
            messages=managed.messages,
            tools=question.tools,
            temperature=self.settings.temperature,
            max_tokens=self.settings.reply_limit,
            tool_choice=question.tool_choice,
        )

    def _time_left(self, deadline: float | None) -> float | None:
        limits = [self.settings.call_timeout] if self.settings.call_timeout is not None else []
        if deadline is not None:
            limits.append(max(0.001, deadline - self.clock.stopwatch()))
        return min(limits, default=None)

    def _fit(self, question: _Question, *, too_long: bool = False) -> ManagedContext:
        window = self._window(question.deadline)
        overhead = self._scaled(estimate_overhead(self.system_prompt, question.tools))
        budget = budget_of(window, overhead, self.settings.reply_limit)
        if self._most is not None:
            budget = min(budget or self._most, self._most)
        if too_long:
            everything = self._estimate(self.record.messages)
            budget = max(1, int(min(budget or everything, everything) * _SHRUNK))
        managed = self._managed(budget)
        if too_long and managed.left_out:  # else the messages were not what was too long
            self._most = budget
        if managed.to_summarize and self._summarize(question, managed.to_summarize):
            managed = self._managed(budget)
        fitted = ContextFitted(
            turn=question.turn,
            messages=len(managed.messages),
            left_out=managed.left_out,
            estimated_tokens=managed.estimated_tokens,
            strategy=self.settings.context_strategy,
            budget=budget,
            window=window,
        )
        self.record.emit(fitted)
        return managed

    def _managed(self, budget: int | None) -> ManagedContext:
        return manage_context(
            self.record.messages,
            budget=budget,
            strategy=self.settings.context_strategy,
            estimate=self._estimate,
            summary=self._summary,
        )

    def _summarize(self, question: _Question, messages: Sequence[Message]) -> bool:
        """Let the model summarize what is to be left out; False if it failed, and then no summary replaces it."""
        text = summary_task(self._summary.text if self._summary else "", messages)
        request = Request(system_prompt=SUMMARIZE, messages=(Message(role="user", content=text),), tool_choice="none")
        log = _TurnLog(self.record, question.turn)
        try:
            reply = self._tried(question, request, log)
        except ModelError:
            return False
        covers = len(messages) + (self._summary.covers if self._summary else 0)
        summarized = ContextSummarized(
            turn=question.turn,
            covers=covers,
            summary=reply.content,
            usage=reply.usage,
            cost_usd=reply.cost_usd,
            duration_ms=log.duration_ms,
        )
        self._summary = Summary(covers, self.record.emit(summarized).summary)
        return True

    def _window(self, deadline: float | None) -> int | None:
        if self.settings.context_window is not None:
            return self.settings.context_window
        if self._capabilities is None:
            try:
                with time_limit(self._time_left(deadline)):
                    found = self.model.get_capabilities()
            except Exception:  # noqa: BLE001 - a plugin's; an unknown window must not fail the run
                found = Capabilities()
            self._capabilities = found if isinstance(found, Capabilities) else Capabilities()
        return self._capabilities.context_window

    def _estimate(self, messages: Sequence[Message]) -> int:
        return self._scaled(self.model.estimate_tokens(messages))

    def _scaled(self, tokens: int) -> int:
        return round(tokens * self._factor)

    def _learn(self, question: _Question, managed: ManagedContext, reply: Reply) -> None:
        """Scale later estimates by the ratio of the provider's token count to the estimate of this request."""
        if reply.usage is None or not reply.usage.prompt_tokens:
            return
        overhead = estimate_overhead(self.system_prompt, question.tools)
        raw = self.model.estimate_tokens(managed.messages) + overhead
        least, most = _FACTORS
        self._factor = min(most, max(least, reply.usage.prompt_tokens / max(1, raw)))


@attrs.define(eq=False)
class _TurnLog:
    """Writes each attempt into the record."""

    record: Record
    turn: int
    duration_ms: float = 0.0

    def started(self, attempt: int) -> None:
        self.record.emit(AttemptStarted(turn=self.turn, attempt=attempt))

    def finished(self, attempt: int, duration_ms: float, error: ModelError | None) -> None:
        self.duration_ms = duration_ms
        event = AttemptFinished(turn=self.turn, attempt=attempt, duration_ms=duration_ms)
        if error is not None:
            event = attrs.evolve(
                event,
                error_type=type(error).__name__,
                error=str(error),
                status=error.status,
                retry_after=retry_after_of(error),
            )
        self.record.emit(event)

    def backing_off(self, attempt: int, seconds: float, error: ModelError) -> None:
        self.record.emit(BackedOff(turn=self.turn, attempt=attempt, seconds=seconds, reason=type(error).__name__))


def _last_summary(record: Record) -> Summary | None:
    found = [event for event in last_run(record.events) if isinstance(event, ContextSummarized)]
    return Summary(found[-1].covers, found[-1].summary) if found else None


_CUT_OFF: dict[StopReason, Outcome] = {
    "max_tokens": "truncated",
    "refusal": "refused",
    "content_filter": "filtered",
}


def outcome_of(reply: Reply) -> Outcome | None:
    """How the run ends with this reply; None if its tool calls are to be run first."""
    cut_off = _CUT_OFF.get(reply.stop_reason)
    if cut_off is not None:
        return cut_off
    return None if reply.tool_calls else "completed"


def with_unique_call_ids(reply: Reply, earlier: Iterable[Message]) -> Reply:
    """The reply with a new id for each call whose id is empty or taken, so that results can be assigned."""
    if not reply.tool_calls:
        return reply
    taken = {call.id for message in earlier for call in message.tool_calls}
    return attrs.evolve(reply, tool_calls=tuple(_unique(call, taken) for call in reply.tool_calls))


def _unique(call: ToolCall, taken: set[str]) -> ToolCall:
    call_id, number = call.id, len(taken)
    while not call_id or call_id in taken:
        number += 1
        call_id = f"call-{number}"
    taken.add(call_id)
    return call if call_id == call.id else attrs.evolve(call, id=call_id)
