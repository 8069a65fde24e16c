"""Archives are their members."""

import os
import warnings
import zipfile

import pytest

from sentinel_core.errors import InputError
from sentinel_core.traces.sources import FileSource, find_sources, streams


def found(*arguments: str) -> list[str]:
    return [str(one) if isinstance(one, InputError) else one.label for one in find_sources(arguments)]


def zipped(path, **members: bytes):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return path


@pytest.mark.parametrize("members", [{}, {"notes_txt": b"no"}])
def test_an_archive_without_traces_is_an_error(tmp_path, members):
    (tmp_path / "in").mkdir()
    zipped(tmp_path / "in" / "runs.zip", **members)
    (named,) = find_sources((str(tmp_path / "in" / "runs.zip"),))
    if members:
        assert str(named).endswith(
            '/runs.zip": is an archive without trace files (looked for .json, .jsonl, .ndjson, .traj, .eval)'
        )
        (folder,) = find_sources((str(tmp_path / "in"),))
        assert '/in": no trace files in this folder' in str(folder)
    else:  # it has no file's signature, and so it is known by its first bytes
        assert isinstance(named, FileSource)


def test_a_zip_archive_is_its_members(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    zipped(tmp_path / "runs.zip", b_json=b"bee", deep__a_jsonl=b"ay", notes_txt=b"no")
    sources = list(find_sources(("runs.zip",)))
    assert [(one.label, one.name) for one in sources] == [
        ("runs.zip/b.json", "b.json"),
        ("runs.zip/deep/a.jsonl", "a.jsonl"),
    ]
    assert [one.open().read() for one in sources] == [b"bee", b"ay"]
    zipped(tmp_path / "log.eval", header_json=b"{}")
    assert found("log.eval") == ["log.eval"]


def test_members_of_one_name_are_each_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "day.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are two
        for name, data in (("b.json", b"one"), ("a.json", b"two"), ("b.json", b"three")):
            archive.writestr(name, data)
    sources = list(find_sources((str(tmp_path / "day.zip"),)))
    assert [(one.name, one.open().read()) for one in sources] == [
        *(("a.json", b"two"), ("b.json", b"one"), ("b.json", b"three")),
    ]
    zipped(tmp_path / "day.zip", b_json=b"alone")
    with pytest.raises(OSError, match=r"the zip archive cannot be read: .*no item named 'a\.json'"):
        sources[0].open()


def test_an_archive_s_directory_is_read_once_for_all_its_members(tmp_path, monkeypatch):
    """Else an archive takes time by the square of its members."""
    path, other = tmp_path / "runs.zip", tmp_path / "other.zip"
    zipped(path, **{f"m{number}_json": b"%d" % number for number in range(40)})
    zipped(other, a_json=b"other")
    sources = list(find_sources((str(path), str(other))))
    opened = []
    whole = zipfile.ZipFile
    monkeypatch.setattr(zipfile, "ZipFile", lambda *given: opened.append(given) or whole(*given))
    members = [one.open() for one in sources]
    assert opened == [(path,), (other,)]
    assert {member.read() for member in members} == {b"other", *(b"%d" % number for number in range(40))}


def test_an_archive_is_read_anew_where_it_changed_and_in_another_process(tmp_path, monkeypatch):
    path = zipped(tmp_path / "runs.zip", a_json=b"before")
    (source,) = find_sources((str(path),))
    assert source.open().read() == b"before"
    zipped(path, a_json=b"and after")
    assert source.open().read() == b"and after"
    (known,) = streams._cached
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert source.open().read() == b"and after"
    (anew,) = streams._cached
    assert anew == (-1, *known[1:]) != known


def test_a_name_in_a_zip_archive_that_is_not_what_it_says_is_told(tmp_path):
    path = zipped(tmp_path / "runs.zip", ä_json=b"{}")
    path.write_bytes(path.read_bytes().replace("ä".encode(), b"\xc3("))
    assert found(str(path))[0].startswith(f"\"{path}\": cannot be read: the zip archive is damaged: 'utf-8' codec")


def test_a_damaged_zip_archive_is_told(tmp_path):
    path = zipped(tmp_path / "runs.zip", a_json=b"x" * 100)
    (source,) = find_sources((str(path),))
    path.write_bytes(path.read_bytes()[:60])
    assert found(str(path))[0].startswith(f'"{path}": cannot be read: the zip archive is damaged')
    with pytest.raises(OSError, match="the zip archive cannot be read"):
        source.open()


def test_damage_inside_is_an_error_of_reading(tmp_path):
    path = zipped(tmp_path / "runs.zip", a_json=b"x" * 100)
    (source,) = find_sources((str(path),))
    path.write_bytes(path.read_bytes().replace(b"xx", b"xy", 1))
    with source.open() as stream, pytest.raises(OSError, match="Bad CRC-32"):
        stream.read()
