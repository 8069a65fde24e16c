"""``assert_reliable``, and the explanation that pytest prints where it does not hold."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from sentinel_pytest.current import current

if TYPE_CHECKING:
    from sentinel_core import ExecutionTrace, Finding, Profile, ReliabilityReport

__all__ = ["assert_reliable", "assert_trace"]

_QUOTE = 300


def assert_reliable(
    what: Any,
    *,
    expect: Sequence[str] = (),
    profile: "str | Profile | None" = None,
    allow: Sequence[str] = (),
    fail_on: Literal["warn", "fail"] = "fail",
) -> "ReliabilityReport":
    """Judge one run and give the report back. Raises ``AssertionError`` for FAIL and where there is no whole verdict.

    ``what`` is a path, messages, a trace, or the result of an agent framework: all that ``sentinel_core.judge`` takes, and so
    are ``expect``, ``profile`` and ``allow``; those of the test's marker ``sentinel`` come on top. With ``fail_on="warn"`` WARN fails,
    too. Raises what ``judge`` raises for what cannot be read.
    """
    __tracebackhide__ = True
    from sentinel_core.errors import SentinelError
    from sentinel_core.host.judge import read_trace

    try:
        return assert_trace(read_trace(what), expect=expect, profile=profile, allow=allow, fail_on=fail_on)
    except SentinelError as error:  # what the test gave is wrong: pytest shows the test's line, and not ours
        raise error.with_traceback(None) from None


def assert_trace(
    trace: "ExecutionTrace",
    *,
    expect: Sequence[str] = (),
    profile: "str | Profile | None" = None,
    allow: Sequence[str] = (),
    fail_on: Literal["warn", "fail"] = "fail",
) -> "ReliabilityReport":
    """The same for a trace in memory."""
    __tracebackhide__ = True
    from sentinel_core import judge
    from sentinel_core.errors import VerdictError

    if fail_on not in ("warn", "fail"):
        raise ValueError(f'fail_on is {fail_on!r}; expected "warn" or "fail"')
    test = current()
    report = judge(
        trace,
        profile=profile or test.profile,
        expect=(*test.expect, *_listed(expect, "expect")),
        allow=(*test.allow, *_listed(allow, "allow")),
    )
    test.add(report, trace)
    try:
        return report.raise_for_verdict(fail_on)
    except VerdictError:
        raise AssertionError("\n".join(_explained(report, trace))) from None


def _listed(given: Sequence[str], name: str) -> Sequence[str]:
    if isinstance(given, str):
        raise TypeError(f"{name} is {given!r}; expected a list of strings")
    return given


def _explained(report: "ReliabilityReport", trace: "ExecutionTrace") -> Iterator[str]:
    from sentinel_core.runtime.printable import counted, printable

    serious = [finding for finding in report.findings if finding.severity != "note"]
    serious.sort(key=lambda finding: finding.severity != "error")
    yield f"{report.verdict or 'NO VERDICT'}: {printable(report.reasoning.removeprefix(f'{report.verdict}: '))}"
    for finding in serious:
        yield from _of_finding(finding, trace)
    for failure in report.failures:
        yield f"  signal {failure.signal_name}: {printable(failure.error)}"
    totals = report.metadata
    calls = counted(totals.total_tool_calls, "tool call")
    yield f"  {counted(totals.total_messages, 'message')}, {calls}, profile {printable(report.profile['name'])}"


def _of_finding(finding: "Finding", trace: "ExecutionTrace") -> Iterator[str]:
    from sentinel_core import TraceIndex
    from sentinel_core.judging.output.evidence import said_and_record
    from sentinel_core.runtime.printable import clipped, printable

    place = "" if finding.message_index is None else f", message {finding.message_index}"
    agent = "".join(f", sub-agent {number}" for number in finding.trace_path)
    yield f"  {printable(finding.rule)} ({finding.severity}{agent}{place})"
    said, record = said_and_record(finding, TraceIndex(trace))
    if finding.quote:
        yield f"    {'claim' if said else 'quote'}: {clipped(printable(finding.quote), _QUOTE)}"
    yield f"    evidence: {clipped(printable(finding.text), _QUOTE)}"
    if record:
        yield f"    record: {clipped(printable(record), _QUOTE)}"
