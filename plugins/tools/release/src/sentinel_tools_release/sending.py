"""Sends a report to a server, and records each attempt, so that the same key never sends a second report blindly."""

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Any

from sentinel_core.errors import InputError, NetworkError, NotRepeatedError, OutcomeUnknownError
from sentinel_core.trace import canonical, from_json
from sentinel_tools_release.files import json_object, locked, replace
from sentinel_tools_release.settings import ReportSettings
from sentinel_tools_release.web import quoted, request

__all__ = ["send"]

_NOT_AGAIN = (
    "It is not sent again, because it could be filed twice; if the server files the same Idempotency-Key only once, add to the "
    "command: --set tools.file_risk_report.honors_keys=true --accept-changes"
)


def send(settings: ReportSettings, report: dict[str, Any], key: str | None) -> dict[str, Any]:
    """``POST <base>/risk-report`` with the ``Idempotency-Key``, by default one made from the content.

    With a key, a note in the outbox records the attempt before the POST, and the answer after it. The same key again returns
    the noted answer. After a note without an answer the report may have arrived: it is sent again only to a server that
    ``honors_keys``; otherwise ``NotRepeatedError`` quotes the note.

    Raises as ``file_risk_report``.
    """
    body = canonical(report)
    if key is None:
        return _post(settings, body, hashlib.sha256(body).hexdigest())
    try:
        return _once(settings, body, key)
    except OSError as error:
        raise InputError(
            f'"{os.fspath(settings.outbox)}" cannot be written: {error.strerror}; without a record of the attempt, the report could be sent twice'
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
                raise InputError("a different report was already sent with this key; this report was not sent")
            if isinstance(noted.get("answer"), dict):
                return dict(noted["answer"])
            if not settings.honors_keys:
                raise NotRepeatedError(f"{_sent_before(settings, noted)}. {_NOT_AGAIN}")
        replace(note, canonical({**(noted or {}), "report": digest}))
        try:
            answer = _post(settings, body, key)
        except NetworkError as error:
            if noted is not None:
                raise OutcomeUnknownError(
                    f"{error}; it is not known whether the earlier attempt filed the report"
                ) from error
            note.unlink(missing_ok=True)
            raise
        except OutcomeUnknownError as error:
            with contextlib.suppress(OSError):  # the note from before the POST stays
                replace(note, canonical({"report": digest, "said": str(error)}))
            if settings.honors_keys:
                raise
            raise NotRepeatedError(f"{error}. {_NOT_AGAIN}") from error
        replace(note, canonical({"report": digest, "answer": answer}))
        return answer


def _sent_before(settings: ReportSettings, noted: dict[str, Any]) -> str:
    said = noted.get("said")
    if isinstance(said, str):
        return f"the report was sent before: {said}"
    return f'it is not known whether "{settings.reports}" accepted the report: it was sent before, but no answer was recorded'


def _read(note: Path) -> dict[str, Any] | None:
    try:
        value = from_json(note.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:  # damaged: it only shows that a report was sent
        return {}
    return value if isinstance(value, dict) else {}


def _post(settings: ReportSettings, body: bytes, key: str) -> dict[str, Any]:
    url = f"{settings.reports.rstrip('/')}/risk-report"
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    data = request(url, settings.timeout, settings.max_bytes, body=body, headers=headers)
    try:
        report_id = json_object(data, url, settings.max_bytes).get("report_id")
    except InputError:  # the answer is quoted below
        report_id = None
    if not isinstance(report_id, str) or not report_id:
        raise OutcomeUnknownError(
            f'"{url}" answered {quoted(data) or "nothing"} instead of {{"report_id": "..."}} with a string as the id; '
            "it is not known whether the report was filed"
        )
    return {"status": "filed", "report_id": report_id}
