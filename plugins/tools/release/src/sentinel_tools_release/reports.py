"""Files the risk report in a folder, without overwriting another, or at a server; with a key, only once."""

import datetime as dt
import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sentinel_core.errors import InputError
from sentinel_core.trace import canonical, from_json
from sentinel_tools_release.files import create, locked
from sentinel_tools_release.settings import ReportSettings, is_url

__all__ = ["file_risk_report"]

_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,128}")
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def file_risk_report(
    settings: ReportSettings,
    release_id: str,
    severity: str,
    findings: Sequence[str],
    *,
    idempotency_key: str | None = None,
    below_evidence: bool = False,
) -> dict[str, Any]:
    """File a report; returns ``{"status": "filed", "report_id": ...}``, with ``path`` if it went to a folder.

    In a folder the file is ``RR-<release>-<number>.json`` and the id ``<release>-<number>``, with the next free number. At a
    server it is ``POST <base>/risk-report``, and the id is the server's. A repeated ``idempotency_key`` returns the first
    report and files no second one. ``below_evidence`` marks a severity that the data contradicts.

    Raises ``InputError`` if the folder cannot be written or the key filed another report, ``NetworkError`` if the server
    certainly did not take it, ``OutcomeUnknownError`` if that is unknown.
    """
    report: dict[str, Any] = {"release_id": release_id, "severity": severity, "findings": list(findings)}
    if below_evidence:
        report["below_evidence"] = True
    if is_url(settings.reports):
        from sentinel_tools_release.sending import send

        return send(settings, report, idempotency_key)
    folder = Path(settings.reports)
    try:
        with locked(folder):
            return _store(folder, report, idempotency_key)
    except OSError as error:
        raise InputError(f'the report cannot be written to "{os.fspath(folder)}": {error.strerror}') from error


def _store(folder: Path, report: dict[str, Any], key: str | None) -> dict[str, Any]:
    name = _plain_name(report["release_id"])
    taken = _numbers(folder, name)
    if key is not None:
        for number in taken:
            if (stored := _filed_with(_path(folder, name, number), key)) is not None:
                return _again(stored, report, _path(folder, name, number))
        report = {**report, "idempotency_key": key}
    filed_at = dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    number = max(taken, default=0)
    while True:
        number += 1
        path, report_id = _path(folder, name, number), f"{name}-{number}"
        if create(path, canonical({"report_id": report_id, "filed_at": filed_at, **report})):
            return {"status": "filed", "report_id": report_id, "path": os.fspath(path)}


def _filed_with(path: Path, key: str) -> dict[str, Any] | None:
    """The report in a file, if this key filed it."""
    try:
        stored = from_json(path.read_bytes())
    except ValueError:  # another file, not a report
        return None
    return stored if isinstance(stored, dict) and stored.get("idempotency_key") == key else None


def _again(stored: dict[str, Any], report: dict[str, Any], path: Path) -> dict[str, Any]:
    if any(stored.get(name) != value for name, value in report.items()):
        raise InputError(
            f'"{os.fspath(path)}" is a different report that was filed earlier with the same key; this report was not filed'
        )
    return {"status": "filed", "report_id": stored["report_id"], "path": os.fspath(path)}


def _path(folder: Path, name: str, number: int) -> Path:
    return folder / f"RR-{name}-{number}.json"


def _plain_name(release_id: str) -> str:
    """The id if it is a plain name, else its plain characters and a digest, so that an id never becomes a path."""
    if _PLAIN.fullmatch(release_id):
        return release_id
    return f"{_ODD.sub('_', release_id[:40])}-{hashlib.sha256(release_id.encode()).hexdigest()[:12]}"


def _numbers(folder: Path, name: str) -> list[int]:
    pattern = re.compile(rf"RR-{re.escape(name)}-([1-9][0-9]{{0,8}})\.json")
    return sorted(int(found[1]) for path in folder.iterdir() if (found := pattern.fullmatch(path.name)))
