"""What providers share: settings, keys, errors told alike, replies out of JSON or streams, and the parts of a request.

A provider knows its wire format; how a call is guarded, what its failures are called and that no key gets out is known here.
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
