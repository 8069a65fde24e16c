"""Runs ``sentinel evaluate`` and ``sentinel explain`` as subprocesses, which isolates the server from what they read."""

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentinel_core.errors import InputError
from sentinel_core.runtime.printable import clipped, printable

__all__ = ["Evaluations"]

_AT_ONCE = 2
_LONGEST = 600.0  # seconds for all that a file holds; a single record has the limit of the settings
_MOST_REPORTS = 10
_MOST_FINDINGS = 20
_MOST_TEXT = 500
_SEVERITIES = {"FAIL": "error", "WARN": "warning"}
_RANK = {"error": 0, "warning": 1, "note": 2}


class Evaluations:
    """Runs the commands with the server's ``--plugins``, two at a time."""

    def __init__(self, plugins: str | None) -> None:
        self._options = () if plugins is None else ("--plugins", plugins)
        self._places = threading.Semaphore(_AT_ONCE)

    def judge(self, path: Path) -> list[dict[str, Any]]:
        """A report for each trace in the file, at most ten. Raises ``InputError`` if none could be judged."""
        output, problem = self._run("evaluate", "--json", *self._options, "--", str(path))
        try:
            rows = json.loads(output)
        except ValueError:
            raise InputError(problem or f'"{path}" could not be judged') from None
        listed = rows if isinstance(rows, list) else [rows]
        if all("verdict" not in row for row in listed):
            raise InputError(problem or f'"{path}" contains no trace')
        return [_report(row) for row in listed[:_MOST_REPORTS]]

    def explain(self, rule: str) -> str:
        """The output of ``sentinel explain``. Raises ``InputError`` for an unknown rule."""
        output, problem = self._run("explain", *self._options, "--", rule)
        if not output:
            raise InputError(problem)
        return output

    def _run(self, *arguments: str) -> tuple[str, str]:
        """The command's standard output and its error messages."""
        try:
            with self._places:
                done = subprocess.run(  # noqa: S603 - this interpreter, this program
                    [sys.executable, "-P", "-m", "sentinel_core", *arguments],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=_LONGEST,
                    check=False,
                )
        except subprocess.TimeoutExpired:
            raise InputError(f'"sentinel {arguments[0]}" did not finish within {_LONGEST:g} s') from None
        except (OSError, ValueError) as error:  # no process can be had; an argument has a null character
            raise InputError(f'"sentinel {arguments[0]}" could not be started: {error}') from None
        problems = done.stderr.decode("utf-8", "replace").splitlines()
        errors = [line.removeprefix("sentinel: error: ") for line in problems if line.startswith("sentinel: error: ")]
        return done.stdout.decode("utf-8", "replace"), "; ".join(errors)


def _report(row: Mapping[str, Any]) -> dict[str, Any]:
    """A short report, worst findings first and those of deciding signals before others; for an unreadable record, the error."""
    if "verdict" not in row:
        error = row["error"]
        where = "" if error["line"] is None else f"line {error['line']}: "
        return {"verdict": None, "why": _text(f"{where}{error['message']}"), "findings": [], "left_out": 0}
    decisive = _decisive(row)
    findings = sorted(
        row["findings"],
        key=lambda finding: (_RANK[finding["severity"]], finding["rule"].partition(".")[0] not in decisive),
    )
    return {
        "trace_id": _text(row["trace_id"]),
        "verdict": row["verdict"],
        "why": _text(row["reasoning"]),
        "findings": [_finding(finding) for finding in findings[:_MOST_FINDINGS]],
        "left_out": max(0, len(findings) - _MOST_FINDINGS),
    }


def _decisive(row: Mapping[str, Any]) -> frozenset[str]:
    """The signals whose findings or score alone give the verdict, by the profile."""
    profile, severity = row["profile"], _SEVERITIES.get(row["verdict"])
    found = [
        finding["rule"].partition(".")[0]
        for finding in row["findings"]
        if profile["findings_decide"] and finding["severity"] == severity
    ]
    scores = {score["signal_name"]: score["score"] or 0.0 for score in row["signal_scores"]}
    critical = [
        rule["signal_name"]
        for rule in profile["critical"]
        if rule["verdict"] == row["verdict"] and scores.get(rule["signal_name"], 0.0) >= rule["threshold"]
    ]
    return frozenset([*(name for name in found if name in profile["weights"]), *critical])


def _finding(finding: Mapping[str, Any]) -> dict[str, Any]:
    quote = finding["quote"]
    return {
        "rule": finding["rule"],
        "severity": finding["severity"],
        "text": _text(finding["text"]),
        "quote": None if quote is None else _text(quote),
        "message_index": finding["message_index"],
    }


def _text(text: str) -> str:
    return printable(clipped(str(text), _MOST_TEXT))
