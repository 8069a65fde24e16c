import tomllib
from pathlib import Path

from sentinel_core.host.first_party import FIRST_PARTY, is_first_party
from sentinel_core.host.plugins import Installed

REPOSITORY = Path(__file__).parents[2]


def test_the_projects_own_signals_and_readers_are_those_of_this_repository():
    files = [*REPOSITORY.glob("plugins/signals/*/pyproject.toml"), *REPOSITORY.glob("plugins/readers/*/pyproject.toml")]
    names = {tomllib.loads(file.read_text(encoding="utf-8"))["project"]["name"] for file in files}
    assert names == FIRST_PARTY


def test_a_file_or_a_like_named_distribution_is_third_party():
    source = Installed(kind="signals", name="loop", distribution="reliability-sentinel-signal-loop", version="1")
    assert is_first_party(source)
    assert not is_first_party(source._replace(distribution="reliability-sentinel-signal-loops"))
    assert not is_first_party(source._replace(distribution=None, target="./loop.py"))
