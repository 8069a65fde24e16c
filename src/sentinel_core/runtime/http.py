"""The guarded HTTP client: a total deadline for each call, a cap on decoded bytes, one origin.

``httpx2`` comes with the extra ``http`` and is imported when a client is made.
"""

import contextlib
import datetime as dt
import email.utils
import math
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

from sentinel_core.errors import (
    AuthenticationError,
    ConfigError,
    ModelError,
    NetworkError,
    ProviderError,
    RateLimitError,
    ValidationError,
)
from sentinel_core.runtime.redact import redact

if TYPE_CHECKING:
    import httpx2

__all__ = [
    "HTTP_FAILURES",
    "MAX_BYTES",
    "Failure",
    "error_of",
    "guarded_client",
    "http_errors",
    "one_line",
    "retry_after",
    "status_error",
]

Failure = Callable[[str, BaseException], ModelError]  # from the server's name and the exception

MAX_BYTES = 16 * 1024 * 1024
_MOST_REDIRECTS = 3
_MOST_PORT = 65_535
_LONGEST_REASON = 300
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_SLOW_DOWN = (HTTPStatus.TOO_MANY_REQUESTS, 529)  # 529 is Anthropic's "overloaded", not in the standard


def guarded_client(
    *, base_url: str, timeout: float, max_bytes: int = MAX_BYTES, headers: Mapping[str, str] | None = None
) -> "httpx2.Client":
    """A client that talks to the origin of ``base_url`` only.

    Every call ends within ``timeout`` seconds, from the first byte sent to the last byte read, with redirects, and even if a
    body arrives in small pieces; ``client.get(..., timeout=3)`` shortens that for one call. A reply of more than ``max_bytes``
    decompressed bytes is refused. A redirect to another origin is refused before anything is sent. The environment's proxy
    (``https_proxy``, ``no_proxy``) is used, except for localhost.

    Calls raise ``httpx2`` exceptions, which ``http_errors`` turns into Sentinel's. Raises ``ConfigError`` for an address
    that is not http(s), a time limit that is not above 0, and if ``httpx2`` is not installed.
    """
    try:
        import httpx2

        from sentinel_core.runtime.http_guard import GuardedTransport
    except ImportError as error:
        raise ConfigError(
            f"HTTP needs the package \"{error.name}\": pip install 'reliability-sentinel[http]'"
        ) from error

    url = _checked_url(base_url)
    if not (timeout > 0 and math.isfinite(timeout)):
        raise ConfigError(f"the time limit of a call must be above 0 seconds, not {timeout:g}")
    transport = GuardedTransport(url, timeout=timeout, max_bytes=max_bytes, proxy=_proxy_for(url))
    return httpx2.Client(
        base_url=url,
        headers=dict(headers or {}),
        timeout=timeout,
        follow_redirects=True,
        max_redirects=_MOST_REDIRECTS,
        transport=transport,
    )


def _checked_url(base_url: str) -> "httpx2.URL":
    import httpx2

    try:
        url = httpx2.URL(base_url)
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise ConfigError(f'"{redact(base_url)}" is not an address: {error}') from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(
            f'"{redact(base_url)}" is not an address: it must start with http:// or https:// and name a host'
        )
    _check_port(url, base_url)
    return url


def _check_port(url: "httpx2.URL", given: str) -> None:
    """Raises ``ConfigError`` for a port out of range: the system would take it modulo 65,536, another port."""
    if url.port is not None and not 0 < url.port <= _MOST_PORT:
        raise ConfigError(f'"{redact(given)}" is not an address: port {url.port} is not between 1 and {_MOST_PORT}')


def _proxy_for(url: "httpx2.URL") -> "httpx2.Proxy | None":
    import httpx2

    if url.host in ("localhost", "127.0.0.1", "::1") or urllib.request.proxy_bypass(url.host):
        return None
    proxies = urllib.request.getproxies()
    named = proxies.get(url.scheme) or proxies.get("all")
    if not named:
        return None
    proxy = httpx2.Proxy(named if "://" in named else f"http://{named}")
    if proxy.url.scheme not in ("http", "https"):
        raise ConfigError(
            f'the proxy "{redact(named)}" in the environment is not an http(s) address; set no_proxy to bypass it'
        )
    _check_port(proxy.url, named)
    return proxy


@contextlib.contextmanager
def http_errors(who: str) -> Iterator[None]:
    """Turns exceptions of ``httpx2`` into Sentinel's errors; ``who`` begins their text (``provider "x"``)."""
    import httpx2

    try:
        yield
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.CookieConflict, httpx2.StreamError, UnicodeError) as error:
        raise error_of(error, who) from error


def error_of(error: BaseException, who: str, known: Mapping[str, Failure] | None = None) -> ModelError:
    """Sentinel's error for an exception, or for the cause of it.

    ``known`` maps ``package.Class`` to the error; a subclass counts as its nearest base in it. The default covers
    ``httpx2``. Raises ``LookupError`` if neither the exception nor a cause of it is known.
    """
    table = HTTP_FAILURES if known is None else known
    cause: BaseException | None = error
    while cause is not None:
        make = next((table[name] for kind in type(cause).__mro__ if (name := _name(kind)) in table), None)
        if make is not None:
            return make(who, cause)
        cause = cause.__cause__
    raise LookupError(type(error).__qualname__)


def _name(kind: type) -> str:
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def _network(what: str) -> Failure:
    return lambda who, error: NetworkError(f"{who} {what}{_because(error)}")


def _provider(what: str, *, retryable: bool) -> Failure:
    return lambda who, error: ProviderError(f"{who} {what}{_because(error)}", retryable=retryable)


def _unsendable(who: str, _error: BaseException) -> ModelError:
    # The text of these quotes the header that could not be sent, which may be the key.
    return ValidationError(
        f"{who} cannot be called: its address, or a header such as the key, contains characters that HTTP forbids"
    )


def _by_status(who: str, error: BaseException) -> ModelError:
    response: httpx2.Response = error.response  # type: ignore[attr-defined]
    return status_error(who, response.status_code, "", response.headers)


def _because(error: BaseException) -> str:
    text = one_line(str(error))
    return f": {text}" if text else ""


def one_line(text: str) -> str:
    """The beginning of a foreign text, on one line, without secrets."""
    line = redact(" ".join(text.split()))
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}…"


# By name, because naming the classes would import them.
HTTP_FAILURES: Mapping[str, Failure] = {
    "builtins.UnicodeError": _unsendable,
    "httpx2.CookieConflict": _provider("sent cookies that contradict each other", retryable=False),
    "httpx2.DecodingError": _provider("sent a reply that cannot be decompressed", retryable=True),
    "httpx2.HTTPStatusError": _by_status,
    "httpx2.InvalidURL": _unsendable,
    "httpx2.LocalProtocolError": _unsendable,
    "httpx2.StreamError": _provider("was not read to the end", retryable=False),
    "httpx2.TimeoutException": _network("did not answer in time"),
    "httpx2.TooManyRedirects": _provider("redirects in a circle", retryable=False),
    "httpx2.TransportError": _network("could not be reached, or closed the connection"),
    "httpx2.UnsupportedProtocol": _unsendable,
    "sentinel_core.OriginRefusedError": _provider("was not called", retryable=False),
    "sentinel_core.ReplyTooLargeError": _provider("sent too large a reply", retryable=False),
}


def status_error(who: str, status: int, reason: str, headers: Mapping[str, str] | None = None) -> ModelError:
    """The error for an HTTP status that is not a success; ``reason`` is the server's text, of any length.

    401 and 403 are about the key; 429 and 529, and 503 with a time to wait, are rate limits; 408, 409 and all others from
    500 may be retried; the rest is about the request.
    """
    shown = one_line(reason)
    text = f"{who} answered {status}{': ' if shown else ''}{shown}"
    wait = retry_after(headers or {})
    if status in _REFUSED:
        return AuthenticationError(text, status=status)
    if status in _SLOW_DOWN or (status == HTTPStatus.SERVICE_UNAVAILABLE and wait is not None):
        return RateLimitError(text, status=status, retry_after=wait)
    if status == HTTPStatus.REQUEST_TIMEOUT:
        return NetworkError(text, status=status)
    if status == HTTPStatus.CONFLICT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ProviderError(text, status=status, retryable=True)
    if status >= HTTPStatus.BAD_REQUEST:
        return ValidationError(text, status=status)
    return ProviderError(f"{text}, which is not a success", status=status, retryable=False)


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds that a server asks to wait; None if it gives no usable time.

    ``Retry-After-Ms`` (milliseconds) goes before ``Retry-After``, which is seconds, whole or not, or an HTTP date, counted
    from ``now`` (seconds since 1970). Negative, infinite and unreadable values are ignored; a date in the past is 0. The
    case of ``headers`` does not matter.
    """
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds = _seconds(lowered.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = lowered.get("retry-after", "")
    seconds = _seconds(value)
    return seconds if seconds is not None else _until(value, time.time() if now is None else now)


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _until(text: str, now: float) -> float | None:
    try:
        when = email.utils.parsedate_to_datetime(text)
        return max(0.0, (when if when.tzinfo else when.replace(tzinfo=dt.UTC)).timestamp() - now)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
