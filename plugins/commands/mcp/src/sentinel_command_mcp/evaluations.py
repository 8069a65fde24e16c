"""Runs ``sentinel evaluate`` and ``sentinel explain`` in processes of their own, so that nothing that they read can reach the server."""

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
_RANK = {"error": 0, "warning": 1, "note": 2}


class Evaluations:
    """The commands, with the ``--plugins`` of the server; so many at once as do not slow the agent down."""

    def __init__(self, plugins: str | None) -> None:
        self._options = () if plugins is None else ("--plugins", plugins)
        self._places = threading.Semaphore(_AT_ONCE)

    def judge(self, path: Path) -> list[dict[str, Any]]:
        """A report for each trace in the file, ten at most. Raises ``InputError`` where nothing could be judged."""
        told, problem = self._run("evaluate", "--json", *self._options, "--", str(path))
        try:
            rows = json.loads(told)
        except ValueError:
            raise InputError(problem or f'"{path}" could not be judged') from None
        listed = rows if isinstance(rows, list) else [rows]
        if all("verdict" not in row for row in listed):
            raise InputError(problem or f'"{path}" holds no trace')
        return [_report(row) for row in listed[:_MOST_REPORTS]]

    def explain(self, rule: str) -> str:
        """What ``sentinel explain`` says of a rule. Raises ``InputError`` where it does not know it."""
        told, problem = self._run("explain", *self._options, "--", rule)
        if not told:
            raise InputError(problem)
        return told

    def _run(self, *arguments: str) -> tuple[str, str]:
        """Standard output, and the errors that were told."""
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
            raise InputError(f"it did not finish within {_LONGEST:g} s") from None
        except (OSError, ValueError) as error:  # no process can be had; an argument has a null character
            raise InputError(f"it could not be started: {error}") from None
        problems = done.stderr.decode("utf-8", "replace").splitlines()
        errors = [line.removeprefix("sentinel: error: ") for line in problems if line.startswith("sentinel: error: ")]
        return done.stdout.decode("utf-8", "replace"), "; ".join(errors)


def _report(row: Mapping[str, Any]) -> dict[str, Any]:
    """What an agent needs of a report, the worst first, what decides before the rest; a row that is none says what could not be read."""
    if "verdict" not in row:
        error = row["error"]
        where = "" if error["line"] is None else f"line {error['line']}: "
        return {"verdict": None, "why": _text(f"{where}{error['message']}"), "findings": [], "left_out": 0}
    decisive = _decisive(row)
    findings = sorted(
        row["findings"], key=lambda one: (_RANK[one["severity"]], one["rule"].partition(".")[0] not in decisive)
    )
    return {
        "trace_id": _text(row["trace_id"]),
        "verdict": row["verdict"],
        "why": _text(row["reasoning"]),
        "findings": [_finding(one) for one in findings[:_MOST_FINDINGS]],
        "left_out": max(0, len(findings) - _MOST_FINDINGS),
    }


def _decisive(row: Mapping[str, Any]) -> frozenset[str]:
    """The signals whose score alone gives the verdict, by the critical rules of the profile."""
    scores = {one["signal_name"]: one["score"] or 0.0 for one in row["signal_scores"]}
    return frozenset(
        rule["signal_name"]
        for rule in row["profile"]["critical"]
        if rule["verdict"] == row["verdict"] and scores.get(rule["signal_name"], 0.0) >= rule["threshold"]
    )


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
