"""SARIF 2.1.0: one run, a rule for each rule that fired, a result for each finding."""

import json
from pathlib import PurePath
from typing import IO, Any
from urllib.parse import quote

from sentinel_core._version import __version__
from sentinel_core.judging.output.findings import Found, findings_of, worst_of
from sentinel_core.judging.output.record import Extra, Record, RuleText
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.runtime.printable import printable, printable_json

__all__ = ["MOST_RESULTS", "Sarif", "as_uri"]

MOST_RESULTS = 5_000
"""GitHub shows no more results of one run."""

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_HOME = "https://github.com/reliability-sentinel/reliability-sentinel"
_LEVELS = {"error": "error", "warning": "warning", "note": "note"}


class Sarif:
    """Results worst first, 5,000 at most; records that could not be read are notifications."""

    extras: frozenset[Extra] = frozenset({"line", "rules"})

    def __init__(self, stream: IO[bytes], settings: OutputSettings) -> None:
        self._stream = stream
        self._settings = settings
        self._found: list[Found] = []
        self._rules: dict[str, RuleText] = {}
        self._problems: list[dict[str, Any]] = []

    def add(self, record: Record) -> None:
        """Add a record's findings."""
        self._rules |= record.rules
        if record.is_judged:
            self._found += findings_of(record, self._settings.known)
        else:
            assert record.error is not None
            text = printable(f"{record.error.source}: {record.error.message}")
            self._problems.append(_notification("error", text))

    def finish(self) -> None:
        """Write the document."""
        shown = worst_of(self._found)[:MOST_RESULTS]
        notes = list(self._problems)
        if len(shown) < len(self._found):
            notes.append(_notification("note", f"{len(self._found) - len(shown):,} more findings were left out."))
        ids = sorted({finding.rule for finding in shown})
        run: dict[str, Any] = {
            "tool": {
                "driver": {
                    "name": "Sentinel",
                    "semanticVersion": __version__,
                    "informationUri": _HOME,
                    "rules": [_rule(name, self._rules.get(name)) for name in ids],
                }
            },
            "invocations": [{"executionSuccessful": not self._problems, "toolExecutionNotifications": notes}],
            "columnKind": "unicodeCodePoints",
            "results": [self._result(finding, ids.index(finding.rule)) for finding in shown],
        }
        document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
        data = json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace")
        self._stream.write(printable_json(data) + b"\n")

    def _result(self, found: Found, rule: int) -> dict[str, Any]:
        logical = {"fullyQualifiedName": f"{found.trace_id} {found.place}".strip(), "kind": "message"}
        location = {
            "physicalLocation": {"artifactLocation": {"uri": as_uri(found.file)}, "region": {"startLine": found.line}},
            "logicalLocations": [logical],
        }
        state = {"baselineState": "unchanged" if found.is_known else "new"} if self._settings.has_baseline else {}
        return {
            "ruleId": found.rule,
            "ruleIndex": rule,
            "level": _LEVELS[found.severity],
            "message": {"text": found.message},
            "locations": [location],
            "partialFingerprints": {"sentinelFinding/v1": found.fingerprint},
            **state,
            "properties": {"verdict": found.verdict, "traceId": found.trace_id},
        }


def as_uri(file: str) -> str:
    """A path as a URI; relative paths stay relative."""
    if "://" in file:
        return quote(file, safe="/:?=&%@+,;~")
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), safe="/~")


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}}


def _rule(name: str, rule: RuleText | None) -> dict[str, Any]:
    """A rule as its signal declares it; an undeclared rule has only its id."""
    if rule is None:
        return {"id": name}
    text = f"{rule.help} For details: `sentinel explain {name}`."
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.replace(".", "_").split("_")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.help},
        "help": {"text": text.replace("`", ""), "markdown": text},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }
