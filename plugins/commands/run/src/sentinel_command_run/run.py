"""``sentinel run``."""

import io
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any, Literal

import attrs
import click

from sentinel_agent.run_progress import Progress, Step, Text
from sentinel_agent.run_summary import RunSummary, heading, lifted, render_run
from sentinel_command_run.choose_provider import Note
from sentinel_command_run.run_child import FRAMES, Order, RunKept, Summary, job
from sentinel_command_run.run_options import AGENT, check_places, guard_flags, of_tools, overriding, run_options
from sentinel_core.cli import ERROR, HOME, complain, say, terminal_width, use_color, warn
from sentinel_core.cli.options import finish, judging_flags, judging_options, layers_and_selection, plugin_options
from sentinel_core.cli.supervise import supervise
from sentinel_core.errors import ConfigError, WorkerError, WorkerJobError
from sentinel_core.host.connect import PROVIDER
from sentinel_core.host.settings import HostSettings, Layers
from sentinel_core.judging.job import Plan
from sentinel_core.judging.job import job as judge
from sentinel_core.judging.tally import Tally
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Refusal, Warned
from sentinel_core.runtime.printable import clipped
from sentinel_core.runtime.watch import AtWork, at_fault
from sentinel_core.telemetry.encode import is_disabled
from sentinel_core.telemetry.names import trace_id_of
from sentinel_core.telemetry.verdicts import Emission
from sentinel_core.traces.sources import FileSource

__all__ = ["command"]

_GRACE = 120.0  # seconds past the deadline, for a running tool and the delivery
_LOOKS = 6  # silent steps after an attempt, in timeouts: judging, settling, and four requests to a model
_CAUSE = 400
_RISK = {"low": 0, "medium": 1, "high": 2}


@click.command("run")
@click.argument("release", metavar="[RELEASE]", required=False)
@run_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("-v", "--verbose", is_flag=True, help="Show every finding on the agent, and what was checked.")
@click.option("--fail-on-risk", type=click.Choice(["high", "medium"]), help="Exit with 2 at this severity or above.")
@judging_options
@click.option("--otlp", metavar="ENDPOINT", help="Also send spans, metrics, logs and verdicts to a collector.")
@plugin_options
def command(release: str | None, **options: Any) -> int:
    r"""Investigate RELEASE: fetch its summary, judge its risk, file a report; then judge the agent that did it.

    \b
    sentinel run v2.1.0 --releases examples/releases
    sentinel run v2.1.0 --provider ollama --model qwen3 --tool-mode guided
    sentinel run v2.0..v2.1 --repo . --junit results.xml
    sentinel run --resume ID

    Exit codes: the verdict on the agent, 0 PASS, 1 WARN, 2 FAIL; also 2 if the release's risk reaches
    --fail-on-risk; 3 if no report was filed or the agent could not be judged; 130 after Ctrl-C.
    """
    order, host = _order(release, options)
    if order.otlp is not None:
        from sentinel_core.telemetry.send import check_endpoint

        check_endpoint(order.otlp)
    found = _investigate(order, host, quiet=options["as_json"])
    if found is None:
        return ERROR
    if not found.answered:
        _print(found, b"", as_json=options["as_json"], color=False)
        complain(_why_no_report(found, host))
        return ERROR
    form: Literal["json", "text"] = "json" if options["as_json"] else "text"
    plan = Plan(
        sources=(FileSource(path=Path(found.trace_path), label=found.trace_path),),
        layers=order.layers,
        selection=order.selection,
        format=form,
        reader="native",
        verbose=options["verbose"],
        color=form == "text" and use_color(),
        width=terminal_width(),
        emission=_emission(found, order),
    )
    rendered = io.BytesIO()
    tally = supervise(plan, rendered, job=judge, timeout=host.timeout, memory_mb=host.max_memory_mb)
    finish(plan.emission)
    _print(found, rendered.getvalue(), as_json=options["as_json"], color=plan.color)
    return _exit_code(found, tally, host)


def _order(release: str | None, options: dict[str, Any]) -> tuple[Order, HostSettings]:
    if release is None and options["resume"] is None:
        raise ConfigError("name the release to investigate, or give --resume with the id of a run")
    check_places(options)
    flags = judging_flags(options, "provider", "fail_on_risk")
    for field, flag in AGENT.items():
        if options[field] is not None:
            flags[f"agent.{field}"] = options[field], flag
    flags.update(guard_flags(options))
    layers, selection = layers_and_selection(flags, options["assignments"])
    order = Order(
        release=release,
        layers=layers,
        selection=selection,
        directory=HOME,
        of_provider={name: options[name] for name in PROVIDER if options[name] is not None},
        of_tools=of_tools(options, layers),
        resume=options["resume"],
        accept_changes=options["accept_changes"],
        record=options["record"],
        yes=options["yes"],
        otlp=options["otlp"],
        overriding=overriding(options),
        progress=not options["as_json"] and sys.stderr.isatty(),
    )
    return order, layers.host()


def _emission(found: RunSummary, order: Order) -> Emission | None:
    """The verdict's place: the logs of the run's own telemetry; None if OpenTelemetry is switched off."""
    if is_disabled():
        return None
    trace_id = trace_id_of(Path(found.trace_path).name.removesuffix(".trace.json"))
    return Emission.of(order.directory, trace_id, order.otlp).prepared()


def _investigate(order: Order, host: HostSettings, *, quiet: bool) -> RunSummary | None:
    """The agent's run, in a child; None if it ended without a result, which is then reported."""
    received = _Received(quiet=quiet, run_id=order.resume, no_config=host.no_config)
    with received.progress:
        while (died_of := _ended_by(order, host, received)) is not None:
            order = attrs.evolve(order, dead={**order.dead, **died_of})
    return received.found


def _ended_by(order: Order, host: HostSettings, received: "_Received") -> dict[str, str] | None:
    """The tool whose import ended the child, with the error, so that the next child avoids it; None if the run is over."""
    with Child(partial(job, order), frames=FRAMES, memory=host.max_memory_mb << 20) as child:
        try:
            for frame in child.frames(_patience(order.layers)):
                received.take(frame)
        except WorkerError as error:
            stage, label = (AtWork.parse(error.mark) or AtWork("", "", 0))[:2]
            if stage == "load" and label.startswith("tools:") and label not in order.dead:
                return {label: str(error)}
            verb = "raised " if isinstance(error, WorkerJobError) else ""
            complain(f"{at_fault(error.mark, 'the run')} {verb}{error}{received.how_to_resume}")
        except KeyboardInterrupt:
            say(f"\nsentinel: stopped{received.how_to_resume}")
            raise
    return None


@attrs.define
class _Received:
    """Handles the child's frames as they arrive. ``is_kept`` is True once the run can be resumed."""

    quiet: bool
    run_id: str | None
    no_config: bool
    is_kept: bool = False
    found: RunSummary | None = None
    progress: Progress = attrs.field(factory=Progress)

    def take(self, frame: Frame) -> None:
        """Keep or show a frame."""
        match frame:
            case Summary():
                self.found = RunSummary.from_json(frame.json)
            case RunKept():
                self.run_id, self.is_kept = frame.run_id, True
            case Step() | Text():
                self.progress.show(frame)
            case Warned(text=text):
                warn(text)
            case Refusal(text=text):
                complain(text + self.how_to_resume if self.is_kept else text)
            case Note(text=text) if not self.quiet:
                say(text)

    @property
    def how_to_resume(self) -> str:
        """The hint after an early end; empty before anything was saved."""
        if self.run_id is None:
            return ""
        return f"; the work so far is saved; to continue: {_resuming(self.run_id, no_config=self.no_config)}"


def _resuming(run_id: str, *, no_config: bool) -> str:
    """The command that resumes a run; keeps ``--no-config``, because a settings file can run code."""
    return f"sentinel {'--no-config ' if no_config else ''}run --resume {run_id}"


def _patience(layers: Layers) -> float | None:
    """The longest silence of the child in seconds; None for a run without a deadline."""
    from sentinel_core.host.agent_settings import AgentSettings

    settings: AgentSettings = layers.of_agent(AgentSettings)
    deadline = settings.deadline
    return None if deadline is None else deadline + _GRACE + _LOOKS * layers.host().timeout


def _print(found: RunSummary, rendered: bytes, *, as_json: bool, color: bool) -> None:
    from sentinel_core.runtime.printable import folded, printable_json

    if not as_json:
        click.echo(folded(render_run(found, color=color), terminal_width()), nl=False)
        if rendered:
            click.echo(folded(f"\n{heading(found)}\n\n", terminal_width()), nl=False)
            click.echo(rendered, nl=False)
        return
    agent = lifted(json.loads(rendered or b"null"), found)
    click.echo(
        printable_json(json.dumps({**found.as_dict(), "agent": agent}, ensure_ascii=False).encode("utf-8", "replace"))
    )


def _exit_code(found: RunSummary, tally: Tally, host: HostSettings) -> int:
    code = tally.exit_code(host.fail_on)
    if found.severity is None:
        complain(_why_no_report(found, host))
        return ERROR
    if code == 0 and found.below_evidence and host.fail_on == "warn":
        code = 1
    return 2 if code != ERROR and _is_too_risky(found, host.fail_on_risk) else code


def _is_too_risky(found: RunSummary, limit: str | None) -> bool:
    """Whether the report, the data that the agent fetched, or the host's own data reach the limit; prints which.

    Unreadable data reach every limit, because they may hide the highest risk.
    """
    risk = found.evidence_severity if found.below_evidence else found.severity
    if limit is None:
        return False
    if risk is not None and _RISK[risk] >= _RISK[limit]:
        reason = f"the risk is {risk}{_by_whom(found)}"
    elif found.evidence_severity is None:
        reason = "the risk is unknown, because the summary that the agent fetched cannot be read"
    elif found.gate is None:
        return False
    elif (seen := found.gate.severity) is None:
        reason = f"the risk is unknown, because the release's summary could not be fetched: {clipped(found.gate.problem, _CAUSE)}"
    elif _RISK[seen] >= _RISK[limit]:
        reason = f"the risk is {seen} according to the release's summary"
    else:
        return False
    complain(f"{reason}; --fail-on-risk is {limit}")
    return True


def _by_whom(found: RunSummary) -> str:
    """The source of the risk, if the report's severity is below it."""
    if not found.below_evidence:
        return ""
    return (
        " according to the data that the agent fetched"
        if found.summary_fetched
        else ", because the agent fetched no summary"
    )


def _why_no_report(found: RunSummary, host: HostSettings) -> str:
    command = _resuming(found.run_id, no_config=host.no_config)
    resume, again = (f"; to continue: {command}", f"; to try again: {command}") if found.resumable else ("", "")
    if found.delivery == "unknown":
        return f'whether the risk report for "{found.release_id}" was filed is unknown: {found.delivery_text}{again}'
    if found.delivery == "failed":
        return f'the risk report for "{found.release_id}" was not filed: {found.delivery_text}{again}'
    if found.error:
        return found.error + resume
    cause = f": {clipped(found.cause, _CAUSE)}" if found.cause else ""
    rejected = _rejected(found)
    return f'no risk report was filed for "{found.release_id}" (outcome: {found.outcome}){cause}{rejected}{resume}'


def _rejected(found: RunSummary) -> str:
    """A hint to the last earlier attempt that had staged a report, if there is one."""
    for number, attempt in reversed(list(enumerate(found.attempts[:-1], 1))):
        if attempt.staged is not None:
            return f"; attempt {number} had staged one ({attempt.staged} risk), but was not accepted"
    return ""
