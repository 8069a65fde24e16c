import os
import shutil

import pytest

from sentinel_core.errors import InputError
from sentinel_tools_release import SourceSettings, SummarySettings, get_code_changes, get_release_summary

pytestmark = pytest.mark.process


def summary(repository, release_id, **settings):
    return get_release_summary(SummarySettings(repo=str(repository.path), **settings), release_id)


def changes(repository, release_id, **asked):
    return get_code_changes(SourceSettings(repo=str(repository.path)), release_id, **asked)


@pytest.fixture
def tagged(repository):
    """v1.0, three commits of two people, v2.0."""
    repository.commit("Start", {"a.txt": "one\n"})
    repository.git("tag", "v1.0")
    repository.commit("Faster search", {"a.txt": "one\ntwo\n"})
    repository.commit("Payment by card", {"pay/card.py": "x = 1\n" * 5, "logo.png": b"\0\1"}, author="Grace Hopper")
    repository.commit("feat(api)!: drop the old login", {"a.txt": "three\n"})
    repository.git("tag", "--annotate", "--message", "second", "v2.0")
    return repository


@pytest.mark.parametrize("release_id", ["v1.0..v2.0", "v2.0", "HEAD~3..HEAD", "v1.0..", "main~3..main", "v1.0..HEAD^0"])
def test_a_range_is_a_release(tagged, release_id):
    found = summary(tagged, release_id)
    ids = tagged.git("log", "--format=%h", "v1.0..v2.0").splitlines()
    assert found["version"] == release_id
    assert found["changes"] == [
        f"{ids[0]} feat(api)!: drop the old login (breaking change)",
        f"{ids[1]} Payment by card",
        f"{ids[2]} Faster search",
    ]
    assert found["authors"] == [{"name": "Ada Byron", "commits": 2}, {"name": "Grace Hopper", "commits": 1}]
    assert found["commits"] == {
        "count": 3,
        **{n: tagged.git("rev-parse", f"{t}^0") for n, t in (("since", "v1.0"), ("to", "v2.0"))},
    }
    assert found["files"] == {
        "changed": 3,
        "lines_added": 6,
        "lines_deleted": 1,
        "most_changed": [
            {"path": "pay/card.py", "added": 5, "deleted": 0},
            {"path": "a.txt", "added": 1, "deleted": 1},
            {"path": "logo.png", "added": None, "deleted": None},
        ],
    }
    assert "tests" not in found
    assert "deployment_metrics" not in found


def test_a_folder_below_the_top_will_do(tagged):
    settings = SummarySettings(repo=str(tagged.path / "pay"))
    assert get_release_summary(settings, "v2.0") == summary(tagged, "v2.0")


def test_what_is_left_out_is_said(tagged):
    told = summary(tagged, "v2.0", max_changes=1)["changes"]
    assert len(told) == 2
    assert told[1] == "2 older commits are not listed here; get_code_changes lists them"


def test_a_summary_stays_small_enough_to_be_read(repository):
    repository.commit("Start")
    for number in range(60):
        repository.git("commit", "--quiet", "--allow-empty", "-m", f"{number:03} " + '"\\' * 98)
    told = summary(repository, "HEAD~60..HEAD")["changes"]
    assert 20 < len(told) < 60
    assert told[-1].startswith(f"{61 - len(told)} older commits are not listed")


def test_code_changes(tagged):
    found = changes(tagged, "v2.0")
    assert (found["total"], found["left_out"], len(found["commits"])) == (3, 0, 3)
    assert found["files"] == {"changed": 3, "lines_added": 6, "lines_deleted": 1}
    second = found["commits"][1]
    assert (second["subject"], second["author"], second["breaking"]) == ("Payment by card", "Grace Hopper", False)
    assert second["date"].startswith("2026-01-01T00:00:")
    assert [one["path"] for one in second["files"]] == ["pay/card.py", "logo.png"]


def test_code_changes_of_a_path_by_page(tagged):
    found = changes(tagged, "v2.0", path="a.txt", limit=1)
    assert (found["total"], found["left_out"], found["commits"][0]["breaking"]) == (2, 1, True)
    found = changes(tagged, "v2.0", path="a.txt", limit=1, skip=1)
    assert (found["left_out"], found["commits"][0]["subject"]) == (0, "Faster search")
    assert changes(tagged, "v2.0", path="*.txt")["total"] == 0
    assert changes(tagged, "v2.0", path="--all")["total"] == 0
    assert changes(tagged, "v2.0", path="pay")["total"] == 1


def test_only_so_many_files_a_commit(repository):
    repository.commit("Start")
    repository.commit("Many", {f"f{number:02}": "x\n" for number in range(25)})
    (commit,) = changes(repository, "HEAD~1..HEAD")["commits"]
    assert (len(commit["files"]), commit["files_left_out"]) == (20, 5)


def test_merges_are_listed_and_compared_with_their_first_parent(repository):
    repository.commit("Start", {"a": "1\n"})
    start = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit("On the side", {"b": "1\n"})
    repository.git("checkout", "--quiet", "main")
    repository.commit("On main", {"c": "1\n"})
    repository.git("merge", "--quiet", "--no-ff", "-m", "Merge topic", "topic")
    found = changes(repository, f"{start}..HEAD")
    assert found["total"] == 3
    merge = next(one for one in found["commits"] if one["subject"] == "Merge topic")
    assert [one["path"] for one in merge["files"]] == ["b"]


def test_files_are_compared_from_where_two_branches_parted(repository):
    repository.commit("Start", {"a": "1\n"})
    repository.git("tag", "start")
    repository.commit("On main", {"c": "1\n"})
    repository.git("checkout", "--quiet", "-b", "topic", "start")
    repository.commit("On the side", {"b": "1\n"})
    found = summary(repository, "main..topic")
    assert [one["path"] for one in found["files"]["most_changed"]] == ["b"]


@pytest.mark.parametrize(
    ("release_id", "said"),
    [
        ("v9.9..v2.0", 'has no commit "v9.9"'),
        ("v1.0..v9.9", 'has no commit "v9.9"'),
        ("v1.0...v2.0", "three dots"),
        ("v2.0..v1.0", "contains no commits; write the older end first"),
        ("v1.0..v1.0", "contains no commit"),
        ("v1.0", 'no tag comes before "v1.0"'),
        ("--all", "is not a commit"),
        ("v1.0..--output=/tmp/x", "is not a commit"),
        ("--upload-pack=x..v2.0", "is not a commit"),
        (":/Start..v2.0", "is not a commit"),
        ("v2.0:a.txt", "is not a commit"),
        ("v2.0\n", "is not a commit"),
        ("v1.0\0..v2.0", "is not a commit"),
        ("v" * 201, "is not a commit"),
    ],
)
def test_what_is_no_release_is_said(tagged, release_id, said):
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        summary(tagged, release_id)


def test_no_history_in_common(tagged):
    tagged.git("checkout", "--quiet", "--orphan", "other")
    tagged.commit("Elsewhere", {"z": "1\n"})
    with pytest.raises(InputError, match="have no common history"):
        summary(tagged, "v1.0..other")


def test_no_repository(tmp_path, monkeypatch):
    settings = SummarySettings(repo=str(tmp_path / "absent"))
    with pytest.raises(InputError, match=r'absent" is not a folder; --repo sets the path of the repository'):
        get_release_summary(settings, "v1")
    with pytest.raises(InputError, match="not a git repository"):
        get_release_summary(SummarySettings(repo=str(tmp_path)), "v1")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match='"git" is not on the PATH'):
        get_release_summary(SummarySettings(repo=str(tmp_path)), "v1")


def test_limits_on_what_git_says_and_how_long(tagged, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="printed more than 32 bytes"):
        summary(tagged, "v2.0", max_bytes=2)
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o700)
    monkeypatch.setenv("PATH", str(slow.parent), prepend=os.pathsep)
    with pytest.raises(InputError, match=r'took longer than 0\.1 s; raise "timeout"'):
        summary(tagged, "v2.0", timeout=0.1)


def test_messages_are_told_on_one_line_without_control_characters(repository):
    repository.commit("Start")
    repository.commit("Red \x1b[31malert\x07 " + "long " * 100 + "\n\nBREAKING CHANGE: all of it")
    (change,) = summary(repository, "HEAD~1..HEAD")["changes"]
    assert "\x1b" not in change
    assert change.endswith("... (breaking change)")
    assert "Red [31malert" in change
    assert len(change) < 250


def test_names_that_are_no_utf8(repository):
    repository.commit("Start")
    name = b"caf\xe9.txt"
    (repository.path / os.fsdecode(name)).write_bytes(b"x\n")
    repository.git("add", "--all")
    repository.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--quiet", "-m", "Caf\udce9")
    found = summary(repository, "HEAD~1..HEAD")
    assert found["files"]["most_changed"][0]["path"] == "caf\ufffd.txt"
    assert "Caf\u00e9" in found["changes"][0]


def test_a_git_in_the_repository_is_never_started(tagged, tmp_path, monkeypatch):
    real = shutil.which("git")
    own, theirs = tmp_path / "git", tagged.path / "git"
    own.write_text(f'#!/bin/sh\nexec {real} "$@"\n')
    theirs.write_text(f"#!/bin/sh\ntouch {tmp_path / 'mark'}\n")
    for program in (own, theirs):
        program.chmod(0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".", prepend=os.pathsep)
    assert len(summary(tagged, "v2.0")["changes"]) == 3
    assert not (tmp_path / "mark").exists()


def test_git_variables_of_the_caller_do_not_lead_elsewhere(tagged, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(tmp_path / "program"))
    assert len(summary(tagged, "v2.0")["changes"]) == 3
