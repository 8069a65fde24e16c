"""The contract of every provider."""

import os
import socket
from unittest import mock

from sentinel_core.errors import AuthenticationError, ModelError
from sentinel_core.host.validate_offers import misfit_of
from sentinel_core.model import Capabilities, Model, Reply, Request
from sentinel_core.offers import Provider, Tool
from sentinel_core.testing._contracts_base import Contract, require, require_taken
from sentinel_core.trace import Message, ToolCall, ToolResult

__all__ = ["ProviderContract"]

_TOOL = Tool(
    name="contract_echo",
    description="Repeats the text.",
    parameters={
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
    handler=str,
)
_CUT_OFF = frozenset({"max_tokens", "refusal", "content_filter"})  # stop reasons that end a run without an answer
_QUESTION = Message(role="user", content="What can you do?")
_HISTORY = (
    Message(role="user", content="Repeat: tide"),
    Message(role="assistant", tool_calls=(ToolCall(id="c1", name=_TOOL.name, arguments={"text": "tide"}),)),
    Message(role="tool", tool_results=(ToolResult(tool_call_id="c1", content="tide", success=True),)),
    Message(role="assistant", content="tide"),
    _QUESTION,
)


def _require_reply(reply: object) -> None:
    """Fail with the agent's message if the agent would refuse the reply."""
    misfit = misfit_of(reply)
    require(not misfit, f"complete() returned {misfit}")


class ProviderContract(Contract, given=("make", "settings")):
    """Subclass it and give the provider; if it needs a server, have ``settings`` point to one of your own.

    Each test connects anew and closes what it has opened.
    """

    def make(self) -> Provider:
        """The provider as the plugin offers it."""
        raise NotImplementedError("make() must return the Provider to test")

    def settings(self) -> object:
        """The settings to connect with; the defaults unless overridden."""
        provider = self.make()
        return provider.settings() if provider.settings is not None else None

    def connect(self) -> Model:
        """A model, as the host gets one."""
        provider = self.make()
        return provider.connect(self.settings()) if provider.settings is not None else provider.connect()

    def complete(self, *messages: Message) -> Reply:
        """One reply to a conversation, with one tool available."""
        model = self.connect()
        try:
            reply = model.complete(Request(system_prompt="Be brief.", messages=messages, tools=(_TOOL,)))
        finally:
            model.close()
        _require_reply(reply)
        return reply

    def test_host_takes_it(self) -> None:
        """The host accepts the offer when it loads the plugin."""
        require_taken(self.make(), "providers")

    def test_offer_says_what_it_is(self) -> None:
        """``sentinel plugins`` lists name and summary."""
        provider = self.make()
        require(provider.name and provider.summary.strip(), "name and summary must not be empty")

    def test_connect_gives_a_model(self) -> None:
        """All four methods are there."""
        model = self.connect()
        require(isinstance(model, Model), f"connect() must return a Model, not a {type(model).__name__}")
        model.close()

    def test_complete_gives_a_reply(self) -> None:
        """Text or tool calls, and a stop reason that the loop knows."""
        reply = self.complete(_QUESTION)
        require(
            reply.tool_calls or reply.stop_reason in _CUT_OFF or reply.content,
            "a reply that ends a run must say something",
        )

    def test_tool_results_are_accepted(self) -> None:
        """A conversation with a call and its result goes through."""
        self.complete(*_HISTORY)

    def test_calls_name_offered_tools(self) -> None:
        """Only offered tools are called, and each call has its own id."""
        calls = self.complete(_QUESTION).tool_calls
        require(all(call.name == _TOOL.name for call in calls), f"a tool was called that was not offered: {calls}")
        require(len({call.id for call in calls}) == len(calls), f"two calls share an id: {calls}")

    def test_usage_is_counted_or_unknown(self) -> None:
        """Usage is None if the provider does not report it, never a guess of zero."""
        usage = self.complete(_QUESTION).usage
        require(usage is None or usage.total > 0, "usage must be None if the provider reports none")

    def test_estimate_needs_no_network(self) -> None:
        """The agent asks before every call; no connection may be opened for it."""
        model = self.connect()
        with mock.patch.object(socket.socket, "connect", side_effect=AssertionError("the estimate used the network")):
            model.estimate_tokens(_HISTORY)
        model.close()

    def test_estimate_grows_with_the_conversation(self) -> None:
        """The estimate is a whole number, 0 or more, and never shrinks when messages are added."""
        model = self.connect()
        sizes = [model.estimate_tokens(_HISTORY[:count]) for count in range(len(_HISTORY) + 1)]
        require(all(type(size) is int and size >= 0 for size in sizes), f"estimates must be whole numbers: {sizes}")
        require(sizes == sorted(sizes), f"an estimate must not shrink when messages are added: {sizes}")
        model.close()

    def test_capabilities_are_told(self) -> None:
        """Capabilities are known before the first reply."""
        model = self.connect()
        capabilities = model.get_capabilities()
        require(isinstance(capabilities, Capabilities), f"get_capabilities() returned a {type(capabilities).__name__}")
        model.close()

    def test_streamed_text_is_the_reply(self) -> None:
        """What ``on_text`` gets adds up to the reply's text; a provider that does not stream passes nothing, or everything at once."""
        pieces: list[str] = []
        model = self.connect()
        reply = model.complete(Request(system_prompt="Be brief.", messages=(_QUESTION,), tools=(_TOOL,)), pieces.append)
        model.close()
        _require_reply(reply)
        require("".join(pieces) in ("", reply.content), f"the streamed text {pieces} is not the reply's")

    def test_missing_key_is_named(self) -> None:
        """Without any of its variables, it works or says which one to set, before it uses the network."""
        provider, refused = self.make(), None
        settings = self.settings()
        with mock.patch.dict(os.environ), mock.patch.object(socket.socket, "connect", side_effect=OSError("asked")):
            for variable in provider.env:
                os.environ.pop(variable, None)
            try:
                (provider.connect() if provider.settings is None else provider.connect(settings)).close()
            except AuthenticationError as error:
                refused = str(error)
            except OSError as error:
                raise AssertionError("the network was used before the key was looked up") from error
        require(refused is None or provider.env[0] in refused, f"{refused!r} does not name {provider.env[:1]}")

    def test_closing_twice_is_no_error(self) -> None:
        """``close`` may be called again on a closed model."""
        model = self.connect()
        model.close()
        model.close()

    def test_failure_is_a_model_error(self) -> None:
        """A request that no model can answer is either answered anyway or rejected with a ``ModelError``."""
        model = self.connect()
        try:
            reply = model.complete(Request(system_prompt="", messages=()))
        except ModelError:
            return
        finally:
            model.close()
        _require_reply(reply)
