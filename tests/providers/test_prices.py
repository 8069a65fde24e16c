"""Costs: what the provider says, else the price of the time, else nothing."""

import datetime as dt
import sys

import attrs
import pytest

from sentinel_core.model import Reply
from sentinel_core.providers.prices import cost_of
from sentinel_core.trace import TokenDetails, TokenUsage

pytest.importorskip("genai_prices", reason="the extra 'prices' is not installed")

MILLION = TokenUsage(prompt_tokens=1_000_000, completion_tokens=1_000_000)


def at(year, month=1):
    return dt.datetime(year, month, 1, tzinfo=dt.UTC)


def test_prices_are_those_of_the_time():
    assert cost_of("openai", "o3", MILLION, at(2025)) == 50.0
    assert cost_of("openai", "o3", MILLION, at(2025, 7)) == 10.0


def test_what_was_cached_costs_less():
    cached = attrs.evolve(MILLION, details=TokenDetails(cached_tokens=900_000))
    assert cost_of("openai", "gpt-4o", cached, at(2026)) < cost_of("openai", "gpt-4o", MILLION, at(2026))


@pytest.mark.parametrize(
    ("provider", "model", "usage"),
    [
        ("openai", "no-such-model", MILLION),
        ("no-such-provider", "gpt-4o", MILLION),
        ("openai", "gpt-4o", TokenUsage(prompt_tokens=1, details=TokenDetails(cached_tokens=5))),
    ],
)
def test_what_is_not_known_has_no_cost(provider, model, usage):
    assert cost_of(provider, model, usage, at(2026)) is None


def test_without_the_extra_nothing_has_a_cost(monkeypatch):
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert cost_of("openai", "gpt-4o", MILLION, at(2026)) is None


def test_a_model_prices_what_its_provider_does_not(connection):
    model = connection.connect()
    model.price_list = "openai"
    usage = TokenUsage(prompt_tokens=1_000_000)
    assert model._priced(Reply(usage=usage, model="gpt-4o")).cost_usd == pytest.approx(2.5)
    assert model._priced(Reply(usage=usage, model="gpt-4o", cost_usd=7.0)).cost_usd == 7.0
    assert model._priced(Reply(model="gpt-4o")).cost_usd is None
    model.price_list = None
    assert model._priced(Reply(usage=usage, model="gpt-4o")).cost_usd is None
    model.close()
