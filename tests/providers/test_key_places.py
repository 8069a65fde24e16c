"""A key that goes where a file says: told before anybody is asked."""

import logging

import pytest

from sentinel_command_run.choose_provider import connect
from sentinel_core.host.connect import key_sent_elsewhere
from sentinel_core.host.plugins import installed, load
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers, Setting

KEY = "providers.openai.base_url"
ELSEWHERE = "https://models.example.org:8443/v1"
TOLD = f'the API key in OPENAI_API_KEY is sent to models.example.org:8443, which is set by "{KEY}" in ../sentinel.toml'


@pytest.fixture
def openai():
    chosen = [one for one in installed() if (one.kind, one.name) == ("providers", "openai")]
    (plugin,), failures = load(chosen)
    assert not failures
    return plugin


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "k" * 20)


def layers(address=ELSEWHERE, origin="sentinel.toml", folder=".."):
    return Layers(values={KEY: Setting(key=KEY, value=address, origin=origin, folder=folder)})


def told(openai, found):
    return key_sent_elsewhere(openai, found.of_plugin("providers", "openai", openai.offer.settings), found)


def test_a_key_that_goes_where_a_file_says(openai):
    assert told(openai, layers()) == TOLD
    assert told(openai, layers("https://user:pass@h/v1")).startswith(
        "the API key in OPENAI_API_KEY is sent to h, which is set by "
    )
    assert told(openai, layers(origin="the suite's judge", folder="")).endswith("in the suite's judge")


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1.example.org/v1",
        "http://localhost.example.org",
        "http://10.0.0.1",
        "http://api.openai.com/v1",
        "https://api.openai.com:8443/v1",
        "https://api.openai.com@example.org/v1",
    ],
)
def test_addresses_that_look_like_this_machine_or_the_providers_own(openai, address):
    assert told(openai, layers(address)) is not None


@pytest.mark.parametrize("address", ["not an address", "http://[half", "example.org/v1"])
def test_addresses_that_are_none(openai, address):
    assert told(openai, layers(address)).startswith(
        f"the API key in OPENAI_API_KEY is sent to {address}, which is set by "
    )


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8000/v1",
        "http://127.9.9.9",
        "http://localhost:1",
        "http://[::1]:1/v1",
        "https://api.openai.com/v1/",
        "https://API.openai.com:443/v2?region=eu",
    ],
)
def test_the_providers_own_address_and_this_machine(openai, address):
    assert told(openai, layers(address)) is None


@pytest.mark.parametrize("origin", ["--base-url", "--set", "SENTINEL_PROVIDERS__OPENAI__BASE_URL"])
def test_an_address_that_the_user_gave(openai, origin):
    assert told(openai, layers(origin=origin, folder="")) is None


def test_an_address_that_the_environment_names_too(openai, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", ELSEWHERE)
    assert told(openai, layers()) is None


@pytest.mark.parametrize("value", ["", "  "])
def test_without_a_key(openai, monkeypatch, value):
    monkeypatch.setenv("OPENAI_API_KEY", value)
    assert told(openai, layers()) is None


def test_nobody_set_an_address(openai):
    assert told(openai, Layers()) is None


@pytest.mark.parametrize(("of_provider", "warnings"), [({}, [TOLD]), ({"base_url": "https://b.example"}, [])])
def test_a_run_tells_it_first(openai, of_provider, warnings):
    class Heard(list):
        warn = list.append
        is_open = True

        def mark(self, text):
            """Nothing crashes here."""

        def end_copy(self):
            """Nothing forks here."""

    heard, log = Heard(), logging.getLogger("sentinel")
    before = (list(log.handlers), log.propagate)
    try:
        named = layers().values | {"provider": Setting(key="provider", value="openai", origin="--provider")}
        flags = {"model": "m", **of_provider}
        connect(Layers(values=named), Selection(), heard, of_provider=flags, of_tools={}).model.close()
    finally:
        log.handlers[:], log.propagate = before
    assert heard == warnings
