"""The detective: investigates one release in a run and delivers its risk report."""

import functools
from collections.abc import Callable, Iterable, Sequence

import attrs

from sentinel_agent.conversation import to_trace
from sentinel_agent.core import Agent, AgentSettings
from sentinel_agent.events import Event, Outcome, RunEnded
from sentinel_agent.guided import closing_request, narrowed
from sentinel_agent.loop import Guide, LiveCheck
from sentinel_agent.objections import objection_to_call, objections_to
from sentinel_agent.prompts import FILE_REPORT, GET_SUMMARY, SYSTEM_PROMPT, task_text
from sentinel_agent.recorder import Observer, Record
from sentinel_agent.resume import DELIVERED
from sentinel_agent.risk.facts import Risk, RiskThresholds
from sentinel_agent.severity_floor import risk_in, risk_of_whole, why_unreadable
from sentinel_agent.staging import (
    Delivery,
    FiledReport,
    StagedReport,
    deliver,
    delivered_report,
    staged_report,
    staging,
)
from sentinel_core.errors import ConfigError, ModelError
from sentinel_core.host.tools import Toolbox
from sentinel_core.model import Model
from sentinel_core.offers import Tool
from sentinel_core.runtime.clock import Clock
from sentinel_core.runtime.redact import Redactor
from sentinel_core.trace import ExecutionTrace, ToolCall

__all__ = ["Attempt", "Gate", "Investigation", "RunResult", "investigate"]


@attrs.frozen(kw_only=True)
class Attempt:
    """One attempt at the task: how it ended, its trace, and the report that it staged, None if none.

    ``objections`` are the reasons not to deliver that report, each in a line.
    """

    run_id: str
    outcome: Outcome
    answer: str
    trace: ExecutionTrace
    staged: StagedReport | None = None
    objections: tuple[str, ...] = ()
    error: str | None = None


@attrs.frozen(kw_only=True)
class RunResult:
    """One investigation.

    ``report`` is the report delivered for this release, None if none was; ``delivery`` is the result of the delivery.
    ``error`` is the error if the outcome is ``model_error``. ``objections`` are the reasons for which the report that the
    last attempt staged was not delivered.
    """

    run_id: str
    release_id: str
    outcome: Outcome
    answer: str
    events: tuple[Event, ...]
    trace: ExecutionTrace
    report: FiledReport | None = None
    error: str | None = None
    delivery: Delivery | None = None
    objections: tuple[str, ...] = ()

    @property
    def severity(self) -> Risk | None:
        """The filed report's severity; None without a report."""
        return self.report.severity if self.report else None

    @property
    def findings(self) -> tuple[str, ...]:
        """The filed report's findings; empty without a report."""
        return self.report.findings if self.report else ()

    @property
    def report_id(self) -> str | None:
        """The id in the tool's result; None if nothing was filed or the result has no id."""
        return self.report.report_id if self.report else None


@attrs.frozen(kw_only=True)
class Gate:
    """The risk in the release's summary, fetched by the host; ``problem`` says why it is unknown."""

    severity: Risk | None = None
    problem: str = ""


@attrs.define(eq=False, kw_only=True)
class Investigation:
    """A family of attempts at one release, in one record, of which one report is delivered at most.

    ``attempt`` makes one attempt, ``deliver`` delivers its staged report, ``result`` gives the run's result. With ``past``,
    the events of a run that broke off, earlier work is replayed instead of done again; ``accepted`` are the changed settings
    that a person accepted. ``thresholds`` are those of the risk that the fetched data show.
    """

    release_id: str
    model: Model
    tools: Sequence[Tool]
    provider: str = ""
    model_name: str | None = None
    settings: AgentSettings = attrs.field(factory=AgentSettings)
    observers: tuple[Observer, ...] = ()
    toolbox: Toolbox = attrs.field(factory=Toolbox)
    clock: Clock = attrs.field(factory=Clock)
    on_text: Callable[[str], None] | None = None
    check: LiveCheck | None = None
    clean: Callable[[Event], Event] = attrs.field(factory=lambda: Redactor.of_environment().value)
    past: Sequence[Event] = ()
    accepted: tuple[str, ...] = ()
    thresholds: RiskThresholds = attrs.field(factory=RiskThresholds)
    record: Record = attrs.field(init=False)
    _filing: Tool = attrs.field(init=False)
    _first_run: str = attrs.field(default="", init=False)
    _started: float | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        _require(self.release_id, self.tools)
        self._filing = next(tool for tool in self.tools if tool.name == FILE_REPORT)
        for tool in self.tools:
            self.toolbox.register(staging(tool, self.release_id) if tool is self._filing else tool)
        self.toolbox.of_whole = functools.partial(risk_of_whole, self.thresholds)
        self.record = Record(self.clock.now, self.observers, self.clean)
        if self.past:
            self.record.resume(self.past, self.accepted)

    def attempt(self, note: str = "", *, rerun_of: str | None = None, run_id: str | None = None) -> Attempt:
        """Make one attempt. ``note`` is feedback on the earlier attempt ``rerun_of``, added to the task.

        ``run_id`` is the attempt's id if it has one already, as a granted rerun has. A model that fails gives an attempt with
        the outcome ``model_error``, not an exception.
        """
        self.record.begin()
        if self._started is None:
            self._started = self.clock.stopwatch()
        agent = Agent(
            model=self.model,
            system_prompt=SYSTEM_PROMPT,
            provider=self.provider,
            model_name=self.model_name,
            settings=self.settings,
            clock=self.clock if run_id is None else attrs.evolve(self.clock, new_id=lambda: run_id),
            toolbox=self.toolbox,
            on_text=self.on_text,
            check=self.check,
            objects=functools.partial(objection_to_call, self.release_id),
            guide=Guide(
                steps=(GET_SUMMARY, FILE_REPORT),
                shape=functools.partial(narrowed, self.release_id, self.thresholds),
                closing=functools.partial(closing_request, self.release_id, self.thresholds),
            ),
            record=self.record,
            rerun_of=rerun_of,
            started=self._started,
        )
        task = f"{task_text(self.release_id)}\n\n{note}" if note else task_text(self.release_id)
        outcome, answer, error = _run(agent, task, self.release_id)
        trace = agent.trace()
        self._first_run = self._first_run or trace.trace_id
        staged = staged_report(trace.messages, self.release_id, self.thresholds)
        return Attempt(
            run_id=trace.trace_id,
            outcome=outcome,
            answer=answer,
            trace=trace,
            staged=staged,
            objections=objections_to(trace.messages, self.release_id, staged, answer),
            error=error,
        )

    def deliver(self, attempt: Attempt) -> Delivery | None:
        """Deliver the attempt's staged report. None without one, if its outcome allows no delivery, or for an objection."""
        if attempt.staged is None or attempt.objections or attempt.outcome not in DELIVERED:
            return None
        return deliver(
            attempt.staged,
            self._filing,
            self.toolbox,
            self.record,
            family=self._first_run,
            retry=self.settings.retry,
            was_stopped=attempt.outcome == "stopped",
        )

    def gate(self) -> Gate:
        """Fetch the summary outside the conversation, because a gate must not depend on what the agent fetched."""
        tool = next(tool for tool in self.tools if tool.name == GET_SUMMARY)
        call = ToolCall(id="gate", name=GET_SUMMARY, arguments={"release_id": self.release_id})
        fetched = Toolbox(run=self.toolbox.run, clock=self.clock).run_unchecked(tool, call)
        if fetched.success is not True:
            return Gate(problem=fetched.content)
        return Gate(severity=risk_in(fetched, self.thresholds), problem=why_unreadable(fetched))

    def result(self, attempt: Attempt, delivery: Delivery | None) -> RunResult:
        """The run's result, with this attempt as the final one."""
        return RunResult(
            run_id=self._first_run,
            release_id=self.release_id,
            outcome=attempt.outcome,
            answer=attempt.answer,
            events=tuple(self.record.events),
            trace=to_trace(self.record.conversation),
            report=delivered_report(attempt.staged, delivery),
            error=attempt.error,
            delivery=delivery,
            objections=attempt.objections,
        )


def investigate(  # noqa: PLR0913 - each is a plain option of one run
    release_id: str,
    model: Model,
    tools: Iterable[Tool],
    *,
    provider: str = "",
    model_name: str | None = None,
    settings: AgentSettings | None = None,
    observers: Iterable[Observer] = (),
    toolbox: Toolbox | None = None,
    clock: Clock | None = None,
    on_text: Callable[[str], None] | None = None,
    past: Sequence[Event] = (),
    accepted: tuple[str, ...] = (),
) -> RunResult:
    """Let the agent investigate one release in one attempt, and deliver the report that it staged.

    ``tools`` have their settings bound. A model that fails gives a result with the outcome ``model_error``, not an
    exception, so that its trace can be kept and judged. The model is not closed. ``past`` are the events of the same run
    if it broke off before; they are replayed, not done again.

    Raises ``ConfigError`` for a release id that is empty or not valid Unicode, for unusable tools, and if one of the two tools
    that the task needs is missing.
    """
    clock = clock or Clock()
    investigation = Investigation(
        release_id=release_id,
        model=model,
        tools=tuple(tools),
        provider=provider,
        model_name=model_name,
        settings=settings or AgentSettings(),
        observers=tuple(observers),
        toolbox=toolbox or Toolbox(clock=clock),
        clock=clock,
        on_text=on_text,
        past=past,
        accepted=accepted,
    )
    attempt = investigation.attempt()
    return investigation.result(attempt, investigation.deliver(attempt))


def _require(release_id: str, tools: Sequence[Tool]) -> None:
    if not release_id:
        raise ConfigError("the release id is empty; name the release to investigate")
    if any("\ud800" <= character <= "\udfff" for character in release_id):
        raise ConfigError(f"the release id {release_id!a} is not valid Unicode; no tool can look it up")
    missing = sorted({GET_SUMMARY, FILE_REPORT} - {tool.name for tool in tools})
    if missing:
        quoted = " and ".join(f'"{name}"' for name in missing)
        raise ConfigError(
            f"the detective needs {quoted}: install reliability-sentinel-tools-release, or add it to --plugins"
        )


def _run(agent: Agent, task: str, release_id: str) -> tuple[Outcome, str, str | None]:
    try:
        answer = agent.send_message(task, metadata={"release_id": release_id})
    except ModelError:
        end = agent.events[-1]
        return (
            "model_error",
            "",
            end.detail if isinstance(end, RunEnded) else "",
        )  # recorded text: the exception's may hold secrets
    return answer.outcome, answer.content, None
