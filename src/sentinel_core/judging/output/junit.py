"""JUnit XML by the schema of Jenkins' xUnit plugin: a suite per file, a test case per trace."""

from collections.abc import Iterator
from typing import IO, Any

from sentinel_core.judging.output.findings import Found, decoded, findings_of, worst_of
from sentinel_core.judging.output.headline import headline
from sentinel_core.judging.output.markup import junit_case, junit_suite, xml_attribute, xml_text
from sentinel_core.judging.output.record import Extra, Record
from sentinel_core.judging.output.settings import OutputSettings

__all__ = ["JUnit"]

_MOST_SHOWN = 20
_LEVELS = {"FAIL": ("fail", "warn"), "WARN": ("warn",)}


class JUnit:
    """A trace whose verdict counts (``--fail-on``) is a failed case; one that could not be judged is an error."""

    extras: frozenset[Extra] = frozenset()

    def __init__(self, stream: IO[bytes], settings: OutputSettings) -> None:
        self._stream = stream
        self._settings = settings
        self._suites: dict[str, list[str]] = {}

    def add(self, record: Record) -> None:
        """Add a case."""
        if record.is_judged:
            source, case = record.source, self._case(record)
        else:
            assert record.error is not None
            source = record.error.source
            name = source if record.error.line is None else f"{source}, line {record.error.line}"
            case = junit_case(source, name, _element("error", "unreadable", record.error.message))
        self._suites.setdefault(source, []).append(case)

    def finish(self) -> None:
        """Write the document."""
        lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
        for name, cases in self._suites.items():
            lines += junit_suite(name or "sentinel", cases)
        self._stream.write("\n".join([*lines, "</testsuites>", ""]).encode())

    def _case(self, record: Record) -> str:
        report = decoded(record.report)
        found = worst_of(list(findings_of(record, self._settings.known)))
        return junit_case(record.source, report["trace_id"], self._inner(report, found))

    def _inner(self, report: dict[str, Any], found: list[Found]) -> str:
        verdict, details = report["verdict"], "\n".join(_details(report, found))
        _, (quote, text) = headline(report)
        message = f"{text} “{quote}”" if quote else text
        if verdict is None or any(not failure["advisory"] for failure in report["failures"]):
            return _element("error", "not judged", message, details)
        if self._settings.fail_on in _LEVELS.get(verdict, ()):
            if self._settings.has_baseline and all(finding.is_known for finding in found if finding.severity != "note"):
                return f"<system-out>{_lines(f'known: {details}')}</system-out>"
            return _element("failure", verdict, message, details)
        return f"<system-out>{_lines(details)}</system-out>" if found else ""


def _details(report: dict[str, Any], found: list[Found]) -> Iterator[str]:
    yield report["reasoning"]
    for finding in found[:_MOST_SHOWN]:
        place = f"{finding.place}: " if finding.place else ""
        yield f"{finding.severity} {place}{finding.rule}: {finding.message}"
    if len(found) > _MOST_SHOWN:
        yield f"and {len(found) - _MOST_SHOWN} more"


def _element(kind: str, form: str, message: str, body: str = "") -> str:
    return f"<{kind} type={xml_attribute(form)} message={xml_attribute(message)}>{_lines(body)}</{kind}>"


def _lines(text: str) -> str:
    return "\n".join(map(xml_text, text.split("\n")))
