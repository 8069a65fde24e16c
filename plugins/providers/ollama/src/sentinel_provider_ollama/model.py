"""Calls Ollama without its SDK: it has one endpoint and plain HTTP errors."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from sentinel_core.errors import AuthenticationError
from sentinel_core.model import Capabilities, Model, Reply, Request
from sentinel_core.providers.failures import refusal
from sentinel_core.providers.keys import read_key
from sentinel_core.providers.model import HttpModel
from sentinel_core.providers.responses import document_of, lines_of
from sentinel_core.providers.settings import choose_model
from sentinel_core.runtime.http import guarded_client
from sentinel_provider_ollama.replies import gather, reply_of
from sentinel_provider_ollama.settings import OllamaSettings
from sentinel_provider_ollama.wire import body_of

__all__ = ["OllamaModel", "open_model"]

_MUCH_LESS = 0.5


@attrs.define(eq=False, kw_only=True)
class OllamaModel(HttpModel):
    """A model that Ollama runs. ``num_ctx`` is sent with every request."""

    num_ctx: int

    def _ask(self, request: Request, on_text: Callable[[str], None] | None, timeout: float) -> Reply:
        body = body_of(request, self.model, num_ctx=self.num_ctx, stream=on_text is not None)
        turn = 1 + sum(message.role == "assistant" for message in request.messages)
        with self.client.stream("POST", "/api/chat", json=body, timeout=timeout) as response:
            self._raise_for(response)
            if on_text is None:
                document = document_of(response, self.who)
            else:
                document = gather(lines_of(response, self.who), self.who, on_text)
        reply = reply_of(document, self.who, turn=turn)
        self._look_for_loss(request, reply)
        return reply

    def _raise_for(self, response: Any) -> None:
        if response.is_success:
            return
        response.read()
        try:
            body: object = response.json()
        except (ValueError, RecursionError):
            body = response.text
        raise refusal(self.who, response.status_code, body, response.headers)

    def _look_for_loss(self, request: Request, reply: Reply) -> None:
        """Warn if Ollama cut the conversation: it silently drops what exceeds its window, but its token count shows it."""
        estimate = self.estimate_tokens(request.messages)
        if reply.usage is not None and 0 < reply.usage.prompt_tokens < estimate * _MUCH_LESS:
            self.note(
                f"{self.who} read {reply.usage.prompt_tokens} tokens of about {estimate}: the conversation may have been cut; "
                f"num_ctx is {self.num_ctx}"
            )

    def _look_up(self, timeout: float) -> Capabilities:
        response = self.client.post("/api/show", json={"model": self.model}, timeout=timeout)
        self._raise_for(response)
        description = document_of(response, self.who)
        able = description.get("capabilities")
        names = able if isinstance(able, list) else ["tools"]
        return attrs.evolve(
            self._assumed(),
            tools="tools" in names,
            vision="vision" in names,
            context_window=_window(description.get("model_info"), self.num_ctx),
        )

    def _assumed(self) -> Capabilities:
        return Capabilities(streaming=True, context_window=self.num_ctx)

    def latest(self) -> str:
        """The most recently changed model. Raises ``ConfigError`` if there is none."""
        with self.uniform_errors():
            response = self.client.get("/api/tags")
            self._raise_for(response)
            listed = document_of(response, self.who).get("models")
        known = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        known.sort(key=lambda entry: (str(entry.get("modified_at")), str(entry.get("name"))), reverse=True)
        model = choose_model(self.who, [entry["name"] for entry in known if entry.get("name")], first_is_best=True)
        self.note(f'no --model: {self.who} will use its most recently changed model, "{model}"')
        return model


def _window(info: object, num_ctx: int) -> int:
    """The smaller of the model's own window and ``num_ctx``."""
    table: Mapping[str, Any] = info if isinstance(info, dict) else {}
    own = [value for key, value in table.items() if key.endswith(".context_length") and type(value) is int]
    return min([num_ctx, *(value for value in own if value > 0)])


def open_model(settings: OllamaSettings, variable: str) -> Model:
    """See ``connect``."""
    try:
        key = read_key("ollama", (variable,))[1]
    except AuthenticationError:
        key = ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    model = OllamaModel(
        provider="ollama",
        settings=settings,
        client=guarded_client(base_url=settings.base_url, timeout=settings.call_timeout, headers=headers),
        key=key,
        variable=variable,
        num_ctx=settings.num_ctx,
    )
    return model.asking(model.latest)
