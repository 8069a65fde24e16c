"""Which session ``--latest`` takes."""

import hashlib
import json
import os

import attrs
import pytest

from sentinel_core import TraceReader
from sentinel_core.errors import InputError
from sentinel_core.traces.sources import latest_session
from sentinel_core.traces.sources.latest import works_in


def write(path, data: bytes = b"{}"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def reader(name: str, sure: int) -> TraceReader:
    return TraceReader(name=name, summary="s", sniff=lambda head, filename: sure, read=lambda source: ())


def test_the_newest_session(tmp_path, monkeypatch):
    monkeypatch.setenv("PLACE", str(tmp_path))
    kept = attrs.evolve(reader("tool", 90), kept_at=("${PLACE:-/nowhere}/*/*.jsonl",))
    with pytest.raises(InputError, match=r'^--latest "tool": no session was found in '):
        latest_session(kept, strict=False, max_record=1)
    for second, name in enumerate(("z/old", "b/new", "a/new")):
        path = write(tmp_path / f"{name}.jsonl")
        os.utime(path, (1000 + min(second, 1),) * 2)
    (tmp_path / "b" / "zombie.jsonl").symlink_to(tmp_path / "gone")
    assert latest_session(kept, strict=False, max_record=1).label == str(tmp_path / "b" / "new.jsonl")
    monkeypatch.delenv("PLACE")
    with pytest.raises(InputError, match=r"no session was found in /nowhere/"):
        latest_session(kept, strict=False, max_record=1)
    with pytest.raises(InputError, match="this reader does not know where its tool stores sessions"):
        latest_session(reader("other", 1), strict=False, max_record=1)


def test_the_newest_session_of_this_folder_comes_before_newer_ones(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    digest = hashlib.sha256(str(here).encode()).hexdigest()
    heads = {
        "named": f'{{"type": "summary"}}\n{{"cwd": {json.dumps(str(here))}}}\n',
        "hashed": f'{{"sessionId": "s", "projectHash": "{digest}"}}\n',
        "short": f'{{"projectHash": "{digest[:16]}"}}',
        "quoted": f'{{"text": "\\"cwd\\": \\"{here}\\""}}',
        "elsewhere": f'{{"cwd": {json.dumps(str(tmp_path))}}}',
        "other": '{"projectHash": "0123456789abcdef"}',
        "nothing": "",
        "odd": '{"cwd": "\\q"}',
    }
    for second, (name, head) in enumerate(heads.items()):
        path = write(tmp_path / "kept" / f"{name}.jsonl", head.encode())
        os.utime(path, (1000 + second,) * 2)
    kept = attrs.evolve(reader("tool", 90), kept_at=(f"{tmp_path}/kept/*.jsonl",))
    taken = []
    while files := list((tmp_path / "kept").iterdir()):
        newest = latest_session(kept, strict=False, max_record=1)
        taken.append((newest.path.stem, works_in(newest.path, here)))
        newest.path.unlink()
        assert len(files) == len(heads) - len(taken) + 1
    assert taken[:3] == [("short", True), ("hashed", True), ("named", True)]
    assert taken[3:] == [(name, False) for name in ("odd", "nothing", "other", "elsewhere", "quoted")]
    assert works_in(tmp_path / "gone", here) is None


def test_a_history_in_the_project_itself_worked_there(tmp_path, monkeypatch):
    here = tmp_path / "here"
    path = write(here / ".specstory/history/one.md", b"# A history\n")
    named = write(here / "kept/two.jsonl", b'{"cwd": "/elsewhere"}')
    monkeypatch.chdir(here)
    relative = path.relative_to(here)
    assert [works_in(relative, here), works_in(relative, tmp_path / "there"), works_in(path, here)] == [
        True,
        False,
        False,
    ]
    assert works_in(named, here) is False
    kept = attrs.evolve(reader("tool", 90), kept_at=(".specstory/history/*.md",))
    assert latest_session(kept, strict=False, max_record=1).label == ".specstory/history/one.md"
