"""A suite tells where a key goes, before a model is asked."""

import logging

import pytest

from sentinel_core.errors import InputError
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers, Setting

KEYED = """
import attrs

from sentinel_core import Provider, hookimpl
from sentinel_provider_offline import OfflineModel


@attrs.frozen
class Settings:
    base_url: str = "https://own.example.org"


@hookimpl
def sentinel_providers():
    return [Provider(name="keyed", summary="x", connect=lambda _: OfflineModel(), env=("KEYED_KEY",), settings=Settings)]
"""
KEY = "providers.keyed.base_url"
OF_FILE = f'the API key in KEYED_KEY is sent to elsewhere.example.org, which is set by "{KEY}" in ../sentinel.toml'
OF_JUDGE = f'the API key in KEYED_KEY is sent to judge.example.org, which is set by "{KEY}" in the suite\'s judge'
JUDGE = 'judge = { provider = "keyed", settings = { base_url = "https://judge.example.org" } }'


@pytest.fixture
def keyed(tmp_path, monkeypatch):
    """Options for a provider with a key, whose address a file names."""
    (tmp_path / "keyed.py").write_text(KEYED)
    monkeypatch.setenv("KEYED_KEY", "k" * 20)
    address = Setting(key=KEY, value="https://elsewhere.example.org/v1", origin="sentinel.toml", folder="..")
    return {
        "provider": "keyed",
        "layers": Layers(values={KEY: address}),
        "selection": Selection.parse(str(tmp_path / "keyed.py")),
    }


@pytest.mark.process
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(("head", "told"), [("", [OF_FILE]), (JUDGE, [OF_FILE, OF_JUDGE])])
def test_it_is_told_once(suite, run, keyed, workers, head, told):
    heard = []
    results = run(suite(2, head=head), workers=workers, warn=heard.append, **keyed)
    assert heard == told
    assert len(results.evaluated) == 2


def test_it_is_logged_where_nobody_listens(suite, run, keyed, caplog):
    with caplog.at_level(logging.WARNING, "sentinel"):
        run(suite(1), **keyed)
    assert caplog.messages == [OF_FILE]


def test_the_flags_for_the_provider_do_not_move_the_judge(suite, run, keyed):
    heard = []
    head = 'judge = { provider = "keyed", settings = {} }'
    run(suite(1, head=head), warn=heard.append, of_provider={"base_url": "https://flag.example.org"}, **keyed)
    assert heard == [OF_FILE], "where the judge is, as the flag takes the provider away from there"


def test_a_run_with_other_flags_is_another_one(tmp_path, suite, run, keyed):
    run(suite(1), folder=tmp_path, of_provider={"base_url": "https://one.example.org"}, **keyed)
    with pytest.raises(InputError, match=r"its settings was "):
        run(suite(1), folder=tmp_path, of_provider={"base_url": "https://two.example.org"}, resume=True, **keyed)


def test_nothing_is_told_of_the_providers_own(suite, run, keyed):
    heard = []
    run(suite(1), warn=heard.append, **{**keyed, "layers": Layers()})
    assert heard == []
