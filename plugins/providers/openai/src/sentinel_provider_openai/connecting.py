"""Connects to OpenAI, a compatible server, or OpenRouter."""

from collections.abc import Mapping
from typing import Any

from sentinel_core.errors import AuthenticationError
from sentinel_core.providers.failures import sdk_failures
from sentinel_core.providers.keys import read_key
from sentinel_core.providers.settings import ProviderSettings, choose_model
from sentinel_core.runtime.http import guarded_client
from sentinel_provider_openai.listing import ids_in
from sentinel_provider_openai.model import OpenAIModel
from sentinel_provider_openai.settings import OPENAI, OpenAISettings, OpenRouterSettings

__all__ = ["FAILURES", "open_openai", "open_openrouter"]

_KEYLESS = "none"  # the SDK always sends a key; a server without keys ignores it
FAILURES = sdk_failures("openai")


def open_openai(settings: OpenAISettings, variable: str) -> OpenAIModel:
    """See ``connect_openai``."""
    is_openai = settings.base_url.rstrip("/") == OPENAI
    key = _key(variable, needed=is_openai)
    # Not for other servers: a model of that name there may have other prices.
    more = {"price_list": "openai", "limit_name": "max_completion_tokens"} if is_openai else {}
    return _open("openai", settings, key, variable, {}, **more)


def open_openrouter(settings: OpenRouterSettings, variable: str) -> OpenAIModel:
    """See ``connect_openrouter``."""
    key = read_key("openrouter", (variable,))[1]
    headers = {"HTTP-Referer": settings.referer, "X-OpenRouter-Title": settings.title}
    return _open(
        "openrouter",
        settings,
        key,
        variable,
        {name: value for name, value in headers.items() if value},
        price_list="openrouter",
    )


def _key(variable: str, *, needed: bool) -> str:
    try:
        return read_key("openai", (variable,))[1]
    except AuthenticationError:
        if needed:
            raise
        return ""


def _open(
    provider: str, settings: ProviderSettings, key: str, variable: str, headers: Mapping[str, str], **more: Any
) -> OpenAIModel:
    client = guarded_client(base_url=settings.base_url, timeout=settings.call_timeout)
    import openai

    sdk = openai.OpenAI(
        api_key=key or _KEYLESS,
        base_url=settings.base_url,
        default_headers=dict(headers),
        http_client=client,
        max_retries=0,
        timeout=settings.call_timeout,
    )
    model = OpenAIModel(
        provider=provider,
        settings=settings,
        client=client,
        key=key,
        variable=variable,
        failures=FAILURES,
        raised=(openai.OpenAIError,),
        sdk=sdk,
        **more,
    )
    return model.asking(lambda: _only_model(model))


def _only_model(model: OpenAIModel) -> str:
    with model.uniform_errors():
        listed = model.listed(model.settings.call_timeout)
    chosen = choose_model(model.who, ids_in(listed))
    model.note(f'no --model: {model.who} has only "{chosen}"')
    return chosen
