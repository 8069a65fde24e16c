"""Errors as problem details (RFC 9457): the status of each error, and the body."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from sentinel_core.errors import (
    InputError,
    LoopConflictError,
    LoopRequestError,
    SentinelError,
    StoreError,
    UnknownLoopError,
)
from sentinel_core.runtime.redact import redact

__all__ = ["Problem", "problem_of"]

_STATUSES: tuple[tuple[type[SentinelError], HTTPStatus], ...] = (
    (UnknownLoopError, HTTPStatus.NOT_FOUND),
    (LoopConflictError, HTTPStatus.CONFLICT),
    (LoopRequestError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
)


class Problem(Exception):
    """An error response. ``detail`` says what is wrong and what to do."""

    def __init__(self, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        """The problem as JSON."""
        return {
            "type": "about:blank",
            "title": self.status.phrase,
            "status": int(self.status),
            "detail": redact(self.detail),
        }


def problem_of(error: Exception) -> Problem:
    """The response to an error; for a defect of ours, only that the service failed."""
    for kind, status in _STATUSES:
        if isinstance(error, kind):
            headers = {"Retry-After": "5"} if status is HTTPStatus.SERVICE_UNAVAILABLE else None
            return Problem(status, str(error), headers)
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "the service failed and no decision was made: no rerun is granted")
