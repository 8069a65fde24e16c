"""Sends one HTTP request to a configured server through Sentinel's guarded client; follows no redirect."""

from collections.abc import Mapping
from http import HTTPStatus

from sentinel_core.errors import ModelError, NetworkError, OutcomeUnknownError
from sentinel_core.runtime.printable import printable
from sentinel_core.runtime.redact import Redactor

__all__ = ["quoted", "request"]

# Statuses after which the server did nothing. Not 409: another call with the same key may be in progress.
_DID_NOTHING = {
    *(status for status in range(400, 500) if status != HTTPStatus.CONFLICT),
    HTTPStatus.TEMPORARY_REDIRECT,
    HTTPStatus.PERMANENT_REDIRECT,
    HTTPStatus.NOT_IMPLEMENTED,
    HTTPStatus.SERVICE_UNAVAILABLE,
}
_UNKNOWN = "whether it accepted the request is unknown"
_MOST_READ = 4000  # bytes of a body
_MOST_QUOTED = 200
_EITHER = {
    **dict.fromkeys(range(300, 400), "redirects are not followed; give the final address"),
    **dict.fromkeys((401, 403), "no login is sent; the server must do without one"),
    429: "try again later",
}
_HINTS: Mapping[str, Mapping[int, str]] = {
    "GET": {
        **_EITHER,
        **dict.fromkeys((400, 422), "check the release id"),
        **dict.fromkeys((404, 405, 410), "check the address and the release id"),
    },
    "POST": {
        **_EITHER,
        **dict.fromkeys((400, 422), "the server does not accept the request"),
        **dict.fromkeys((404, 405, 410), "check the address"),
    },
}


def quoted(body: bytes) -> str:
    """The start of a body on one line, printable and without secrets; empty if there is none."""
    text = " ".join(body[:_MOST_READ].decode("utf-8", "replace").split())
    line = Redactor.of_environment().text(text)
    return printable(line if len(line) <= _MOST_QUOTED else f"{line[:_MOST_QUOTED]}...")


def request(
    url: str, timeout: float, max_bytes: int, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> bytes:
    """GET, or POST if there is a body; returns the body of a 2xx answer.

    ``timeout`` is in seconds for the whole request. Raises ``NetworkError`` for any other outcome, but
    ``OutcomeUnknownError`` if the server may have acted on the body; ``ConfigError`` if the HTTP package is not installed.
    """
    from sentinel_core.runtime.http import guarded_client, http_errors

    method = "GET" if body is None else "POST"
    sent = {"Accept": "application/json", **(headers or {})}
    with guarded_client(base_url=url, timeout=timeout, max_bytes=max_bytes, headers=sent) as client:
        import httpx2

        try:
            with http_errors(f'"{url}"'):
                answer = client.request(method, url, content=body, follow_redirects=False)
        except ModelError as error:
            nothing_sent = isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)
            if body is None or nothing_sent:
                raise NetworkError(str(error)) from error
            raise OutcomeUnknownError(f"{error}; {_UNKNOWN}") from error
    if answer.is_success:
        return answer.content
    text = f'"{url}" answered {_status_text(answer.status_code, answer.reason_phrase, answer.content, method)}'
    if body is None or answer.status_code in _DID_NOTHING:
        raise NetworkError(text, status=answer.status_code)
    raise OutcomeUnknownError(f"{text}; {_UNKNOWN}")


def _status_text(status: int, reason: str, body: bytes, method: str) -> str:
    said, hint = quoted(body), _HINTS[method].get(status)
    return f"{status} {printable(reason)}".rstrip() + (f": {said}" if said else "") + (f"; {hint}" if hint else "")
