"""What providers share: settings, keys, uniform errors, replies from JSON or streams, and the parts of a request.

A provider knows its wire format. Guarding a call, naming its failures and hiding the key happen here. Names are imported on
first use.
"""

from typing import TYPE_CHECKING

from sentinel_core._lazy import lazy_names

if TYPE_CHECKING:
    from sentinel_core.providers.failures import failure_in, refusal, sdk_failures
    from sentinel_core.providers.keys import hide, read_key
    from sentinel_core.providers.model import HttpModel
    from sentinel_core.providers.requests import chat_messages, function_tools
    from sentinel_core.providers.responses import document_of, lines_of, reply_in, text_or_empty
    from sentinel_core.providers.settings import ProviderSettings, choose_model

__all__ = [
    "HttpModel",
    "ProviderSettings",
    "chat_messages",
    "choose_model",
    "document_of",
    "failure_in",
    "function_tools",
    "hide",
    "lines_of",
    "read_key",
    "refusal",
    "reply_in",
    "sdk_failures",
    "text_or_empty",
]

_HOME = {
    "providers.failures": ("failure_in", "refusal", "sdk_failures"),
    "providers.keys": ("hide", "read_key"),
    "providers.model": ("HttpModel",),
    "providers.requests": ("chat_messages", "function_tools"),
    "providers.responses": ("document_of", "lines_of", "reply_in", "text_or_empty"),
    "providers.settings": ("ProviderSettings", "choose_model"),
}
_MODULE_OF = {name: f"sentinel_core.{module}" for module, names in _HOME.items() for name in names}

__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
