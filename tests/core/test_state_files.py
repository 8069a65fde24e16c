"""The folder of Sentinel's own files: who reads it, and what Git sees of it."""

import subprocess

from sentinel_core.runtime.state_files import write_whole


def test_git_ignores_what_is_kept_but_not_baselines(tmp_path):
    for place in ("runs/1/trace.json", "tokens.toml", "baselines/main.json"):
        write_whole(tmp_path / ".sentinel" / place, b"x")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    told = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told.stdout == "?? .sentinel/baselines/main.json\n"


def test_a_folder_that_was_there_gets_no_file(tmp_path):
    (tmp_path / ".sentinel").mkdir()
    write_whole(tmp_path / ".sentinel" / "a", b"x")
    assert [path.name for path in (tmp_path / ".sentinel").iterdir()] == ["a"]
    write_whole(tmp_path / "elsewhere" / "a", b"x")
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["a"]
