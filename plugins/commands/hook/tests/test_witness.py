"""The witness: what it sees of a working tree, and that no repository makes it run, write, follow or wait for anything."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from sentinel_command_hook.repository import repository_of, upstream_of
from sentinel_command_hook.witness import begin_of, encoded, read_witness, witness_of
from sentinel_core import ExecutionTrace, Message
from sentinel_core.errors import InputError
from sentinel_core.evaluate.facts.witness import Witness

HEAD, OTHER, NULL = "1" * 40, "2" * 40, "0" * 40
SAID = "I created `docs/a.md`, changed src/b.py and see ../../etc/passwd.txt and /etc/hosts.conf."
NOW = 1_800_000_000
EVIL = "touch {canary}; cat"


def entry(old, new, why, when=NOW):
    return f"{old} {new} Ana <a@b.c> {when} +0100\t{why}\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def plain(root):
    """A repository, file by file: one commit in this session, pushed."""
    git = root / ".git"
    for folder in ("objects", "refs/heads", "refs/remotes/origin"):
        (git / folder).mkdir(parents=True)
    write(git / "HEAD", "ref: refs/heads/main\n")
    write(git / "refs/heads/main", HEAD + "\n")
    write(git / "refs/remotes/origin/main", HEAD + "\n")
    write(git / "config", '[core]\n\tbare = false\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n')
    write(git / "logs/HEAD", entry(NULL, OTHER, "commit (initial): a", NOW - 9_000) + entry(OTHER, HEAD, "commit: b"))
    write(git / "logs/refs/remotes/origin/main", entry(OTHER, HEAD, "update by push"))
    write(root / "src/b.py", "b = 1\n")
    (root / "docs").mkdir()
    return git


def configured(text):
    def make(root, canary):
        git = plain(root)
        with (git / "config").open("a") as file:
            file.write(text.format(evil=EVIL.format(canary=canary), canary=canary) + "\n")
        write(root / ".gitattributes", "* filter=evil diff=evil merge=evil\n")

    return make


def changed(name, text):
    return lambda root, _: write(plain(root) / name, text)


def linked(name, target):
    def make(root, _):
        path = plain(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)

    return make


def piped(name):
    def make(root, _):
        path = plain(root) / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    return make


def hooks(root, canary):
    git = plain(root)
    for name in ("post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction", "pre-auto-gc"):
        write(git / "hooks" / name, f"#!/bin/sh\ntouch {canary}\n")
        (git / "hooks" / name).chmod(0o755)


def pointed(text):
    def make(root, _):
        write(root / ".git", text)
        write(root / "src/b.py", "")

    return make


def folders_as_files(root, _):
    git = plain(root)
    (git / "HEAD").unlink()
    (git / "HEAD").mkdir()


def no_rights(root, _):
    (plain(root) / "HEAD").chmod(0)


def many_remotes(root, _):
    git = plain(root)
    for number in range(600):
        write(git / f"logs/refs/remotes/r{number}/main", "x\n")


def deep_logs(root, _):
    write(plain(root) / "logs/refs/remotes" / "/".join("d" * 60) / "main", "x")


def looped(root, _):
    (root / "docs").mkdir()
    (root / "docs" / "a.md").symlink_to("a.md")


def outside(root, _):
    plain(root)
    shutil.rmtree(root / "docs")
    (root / "docs").symlink_to("/etc")


def nested(root, _):
    plain(root)
    plain(root / "sub")


HOSTILE = {
    "fsmonitor": configured("[core]\n\tfsmonitor = {evil}"),
    "fsmonitor daemon": configured("[core]\n\tfsmonitor = true\n\tfsmonitorHookVersion = 2"),
    "hooks path": configured("[core]\n\thooksPath = /tmp/hooks"),
    "clean filter": configured('[filter "evil"]\n\tclean = {evil}\n\tsmudge = {evil}\n\trequired = true'),
    "process filter": configured('[filter "evil"]\n\tprocess = {evil}'),
    "textconv": configured('[diff "evil"]\n\ttextconv = {evil}\n\tcommand = {evil}'),
    "external diff": configured("[diff]\n\texternal = {evil}"),
    "merge driver": configured('[merge "evil"]\n\tdriver = {evil}'),
    "pager": configured("[core]\n\tpager = {evil}\n[pager]\n\tstatus = {evil}"),
    "editor": configured("[core]\n\teditor = {evil}\n[sequence]\n\teditor = {evil}"),
    "alias": configured("[alias]\n\tstatus = !{evil}\n\tlog = !{evil}"),
    "ssh command": configured('[core]\n\tsshCommand = {evil}\n[remote "origin"]\n\turl = ext::sh -c {evil}'),
    "credential helper": configured("[credential]\n\thelper = !{evil}"),
    "include": configured('[include]\n\tpath = /dev/zero\n[includeIf "gitdir:/"]\n\tpath = {canary}'),
    "gpg": configured("[gpg]\n\tprogram = {evil}\n[log]\n\tshowSignature = true"),
    "work tree elsewhere": configured("[core]\n\tworktree = /"),
    "partial clone": configured('[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n\tuploadpack = {evil}'),
    "reftable": configured("[extensions]\n\trefStorage = reftable"),
    "hooks": hooks,
    "huge index": changed("index", b"DIRC\0\0\0\2\xff\xff\xff\xff" + b"\0" * (8 << 20)),
    "index without end": changed("index", b"DIRC"),
    "index of one name": changed("index", b"DIRC\0\0\0\2\0\0\0\1" + b"src/b.py\0" * 1_000_000),
    "larger index than is read": changed("index", b"DIRC\0\0\0\2" + b"\0" * (17 << 20)),
    "index of another version": changed("index", b"DIRC\0\0\0\4\0\0\0\1src/b.py\0"),
    "index is a device": linked("index", "/dev/zero"),
    "index is a pipe": piped("index"),
    "huge log": changed("logs/HEAD", "x" * (4 << 20)),
    "log of garbage": changed("logs/HEAD", b"\xff\0\n" * 1_000),
    "huge packed refs": changed("packed-refs", f"{HEAD} refs/heads/x\n" * 60_000),
    "head of another place": changed("HEAD", "ref: refs/heads/../../../../etc/passwd\n"),
    "head without end": changed("HEAD", "ref: refs/heads/" + "x" * 300_000),
    "head of zeros": changed("HEAD", b"\0" * 100),
    "common folder elsewhere": changed("commondir", "../../../../../etc\n"),
    "common folder of zeros": changed("commondir", b"a\0b"),
    "head is a link": linked("HEAD", "/etc/passwd"),
    "log is a link": linked("logs/HEAD", "/dev/zero"),
    "remotes are a link": linked("logs/refs/remotes/up", "/"),
    "config is a device": linked("config", "/dev/zero"),
    "head is a pipe": piped("HEAD"),
    "packed refs are a pipe": piped("packed-refs"),
    "head is a folder": folders_as_files,
    "head may not be read": no_rights,
    "many remotes": many_remotes,
    "deep logs": deep_logs,
    "git file to a device": pointed("gitdir: /dev/zero\n"),
    "git file to itself": pointed("gitdir: .git\n"),
    "git file of zeros": pointed("gitdir: a\0b\n"),
    "git file without end": pointed("gitdir: " + "x/" * 100_000),
    "git is a link": lambda root, _: (root / ".git").symlink_to("/etc"),
    "a file that is its own link": looped,
    "a folder that leads out": outside,
    "a repository within": nested,
    "no repository": lambda root, _: write(root / "src/b.py", ""),
    "no folder": lambda root, _: root.rmdir(),
}  # fmt: skip


def snapshot(root):
    rows = (path.lstat() for path in sorted(root.rglob("*"))) if root.exists() else ()
    return [(row.st_ino, row.st_size, row.st_mtime_ns, row.st_mode) for row in rows]


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_of_a_repository_is_run_written_followed_or_waited_for(tmp_path, monkeypatch, name):
    root, canary = tmp_path / "work", tmp_path / "canary"
    root.mkdir()
    HOSTILE[name](root, canary)
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(os, "system", None)
    before = snapshot(root)
    seen = witness_of(root, SAID, NOW - 60)
    assert snapshot(root) == before
    assert not canary.exists()
    assert set(seen.paths) <= {"docs/a.md", "src/b.py"}
    assert encoded(witness_of(root, SAID, NOW - 60)) == encoded(seen)


def test_what_a_plain_repository_tells(tmp_path):
    plain(tmp_path)
    os.utime(tmp_path / "src/b.py", (NOW, NOW))
    seen = witness_of(tmp_path, SAID, NOW - 60)
    assert seen == Witness({"docs/a.md": "absent", "src/b.py": "changed"}, [HEAD], ["origin/main"], is_pushed=True)
    assert (seen.tells("commit"), seen.tells("push"), seen.tells("deploy")) == (True, True, None)
    assert (seen.tells("edit", "src/b.py"), seen.tells("edit", "docs/a.md"), seen.tells("edit", "x.py")) == (True, False, None)  # fmt: skip
    later = witness_of(tmp_path, SAID, NOW + 60)
    assert (later.commits, later.pushes, later.paths["src/b.py"]) == ([], [], "older")
    assert (later.tells("commit"), later.tells("push")) == (False, None)
    assert witness_of(tmp_path, SAID, None) == Witness({"docs/a.md": "absent", "src/b.py": "present"})


def test_a_branch_ahead_of_its_upstream_was_not_pushed(tmp_path):
    write(plain(tmp_path) / "refs/remotes/origin/main", OTHER)
    assert witness_of(tmp_path, "", NOW + 60).tells("push") is False


def test_a_file_of_a_folder_that_is_not_there_may_be_in_any(tmp_path):
    plain(tmp_path)
    assert witness_of(tmp_path, "I made lib/x/y.py and z.py.", NOW).paths == {}
    assert witness_of(tmp_path, f"See {tmp_path}/src/b.py.", None).paths == {f"{tmp_path}/src/b.py": "present"}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("kind", ["plain", "unborn", "detached", "bare", "shallow", "worktree", "submodule"])
def test_what_git_writes_is_read(tmp_path, kind):
    root = tmp_path / "work"

    def git(*words, at=root):
        environ = {
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": str(tmp_path),
        }
        head = (
            "git",
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.c",
            "-c",
            "protocol.file.allow=always",
            "-c",
            "init.defaultBranch=main",
        )
        subprocess.run([*head, *words], cwd=at, env=environ, check=True, capture_output=True)

    root.mkdir()
    git("init", "-q", *(("--bare",) if kind == "bare" else ()))
    if kind in ("unborn", "bare"):
        found = repository_of(root)
        assert (found.branch, found.head) == ("main", "")
        return
    git("commit", "-q", "--allow-empty", "-m", "a")
    place = root
    if kind == "detached":
        git("checkout", "-q", "--detach")
    elif kind == "shallow":
        git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{root}", "../copy")
        place = tmp_path / "copy"
        git("commit", "-q", "--allow-empty", "-m", "b", at=place)
        git("push", "-q", "origin", "HEAD:refs/heads/topic", at=place)
        assert witness_of(place, "", 0).pushes == ["origin/topic"]
    elif kind == "worktree":
        git("worktree", "add", "-q", "../other")
        place = tmp_path / "other"
        git("commit", "-q", "--allow-empty", "-m", "b", at=place)
    elif kind == "submodule":
        git("clone", "-q", str(root), "../lib")
        git("submodule", "add", "-q", str(tmp_path / "lib"), "lib")
        place = root / "lib"
        git("commit", "-q", "--allow-empty", "-m", "b", at=place)
    (place / "src").mkdir(exist_ok=True)
    found = repository_of(place / "src")
    assert (found.branch, len(found.head)) == (
        "" if kind == "detached" else {"worktree": "other"}.get(kind, "main"),
        40,
    )
    assert witness_of(place / "src", "", 0).tells("commit") is True
    assert upstream_of(found) == ("refs/remotes/origin/main" if kind in ("shallow", "submodule") else "")


def test_a_witness_file_is_read_as_it_was_written(tmp_path):
    plain(tmp_path)
    seen = witness_of(tmp_path, SAID, NOW - 60)
    path = tmp_path / "seen.json"
    path.write_bytes(encoded(seen))
    assert encoded(read_witness(path)) == encoded(seen)
    path.write_text("[]")
    with pytest.raises(InputError, match="is no witness file"):
        read_witness(path)


@pytest.mark.parametrize(
    ("told", "expected"), [(None, None), ("T", None), ("1970-01-01T00:00:09Z", 9.0), ("1970-01-01T00:00:09.000Z", 9.0)]
)
def test_the_begin_of_a_session_is_its_first_time(told, expected):
    messages = (Message(role="user", content="a"), Message(role="user", content="b", timestamp=told))
    assert begin_of(ExecutionTrace(trace_id="t", messages=messages)) == expected


def test_paths_beyond_the_most_are_not_looked_at(tmp_path):
    (tmp_path / "a").mkdir()
    said = " ".join(f"a/f{number}.py" for number in range(80))
    assert len(witness_of(tmp_path, said, None).paths) == 50
    assert Path(tmp_path / "a").exists()


def indexed(name, status, *, size=None, extended=False):
    """An index of one file, as git writes it."""
    flags = len(name) | (0x4000 if extended else 0)
    numbers = (0, 0, int(status.st_mtime), 0, 0, 0, 0, 0, 0, status.st_size if size is None else size)
    entry_of_file = struct.pack(">10I", *numbers) + b"\x11" * 20 + struct.pack(">H", flags) + b"\0\0" * extended
    return b"DIRC" + struct.pack(">2I", 3 if extended else 2, 1) + entry_of_file + name.encode() + b"\0" * 4


@pytest.mark.parametrize("extended", [False, True])
def test_the_index_tells_what_is_tracked_and_what_is_staged(tmp_path, extended):
    git = plain(tmp_path)
    write(tmp_path / "docs/a.md", "# A\n")
    status = (tmp_path / "src/b.py").stat()
    write(git / "index", indexed("src/b.py", status, extended=extended))
    assert witness_of(tmp_path, SAID, NOW - 10).in_index == {"docs/a.md": "untracked", "src/b.py": "tracked"}
    write(git / "index", indexed("src/b.py", status, size=9, extended=extended))
    seen = witness_of(tmp_path, SAID, NOW - 10)
    assert seen.in_index == {"docs/a.md": "untracked", "src/b.py": "unstaged"}
    assert (seen.shows("edit", "docs/a.md") or "").endswith("git does not track it")
    assert (seen.shows("edit", "src/b.py") or "").endswith("its changes are not staged")
    assert Witness.of(seen.document()).in_index == seen.in_index
    below = witness_of(tmp_path / "src", "I changed b.py and src/b.py.", NOW - 10)
    assert below.in_index == {"b.py": "unstaged"}


def test_a_witness_file_of_before_has_no_index():
    assert Witness.of({"paths": {}, "index": 3}).in_index == {}
