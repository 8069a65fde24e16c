import json
import logging

import attrs
import pytest

from sentinel_core.errors import AuthenticationError, ConfigError, NetworkError, ProviderError, RateLimitError
from sentinel_core.model import Capabilities, Request
from sentinel_core.offers import Tool
from sentinel_core.testing import ProviderContract
from sentinel_core.trace import Message, TokenDetails, ToolCall, ToolResult
from sentinel_faults import DIALECTS, Asked, FaultServer, Turn
from sentinel_provider_openai import (
    OpenAISettings,
    OpenRouterSettings,
    connect_openai,
    connect_openrouter,
    format_tools_for_provider,
    sentinel_providers,
)
from sentinel_provider_openai.listing import capabilities_in
from sentinel_provider_openai.replies import gather, reply_of
from sentinel_provider_openai.wire import body_of

TOOL = Tool(name="look", description="Looks.", parameters={"type": "object"}, handler=dict)
QUESTION = Message(role="user", content="What is there?")
ASK = Request(system_prompt="", messages=(QUESTION,))
SCHEMA = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-0123456789")
    monkeypatch.setenv("OPENROUTER_API_KEY", "test-key-9876543210")


@pytest.fixture(params=["openai", "openrouter"])
def name(request):
    return request.param


@pytest.fixture
def server(name):
    with FaultServer(DIALECTS[name], [Turn(text="Nothing at all, really.")]) as made:
        yield made


@pytest.fixture
def opened(name, server):
    kinds = {"openai": (connect_openai, OpenAISettings), "openrouter": (connect_openrouter, OpenRouterSettings)}
    with server.models(*kinds[name]) as made:
        yield made


class TestContract(ProviderContract):
    @pytest.fixture(autouse=True)
    def _server(self, server, name):
        self.base_url, self.provider = server.base_url, name

    def make(self):
        return next(one for one in sentinel_providers() if one.name == self.provider)

    def settings(self):
        return self.make().settings(base_url=self.base_url, model="test-model", call_timeout=5)


def test_tools_in_this_wire_format():
    assert format_tools_for_provider([TOOL]) == [SCHEMA]


def test_a_conversation():
    messages = (
        QUESTION,
        Message(role="assistant", tool_calls=(ToolCall(id="a", name="look", arguments={"where": "up"}),)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="a", content="sky", success=True),)),
        Message(role="system", content="Be brief."),
        Message(role="assistant", content="Sky."),
    )
    request = Request(
        system_prompt="You look.",
        messages=messages,
        tools=(TOOL,),
        tool_choice="required",
        temperature=0.5,
        max_tokens=9,
    )
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"where":"up"}'}}
    assert body_of(request, "m", limit_name="max_tokens", stream=True) == {
        "model": "m",
        "tools": [SCHEMA],
        "tool_choice": "required",
        "temperature": 0.5,
        "max_tokens": 9,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [
            {"role": "system", "content": "You look."},
            {"role": "user", "content": "What is there?"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": "sky"},
            {"role": "system", "content": "Be brief."},
            {"role": "assistant", "content": "Sky."},
        ],
    }


def completion(message, finish="stop", **more):
    return {"choices": [{"message": message, "finish_reason": finish}], **more}


def test_a_reply():
    usage = {
        "prompt_tokens": 50,
        "completion_tokens": 9,
        "cost": 0.25,
        "prompt_tokens_details": {"cached_tokens": 40},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    calls = [{"id": "c", "function": {"name": "look", "arguments": '{"n": 1}'}}, "junk"]
    reply = reply_of(completion({"content": "I look.", "tool_calls": calls}, usage=usage, model="m-1"), "x")
    assert (reply.content, reply.stop_reason, reply.model, reply.cost_usd) == ("I look.", "tool_calls", "m-1", 0.25)
    assert reply.tool_calls == (ToolCall(id="c", name="look", arguments={"n": 1}),)
    assert reply.usage.details == TokenDetails(cached_tokens=40, reasoning_tokens=3)


@pytest.mark.parametrize("cost", [None, "1", -1, float("nan"), True])
def test_a_cost_that_is_none(cost):
    reply = reply_of(completion({"content": "x"}, usage={"prompt_tokens": 1, "cost": cost}), "x")
    assert reply.cost_usd is None


@pytest.mark.parametrize(
    ("told", "meant"),
    [("stop", "end_turn"), ("length", "max_tokens"), ("content_filter", "content_filter"), (None, "end_turn")],
)
def test_why_it_stopped(told, meant):
    assert reply_of(completion({"content": "x"}, told), "x").stop_reason == meant


def test_errors_in_a_good_status():
    with pytest.raises(RateLimitError, match="slow down"):
        reply_of({"error": {"code": 429, "message": "slow down"}}, "x")
    with pytest.raises(ProviderError, match="the model's own server failed") as caught:
        reply_of({"choices": [{"finish_reason": "error"}]}, "x")
    assert caught.value.retryable
    with pytest.raises(ProviderError, match="upstream"):
        gather([{"error": {"code": 502, "message": "bad", "metadata": {"raw": "upstream"}}}], "x", str)


def part(**call):
    return {"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": None}]}


END = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}


@pytest.mark.parametrize("indices", [(0, 1), (0, 0), (None, None)])
def test_calls_in_parts_whatever_their_index(indices):
    parts = []
    for number, index in enumerate(indices):
        parts.append(part(index=index, id=f"c{number}", function={"name": "look", "arguments": ""}))
        parts.append(part(index=index, function={"arguments": f'{{"n": {number}}}'}))
    reply = reply_of(gather([*parts, END], "x", str), "x")
    assert [(call.id, call.arguments) for call in reply.tool_calls] == [("c0", {"n": 0}), ("c1", {"n": 1})]


def test_a_stream_without_an_end():
    with pytest.raises(NetworkError, match="closed the connection"):
        gather([{"choices": [{"delta": {"content": "so far"}}]}, {"usage": {}}, {"choices": [{"delta": 1}]}], "x", str)


def test_streamed_and_whole_are_the_same(server, opened):
    server.script = (Turn(text="Let me look.", calls=(Asked(name="look", arguments={"where": ["up", "down"]}),)),)
    request = Request(system_prompt="s", messages=(QUESTION,), tools=(TOOL,))
    model, pieces = opened(), []
    streamed = model.complete(request, pieces.append)
    assert streamed == model.complete(request)
    assert "".join(pieces) == "Let me look."
    assert len(pieces) > 1
    assert streamed.cost_usd == (0.0125 if model.provider == "openrouter" else None)


def refuse(server, param):
    """The server refuses an argument, as OpenAI does."""
    error = {"error": {"message": "no", "type": "invalid_request_error", "param": param, "code": "unsupported_value"}}
    server.dialect = attrs.evolve(server.dialect, error=lambda _status, _text: error)
    server.play(_Refusal(), times=1)


@attrs.frozen
class _Refusal:
    adds_turn: bool = False

    def act(self, exchange):
        exchange.answer(400, json.dumps(exchange.dialect.error(400, "")).encode())


def test_a_refused_argument_is_left_out_by_the_next_attempt(server, opened, caplog):
    model = opened()
    request = attrs.evolve(ASK, temperature=0.5, max_tokens=9)
    refuse(server, "temperature")
    with pytest.raises(ProviderError, match='does not accept "temperature"') as caught:
        model.complete(request)
    assert caught.value.retryable
    with caplog.at_level(logging.WARNING, "sentinel"):
        model.complete(request)
    assert [one.get("temperature") for one in server.requests] == [0.5, None]
    assert "does not accept a temperature" in caplog.text
    refuse(server, "max_tokens")
    with pytest.raises(ProviderError, match='does not accept "max_tokens"'):
        model.complete(request)
    model.complete(request)
    assert [one.get("max_completion_tokens") for one in server.requests] == [None, 9]


def test_another_refusal_is_final(server, opened):
    refuse(server, "messages")
    with pytest.raises(Exception, match="400: no") as caught:
        opened().complete(ASK)
    assert not caught.value.retryable


def test_the_only_model_is_taken(server, opened, caplog):
    with caplog.at_level(logging.WARNING, "sentinel"):
        assert opened(model=None).model == "test-model"
    assert 'has only "test-model"' in caplog.text
    many = {"/models": {"data": [{"id": f"m{number}"} for number in range(20)]}}
    server.dialect = attrs.evolve(server.dialect, looked_up=many)
    with pytest.raises(ConfigError, match=r"several models: choose one with --model, such as m0, m1, .*\(20 in all\)"):
        opened(model=None)
    server.dialect = attrs.evolve(server.dialect, looked_up={"/models": {"data": "junk"}})
    with pytest.raises(ConfigError, match="lists no model"):
        opened(model=None)


def test_capabilities_from_a_list():
    models = [
        {"id": "a", "meta": {"n_ctx_train": 512}},
        {
            "id": "b",
            "context_length": 9000,
            "top_provider": {"context_length": 8000},
            "supported_parameters": ["tools"],
            "architecture": {"input_modalities": ["text", "image"]},
            "pricing": {"prompt": "0.000003", "completion": "junk"},
        },
    ]
    told = capabilities_in(models, "b", Capabilities(streaming=True))
    assert (told.context_window, told.vision, told.sampling, told.tools) == (8000, True, False, True)
    assert (told.prompt_price, told.completion_price, told.streaming) == (3.0, None, True)
    assert capabilities_in(models, "a", Capabilities()).context_window == 512
    assert capabilities_in(models, "c", Capabilities()) == Capabilities()


def test_headers_of_openrouter(server, opened, name):
    opened().complete(ASK)
    told = server.headers[0]
    assert told.get("x-openrouter-title") == ("Sentinel" if name == "openrouter" else None)
    assert "http-referer" not in told


def test_who_needs_a_key(monkeypatch):
    for variable in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(AuthenticationError, match="set OPENAI_API_KEY in the environment"):
        connect_openai(OpenAISettings())
    with pytest.raises(AuthenticationError, match="set OPENROUTER_API_KEY in the environment"):
        connect_openrouter(OpenRouterSettings(base_url="http://127.0.0.1:9"))
    connect_openai(OpenAISettings(base_url="http://127.0.0.1:9", model="m")).close()


def test_openai_itself_is_asked_for_completion_tokens_and_priced():
    model = connect_openai(OpenAISettings(model="gpt-4o"))
    assert (model.limit_name, model.price_list) == ("max_completion_tokens", "openai")
    model.close()


def test_where_the_server_is(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://box/v1")
    assert OpenAISettings().base_url == "http://box/v1"
