"""What the child does for ``sentinel evaluate``: read records, judge them, send one frame for each."""

import gc
import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

import attrs

from sentinel_core._fast import evolve
from sentinel_core.errors import InputError, SentinelError
from sentinel_core.evaluate.evaluator import Panel, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.first_party import is_first_party, protect_from_third_party
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import Installed, load, refuse_clashes, select
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.judging.records import (
    Crashed,
    Death,
    Newest,
    Readable,
    Report,
    Unread,
    Unreadable,
    read_records,
    warn_unloaded,
)
from sentinel_core.judging.tally import NO_VERDICT, crash_error, dead_at, with_error
from sentinel_core.offers import TraceReader
from sentinel_core.report import ReliabilityReport, SignalFailure
from sentinel_core.runtime.outbox import Outbox
from sentinel_core.runtime.redact import redact, redacted
from sentinel_core.runtime.watch import Watch
from sentinel_core.traces.sources import FileSource

if TYPE_CHECKING:
    from sentinel_core.host.expectations import Expected
    from sentinel_core.host.third_party import ThirdParty
    from sentinel_core.judging.output.record import Extra, Recorder
    from sentinel_core.telemetry.verdicts import Emission

__all__ = ["Format", "Plan", "Prepared", "job", "judged", "prepare", "recorder_of", "rendered", "tune_gc"]

Format = Literal["text", "json", "jsonl", "rows", "records"]


class Plan(NamedTuple):
    """What to judge, and how to report it. The first ``done`` records are already out; ``deaths`` are to be avoided.

    Text is folded at ``width``, unless that is 0. Verdicts go to ``emission`` as events. With ``attribute`` even a PASS
    names the step to look at first; with ``ledger`` each report lists the agent's claims beside the record. ``task_key`` groups the runs of a batch by task; ``expected`` are the expectations of
    them. The format ``rows`` is JSON Lines of report, source and record number, for tables; ``records`` also has what
    ``extras`` name, for documents. ``known`` are the fingerprints of a baseline. Third-party plugins may take ``timeout``
    seconds for an answer, and ``memory`` bytes; None leaves both to the limits of this process. ``brief`` text has a line or
    two for each trace, and no newline at its end.
    """

    sources: tuple[FileSource | InputError, ...]
    layers: Layers
    selection: Selection
    format: Format = "text"
    pretty: bool = False
    verbose: bool = False
    color: bool = False
    width: int = 0
    latest: str | None = None
    reader: str | None = None
    strict: bool = False
    attribute: bool = False
    ledger: bool = False
    task_key: str | None = None
    expected: "Expected | None" = None
    max_record: int = 256 << 20
    done: int = 0
    deaths: tuple[Death, ...] = ()
    emission: "Emission | None" = None
    extras: "frozenset[Extra]" = frozenset()
    known: frozenset[str] = frozenset()
    timeout: float | None = None
    memory: int | None = None
    brief: bool = False


class Prepared(NamedTuple):
    """What judges: the panel and the readers. ``crashes`` are the third-party signals that ended their process, as they happen."""

    panel: Panel
    readers: list[TraceReader]
    crashes: dict[tuple[int, str], str]


def job(plan: Plan, outbox: Outbox) -> None:
    """Send a frame for each warning, report and unreadable record, or for the reason why nothing can be judged."""
    watch = Watch(outbox)
    try:
        ready = prepare(plan, watch, outbox)
        tune_gc()
        recorder = recorder_of(plan, ready.panel)
        label = ""
        records = read_records(plan, ready.readers, watch)
        if plan.format in ("text", "records") and not plan.verbose:
            plan, records = _brief_if_many(plan, records)
        for item, outcome in enumerate(records):
            watch.item = item
            if item >= plan.done:
                found = judged(outcome, ready.panel, plan, item, outbox)
                _send(found, outcome, plan, outbox, recorder, dead_at(plan, item, ready.crashes))
            label = outcome.label  # the newest session comes last
        if plan.latest is not None and label:
            outbox.send(Newest(label.encode("utf-8", "replace").decode()))
    except SentinelError as error:
        outbox.refuse(error)


def _brief_if_many(
    plan: Plan, records: Iterator[Readable | Unreadable]
) -> tuple[Plan, Iterator[Readable | Unreadable]]:
    """A single trace is told in full, several in brief: looks at the first two records."""
    first = list(itertools.islice(records, 2))
    return plan._replace(brief=len(first) > 1), itertools.chain(first, records)


def recorder_of(plan: Plan, panel: Panel) -> "Recorder | None":
    """The recorder, if the format is ``records``."""
    if plan.format != "records":
        return None
    from sentinel_core.judging.output.record import Recorder

    return Recorder(plan.extras, panel.rules)


def _send(
    found: ReliabilityReport | Unreadable,
    outcome: Readable | Unreadable,
    plan: Plan,
    outbox: Outbox,
    recorder: "Recorder | None",
    dead: Mapping[str, str],
) -> None:
    if isinstance(found, Unreadable):
        outbox.send(Unread(found.row()))
        return
    assert isinstance(outcome, Readable)
    error = crash_error(found, outcome, dead)
    if error is not None:
        outbox.send(Crashed(error.row()))
    data = rendered(found, outcome, plan, error, recorder)
    task = plan.expected.task_of(outcome.trace) if plan.expected is not None and plan.expected.by_task else None
    outbox.send(Report(found.verdict or NO_VERDICT, found.is_complete, data, task))


def judged(
    outcome: Readable | Unreadable, panel: Panel, plan: Plan, item: int, outbox: Outbox
) -> ReliabilityReport | Unreadable:
    """The report on a record, without secrets; an unreadable record is returned unchanged.

    Sends a warning if its event cannot be written.
    """
    if isinstance(outcome, Unreadable):
        return outcome
    report = _report(outcome, _without_the_dead(panel, plan, item))
    if isinstance(report, Unreadable):
        return report
    if plan.emission is not None:
        from sentinel_core.telemetry.verdicts import judged_span

        problem = plan.emission.write(plan.emission.lines(report, *judged_span(outcome.trace)))
        if problem is not None:
            outbox.warn(problem)
    return report


def _report(outcome: Readable, panel: Panel) -> ReliabilityReport | Unreadable:
    try:
        index = TraceIndex(outcome.trace)
        report = redacted(evaluate(index, panel))
    except UnicodeEncodeError:
        message = f'record {outcome.number} ("{outcome.trace.trace_id}") contains half of a surrogate pair, which is not valid text'
        return Unreadable(message=message, source=outcome.source, label=outcome.label)
    except (AttributeError, TypeError, RecursionError):
        if (malformed := outcome.malformed()) is not None:
            return malformed
        raise
    if index.is_odd or len(report.failures) > len(panel.standing_failures):
        return outcome.malformed() or report
    return report


def tune_gc() -> None:
    """Freeze what is loaded and collect less often: traces hold no cycles, and the search for them costs a third of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def prepare(plan: Plan, watch: Watch, outbox: Outbox) -> Prepared:
    """The panel and the readers; sends a warning for each plugin that could not be loaded. Third-party plugins run in another process.

    Raises ``ConfigError`` or ``PluginError``.
    """
    kinds = ("signals", "trace_readers")
    chosen, left_out = select(plan.selection, kinds)
    wanted = [one for one in chosen if one.kind != "trace_readers" or one.name == plan.reader]
    if plan.reader is None or not any(one.kind == "trace_readers" for one in wanted):
        wanted = chosen
    dead = {death.at_work.label: death.error for death in plan.deaths if death.at_work.stage == "load"}
    plugins, failures = load(filter(is_first_party, wanted), kinds=kinds, dead=dead, watch=watch)
    crashes: dict[tuple[int, str], str] = {}
    others = tuple(one for one in wanted if not is_first_party(one))
    if others or plan.selection.targets:
        third_party = _third_party(plan, others, watch, outbox)
        crashes = third_party.crashes
        theirs, failed = third_party.load()
        plugins = sorted([*plugins, *theirs], key=lambda plugin: plugin.source)
        failures = sorted([*failures, *failed], key=lambda failure: failure.source)
        refuse_clashes(plugins)
    panel = make_panel(
        plugins,
        failures,
        left_out,
        plan.layers,
        watch=watch,
        attributes_all=plan.attribute,
        has_ledger=plan.ledger or "page" in plan.extras,
    )
    if plan.expected is not None:
        from sentinel_core.host.expectations import expecting

        panel = expecting(panel, plan.expected)
    if plan.selection.targets:  # their offers are known only after loading
        offered = {(plugin.source.kind, plugin.source.name) for plugin in plugins}
        plan.layers.refuse_unknown_plugins(
            offered | {(source.kind, source.name) for source in (*chosen, *left_out)}, kinds
        )
    warn_unloaded(failures, plan.done, plan.deaths, outbox)
    readers = [plugin.offer for plugin in plugins if plugin.source.kind == "trace_readers"]
    return Prepared(panel, readers, crashes)


def _third_party(plan: Plan, others: tuple[Installed, ...], watch: Watch, outbox: Outbox) -> "ThirdParty":
    from sentinel_core.host.third_party import ThirdParty  # most have no third-party plugin
    from sentinel_core.host.third_party_process import ThirdPartyPlugins

    protect_from_third_party(plan.selection)
    files = [source for source in plan.sources if isinstance(source, FileSource)]
    wanted = ThirdPartyPlugins(
        plugins=others,
        targets=plan.selection.targets,
        layers=plan.layers,
        keep=tuple({int(file.path.name) for file in files if file.is_spooled and file.path.name.isdecimal()}),
    )
    return ThirdParty(wanted, watch, outbox, timeout=plan.timeout, memory=plan.memory, largest=plan.max_record)


def _without_the_dead(panel: Panel, plan: Plan, item: int) -> Panel:
    """The panel for one record, in which a signal that ended an earlier child on it is a failure."""
    dead = dead_at(plan, item)
    if not dead:
        return panel
    failures = tuple(
        SignalFailure(
            signal_name=signal.name,
            error=dead[signal.name],
            distribution=signal.distribution,
            version=signal.version,
        )
        for signal in panel.signals
        if signal.name in dead
    )
    return attrs.evolve(
        panel,
        signals=tuple(signal for signal in panel.signals if signal.name not in dead),
        failures=(*panel.failures, *failures),
    )


def rendered(
    report: ReliabilityReport,
    outcome: Readable,
    plan: Plan,
    error: Unreadable | None,
    recorder: "Recorder | None" = None,
) -> bytes:
    """The report in the plan's format, without a separator; in JSON with the ``error``. A page always has the ledger."""
    full, report = report, report if plan.ledger or report.ledger is None else evolve(report, ledger=None)
    if plan.format == "text":
        return _text(report, outcome, plan).encode("utf-8", "replace")
    from sentinel_core.runtime.printable import printable_json
    from sentinel_core.traces.codec import encode_report

    data = with_error(printable_json(encode_report(report)), error)
    if plan.format == "rows":
        return with_error(_row(data, outcome), error)
    if recorder is not None:
        return recorder.record(full, data, outcome, _text(report, outcome, plan) if "text" in plan.extras else "")
    if not plan.pretty:
        return data
    import msgspec

    return msgspec.json.format(data, indent=2)


def _text(report: ReliabilityReport, outcome: Readable, plan: Plan) -> str:
    from sentinel_core.judging.output.text import render_report
    from sentinel_core.runtime.printable import folded

    place = f"record {outcome.number}"
    named_so = outcome.trace.trace_id.startswith(outcome.source)
    origin = place if named_so else f"{redact(outcome.source)}, {place}"
    known = _known(report, outcome, plan.known) if plan.known else ()
    if plan.brief:
        from sentinel_core.judging.output.brief import render_brief

        return render_brief(report, origin=origin, color=plan.color, width=plan.width, known=known)
    index = TraceIndex(outcome.trace) if report.findings else None
    text = render_report(report, origin=origin, verbose=plan.verbose, color=plan.color, known=known, index=index)
    return folded(text, plan.width)


def _known(report: ReliabilityReport, outcome: Readable, known: frozenset[str]) -> list[int]:
    import msgspec

    from sentinel_core.judging.output.findings import fingerprints, identity_of

    identity = identity_of(report.trace_id, redact(outcome.label), redact(outcome.source))
    found = fingerprints(msgspec.to_builtins(report, enc_hook=str), identity)
    return [place for place, fingerprint in enumerate(found) if fingerprint in known]


def _row(data: bytes, outcome: Readable) -> bytes:
    import json

    source = json.dumps(redact(outcome.label)).encode()
    return b'{"source": %s, "record": %d, "report": %s}' % (source, outcome.number, data)
