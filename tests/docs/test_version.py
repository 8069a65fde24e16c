"""The script that writes a version changes it wherever it stands, and nothing else."""

from pathlib import Path

import pytest

from sentinel_core import __version__
from set_version import _PRINTED, main, written

REPOSITORY = Path(__file__).parents[2]


def test_the_version_and_the_pins_change_and_nothing_else():
    before = (REPOSITORY / "plugins/signals/loop/pyproject.toml").read_text(encoding="utf-8")
    after = written(before, "9.8.7rc1")
    changed = [new for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new]
    assert changed == ['version = "9.8.7rc1"', '    "reliability-sentinel==9.8.7rc1",']


def test_a_pin_with_extras_changes():
    assert (
        written('"reliability-sentinel[otel,standard]==0.1.0"', "2.0.0")
        == '"reliability-sentinel[otel,standard]==2.0.0"'
    )
    assert written('"reliability>=1", "other==0.1.0"', "2.0.0") == '"reliability>=1", "other==0.1.0"'


@pytest.mark.parametrize("name", _PRINTED)
def test_what_else_names_the_version_changes(name):
    before = (REPOSITORY / name).read_text(encoding="utf-8")
    after = written(before, "9.8.7")
    assert after != before
    assert after.replace("9.8.7", __version__) == before


def test_all_pins_of_the_extras_change():
    before = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    after = written(before, "9.8.7")
    assert after.count("==9.8.7") == before.count(f"=={__version__}") > 20
    assert f"=={__version__}" not in after
    assert 'python_version = "3.11"' in after


def test_pins_with_extras_change():
    before = (REPOSITORY / "plugins/adapters/pytest/pyproject.toml").read_text(encoding="utf-8")
    after = written(before, "9.8.7")
    assert '"reliability-sentinel[standard]==9.8.7"' in after
    assert '"reliability-sentinel[otel]==9.8.7"' in after
    assert f"=={__version__}" not in after


def test_the_action_in_the_docs_has_this_version_and_changes():
    before = (REPOSITORY / "docs/ci.md").read_text(encoding="utf-8")
    assert f"uses: reliability-sentinel/reliability-sentinel@v{__version__}\n" in before
    assert "uses: reliability-sentinel/reliability-sentinel@v9.8.7\n" in written(before, "9.8.7")


@pytest.mark.parametrize("arguments", [[], ["next"], ["1.2"], ["1.2.3", "1.2.4"]])
def test_what_is_no_version_is_told(arguments, capsys):
    assert main(arguments) == 1
    assert "say which version" in capsys.readouterr().err
