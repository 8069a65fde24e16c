"""The test that runs: what its marker says, and the runs that were judged in it."""

from typing import TYPE_CHECKING, Self

import pytest

if TYPE_CHECKING:
    from sentinel_core import ExecutionTrace, ReliabilityReport

__all__ = ["MARKER", "CurrentTest", "current"]

MARKER = "sentinel"
_KEYS = {"allow": (list, tuple), "expect": (list, tuple), "profile": (str,)}
_running: list["CurrentTest"] = []


class CurrentTest:
    """Its marker's ``allow``, ``expect`` and ``profile``, the closest first. ``add`` keeps a run for the report of all tests."""

    def __init__(self, item: pytest.Item | None = None, *, keeps_pages: bool = False) -> None:
        self.allow: tuple[str, ...] = ()
        self.expect: tuple[str, ...] = ()
        self.profile: str | None = None
        self.problem = ""
        self._nodeid = "" if item is None else item.nodeid
        self._keeps_pages = keeps_pages
        self._records: list[tuple[str, str]] = []
        for mark in () if item is None else item.iter_markers(MARKER):
            self.problem = self.problem or _problem_of(mark)
            if self.problem:
                continue
            self.allow += tuple(mark.kwargs.get("allow", ()))
            self.expect += tuple(mark.kwargs.get("expect", ()))
            self.profile = self.profile or mark.kwargs.get("profile")

    def __enter__(self) -> Self:
        _running.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _running.remove(self)

    def add(self, report: "ReliabilityReport", trace: "ExecutionTrace") -> None:
        """Keep the verdict, and what the page needs where one was asked for."""
        page = ""
        if self._keeps_pages:
            from sentinel_core.judging.output.show import page_record

            page = page_record(report, trace, source=self._nodeid)
        self._records.append((report.verdict or "NO VERDICT", page))

    def take(self) -> list[tuple[str, str]]:
        """The runs since this was called last: verdict and page record of each."""
        taken, self._records = self._records, []
        return taken


def _problem_of(mark: pytest.Mark) -> str:
    """What is wrong with a marker; empty where nothing is."""
    named = all(key in _KEYS and isinstance(value, _KEYS[key]) for key, value in mark.kwargs.items())
    if named and not mark.args:
        return ""
    return '@pytest.mark.sentinel takes allow=[rules], expect=[expectations] and profile="name or file.toml", and nothing else'


def current() -> CurrentTest:
    """The innermost test that runs; outside of a test one that says nothing."""
    return _running[-1] if _running else CurrentTest()
