"""The base of models behind HTTP: what every one of them does around its own wire format."""

import abc
import contextlib
import datetime as dt
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Self

import attrs

from sentinel_core.agent.context import estimate_tokens
from sentinel_core.agent.prices import cost_of
from sentinel_core.agent.providers.keys import hide
from sentinel_core.agent.providers.settings import ProviderSettings
from sentinel_core.errors import AuthenticationError, ModelError, ProviderError, SentinelError
from sentinel_core.model import Capabilities, Reply, Request
from sentinel_core.runtime.http import HTTP_FAILURES, Failure, error_of
from sentinel_core.runtime.printable import printable
from sentinel_core.trace import Message

if TYPE_CHECKING:
    import httpx2

__all__ = ["HttpModel"]

_log = logging.getLogger("sentinel")
_LOOKUP_SECONDS = 10.0  # facts about a model are worth this much waiting, not a whole call's


@attrs.define(eq=False, kw_only=True)
class HttpModel(abc.ABC):
    """A model behind HTTP. A subclass gives ``_ask`` (one call) and ``_look_up`` (what the server says of the model).

    ``key`` and ``variable``, the environment variable that it came from, are empty where none is needed. ``price_list`` names
    the price list that costs are taken from where the provider reports none; None for no list. ``failures`` maps exceptions
    beyond HTTP's own, as ``http.error_of`` takes them, and ``raised`` are the classes to catch for it.
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
        """What the server says of the model. May raise what HTTP and the SDK raise."""

    @property
    def who(self) -> str:
        """How errors name this provider."""
        return f'provider "{self.provider}" at {self.settings.base_url}'

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """One call, one reply; text is streamed where ``on_text`` is given. Every failure is a ``ModelError``."""
        limit = self.settings.call_timeout
        with self.told_alike():
            reply = self._ask(request, on_text, limit if request.timeout is None else min(limit, request.timeout))
        return self._priced(reply)

    def asking(self, choose: Callable[[], str]) -> Self:
        """Itself, asking the model that is set, else the one that ``choose`` gives; closed where that raises."""
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
        """What the server says of the model, asked once; what it does not say, and a server that fails, leave the defaults."""
        if self._capabilities is None:
            try:
                with self.told_alike():
                    self._capabilities = self._look_up(min(self.settings.call_timeout, _LOOKUP_SECONDS))
            except ModelError as error:
                _log.info("what %r can do is not known: %s", self.model, error)
                self._capabilities = self._assumed()
        return self._capabilities

    def close(self) -> None:
        """Give back the connections."""
        self.client.close()

    def note(self, text: str) -> None:
        """Log a warning, once for each text."""
        if text not in self._noted:
            self._noted.add(text)
            _log.warning("%s", printable(str(hide(ProviderError(text), self.key))))

    @contextlib.contextmanager
    def told_alike(self) -> Iterator[None]:
        """What HTTP and the SDK raise comes out as a ``ModelError``, without the key, and with the variable to look at."""
        import httpx2

        of_http = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.CookieConflict, httpx2.StreamError, UnicodeError)
        raised: tuple[type[Exception], ...] = (*of_http, *self.raised)
        try:
            yield
        except ModelError as error:
            raise self._told(error) from None
        except raised as error:
            raise self._told(self._mapped(error)) from None  # the cause may quote the key

    def _mapped(self, error: Exception) -> ModelError:
        try:
            return error_of(error, self.who, {**HTTP_FAILURES, **self.failures})
        except LookupError:
            return ProviderError(f"{self.who} failed: {type(error).__name__}", retryable=False)

    def _told(self, error: ModelError) -> ModelError:
        hint = self._hint(error)
        if hint:
            error.args = (f"{error}; {hint}",)
        return hide(error, self.key)

    def _hint(self, error: ModelError) -> str:
        """What to do; empty where the error says so itself, or where nobody but the server can do anything."""
        if isinstance(error, AuthenticationError) and self.variable and self.variable not in str(error):
            return f"check the key in {self.variable}, and that it is for this address (--base-url)"
        if error.status == HTTPStatus.NOT_FOUND:
            return "--model names another model, --base-url another address"
        return ""

    def _assumed(self) -> Capabilities:
        """What holds where the server says nothing."""
        return Capabilities(streaming=True)

    def _priced(self, reply: Reply) -> Reply:
        if reply.cost_usd is not None or reply.usage is None or self.price_list is None:
            return reply
        now = dt.datetime.now(dt.UTC)
        return attrs.evolve(reply, cost_usd=cost_of(self.price_list, reply.model or self.model, reply.usage, now))
