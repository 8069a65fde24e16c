"""A report among many: one line for a PASS, and beneath any other the worst that was found."""

from collections.abc import Collection, Iterator

from sentinel_core.judging.output.text import heading, place_of
from sentinel_core.report import Finding, ReliabilityReport
from sentinel_core.runtime.printable import clipped, counted, printable

__all__ = ["render_brief"]

_SYMBOLS = {"error": "✗", "warning": "!", "note": "·"}
_ORDER = tuple(_SYMBOLS)
_WIDEST = 400  # columns, where no terminal folds
_LEAST = 20


def render_brief(
    report: ReliabilityReport, *, origin: str, color: bool = False, width: int = 0, known: Collection[int] = ()
) -> str:
    """One line or two, without the last newline; each fits into ``width`` columns, if that is not 0."""
    most = max(_LEAST, width or _WIDEST)
    lines = [heading(report, origin, color=color, width=most), *(_cut(line, most) for line in _beneath(report, known))]
    return "\n".join(lines)


def _beneath(report: ReliabilityReport, known: Collection[int]) -> Iterator[str]:
    deciding = [failure for failure in report.failures if not failure.advisory]
    if deciding:
        first = deciding[0]
        yield f'signal "{first.signal_name}" {first.error}{_more(len(deciding) - 1, "failed signal")}'
    elif report.verdict is None:
        yield report.reasoning
    elif report.unread:
        yield f"! not read: {report.unread[0]}{_more(len(report.unread) - 1, 'gap')}"
    if report.verdict in ("FAIL", "WARN"):
        yield from _worst(report, known)


def _worst(report: ReliabilityReport, known: Collection[int]) -> Iterator[str]:
    found = [(place in known, finding) for place, finding in enumerate(report.findings) if finding.severity != "note"]
    if not found:
        yield report.reasoning
        return
    is_known, worst = min(found, key=lambda one: (one[0], _ORDER.index(one[1].severity)))
    mark = "(known) " if is_known else ""
    yield f"{_SYMBOLS[worst.severity]} {mark}{_told(worst)}{_more(len(found) - 1, 'finding')}"


def _told(finding: Finding) -> str:
    quote = f" “{clipped(finding.quote, 100)}”" if finding.quote else ""
    place = place_of(finding).rstrip()
    return f"{place}{place and ': '}{clipped(finding.text, 200)}{quote} ({finding.rule})"


def _more(number: int, what: str) -> str:
    return f" (and {counted(number, f'more {what}')})" if number else ""


def _cut(line: str, width: int) -> str:
    shown = f"  {printable(line)}"
    return shown if len(shown) <= width else f"{shown[: width - 1]}…"
