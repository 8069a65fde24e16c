"""Calls chat completions with OpenAI's SDK."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from sentinel_core.errors import ProviderError
from sentinel_core.model import Capabilities, Reply, Request
from sentinel_core.providers.model import HttpModel
from sentinel_core.providers.responses import document_of, reply_in
from sentinel_provider_openai.listing import capabilities_in
from sentinel_provider_openai.replies import gather, reply_of
from sentinel_provider_openai.wire import body_of

if TYPE_CHECKING:
    import openai

__all__ = ["OpenAIModel"]

# Arguments that some models refuse, and the name to use instead; None if there is none.
_INSTEAD = {"max_tokens": "max_completion_tokens", "temperature": None}


@attrs.define(eq=False, kw_only=True)
class OpenAIModel(HttpModel):
    """A model behind chat completions, called with OpenAI's SDK; the SDK's own retries are off.

    ``limit_name`` is the server's argument for the most tokens of a reply.
    """

    sdk: "openai.OpenAI" = attrs.field(repr=False)
    limit_name: str = "max_tokens"
    _left_out: set[str] = attrs.field(factory=set, init=False, repr=False)

    def _ask(self, request: Request, on_text: Callable[[str], None] | None, timeout: float) -> Reply:
        import openai

        body = body_of(self._accepted(request), self.model, limit_name=self.limit_name, stream=on_text is not None)
        try:
            return self._exchange(body, on_text, timeout)
        except openai.BadRequestError as error:
            self._learn(error, body)
            raise

    def _exchange(self, body: dict[str, Any], on_text: Callable[[str], None] | None, timeout: float) -> Reply:
        completions = self.sdk.chat.completions.with_streaming_response
        with completions.create(**body, timeout=timeout) as answer:
            return reply_in(answer.http_response, self.who, on_text, whole=reply_of, gather=gather)

    def _accepted(self, request: Request) -> Request:
        """The request without arguments that the model has refused before."""
        if request.temperature is None:
            return request
        if "temperature" in self._left_out or not self.get_capabilities().sampling:
            self.note(f'"{self.model}" does not accept a temperature: {request.temperature:g} is not sent')
            return attrs.evolve(request, temperature=None)
        return request

    def _learn(self, error: "openai.BadRequestError", body: dict[str, Any]) -> None:
        """Raise a retryable error if the server refused an argument that the next attempt can leave out.

        The agent makes that attempt, so that it is in the journal; this class never repeats a request.
        """
        refused = error.param
        if refused not in _INSTEAD or refused not in body or not (error.code or "").startswith("unsupported"):
            return
        self._left_out.add(refused)
        self.limit_name = _INSTEAD[refused] or self.limit_name
        raise ProviderError(f'{self.who} does not accept "{refused}": it is no longer sent', status=400, retryable=True)

    def _look_up(self, timeout: float) -> Capabilities:
        return capabilities_in(self.listed(timeout), self.model, self._assumed())

    def listed(self, timeout: float) -> list[dict[str, Any]]:
        """The server's list of models, unchanged. Raises the errors of HTTP and the SDK."""
        with self.sdk.models.with_streaming_response.list(timeout=timeout) as answer:
            data = document_of(answer.http_response, self.who).get("data")
        return [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
