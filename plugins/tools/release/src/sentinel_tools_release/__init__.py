"""Sentinel tools: read the data of a release, and file its risk report."""

from collections.abc import Iterable

from sentinel_core import Tool, hookimpl
from sentinel_tools_release import schemas
from sentinel_tools_release.details import get_code_changes, get_test_details, no_code_changes, no_test_details
from sentinel_tools_release.history import get_release_history, no_release_history
from sentinel_tools_release.reports import file_risk_report
from sentinel_tools_release.settings import (
    HistorySettings,
    ReportSettings,
    SourceSettings,
    SummarySettings,
    TraceSettings,
)
from sentinel_tools_release.sources import get_release_summary
from sentinel_tools_release.spans import get_observability_traces, no_observability_traces

__all__ = [
    "HistorySettings",
    "ReportSettings",
    "SourceSettings",
    "SummarySettings",
    "TraceSettings",
    "file_risk_report",
    "get_code_changes",
    "get_observability_traces",
    "get_release_history",
    "get_release_summary",
    "get_test_details",
    "sentinel_tools",
]


_TOOLS = (
    Tool(
        name="get_release_summary",
        description="Get the summary of a release: its changes, test results and deployment metrics.",
        parameters=schemas.SUMMARY,
        handler=get_release_summary,
        settings=SummarySettings,
    ),
    Tool(
        name="get_test_details",
        description="Get single test results of a release: names, durations, and why tests failed or were skipped.",
        parameters=schemas.TESTS,
        handler=get_test_details,
        unavailable=no_test_details,
        settings=SourceSettings,
    ),
    Tool(
        name="get_code_changes",
        description="Get the commits of a release, newest first, each with its author, date and changed files.",
        parameters=schemas.CHANGES,
        handler=get_code_changes,
        unavailable=no_code_changes,
        settings=SourceSettings,
    ),
    Tool(
        name="get_observability_traces",
        description="Get what a release did when it ran: operations with their calls, errors and response times.",
        parameters=schemas.TRACES,
        handler=get_observability_traces,
        unavailable=no_observability_traces,
        settings=TraceSettings,
    ),
    Tool(
        name="get_release_history",
        description="Get the releases before this one, and how its numbers compare with them or with one of them.",
        parameters=schemas.HISTORY,
        handler=get_release_history,
        unavailable=no_release_history,
        settings=HistorySettings,
    ),
    Tool(
        name="file_risk_report",
        description="File the risk report of a release. Returns the id of the report that was filed.",
        parameters=schemas.REPORT,
        handler=file_risk_report,
        effect="write",
        settings=ReportSettings,
    ),
)


@hookimpl
def sentinel_tools() -> Iterable[Tool]:
    """All tools of this package; the host takes the one that it loads."""
    return _TOOLS
