"""A repository whose configuration names programs everywhere: reading it starts none of them."""

import subprocess

import pytest

from sentinel_core.errors import InputError
from sentinel_tools_release import (
    HistorySettings,
    SourceSettings,
    SummarySettings,
    get_code_changes,
    get_release_history,
    get_release_summary,
)

PROGRAM_SETTINGS = (
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.evil.command",
    "diff.evil.textconv",
    "diff.external",
    "filter.evil.clean",
    "filter.evil.process",
    "filter.evil.smudge",
    "gpg.program",
    "gpg.ssh.program",
    "interactive.diffFilter",
    "pager.describe",
    "pager.diff-tree",
    "pager.log",
    "pager.rev-list",
    "pager.show",
    "remote.origin.uploadpack",
    "sequence.editor",
    "uploadpack.packObjectsHook",
)
SWITCHES = {
    "alias.log": "!touch {mark}",
    "core.attributesFile": "{attributes}",
    "core.hooksPath": "{hooks}",
    "core.repositoryFormatVersion": "1",
    "diff.orderFile": "{attributes}",
    "diff.submodule": "log",
    "extensions.partialClone": "origin",
    "log.showSignature": "true",
    "log.mailmap": "true",
    "log.date": "relative",
    "log.follow": "true",
    "format.pretty": "raw",
    "diff.noprefix": "true",
    "color.ui": "always",
    "column.ui": "always",
    "remote.origin.promisor": "true",
    "remote.origin.url": "ext::touch {mark}",
    "protocol.ext.allow": "always",
}


@pytest.fixture
def hostile(repository, tmp_path):
    repository.commit("Start", {"a.txt": "one\n", ".gitattributes": "* diff=evil filter=evil\n"})
    repository.git("tag", "v0.9")
    repository.commit("Second", {"a.txt": "two\n"})
    repository.git("tag", "v1.0")
    gone = repository.commit("Payment by card", {"b.txt": "three\n"})
    signed = repository.git("cat-file", "commit", gone).replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1
    )
    (tmp_path / "signed").write_text(signed + "\n")
    repository.git("update-ref", "HEAD", repository.git("hash-object", "-t", "commit", "-w", str(tmp_path / "signed")))
    mark, hooks = tmp_path / "mark", tmp_path / "hooks"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o700)
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"):
        (hooks / hook).symlink_to(program)
    (tmp_path / "attributes").write_text("* diff=evil filter=evil\n")
    places = {"mark": mark, "hooks": hooks, "attributes": tmp_path / "attributes"}
    for key, value in SWITCHES.items():
        repository.git("config", key, value.format(**places))
    for key in PROGRAM_SETTINGS:
        repository.git("config", key, str(program))
    repository.mark = mark
    return repository


def read_all(repository):
    place = {"repo": str(repository.path)}
    return (
        get_release_summary(SummarySettings(**place), "v1.0..HEAD"),
        get_code_changes(SourceSettings(**place), "v1.0..HEAD"),
        get_release_history(HistorySettings(**place), "v1.0..HEAD"),
    )


def test_nothing_is_started(hostile):
    summary, changes, history = read_all(hostile)
    assert not hostile.mark.exists()
    assert summary["changes"][0].endswith("Payment by card")
    assert [one["path"] for one in changes["commits"][0]["files"]] == ["b.txt"]
    assert [one["version"] for one in history["earlier"]] == ["v1.0"]


def test_a_missing_object_is_not_fetched(hostile):
    blob = hostile.git("rev-parse", "HEAD:b.txt")
    (hostile.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(InputError, match=r"git (diff-tree|show) failed"):
        read_all(hostile)
    assert not hostile.mark.exists()


def test_the_trap_of_the_missing_object_works(hostile):
    """Without the precautions git does ask the remote, which is a program, for what is missing."""
    blob = hostile.git("rev-parse", "HEAD:b.txt")
    (hostile.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(subprocess.CalledProcessError):
        hostile.git("cat-file", "blob", blob)
    assert hostile.mark.exists()


def test_the_trap_works(hostile):
    """Without the precautions the very same repository does start its programs."""
    hostile.git("log", "-p", "-1")
    assert hostile.mark.exists()
