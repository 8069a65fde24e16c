"""Calls the Messages API with Anthropic's SDK."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from sentinel_core.errors import AuthenticationError, ModelError
from sentinel_core.model import Capabilities, Model, Reply, Request
from sentinel_core.providers.failures import sdk_failures
from sentinel_core.providers.keys import read_key
from sentinel_core.providers.model import HttpModel
from sentinel_core.providers.responses import document_of, reply_in
from sentinel_core.providers.settings import choose_model
from sentinel_core.runtime.http import Failure, guarded_client
from sentinel_provider_anthropic.replies import gather, reply_of
from sentinel_provider_anthropic.settings import ADDRESS, AnthropicSettings
from sentinel_provider_anthropic.wire import body_of

if TYPE_CHECKING:
    import anthropic

__all__ = ["FAILURES", "AnthropicModel", "open_model"]


def _no_credentials(who: str, error: BaseException) -> ModelError:
    return AuthenticationError(f"{who}: no credentials: {error}")


FAILURES: dict[str, Failure] = {**sdk_failures("anthropic"), "anthropic.CredentialsError": _no_credentials}


@attrs.define(eq=False, kw_only=True)
class AnthropicModel(HttpModel):
    """An Anthropic model, called with the SDK; the SDK's own retries and telemetry are off."""

    sdk: "anthropic.Anthropic" = attrs.field(repr=False)
    max_tokens: int

    def _ask(self, request: Request, on_text: Callable[[str], None] | None, timeout: float) -> Reply:
        if request.temperature is not None:
            self.note(f"{self.who} does not accept a temperature: {request.temperature:g} is not sent")
        body: dict[str, Any] = body_of(request, self.model, self.max_tokens)
        messages = self.sdk.messages.with_streaming_response
        with messages.create(**body, stream=on_text is not None, timeout=timeout) as answer:
            return reply_in(answer.http_response, self.who, on_text, whole=reply_of, gather=gather)

    def _look_up(self, timeout: float) -> Capabilities:
        with self.sdk.models.with_streaming_response.retrieve(self.model, timeout=timeout) as answer:
            description = document_of(answer.http_response, self.who)
        window, able = description.get("max_input_tokens"), description.get("capabilities")
        vision = able.get("image_input") if isinstance(able, dict) else None
        return attrs.evolve(
            self._assumed(),
            context_window=window if type(window) is int and window > 0 else None,
            vision=isinstance(vision, dict) and vision.get("supported") is True,
        )

    def _assumed(self) -> Capabilities:
        return Capabilities(streaming=True, sampling=False)

    def newest(self) -> str:
        """The id of the newest model that the server lists. Raises ``ConfigError`` if it lists none."""
        timeout = self.settings.call_timeout
        with self.uniform_errors(), self.sdk.models.with_streaming_response.list(limit=100, timeout=timeout) as answer:
            listed = document_of(answer.http_response, self.who).get("data")
        known = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        known.sort(key=lambda entry: (str(entry.get("created_at")), str(entry.get("id"))), reverse=True)
        ids = [
            str(entry["id"])
            for entry in known
            if isinstance(entry.get("id"), str) and entry.get("lifecycle") != "retired"
        ]
        model = choose_model(self.who, ids, first_is_best=True)
        self.note(f'no --model: {self.who} will use its newest model, "{model}"')
        return model


def open_model(settings: AnthropicSettings, variables: Sequence[str]) -> Model:
    """A model with the key from the first of ``variables`` that is set; see ``connect``."""
    variable, key = read_key("anthropic", variables)
    client = guarded_client(base_url=settings.base_url, timeout=settings.call_timeout)
    import anthropic

    is_api_key = variable == variables[0]
    model = AnthropicModel(
        provider="anthropic",
        settings=settings,
        client=client,
        key=key,
        variable=variable,
        price_list="anthropic" if settings.base_url.rstrip("/") == ADDRESS else None,
        failures=FAILURES,
        raised=(anthropic.AnthropicError,),
        max_tokens=settings.max_tokens,
        sdk=anthropic.Anthropic(
            api_key=key if is_api_key else None,
            auth_token=None if is_api_key else key,
            base_url=settings.base_url,
            http_client=client,
            max_retries=0,
            timeout=settings.call_timeout,
            open_telemetry=False,
        ),
    )
    return model.asking(model.newest)
