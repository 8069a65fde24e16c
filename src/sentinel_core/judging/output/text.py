"""A report for a terminal: the verdict, a bar per signal, the worst findings with their place and quote."""

from collections.abc import Collection, Iterator, Sequence

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.judging.output.evidence import said_and_record
from sentinel_core.judging.output.ledger import ledger_lines
from sentinel_core.report import Coverage, Finding, ReliabilityReport, SignalScore
from sentinel_core.runtime.printable import clipped, counted, printable, thousandths
from sentinel_core.runtime.redact import redact

__all__ = ["heading", "place_of", "render_report", "render_summary"]

_BAR = 20
_QUOTE = 200
_WORST = 5
_SHORTEST_ID, _LONGEST_ID = 12, 80
_ORDER = {"error": 0, "warning": 1, "note": 2}
_SYMBOLS = {"error": "✗", "warning": "!", "note": "·"}
_VERDICT_SYMBOLS = {"PASS": "✓", "WARN": "!", "FAIL": "✗", None: "?"}
_COLORS = {"PASS": "32", "WARN": "33", "FAIL": "31", None: "35", "error": "31", "warning": "33", "note": "2"}


def render_report(
    report: ReliabilityReport,
    *,
    origin: str = "",
    verbose: bool = False,
    color: bool = False,
    known: Collection[int] = (),
    index: TraceIndex | None = None,
) -> str:
    """The report as text, ending with a newline. ``origin`` is the place of the trace (file and record).

    ``known`` are the positions of findings that a baseline knows; with ``index``, each finding shows what the record has there.
    """
    return "".join(f"{line}\n" for line in _lines(report, origin, known, index, verbose=verbose, color=color))


def render_summary(counts: dict[str, int], files: Sequence[str] = ()) -> str:
    """One line that counts the verdicts of many reports, and names the files that were written."""
    total = sum(counts.values())
    parts = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    written = f" -> {', '.join(printable(redact(file)) for file in files)}" if files else ""
    return f"{counted(total, 'trace')}: {parts}{written}\n"


def _lines(
    report: ReliabilityReport,
    origin: str,
    known: Collection[int],
    index: TraceIndex | None,
    *,
    verbose: bool,
    color: bool,
) -> Iterator[str]:
    yield heading(report, origin, color=color)
    yield f"  {printable(report.reasoning)}"
    yield from _signals(report)
    yield from _failures(report)
    yield from (f"  ! not read: {printable(gap)}" for gap in report.unread)
    yield from _findings(report, known, index, verbose=verbose, color=color)
    yield from _attribution(report)
    if report.ledger is not None:
        yield from ledger_lines(report.ledger)
    yield _footing(report)
    if verbose:
        yield from _verbose(report)


def heading(report: ReliabilityReport, origin: str, *, color: bool = False, width: int = 0) -> str:
    """Verdict, trace and place; with ``width``, the id is cut so that the line fits."""
    head, without = f"{_VERDICT_SYMBOLS[report.verdict]} {report.verdict or 'NO VERDICT'}", _without(report)
    place = f"  ({printable(origin)})" if origin else ""
    longest = (
        min(_LONGEST_ID, max(_SHORTEST_ID, width - len(head) - len(without) - len(place) - 2)) if width else _LONGEST_ID
    )
    return f"{_paint(head, _COLORS[report.verdict], color=color)}{without}  {printable(clipped(report.trace_id, longest))}{place}"


def _without(report: ReliabilityReport) -> str:
    """The deciding signals that saw nothing: a PASS without them is worth less."""
    if report.verdict not in ("PASS", "WARN"):
        return ""
    states = {"left_out": "left out", "unmeasured": "not measured"}
    deciding = {
        *report.profile.get("weights", ()),
        *(rule["signal_name"] for rule in report.profile.get("critical", ())),
    }
    rows = [row for row in report.coverage if row.state in states and row.signal_name in deciding]
    return f" ({', '.join(f'{row.signal_name} {states[row.state]}' for row in rows)})" if rows else ""


def _footing(report: ReliabilityReport) -> str:
    """The profile and the numbers that sort; for a PASS also its scope; for a finding above a note the command that explains it."""
    numbers = {"risk": report.overall_score, "triage": report.triage_score}
    told = [f"{name} {thousandths(number) / 1000:.3f}" for name, number in numbers.items() if number is not None]
    sorting = f" For sorting: {', '.join(told)}." if told else ""
    scope = f" {printable(report.scope)}" if report.verdict == "PASS" else ""
    is_found = any(finding.severity != "note" for finding in report.findings)
    more = ' "sentinel explain RULE" explains a finding.' if is_found else ""
    return f"  Profile {printable(report.profile['name'])}.{sorting}{scope}{more}"


def _signals(report: ReliabilityReport) -> Iterator[str]:
    width = max((len(score.signal_name) for score in report.signal_scores), default=0)
    for score in report.signal_scores:
        yield f"  {score.signal_name:<{width}}  {_bar(score)}  {printable(clipped(score.details, 160))}".rstrip()


def _bar(score: SignalScore) -> str:
    if score.score is None:
        return f"{'not measured':<{_BAR}}      "
    filled = round(score.score * _BAR)
    weight = "advisory" if score.advisory else f"× {score.weight:g}" if score.weight else "rule"
    return f"{'█' * filled}{'░' * (_BAR - filled)} {score.score:.2f} {weight:<6}"


def _failures(report: ReliabilityReport) -> Iterator[str]:
    for failure in report.failures:
        kind = "advisory signal" if failure.advisory else "signal"
        origin = f" ({failure.distribution} {failure.version})" if failure.distribution else ""
        yield f'  ✗ {kind} "{failure.signal_name}"{origin} {printable(failure.error)}'


def _findings(
    report: ReliabilityReport, known: Collection[int], index: TraceIndex | None, *, verbose: bool, color: bool
) -> Iterator[str]:
    ordered = sorted(enumerate(report.findings), key=lambda entry: (entry[0] in known, _ORDER[entry[1].severity]))
    worst = [("(known) " if place in known else "", finding) for place, finding in ordered]
    shown = worst if verbose else worst[:_WORST]
    for mark, finding in shown:
        symbol = _paint(_SYMBOLS[finding.severity], _COLORS[finding.severity], color=color)
        yield f"  {symbol} {mark}{place_of(finding)}{printable(finding.rule)}: {printable(clipped(finding.text, 300))}"
        if finding.quote:
            yield f"      “{printable(clipped(finding.quote, _QUOTE))}”"
        if index is not None and finding.severity != "note" and (record := said_and_record(finding, index)[1]):
            yield f"      record: {printable(clipped(redact(record), _QUOTE))}"
    if len(worst) > len(shown):
        yield f"  and {counted(len(worst) - len(shown), 'more finding')} (--verbose shows all)"


def _attribution(report: ReliabilityReport) -> Iterator[str]:
    step = report.attribution
    if step is not None:
        agent = f" of {printable(clipped(step.agent, 60))}" if step.agent else ""
        is_named = any(finding.rule == step.basis and finding.severity == "error" for finding in report.findings)
        lead = "look first at" if is_named or report.verdict != "FAIL" else "it began at"
        yield f"  → {lead} message {step.message_index}{agent} ({printable(step.basis)})"


def place_of(finding: Finding) -> str:
    """The finding's message, with its place in the source; empty, or a space at the end."""
    agent = "".join(f"sub-agent {position} " for position in finding.trace_path)
    origin = f" ({printable(clipped(finding.origin, 60))})" if finding.origin else ""
    return f"{agent}message {finding.message_index}{origin} " if finding.message_index is not None else agent


def _verbose(report: ReliabilityReport) -> Iterator[str]:
    totals = report.metadata
    tokens = "unknown" if totals.total_tokens is None else totals.total_tokens
    yield f"  {counted(totals.total_messages, 'message')}, {counted(totals.total_tool_calls, 'tool call')}, tokens: {tokens}"
    for row in report.coverage:
        yield f"  {row.signal_name}: {_coverage(row)}"
    for name, values in report.settings.items():
        yield f"  settings of {name}: {printable(', '.join(f'{key}={value}' for key, value in values.items()))}"
    yield f"  profile {printable(report.profile['name'])}: " + ", ".join(
        f"{name} {weight:g}" for name, weight in sorted(report.profile["weights"].items())
    )


def _coverage(row: Coverage) -> str:
    reason = f" ({printable(row.reason)})" if row.reason else ""
    gaps = "".join(f"; {printable(gap)}" for gap in row.gaps)
    return f"{row.state.replace('_', ' ')}{reason}{gaps}"


def _paint(text: str, code: str, *, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color else text
