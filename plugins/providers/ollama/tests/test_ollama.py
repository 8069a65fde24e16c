import logging

import attrs
import pytest

from sentinel_core.errors import ConfigError, ContextLengthError, NetworkError, ProviderError, ValidationError
from sentinel_core.model import Request
from sentinel_core.offers import Tool
from sentinel_core.testing import ProviderContract
from sentinel_core.trace import Message, TokenUsage, ToolCall, ToolResult
from sentinel_faults import DIALECTS, Asked, FaultServer, Turn
from sentinel_provider_ollama import OllamaSettings, connect, format_tools_for_provider, sentinel_providers
from sentinel_provider_ollama.replies import gather, reply_of
from sentinel_provider_ollama.settings import address
from sentinel_provider_ollama.wire import body_of

TOOL = Tool(name="look", description="Looks.", parameters={"type": "object"}, handler=dict)
QUESTION = Message(role="user", content="What is there?")


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OLLAMA_API_KEY", raising=False)
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture
def server():
    with FaultServer(DIALECTS["ollama"], [Turn(text="Nothing at all, really.")]) as made:
        yield made


@pytest.fixture
def opened(server):
    with server.models(connect, OllamaSettings) as made:
        yield made


class TestContract(ProviderContract):
    @pytest.fixture(autouse=True)
    def _server(self, server):
        self.base_url = server.base_url

    def make(self):
        (provider,) = sentinel_providers()
        return provider

    def settings(self):
        return OllamaSettings(base_url=self.base_url, model="test-model", call_timeout=5)


def test_tools_in_this_wire_format():
    assert format_tools_for_provider([TOOL]) == [
        {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}
    ]


def test_a_conversation():
    messages = (
        QUESTION,
        Message(role="assistant", tool_calls=(ToolCall(id="ollama-1-1", name="look", arguments={"where": "up"}),)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="ollama-1-1", content="sky"),)),
        Message(role="system", content="Be brief."),
    )
    request = Request(
        system_prompt="You look.", messages=messages, tools=(TOOL,), tool_choice="none", temperature=0.5, max_tokens=9
    )
    assert body_of(request, "m", num_ctx=4096, stream=True) == {
        "model": "m",
        "stream": True,
        "options": {"num_ctx": 4096, "temperature": 0.5, "num_predict": 9},
        "messages": [
            {"role": "system", "content": "You look."},
            {"role": "user", "content": "What is there?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": "look", "arguments": {"where": "up"}}}],
            },
            {"role": "tool", "tool_name": "look", "content": "sky"},
            {"role": "system", "content": "Be brief."},
        ],
    }


def test_a_reply_gets_ids():
    calls = [{"function": {"name": "look", "arguments": {"n": number}}} for number in range(2)]
    document = {"message": {"content": "", "tool_calls": [*calls, "junk"]}, "done": True, "done_reason": "stop"}
    reply = reply_of({**document, "prompt_eval_count": 7, "eval_count": 2}, "x", turn=3)
    assert [call.id for call in reply.tool_calls] == ["ollama-3-1", "ollama-3-2"]
    assert (reply.stop_reason, reply.usage) == ("tool_calls", TokenUsage(prompt_tokens=7, completion_tokens=2))


def test_a_reply_that_is_not_done():
    with pytest.raises(NetworkError, match="closed the connection"):
        reply_of({"message": {"content": "so far"}, "done": False}, "x", turn=1)
    with pytest.raises(NetworkError, match="closed the connection"):
        reply_of(gather([{"message": {"content": "so far"}, "done": False}], "x", str), "x", turn=1)


def test_an_error_in_the_middle():
    with pytest.raises(ProviderError, match="model runner has stopped"):
        gather([{"message": {"content": "a"}}, {"error": "model runner has stopped"}], "x", str)
    with pytest.raises(ContextLengthError):
        reply_of({"error": "input exceeds the context length"}, "x", turn=1)
    with pytest.raises(ProviderError, match="without a message"):
        reply_of({"done": True}, "x", turn=1)


def test_streamed_and_whole_are_the_same(server, opened):
    server.script = (Turn(text="Let me look.", calls=(Asked(name="look", arguments={"where": ["up", "down"]}),)),)
    request = Request(system_prompt="s", messages=(QUESTION,), tools=(TOOL,))
    model, pieces = opened(num_ctx=2048), []
    streamed = model.complete(request, pieces.append)
    assert streamed == model.complete(request)
    assert "".join(pieces) == "Let me look."
    assert len(pieces) > 1
    assert [one["options"]["num_ctx"] for one in server.requests] == [2048, 2048]


def test_what_the_model_can_do(server, opened):
    told = opened(num_ctx=8192).get_capabilities()
    assert (told.tools, told.vision, told.context_window) == (True, False, 4096)
    assert opened(num_ctx=2048).get_capabilities().context_window == 2048
    server.dialect = attrs.evolve(server.dialect, looked_up={})
    assert opened(num_ctx=2048).get_capabilities().context_window == 2048


def test_a_conversation_that_was_cut_is_told_once(server, opened, caplog):
    server.script = (Turn(text="Fine.", usage={"prompt": 40, "completion": 1}),)
    request = Request(system_prompt="", messages=(Message(role="user", content="word " * 500),))
    model = opened(num_ctx=512)
    with caplog.at_level(logging.WARNING, "sentinel"):
        model.complete(request)
        model.complete(request)
    (record,) = caplog.records
    assert "read 40 tokens of about 699: the conversation may have been cut; num_ctx is 512" in record.getMessage()


def test_the_last_changed_model_is_taken(server, opened, caplog):
    models = [{"name": "old", "modified_at": "2025"}, {"name": "new", "modified_at": "2026"}, {"name": ""}, "junk"]
    server.dialect = attrs.evolve(server.dialect, looked_up={"/api/tags": {"models": models}})
    assert opened(model=None).model == "new"
    server.dialect = attrs.evolve(server.dialect, looked_up={"/api/tags": {"models": None}})
    with pytest.raises(ConfigError, match="--model"):
        opened(model=None)
    server.dialect = attrs.evolve(server.dialect, looked_up={})
    with pytest.raises(ValidationError, match="404: not found; choose another model with --model"):
        opened(model=None)


def test_a_key_is_sent_where_there_is_one(server, opened, monkeypatch):
    opened().complete(Request(system_prompt="", messages=(QUESTION,)))
    monkeypatch.setenv("OLLAMA_API_KEY", "k-123456")
    opened().complete(Request(system_prompt="", messages=(QUESTION,)))
    assert [one.get("authorization") for one in server.headers] == [None, "Bearer k-123456"]


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("box", "http://box:11434"),
        ("box:1", "http://box:1"),
        ("https://box", "https://box"),
        ("http://box:1/ollama/", "http://box:1/ollama"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:5", "http://[::1]:5"),
    ],
)
def test_where_the_server_is(host, wanted, monkeypatch):
    assert address(host) == wanted
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert OllamaSettings().base_url == wanted
