"""Every exception class of the SDKs has an error of ours; a new one fails here before it fails at a user's."""

import importlib

import httpx2
import pytest
from tables import each_row

from sentinel_core.errors import AuthenticationError, ModelError, NetworkError, ProviderError, RateLimitError
from sentinel_core.providers import failure_in, refusal
from sentinel_core.runtime.http import HTTP_FAILURES, error_of

# Never raised by what the plugins call, each for a reason.
_UNUSED = {
    "anthropic": {
        "AnthropicError": "the root",
        "APIError": "a base",
        "RetryableError": "raised by a caller's middleware, of which there is none",
        "APIWebhookValidationError": "webhooks are not used",
    },
    "openai": {
        "OpenAIError": "the root",
        "APIError": "a base",
        "ContentFilterFinishReasonError": "raised by its parse helpers, which are not used",
        "LengthFinishReasonError": "raised by its parse helpers, which are not used",
        "SubjectTokenProviderError": "workload identity is not used",
        "WebSocketConnectionClosedError": "web sockets are not used",
        "WebSocketQueueFullError": "web sockets are not used",
    },
}
_HOMES = {"anthropic": "sentinel_provider_anthropic.model", "openai": "sentinel_provider_openai.connecting"}
_ROOTS = {"anthropic": "AnthropicError", "openai": "OpenAIError"}


def classes(package):
    module = importlib.import_module(f"{package}._exceptions")
    root = getattr(module, _ROOTS[package])
    return {one.__name__: one for one in vars(module).values() if isinstance(one, type) and issubclass(one, root)}


def made(kind):
    error = kind.__new__(kind)
    error.response = httpx2.Response(getattr(kind, "status_code", 500), request=httpx2.Request("GET", "http://x"))
    error.body = None
    return error


@pytest.mark.parametrize("package", sorted(_ROOTS))
def test_every_class_is_mapped(package):
    known = {**HTTP_FAILURES, **importlib.import_module(_HOMES[package]).FAILURES}
    found = classes(package)
    assert len(found) > 15
    assert set(_UNUSED[package]) <= set(found)
    for name in sorted(set(found) - set(_UNUSED[package])):
        assert isinstance(error_of(made(found[name]), "x", known), ModelError), name
    for name in _UNUSED[package]:
        with pytest.raises(LookupError):
            error_of(made(found[name]), "x", known)


@pytest.mark.parametrize("package", sorted(_ROOTS))
def test_what_broke_the_connection_is_told(package):
    known = importlib.import_module(_HOMES[package]).FAILURES
    error = made(classes(package)["APIConnectionError"])
    assert isinstance(error_of(error, "x", known), NetworkError)
    error.__cause__ = ZeroDivisionError("odd")
    assert "odd" in str(error_of(error, "x", known))
    error.__cause__ = httpx2.TooManyRedirects("three")
    assert isinstance(error_of(error, "x", known), ProviderError)


@each_row(
    ("status", "body", "name"),
    [
        (403, {"error": {"message": "flagged", "metadata": {"reasons": ["violence"]}}}, "ValidationError"),
        (403, {"error": {"message": "no"}}, "AuthenticationError"),
        (429, {"error": {"message": "no credit", "code": "insufficient_quota"}}, "ValidationError"),
        (400, {"error": {"message": "too big", "code": "context_length_exceeded"}}, "ContextLengthError"),
        (400, {"error": {"message": "prompt is too long: 9 tokens > 8 maximum"}}, "ContextLengthError"),
        (400, {"message": "the request exceeds the available context size"}, "ContextLengthError"),
        (400, "This model's maximum context length is 9", "ContextLengthError"),
        (500, "context length", "ProviderError"),
        (502, ["junk"], "ProviderError"),
    ],
)
def test_what_a_refusal_says(status, body, name):
    assert type(refusal("x", status, body)).__name__ == name


@each_row(
    ("error", "name", "retryable"),
    [
        ({"code": 502, "message": "bad"}, "ProviderError", True),
        ({"code": 402, "message": "no credit"}, "ValidationError", False),
        ({"type": "overloaded_error"}, "RateLimitError", True),
        ({"metadata": {"error_type": "rate_limit_exceeded"}}, "RateLimitError", True),
        ({"type": "something new"}, "ProviderError", True),
        ({"code": 7}, "ProviderError", True),
        ("the context window is exceeded", "ContextLengthError", False),
        (None, "ProviderError", True),
    ],
)
def test_what_an_error_inside_a_reply_says(error, name, retryable):
    found = failure_in("x", error)
    assert (type(found).__name__, found.retryable) == (name, retryable)


def test_the_names_that_matter_most():
    assert isinstance(failure_in("x", {"type": "authentication_error"}), AuthenticationError)
    assert isinstance(failure_in("x", {"type": "rate_limit_error"}), RateLimitError)
