"""A report on its way to a server. What left is remembered, so that the same key never sends a second report blindly."""

import hashlib
import os
from pathlib import Path
from typing import Any

from sentinel_core.errors import InputError, NetworkError, OutcomeUnknownError
from sentinel_core.trace import canonical, from_json
from sentinel_tools_release.documents import json_object
from sentinel_tools_release.files import locked, replace
from sentinel_tools_release.settings import ReportSettings
from sentinel_tools_release.web import request

__all__ = ["send"]


def send(settings: ReportSettings, report: dict[str, Any], key: str | None) -> dict[str, Any]:
    """``POST <base>/risk-report`` with the ``Idempotency-Key``, one made of the content where none is given.

    With a key, a note in the outbox says before the POST that it is about to leave, and afterwards what came of it. The
    same key again gets the answer that is noted. Where a note without an answer is found, the report may have arrived: it
    is sent again only to a server that ``honors_keys``.

    Raises as ``file_risk_report``.
    """
    body = canonical(report)
    if key is None:
        return _post(settings, body, hashlib.sha256(body).hexdigest())
    try:
        return _once(settings, body, key)
    except OSError as error:
        raise InputError(
            f'"{os.fspath(settings.outbox)}" cannot be written: {error.strerror}; it keeps a report from being sent twice'
        ) from error


def _once(settings: ReportSettings, body: bytes, key: str) -> dict[str, Any]:
    outbox = Path(settings.outbox)
    address = f"{settings.reports}\n{key}".encode()
    name = hashlib.sha256(address).hexdigest()
    note = outbox / f"{name}.json"
    digest = hashlib.sha256(body).hexdigest()
    with locked(outbox, name):
        noted = _read(note)
        if noted is not None:
            if noted.get("report", digest) != digest:
                raise InputError("another report was sent with the same key; nothing was sent")
            if isinstance(noted.get("answer"), dict):
                return dict(noted["answer"])
            if not settings.honors_keys:
                raise OutcomeUnknownError(
                    f'whether "{settings.reports}" took the report is unknown: it was sent before, and no answer came. It is '
                    'not sent again; set "honors_keys" where the server counts the same Idempotency-Key once'
                )
        replace(note, canonical({"report": digest}))
        try:
            answer = _post(settings, body, key)
        except NetworkError as error:
            if noted is not None:
                raise OutcomeUnknownError(f"{error}; whether the one sent before arrived is unknown") from error
            note.unlink(missing_ok=True)
            raise
        replace(note, canonical({"report": digest, "answer": answer}))
        return answer


def _read(note: Path) -> dict[str, Any] | None:
    try:
        value = from_json(note.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:  # damaged from outside; that a report left is all it still says
        return {}
    return value if isinstance(value, dict) else {}


def _post(settings: ReportSettings, body: bytes, key: str) -> dict[str, Any]:
    url = f"{settings.reports.rstrip('/')}/risk-report"
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    data = request(url, settings.timeout, settings.max_bytes, body=body, headers=headers)
    try:
        report_id = json_object(data, url, settings.max_bytes).get("report_id")
    except InputError as error:
        raise OutcomeUnknownError(f"{error}; whether the report is filed is unknown") from error
    if not isinstance(report_id, str) or not report_id:
        raise OutcomeUnknownError(f'"{url}" took the report but gave no "report_id"; whether it is filed is unknown')
    return {"status": "filed", "report_id": report_id}
