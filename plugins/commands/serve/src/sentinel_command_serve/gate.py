"""Checks a request before its body is read: host, origin, token, rate, scope."""

import time
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from http import HTTPStatus

import attrs

from sentinel_command_serve.problems import Problem
from sentinel_command_serve.tokens import Token, Tokens
from sentinel_core.runtime.http_server import LOOPBACK, STRANGE_HOST, is_host_allowed

__all__ = ["LOOPBACK", "Gate"]

_BEARER = "bearer "
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="sentinel"'}
_NOBODY = ""
_EVERYBODY = "*"  # as _NOBODY, no name that a token can have


@attrs.define(eq=False, kw_only=True)
class Gate:
    """Lets a request in, or raises a ``Problem``.

    ``hosts`` are allowed in the Host header, with any port, ``origins`` in the Origin header. Each token, all requests
    without one together, and all that need none together may make ``rate`` requests per second, and twice as many at once.
    Not thread-safe.
    """

    tokens: Tokens
    hosts: Collection[str] = LOOPBACK
    origins: Collection[str] = ()
    rate: float = 200.0
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    _left: dict[str, tuple[float, float]] = attrs.field(factory=dict, init=False)

    def let_in(self, headers: Mapping[str, str], scope: str | None) -> Token | None:
        """The token of the request; None if ``scope`` is None, for public routes."""
        self._check_host(headers.get("host", ""))
        self._check_origin(headers.get("origin"))
        if scope is None:
            self._count(_EVERYBODY)
            return None
        token = self._token(headers.get("authorization", ""))
        self._count(_NOBODY if token is None else token.name)
        if token is None:
            raise Problem(HTTPStatus.UNAUTHORIZED, 'send a valid token: "Authorization: Bearer ..."', _CHALLENGE)
        self.require(token, scope)
        return token

    def require(self, token: Token, scope: str) -> None:
        """Raises a ``Problem`` if the token does not have the scope."""
        if scope not in token.scopes:
            raise Problem(HTTPStatus.FORBIDDEN, f'token "{token.name}" does not have the scope "{scope}"')

    def _token(self, authorization: str) -> Token | None:
        if authorization[: len(_BEARER)].lower() != _BEARER:
            return None
        return self.tokens.find(authorization[len(_BEARER) :].strip(), self.now())

    def _check_host(self, host: str) -> None:
        if not is_host_allowed(host, self.hosts):
            raise Problem(HTTPStatus.FORBIDDEN, STRANGE_HOST)

    def _check_origin(self, origin: str | None) -> None:
        if origin is not None and origin not in self.origins:
            raise Problem(
                HTTPStatus.FORBIDDEN,
                "pages from this origin may not call the service (use --allow-origin to allow an origin)",
            )

    def _count(self, name: str) -> None:
        """Take one request from the name's bucket, which fills at the rate and holds two seconds' worth."""
        now = self.monotonic()
        left, since = self._left.get(name, (2 * self.rate, now))
        left = min(2 * self.rate, left + (now - since) * self.rate)
        if left < 1:
            self._left[name] = (left, now)
            raise Problem(HTTPStatus.TOO_MANY_REQUESTS, "too many requests: wait a second", {"Retry-After": "1"})
        self._left[name] = (left - 1, now)
