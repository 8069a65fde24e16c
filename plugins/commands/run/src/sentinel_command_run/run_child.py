"""The child of ``sentinel run``: loads provider and tools, runs the detective, writes the journal."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import msgspec

from sentinel_agent.attempt_loop import Family
from sentinel_agent.detective import Investigation, RunResult
from sentinel_agent.events import Event, LoopDecided, ReplyReceived
from sentinel_agent.journal import Journal, JournalObserver, encode_event, end_with_parent
from sentinel_agent.prompts import SYSTEM_PROMPT
from sentinel_agent.recorder import Observer
from sentinel_agent.reflection.attempt_guard import Overriding
from sentinel_agent.resume import differences, fingerprint
from sentinel_agent.risk.facts import RiskThresholds
from sentinel_agent.run_progress import Step, Text
from sentinel_agent.run_summary import RunSummary, save_run
from sentinel_agent.telemetry.observer import Telemetry
from sentinel_command_run.choose_provider import Connected, Note, ResumeFlags, connect
from sentinel_command_run.guard_process import Guarding, GuardProcess
from sentinel_command_run.run_options import final_ends, judged_by, with_resume_flags
from sentinel_core import Tool, ToolCall
from sentinel_core.errors import ConfigError, JournalError, SentinelError
from sentinel_core.guardrails import Reflector, reflect_by_rules
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.connect import close_model
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.host.tools import Toolbox
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned, as_text
from sentinel_core.runtime.redact import Redactor
from sentinel_core.runtime.watch import AtWork

__all__ = ["FRAMES", "Order", "RunKept", "Summary", "job"]

_JUDGING = ("fail_on", "profile", "weights.")  # settings of the judging, not of the run


class RunKept(Frame):
    """The run is in the journal under this id, and can be resumed."""

    run_id: str


class Summary(Frame):
    """How the run ended: a ``RunSummary`` as JSON."""

    json: bytes


FRAMES = RunKept | Note | Step | Text | Summary | Warned | Refusal


@attrs.frozen(kw_only=True)
class Order:
    """What to investigate, with which plugins and settings, and where to store the run.

    ``of_provider`` and ``of_tools`` are the values of flags for every plugin that has a setting of that name. ``resume`` is
    the run to continue; its flags apply unless given now, those in ``resume_flags`` only to the same provider. ``yes`` allows every
    sensitive tool. ``dead`` are tools whose import ended an earlier child: label to error.
    """

    release: str | None
    layers: Layers
    selection: Selection
    directory: Path
    of_provider: dict[str, Any] = attrs.field(factory=dict)
    resume_flags: ResumeFlags | None = None
    dead: Mapping[str, str] = attrs.field(factory=dict)
    of_tools: dict[str, Any] = attrs.field(factory=dict)
    resume: str | None = None
    accept_changes: bool = False
    record: Path | None = None
    yes: bool = False
    progress: bool = False
    otlp: str | None = None
    overriding: Overriding | None = None

    def flags(self) -> dict[str, Any]:
        """What the user set for the run on the command line, for the journal."""
        given = {
            key: [setting.value, setting.origin]
            for key, setting in self.layers.values.items()
            if setting.origin.startswith("--") and not key.startswith(_JUDGING)
        }
        override = None if self.overriding is None else attrs.asdict(self.overriding)
        return {"settings": given, "provider": self.of_provider, "tools": self.of_tools, "override": override}

    def with_flags(self, resume_flags: dict[str, Any], provider: str) -> "Order":
        """The order with the flags of the resumed run, which ``provider`` began, below those given now."""
        layers = with_resume_flags(self.layers, resume_flags)
        of_tools = {**resume_flags["tools"], **self.of_tools}
        if self.of_tools.get("releases"):
            of_tools.pop("repo", None)  # --releases replaces it
        return attrs.evolve(
            self,
            layers=layers,
            selection=Selection.parse(layers.host().plugins),
            resume_flags=ResumeFlags(provider, resume_flags["provider"]),
            of_tools=of_tools,
            overriding=self.overriding or msgspec.convert(resume_flags["override"], Overriding | None),
        )

    def unguarded(self, why: str) -> "Order":
        """The order for one attempt without a guard; ``why`` is the flag that is recorded as the origin."""
        reflect = Setting(key="reflect", value=False, origin=why)
        return attrs.evolve(self, layers=Layers(values={**self.layers.values, "reflect": reflect}))


def job(order: Order, outbox: Outbox) -> None:
    """Do the whole run. Errors that a user can fix are sent, without secrets."""
    end_with_parent()
    redactor = Redactor.of_environment()
    try:
        outbox.send(Summary(_run(order, outbox).to_json()))
    except SentinelError as error:
        outbox.refuse(redactor.text(str(error)))
    except OSError as error:
        outbox.refuse(_cut_short(order, error))


def _run(order: Order, outbox: Outbox) -> RunSummary:
    journal = Journal(order.directory)
    try:
        journal_observer = JournalObserver(journal)
        if order.resume is not None:
            run = journal_observer.resume(order.resume)
            if order.release not in (None, run.release_id):
                raise JournalError(f'run "{run.run_id}" is about release "{run.release_id}", not "{order.release}"')
            order = attrs.evolve(order.with_flags(run.flags, run.fingerprint["provider"]), release=run.release_id)
        return _investigate(order, outbox, journal_observer)
    finally:
        journal.close()


def _investigate(order: Order, outbox: Outbox, journal_observer: JournalObserver) -> RunSummary:
    with contextlib.ExitStack() as stack:
        guard = stack.enter_context(_guard(order, outbox)) if order.layers.host().reflect else None
        connected = connect(
            order.layers,
            order.selection,
            outbox,
            of_provider=order.of_provider,
            of_tools=order.of_tools,
            resume_flags=order.resume_flags,
            subject=order.release or "",
            dead=order.dead,
        )
        stack.callback(close_model, connected.model, connected.name, _warn(outbox))
        if connected.attempts == 1:
            order, guard = order.unguarded("--provider"), None  # a record of one attempt has no replies for a second
        settings: AgentSettings = order.layers.of_agent(AgentSettings)
        accepted = _admit(order, journal_observer, _fingerprint(connected, settings), outbox)
        outbox.mark(str(AtWork("run", f"providers:{connected.name}", 0)))
        telemetry = _telemetry(order, journal_observer, outbox)
        stack.callback(telemetry.close)
        _check_reflector(order, connected)
        if guard is not None:
            guard.ready()
        if order.resume is not None:
            outbox.send(RunKept(order.resume))
        investigation = Investigation(
            release_id=order.release or "",
            model=connected.model,
            tools=connected.tools,
            provider=connected.name,
            model_name=connected.model_name,
            settings=settings,
            observers=(journal_observer, telemetry, *_user_observers(order, connected, settings, outbox)),
            toolbox=Toolbox(confirm=_confirm(order, outbox)),
            on_text=(lambda text: outbox.send(Text(as_text(text)))) if order.progress else None,
            clean=Redactor.of_environment(names=connected.env).value,
            past=journal_observer.past,
            accepted=accepted,
            thresholds=order.layers.of_plugin("providers", "offline", RiskThresholds),
        )
        family = _family(order, outbox, investigation, guard, _reflector(order, investigation))
        family.deterministic = connected.deterministic
        result = family.run()
        gated = order.layers.host().fail_on_risk is not None and result.severity is not None
        gate = investigation.gate() if gated else None
    path = _save(result, order, journal_observer)
    return RunSummary.of(result, connected.name, path, judged=judged_by(order.layers), gate=gate)


def _save(result: RunResult, order: Order, journal_observer: JournalObserver) -> Path:
    """Write the last attempt's trace, and the record if asked for. The error names a report that was delivered."""
    try:
        path = save_run(result.trace, order.directory)
        if order.record is not None:
            from sentinel_agent.replay import export

            export(journal_observer.journal.read(result.run_id), order.record)
    except OSError as error:
        raise JournalError(f"{_cut_short(order, error)}{_delivered_hint(result)}") from error
    return path


def _delivered_hint(result: RunResult) -> str:
    if result.report is None:
        return ""
    named = " ".join(filter(None, ("the report", result.report.report_id)))
    return f"; {named} was delivered" + (f' to "{result.report.path}"' if result.report.path else "")


def _cut_short(order: Order, error: OSError) -> str:
    return f'"{error.filename or order.directory}": {error.strerror}; the run could not be finished'


def _family(
    order: Order, outbox: Outbox, investigation: Investigation, guard: GuardProcess | None, reflector: Reflector
) -> Family:
    def on_decision(decided: LoopDecided) -> None:
        if decided.reason == "thresholds_met" or order.progress:
            return
        text = f"Attempt {decided.loop_id}: {decided.decision}, {decided.reason}. {decided.detail}"
        outbox.send(Note(as_text(text)))

    return Family(
        investigation=investigation,
        guard=guard,
        reflector=reflector,
        keep=lambda trace: save_run(trace, order.directory),
        warn=_warn(outbox),
        on_decision=on_decision,
        final=final_ends(order.layers),
    )


def _guard(order: Order, outbox: Outbox) -> GuardProcess:
    guarding = Guarding(layers=order.layers, selection=order.selection, overriding=order.overriding)
    return GuardProcess(guarding, _warn(outbox))


def _warn(outbox: Outbox) -> Callable[[str], None]:
    redactor = Redactor.of_environment()
    return lambda text: outbox.warn(redactor.text(text))


def _check_reflector(order: Order, connected: Connected) -> None:
    if order.layers.host().reflector == "llm" and connected.attempts is not None:
        raise ConfigError("--reflector llm: a replay has no model to ask; use --reflector rules")


def _reflector(order: Order, investigation: Investigation) -> Reflector:
    host = order.layers.host()
    if host.reflector == "rules":
        return reflect_by_rules
    from sentinel_agent.reflection.by_model import ModelReflector

    timeout = investigation.settings.call_timeout or host.timeout
    return ModelReflector(model=investigation.model, timeout=timeout, on_answer=investigation.record.emit)


def _admit(order: Order, journal_observer: JournalObserver, now: dict[str, Any], outbox: Outbox) -> tuple[str, ...]:
    """Prepare a new run's record, or compare a resumed run with its record; returns the accepted differences."""
    if order.resume is None:
        flags = Redactor.of_environment().plain(order.flags())
        journal_observer.prepare(order.release or "", flags, now, lambda run_id: outbox.send(RunKept(run_id)))
        return ()
    changed = differences(journal_observer.fingerprint, now)
    if changed and not order.accept_changes:
        raise JournalError(
            f'run "{order.resume}" was started with different settings ({"; ".join(changed)}); use the same settings, '
            "or give --accept-changes"
        )
    return changed


def _fingerprint(connected: Connected, settings: AgentSettings) -> dict[str, Any]:
    return fingerprint(
        provider=connected.name,
        model=connected.model_name,
        system_prompt=SYSTEM_PROMPT,
        tools=connected.tools,
        settings={"agent": settings.as_dict(), **connected.settings},
        plugins=connected.versions,
    )


def _confirm(order: Order, outbox: Outbox) -> Callable[[Tool, ToolCall], bool]:
    def confirm(tool: Tool, _call: ToolCall) -> bool:
        if not order.yes:
            outbox.warn(f'tool "{tool.name}" is sensitive and was not run; --yes allows it')
        return order.yes

    return confirm


def _telemetry(order: Order, journal_observer: JournalObserver, outbox: Outbox) -> Telemetry:
    """Spans, metrics and logs of the run, including earlier processes of it; their problems are warnings."""
    telemetry = Telemetry(
        order.directory,
        endpoint=order.otlp,
        warn=outbox.warn,
    )
    telemetry.resume(journal_observer.past)
    return telemetry


def _user_observers(order: Order, connected: Connected, settings: AgentSettings, outbox: Outbox) -> Iterator[Observer]:
    """Observers for the user: the progress, and a warning about unknown costs."""
    if order.progress:
        yield _progress(outbox)
    if settings.max_cost_usd is not None and not connected.deterministic:
        yield _Unpriced(_warn(outbox))


@attrs.define
class _Unpriced:
    """Warns once of a reply with unknown cost, if there is a limit on costs."""

    warn: Callable[[str], None]
    has_warned: bool = False

    def __call__(self, event: Event) -> None:
        """Look at one event."""
        if self.has_warned or not isinstance(event, ReplyReceived) or event.reply.cost_usd is not None:
            return
        self.has_warned = True
        other = "--max-turns" if event.reply.usage is None else "--max-tokens"
        self.warn(f"the cost of this model is unknown, so --max-cost has no effect; use {other}")


def _progress(outbox: Outbox) -> Callable[[Event], None]:
    return lambda event: outbox.send(Step(encode_event(event)))
