"""What providers share: settings, keys, uniform errors, replies from JSON or streams, and the parts of a request.

A provider knows its wire format. Guarding a call, naming its failures and hiding the key happen here.
"""

from sentinel_core.agent.providers.failures import failure_in, refusal, sdk_failures
from sentinel_core.agent.providers.keys import hide, read_key
from sentinel_core.agent.providers.model import HttpModel
from sentinel_core.agent.providers.requests import chat_messages, function_tools
from sentinel_core.agent.providers.responses import document_of, lines_of, reply_in, text_or_empty
from sentinel_core.agent.providers.settings import ProviderSettings, choose_model

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
