"""The base class of models behind HTTP: everything but the wire format."""

import abc
import contextlib
import datetime as dt
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Self

import attrs

from sentinel_core.errors import AuthenticationError, ModelError, ProviderError, SentinelError
from sentinel_core.model import Capabilities, Reply, Request, estimate_tokens
from sentinel_core.providers.keys import hide
from sentinel_core.providers.prices import cost_of
from sentinel_core.providers.settings import ProviderSettings
from sentinel_core.runtime.http import HTTP_FAILURES, Failure, error_of
from sentinel_core.runtime.printable import printable
from sentinel_core.trace import Message

if TYPE_CHECKING:
    import httpx2

__all__ = ["HttpModel"]

_log = logging.getLogger("sentinel")
_LOOKUP_SECONDS = 10.0  # limit on looking up a model's facts: the run can go on without them


@attrs.define(eq=False, kw_only=True)
class HttpModel(abc.ABC):
    """A model behind HTTP. A subclass gives ``_ask`` (one call) and ``_look_up`` (the model's capabilities).

    ``key`` and ``variable``, the environment variable that it came from, are empty if none is needed. ``price_list`` names
    the price list for costs that the provider does not report; None for no list. ``failures`` maps exceptions beyond
    HTTP's own, as ``http.error_of`` takes them, and ``raised`` are the classes to catch for it.
    """

    provider: str
    settings: ProviderSettings
    client: "httpx2.Client" = attrs.field(repr=False)
    model: str = ""
    key: str = attrs.field(default="", repr=False)
    variable: str = ""
    price_list: str | None = None
    failures: Mapping[str, Failure] = attrs.field(factory=dict, repr=False)
    raised: tuple[type[Exception], ...] = attrs.field(default=(), repr=False)
    _capabilities: Capabilities | None = attrs.field(default=None, init=False, repr=False)
    _noted: set[str] = attrs.field(factory=set, init=False, repr=False)

    @abc.abstractmethod
    def _ask(self, request: Request, on_text: Callable[[str], None] | None, timeout: float) -> Reply:
        """One call. May raise what HTTP and the SDK raise."""

    @abc.abstractmethod
    def _look_up(self, timeout: float) -> Capabilities:
        """What the server says about the model. May raise what HTTP and the SDK raise."""

    @property
    def who(self) -> str:
        """How errors name this provider."""
        return f'provider "{self.provider}" at {self.settings.base_url}'

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """One call, one reply; text is streamed where ``on_text`` is given. Every failure is a ``ModelError``."""
        limit = self.settings.call_timeout
        with self.uniform_errors():
            reply = self._ask(request, on_text, limit if request.timeout is None else min(limit, request.timeout))
        return self._priced(reply)

    def asking(self, choose: Callable[[], str]) -> Self:
        """Set the model: the one in the settings, else what ``choose`` returns. Returns itself; closes itself if that raises."""
        try:
            self.model = self.settings.model or choose()
        except SentinelError:
            self.close()
            raise
        return self

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        """The host's own estimate."""
        return estimate_tokens(messages)

    def get_capabilities(self) -> Capabilities:
        """What the server says about the model, asked once; defaults for what it does not say, and if it fails."""
        if self._capabilities is None:
            try:
                with self.uniform_errors():
                    self._capabilities = self._look_up(min(self.settings.call_timeout, _LOOKUP_SECONDS))
            except ModelError as error:
                _log.info("the capabilities of model %r are unknown: %s", self.model, error)
                self._capabilities = self._assumed()
        return self._capabilities

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    def note(self, text: str) -> None:
        """Log a warning, once for each text."""
        if text not in self._noted:
            self._noted.add(text)
            _log.warning("%s", printable(str(hide(ProviderError(text), self.key))))

    @contextlib.contextmanager
    def uniform_errors(self) -> Iterator[None]:
        """Turn what HTTP and the SDK raise into a ``ModelError`` without the key, which names the variable to check."""
        import httpx2

        of_http = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.CookieConflict, httpx2.StreamError, UnicodeError)
        raised: tuple[type[Exception], ...] = (*of_http, *self.raised)
        try:
            yield
        except ModelError as error:
            raise self._with_hint(error) from None
        except raised as error:
            raise self._with_hint(self._mapped(error)) from None  # the cause may quote the key

    def _mapped(self, error: Exception) -> ModelError:
        try:
            return error_of(error, self.who, {**HTTP_FAILURES, **self.failures})
        except LookupError:
            return ProviderError(f"{self.who} failed: {type(error).__name__}", retryable=False)

    def _with_hint(self, error: ModelError) -> ModelError:
        hint = self._hint(error)
        if hint:
            error.args = (f"{error}; {hint}",)
        return hide(error, self.key)

    def _hint(self, error: ModelError) -> str:
        """What to do; empty if the error says it already, or if only the server's owner can act."""
        if isinstance(error, AuthenticationError) and self.variable and self.variable not in str(error):
            return f"check the key in {self.variable}, and that it is for this address (--base-url)"
        if error.status == HTTPStatus.NOT_FOUND:
            return "choose another model with --model, or another address with --base-url"
        return ""

    def _assumed(self) -> Capabilities:
        """The capabilities if the server does not say."""
        return Capabilities(streaming=True)

    def _priced(self, reply: Reply) -> Reply:
        if reply.cost_usd is not None or reply.usage is None or self.price_list is None:
            return reply
        now = dt.datetime.now(dt.UTC)
        return attrs.evolve(reply, cost_usd=cost_of(self.price_list, reply.model or self.model, reply.usage, now))
