"""What pytest loads at its start: options, the marker, the fixture, and the report of all runs that were judged.

With pytest-xdist each worker hands its runs over with the reports of its tests; the controller writes the page.
"""

from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sentinel_pytest.current import MARKER, CurrentTest, current

if TYPE_CHECKING:
    from sentinel_pytest.spans import CapturedSpans

__all__ = ["sentinel_spans"]

_CAPTURED: pytest.StashKey["CapturedSpans"] = pytest.StashKey()
_ATTRIBUTE = "sentinel_runs"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--sentinel-report``."""
    group = parser.getgroup("sentinel", "reliability of agents")
    group.addoption(
        "--sentinel-report",
        metavar="FILE.html",
        default=None,
        help="write one page with all runs that the tests judged",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker, and on the controller what collects the runs."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(allow, expect, profile): settings for all agent runs judged in the test: rules to turn off, what is"
        " expected, and the profile",
    )
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Collected(_place(config)), "sentinel-collected")


def _place(config: pytest.Config) -> Path | None:
    """Where the page goes: found before the tests run, which may change the folder. Raises ``UsageError`` for a bad place."""
    given = config.getoption("sentinel_report")
    if given is None or config.getoption("collectonly"):
        return None
    place: Path = config.invocation_params.dir / given
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise pytest.UsageError(f'--sentinel-report "{given}" cannot be written ({error.strerror})') from None
    if place.is_dir():
        raise pytest.UsageError(f'--sentinel-report "{given}" is a folder; give a file such as {given}/report.html')
    return place


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Tells ``assert_reliable`` which test runs."""
    with CurrentTest(item, keeps_pages=item.config.getoption("sentinel_report") is not None):
        return (yield)


def pytest_runtest_setup() -> None:
    """A marker that says nothing that can be understood fails its test."""
    if problem := current().problem:
        pytest.fail(problem, pytrace=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Judges the captured spans once the test's own code has ended, as a part of the test."""
    result = yield
    if (captured := item.stash.get(_CAPTURED, None)) is not None and (problem := captured.problem()):
        pytest.fail(problem, pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Lays the judged runs into the report of the test, which is what xdist hands over."""
    report = yield
    if runs := current().take():
        setattr(report, _ATTRIBUTE, runs)
    return report


@pytest.fixture
def sentinel_spans(request: pytest.FixtureRequest) -> "Iterator[CapturedSpans]":
    """Captures the OpenTelemetry spans of the test, and judges the agents' runs in them when the test has ended.

    Conventions as for ``SentinelSpanProcessor``: OpenTelemetry's for GenAI, and OpenInference. A test whose spans hold no run
    of an agent fails: it would have shown nothing.
    """
    try:
        from sentinel_pytest.spans import CapturedSpans
    except ImportError:
        pytest.fail("the fixture sentinel_spans needs OpenTelemetry: pip install 'reliability-sentinel-pytest[otel]'")
    with CapturedSpans() as captured:
        request.node.stash[_CAPTURED] = captured
        yield captured
        del request.node.stash[_CAPTURED]


class _Collected:
    """All runs of the session, in the order of the tests' names, whichever worker was first."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._runs: list[tuple[str, int, str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the runs of one test's phase."""
        for verdict, page in getattr(report, _ATTRIBUTE, ()):
            self._runs.append((report.nodeid, len(self._runs), verdict, page))

    def pytest_sessionfinish(self) -> None:
        """Write the page, where one was asked for: an empty one, too, for a file of an earlier session would be taken for it."""
        if self._path is None:
            return
        from sentinel_core.judging.output.show import page_of

        self._path.write_text(page_of(page for *_, page in sorted(self._runs)), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One line, where a run was judged."""
        if not self._runs:
            return
        counts = Counter(verdict for *_, verdict, _ in self._runs)
        told = ", ".join(
            f"{counts[verdict]} {verdict}" for verdict in ("PASS", "WARN", "FAIL", "NO VERDICT") if counts[verdict]
        )
        where = "" if self._path is None else f" ({self._path.name})"
        terminalreporter.write_line(f"sentinel: {len(self._runs)} judged: {told}{where}")
