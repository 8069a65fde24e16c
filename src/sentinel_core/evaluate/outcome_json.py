"""Whether a result in JSON tells that its call failed: an error, an exit code, a status, or a text in a wrapper."""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from sentinel_core.evaluate.outcome_words import BESIDE_STATUS, EXIT_CODES, FAILED_WORDS, HTTP_CODES, WRAPPERS
from sentinel_core.trace import parsed

__all__ = ["told_by_json"]

Told = tuple[Literal["worked", "failed", "unknown"], str, str]
"""State, reason and words, as of an ``Outcome``, which the caller makes of them."""
Judge = Callable[[str], Told]

_DEEPEST = 3
_HEAD = 300
_QUOTED = 160
_NO_ERROR = ("none", "null", "no", "no error", "n/a", "false", "0", "ok")
_HTTP_FAILED = range(400, 600)
_MESSAGES = ("message", "msg", "error", "issue", "detail", "title", "code", "status", "reason", "description")
_WHOLE = BESIDE_STATUS | frozenset(WRAPPERS) | {"role"}
# Cut off, or a Python dictionary: {'error': 'closed'}, {"results": [{"text": "Error: closed
_NO_JSON = (
    r"(?:[\[{\s]{0,4}['\"]\w{1,20}['\"]\s{0,3}:\s{0,3}){0,3}[\[{\s]{0,4}"
    r"(?:['\"](?:error|exception)['\"]\s{0,3}:\s{0,3}(?:true|'(?!')|\"(?!\"))|['\"]\w{0,60}(?:error|exception): )"
)


def _is_false(value: object) -> bool:
    return value is False


def _is_error(value: object) -> bool:
    return bool(value) and str(value).strip().lower() not in _NO_ERROR


def _is_told(errors: object) -> bool:
    """False also for a number and for rows without a message: those are the errors of something that was asked about."""
    if isinstance(errors, list) and all(isinstance(row, dict) for row in errors):
        return any(word in key.lower() for row in errors for key in row for word in _MESSAGES)
    return bool(errors) and type(errors) not in {int, float}


_KEYS: dict[str, Callable[[object], bool]] = {
    "error": _is_error,
    "errors": _is_told,
    "exception": bool,
    "isError": bool,
    "is_error": bool,
    "ok": _is_false,
    "success": _is_false,
}
"""Keys of a JSON result, and which of their values mean failure."""


def told_by_json(content: str, judge: Judge) -> Told | None:
    """The failure, or the exit code 0, that a result tells; None where it tells neither. ``judge`` reads the texts in it.

    Only the result itself and what it wraps count: a list of jobs of which one has failed is a good answer.
    """
    body = parsed(content)
    if body is None:
        found = _no_json().match(content[:_HEAD].lower())
        return None if found is None else ("failed", "error_text", content[:_QUOTED].partition("\n")[0])
    return _told(body, _DEEPEST, judge)


@functools.cache
def _no_json() -> re.Pattern[str]:
    return re.compile(_NO_JSON)


def _told(body: object, depth: int, judge: Judge) -> Told | None:
    if isinstance(body, str):
        told = judge(body)
        return told if told[0] == "failed" else None
    if isinstance(body, list):
        # Parts of one answer, as protocols send them; a list of rows is a good answer, whatever a row says.
        is_part = len(body) == 1 and isinstance(body[0], dict) and "text" in body[0]
        return _told(body[0], depth - 1, judge) if is_part and depth else None
    return _told_by_object(body, depth, judge) if isinstance(body, dict) else None


def _told_by_object(body: Mapping[str, Any], depth: int, judge: Judge) -> Told | None:
    for key, is_wrong in _KEYS.items():
        if key in body and is_wrong(body[key]):
            return ("failed", "error_text", _words(body, key))
    metadata = body.get("metadata")
    for place in (body, metadata) if isinstance(metadata, dict) else (body,):
        for key in EXIT_CODES:
            if type(place.get(key)) is int:
                return ("failed" if place[key] else "worked", "exit_code", _words(body, key))
    valued = {key for key, value in body.items() if value}
    status = _failed_status(body, valued) if valued <= BESIDE_STATUS | {"body", "headers", "url"} else None
    if status is not None:
        return ("failed", "error_text", _words(body, status))
    if depth and valued <= _WHOLE and body.get("success") is not True and body.get("ok") is not True:
        told = (_told(body[key], depth - 1, judge) for key in WRAPPERS if key in valued)
        return next(filter(None, told), None)
    return None


def _failed_status(body: Mapping[str, Any], valued: set[str]) -> str | None:
    """The key that tells it. A bare ``code`` may be anything's, so it needs words beside it."""
    if valued <= BESIDE_STATUS and str(body.get("status")).lower() in FAILED_WORDS:
        return "status"
    for key in HTTP_CODES:
        if type(body.get(key)) is int and body[key] in _HTTP_FAILED and (key != "code" or len(valued) > 1):
            return key
    return None


def _words(body: Mapping[str, Any], key: str) -> str:
    """What the JSON says of the failure: the first text among the key's value and what stands beside it, else the key."""
    texts = (body.get(name) for name in (key, "message", "detail", "reason", "msg"))
    said = next((text for text in texts if isinstance(text, str) and text), key)
    return said.partition("\n")[0][:_QUOTED]
