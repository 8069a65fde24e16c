import logging

import attrs
import pytest

from sentinel_core.errors import (
    AuthenticationError,
    ConfigError,
    NetworkError,
    ProviderError,
    RateLimitError,
    ValidationError,
)
from sentinel_core.model import Request
from sentinel_core.offers import Tool
from sentinel_core.testing import ProviderContract
from sentinel_core.trace import Message, TokenDetails, TokenUsage, ToolCall, ToolResult
from sentinel_faults import DIALECTS, Asked, FaultServer, Turn
from sentinel_provider_anthropic import AnthropicSettings, connect, format_tools_for_provider, sentinel_providers
from sentinel_provider_anthropic.replies import gather, reply_of
from sentinel_provider_anthropic.wire import body_of

TOOL = Tool(name="look", description="Looks.", parameters={"type": "object"}, handler=dict)
QUESTION = Message(role="user", content="What is there?")


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key-0123456789")


@pytest.fixture
def server():
    with FaultServer(DIALECTS["anthropic"], [Turn(text="Nothing at all, really.")]) as made:
        yield made


@pytest.fixture
def opened(server):
    with server.models(connect, AnthropicSettings) as made:
        yield made


class TestContract(ProviderContract):
    @pytest.fixture(autouse=True)
    def _server(self, server):
        self.base_url = server.base_url

    def make(self):
        (provider,) = sentinel_providers()
        return provider

    def settings(self):
        return AnthropicSettings(base_url=self.base_url, model="test-model", call_timeout=5)


def test_tools_in_this_wire_format():
    assert format_tools_for_provider([TOOL]) == [
        {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}
    ]


@pytest.mark.parametrize(("choice", "kind"), [("auto", "auto"), ("required", "any"), ("none", "none")])
def test_tool_choice(choice, kind):
    body = body_of(Request(system_prompt="", messages=(QUESTION,), tools=(TOOL,), tool_choice=choice), "m", 7)
    assert body["tool_choice"] == {"type": kind}


def test_a_conversation():
    call = ToolCall(id="a", name="look", arguments={"where": "up"})
    messages = (
        QUESTION,
        Message(role="assistant", content="  ", tool_calls=(call, ToolCall(id="b", name="look"))),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="a", content="sky", success=True),)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="b", content="no", success=False),)),
        Message(role="assistant"),
        Message(role="user", content="And now?"),
    )
    body = body_of(Request(system_prompt="Be brief.", messages=messages, max_tokens=9), "m", 7)
    assert body == {
        "model": "m",
        "max_tokens": 9,
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What is there?"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "a", "name": "look", "input": {"where": "up"}},
                    {"type": "tool_use", "id": "b", "name": "look", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "sky", "is_error": False},
                    {"type": "tool_result", "tool_use_id": "b", "content": "no", "is_error": True},
                    {"type": "text", "text": "And now?"},
                ],
            },
        ],
    }


def test_a_reply():
    usage = {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 3}
    content = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "I "},
        {"type": "text", "text": "look."},
        {"type": "tool_use", "id": "t1", "name": "look", "input": {"where": "up"}},
        "junk",
    ]
    reply = reply_of({"content": content, "stop_reason": "tool_use", "usage": usage, "model": "m-1"}, "x")
    assert (reply.content, reply.stop_reason, reply.model) == ("I look.", "tool_calls", "m-1")
    assert reply.tool_calls == (ToolCall(id="t1", name="look", arguments={"where": "up"}),)
    cached = TokenDetails(cached_tokens=90, cache_write_tokens=3)
    assert reply.usage == TokenUsage(prompt_tokens=98, completion_tokens=2, details=cached)


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("end_turn", "end_turn"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("refusal", "refusal"),
        ("something new", "end_turn"),
        (None, "end_turn"),
    ],
)
def test_why_it_stopped(told, meant):
    assert reply_of({"content": [], "stop_reason": told}, "x").stop_reason == meant


def test_an_error_in_a_good_status():
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    with pytest.raises(RateLimitError, match="529: busy"):
        reply_of(error, "x")
    with pytest.raises(RateLimitError, match="busy"):
        gather([error], "x", str)
    with pytest.raises(ProviderError, match="without content"):
        reply_of({"content": None}, "x")


def test_a_stream_that_makes_no_sense_is_cut():
    events = [
        {"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": "lost"}},
        {"type": "content_block_start", "index": None, "content_block": {}},
        {"type": "message_start", "message": []},
        {},
    ]
    with pytest.raises(NetworkError, match="closed the connection"):
        gather(events, "x", str)
    assert gather([*events, {"type": "message_stop"}], "x", str) == {"content": []}


@pytest.mark.parametrize(("deltas", "arguments"), [((), {"a": 1}), (('{"b"', ": 2}"), {"b": 2})])
def test_a_call_whose_input_stands_at_its_start_keeps_it_until_more_comes(deltas, arguments):
    block = {"type": "tool_use", "id": "c", "name": "look", "input": {"a": 1}}
    parts = [{"type": "input_json_delta", "partial_json": part} for part in deltas]
    events = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0, "delta": part} for part in parts),
        {"type": "message_stop"},
    ]
    assert reply_of(gather(events, "x", str), "x").tool_calls[0].arguments == arguments


def test_streamed_and_whole_are_the_same(server, opened):
    server.script = (Turn(text="Let me look.", calls=(Asked(name="look", arguments={"where": ["up", "down"]}),)),)
    model = opened()
    request = Request(system_prompt="s", messages=(QUESTION,), tools=(TOOL,))
    pieces = []
    streamed = model.complete(request, pieces.append)
    assert streamed == model.complete(request)
    assert "".join(pieces) == "Let me look."
    assert len(pieces) > 1
    assert [one.get("stream") for one in server.requests] == [True, False]
    assert {one["authorization"] for one in server.headers} == {"Bearer test-key-0123456789"}


def test_temperature_is_left_out_once_with_a_warning(server, opened, caplog):
    model = opened()
    assert model.get_capabilities().sampling is False
    with caplog.at_level(logging.WARNING, "sentinel"):
        for _ in range(2):
            model.complete(Request(system_prompt="", messages=(QUESTION,), temperature=0.5))
    assert [record.getMessage() for record in caplog.records] == [
        f'provider "anthropic" at {server.base_url} does not accept a temperature: 0.5 is not sent'
    ]
    assert "temperature" not in server.requests[0]


def test_the_newest_model_is_taken_where_none_is_set(server, opened, caplog):
    with caplog.at_level(logging.WARNING, "sentinel"):
        model = opened(model=None)
    assert model.model == "test-model"
    assert 'its newest model, "test-model"' in caplog.text
    assert model.get_capabilities().context_window == 200_000


def test_no_model_to_choose(server):
    server.dialect = attrs.evolve(server.dialect, looked_up={"/v1/models": {"data": []}})
    with pytest.raises(ConfigError, match="lists no models: choose a model with --model"):
        connect(AnthropicSettings(base_url=server.base_url))
    server.dialect = attrs.evolve(server.dialect, looked_up={})
    with pytest.raises(ValidationError, match="404"):
        connect(AnthropicSettings(base_url=server.base_url))


def test_unknown_capabilities_are_no_failure(server, opened):
    model = opened(model="another-model")
    told = model.get_capabilities()
    assert (told.context_window, told.sampling, told.tools) == (None, False, True)
    assert model.get_capabilities() is told


def test_a_token_instead_of_a_key(server, opened, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "a-token-9876543210")
    opened().complete(Request(system_prompt="", messages=(QUESTION,)))
    assert server.headers[0]["authorization"] == "Bearer a-token-9876543210"


def test_no_key(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(AuthenticationError, match="set ANTHROPIC_API_KEY in the environment"):
        connect(AnthropicSettings())


def test_where_the_server_is(monkeypatch):
    assert AnthropicSettings().base_url == "https://api.anthropic.com"
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://box")
    assert AnthropicSettings().base_url == "http://box"
