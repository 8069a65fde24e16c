"""What servers say when they refuse, inside and outside of an HTTP error, as Sentinel's errors."""

import re
from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core.errors import ContextLengthError, ModelError, NetworkError, ProviderError, ValidationError
from sentinel_core.runtime.http import Failure, error_of, one_line, status_error

__all__ = ["failure_in", "refusal", "sdk_failures"]

_TOO_LONG = re.compile(
    r"context[_ -]?(?:length|window|size)|maximum context|exceed_context|prompt is too long|prompt too long"
    r"|too many tokens|reduce the length|input is too long|max_prompt_tokens|exceeds? the (?:model'?s )?(?:maximum )?context"
)
# The statuses that error names stand for, where a reply of status 200 or a stream holds an error.
_STATUS_OF: Mapping[str, int] = {
    "api_error": 500,
    "authentication": 401,
    "authentication_error": 401,
    "billing_error": 402,
    "content_policy_violation": 400,
    "context_length_exceeded": 400,
    "invalid_image": 400,
    "invalid_prompt": 400,
    "invalid_request": 400,
    "invalid_request_error": 400,
    "max_tokens_exceeded": 400,
    "not_found": 404,
    "not_found_error": 404,
    "overloaded_error": 529,
    "payload_too_large": 413,
    "payment_required": 402,
    "permission_denied": 403,
    "permission_error": 403,
    "precondition_failed": 412,
    "provider_overloaded": 503,
    "provider_unavailable": 502,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "refusal": 400,
    "request_too_large": 413,
    "server": 500,
    "server_error": 500,
    "string_too_long": 400,
    "timeout": 504,
    "timeout_error": 504,
    "token_limit_exceeded": 400,
    "unprocessable": 422,
}
_LOWEST, _HIGHEST = 400, 599


@attrs.frozen(kw_only=True)
class _Told:
    """What an error body says: the text for people, the names that programs know, and a status where it has one."""

    text: str
    names: tuple[str, ...] = ()
    status: int | None = None
    metadata: Mapping[str, Any] = attrs.field(factory=dict)


def refusal(who: str, status: int, body: object, headers: Mapping[str, str] | None = None) -> ModelError:
    """The error for a reply whose status is no success; ``body`` is its JSON value, or its text."""
    told = _told(body)
    error = status_error(who, status, told.text, headers)
    if status == 403 and "reasons" in told.metadata:  # noqa: PLR2004 - OpenRouter's moderation refuses a text, not a key
        return ValidationError(str(error), status=status)
    if "insufficient_quota" in told.names:
        return ValidationError(f"{error} (no credit is left: waiting does not help)", status=status)
    if type(error) is ValidationError and _is_too_long(told):
        return ContextLengthError(str(error), status=status)
    return error


def failure_in(who: str, error: object) -> ModelError:
    """The error for what stands under ``error`` in a reply that began as a success."""
    told = _told({"error": error})
    status = told.status or next((_STATUS_OF[name] for name in told.names if name in _STATUS_OF), None)
    if status is not None:
        return refusal(who, status, {"error": error})
    if _is_too_long(told):
        return ContextLengthError(f"{who}: {one_line(told.text)}")
    return ProviderError(f"{who} sent an error instead of a reply: {one_line(told.text)}", retryable=True)


def _is_too_long(told: _Told) -> bool:
    return any(_TOO_LONG.search(text.lower()) for text in (*told.names, told.text))


def _told(body: object) -> _Told:
    if isinstance(body, str):
        return _Told(text="an HTML page" if body.lstrip()[:1] == "<" else body)
    if not isinstance(body, Mapping):
        return _Told(text="")
    error = body.get("error", body)
    if not isinstance(error, Mapping):
        return _Told(text=str(error))
    metadata = error.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    text = next((error[key] for key in ("message", "detail") if isinstance(error.get(key), str)), "")
    upstream = metadata.get("raw")
    parts = (text, upstream if isinstance(upstream, str) else "")
    code = error.get("code")
    return _Told(
        text=": ".join(filter(None, parts)),
        names=tuple(name for name in (code, error.get("type"), metadata.get("error_type")) if isinstance(name, str)),
        status=code if type(code) is int and _LOWEST <= code <= _HIGHEST else None,
        metadata=metadata,
    )


def sdk_failures(package: str) -> Mapping[str, Failure]:
    """How the exceptions of an SDK of OpenAI's or Anthropic's family become ours; both are generated from one mould."""
    return {
        f"{package}.APIConnectionError": _unconnected,
        f"{package}.APIResponseValidationError": lambda who, error: ProviderError(
            f"{who} sent a reply that its SDK cannot read: {one_line(str(error))}", retryable=True
        ),
        f"{package}.APIStatusError": _by_status,
        f"{package}.APITimeoutError": _unconnected,
    }


def _by_status(who: str, error: BaseException) -> ModelError:
    response = error.response  # type: ignore[attr-defined] # every APIStatusError has one; the SDK is not imported here
    return refusal(who, response.status_code, error.body, response.headers)  # type: ignore[attr-defined]


def _unconnected(who: str, error: BaseException) -> ModelError:
    if error.__cause__ is None:
        return NetworkError(f"{who} could not be reached: {one_line(str(error))}")
    try:
        return error_of(error.__cause__, who)
    except LookupError:
        return NetworkError(f"{who} could not be reached: {one_line(str(error.__cause__))}")
