"""What is read from the files of installed distributions is what ``importlib.metadata`` reads."""

import importlib.metadata
import sys
import zipfile
from pathlib import Path

import pytest

from sentinel_core.host.entry_points import entry_points
from sentinel_core.host.selection import KINDS

METADATA = "Metadata-Version: 2.1\nName: My.Plugin\nVersion: {}\nRequires-Dist: reliability-sentinel>=0\n\nName: text\n"
POINTS = """\
[console_scripts]
my = my_plugin:main

[sentinel.signals]
# a comment
mine = my_plugin.signal:offers
other=my_plugin [extra]
"""


def put(folder: Path, name: str, version: str = "1.0", points: str = POINTS) -> None:
    info = folder / name
    info.mkdir(parents=True)
    (info / "METADATA").write_text(METADATA.format(version), encoding="utf-8")
    (info / "entry_points.txt").write_text(points, encoding="utf-8")


def mine(prefix: str = "sentinel.") -> list[tuple[str, str, str, str, str]]:
    return [
        (one.group, one.name, one.value, one.distribution, one.version)
        for one in entry_points(prefix)
        if one.distribution == "My.Plugin"
    ]


EXPECTED = [
    ("sentinel.signals", "mine", "my_plugin.signal:offers", "My.Plugin", "1.0"),
    ("sentinel.signals", "other", "my_plugin", "My.Plugin", "1.0"),
]


def test_all_that_is_installed_is_found():
    expected = {
        (one.group, one.name, one.value, one.dist.name, one.dist.version)
        for kind in (*KINDS, "shortcuts")
        for one in importlib.metadata.entry_points(group=f"sentinel.{kind}")
        if one.dist is not None
    }
    assert len(expected) > 4
    found = {(one.group, one.name, one.value, one.distribution, one.version) for one in entry_points("sentinel.")}
    assert found == expected


def test_names_versions_and_requirements_are_read(tmp_path, monkeypatch):
    put(tmp_path, "my_plugin-1.0.dist-info")
    monkeypatch.syspath_prepend(tmp_path)
    assert mine() == EXPECTED
    assert next(one for one in entry_points("sentinel.") if one.name == "mine").requires == ("reliability-sentinel>=0",)


def test_the_first_on_the_path_counts(tmp_path, monkeypatch):
    put(tmp_path / "second", "my_plugin-2.0.dist-info", "2.0")
    put(tmp_path / "first", "My_Plugin-1.0.egg-info")
    (tmp_path / "first" / "My_Plugin-1.0.egg-info" / "METADATA").rename(
        tmp_path / "first" / "My_Plugin-1.0.egg-info" / "PKG-INFO"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path / "first"), str(tmp_path / "second"), str(tmp_path / "none")])
    assert mine() == EXPECTED


def test_an_archive_on_the_path_is_read(tmp_path, monkeypatch):
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("my_plugin-1.0.dist-info/METADATA", METADATA.format("1.0"))
        file.writestr("my_plugin-1.0.dist-info/entry_points.txt", POINTS)
    monkeypatch.setattr(sys, "path", [str(archive)])
    assert mine() == EXPECTED


@pytest.mark.parametrize("points", ["", "[sentinel.signals]\nnonsense\n", "[other]\nmine = a\n", "mine = a\n"])
def test_what_is_no_entry_point_is_none(points, tmp_path, monkeypatch):
    put(tmp_path, "my_plugin-1.0.dist-info", points=points)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert mine() == []
