"""A report for a person: as text, as a page, and for a notebook."""

import io
from collections.abc import Iterable
from html import escape

import msgspec

from sentinel_core.judging.output.headline import rank
from sentinel_core.judging.output.page.page import Page
from sentinel_core.judging.output.page.view import view
from sentinel_core.judging.output.record import Record, parse
from sentinel_core.judging.output.text import render_report
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.redact import redact, redacted
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import encode_report

__all__ = ["notebook_frame", "page_of", "page_record", "report_page", "report_text"]

_HEIGHT = 720  # pixels


def report_text(report: ReliabilityReport, *, verbose: bool = False) -> str:
    """The text that ``sentinel evaluate`` prints, without the last newline."""
    return render_report(redacted(report), verbose=verbose).rstrip("\n")


def report_page(report: ReliabilityReport, trace: ExecutionTrace | None = None) -> str:
    """The page that ``-o report.html`` writes: one self-contained HTML document. Without the ``trace``, it has no timeline."""
    return page_of([page_record(report, trace)])


def page_record(report: ReliabilityReport, trace: ExecutionTrace | None = None, *, source: str = "") -> str:
    """What ``page_of`` needs of one run, as a line of JSON without secrets; ``source`` says where the run is from."""
    clean = redacted(report)
    shown = ExecutionTrace(trace_id=clean.trace_id) if trace is None else trace
    record = Record(
        source=redact(source or clean.trace_id),
        record=1,
        rank=rank(clean),
        report=msgspec.Raw(encode_report(clean)),
        page=msgspec.Raw(msgspec.json.encode(view(shown, clean))),
    )
    return msgspec.json.encode(record).decode()


def page_of(records: Iterable[str]) -> str:
    """One page of many runs, in this order, out of what ``page_record`` gave of each."""
    stream = io.BytesIO()
    page = Page(stream)
    for line in records:
        page.add(parse(line.encode()))
    page.finish()
    return stream.getvalue().decode()


def notebook_frame(report: ReliabilityReport) -> str:
    """The page in a sandboxed frame that may only run its own script."""
    page = escape(report_page(report))
    return f'<iframe sandbox="allow-scripts" srcdoc="{page}" width="100%" height="{_HEIGHT}" style="border:0"></iframe>'
