"""Where reports go, how a batch goes on, and what it says when it cannot."""

import errno
import fcntl
import json
import os
import stat
from pathlib import Path

import pytest

from sentinel_core.cli import batch_options as batching
from sentinel_core.errors import InputError
from sentinel_core.judging.batch import locked_files, outputs
from sentinel_core.judging.batch import run as batch
from sentinel_core.judging.batch.assignment import Launcher
from sentinel_core.judging.batch.progress import Progress

pytestmark = pytest.mark.unmeasured


@pytest.fixture(scope="module")
def few(write, tools):
    """Four splits."""
    write("t.jsonl", [tools.line_of(number, kilobytes=64) for number in range(14)])
    return "t.jsonl"


@pytest.fixture(scope="module")
def expected(sentinel, few):
    done = sentinel("evaluate", few, "--jsonl")
    assert (done.returncode, done.stderr) == (2, "")
    return done.stdout.encode()


@pytest.fixture
def soon(monkeypatch):
    """For an output that another batch keeps for as long as the test runs: that it is waited for, ``test_same_bytes.py`` shows."""
    monkeypatch.setattr(locked_files, "_WAITED", 0.1)


@pytest.mark.parametrize("form", ["--json", "--pretty", "-v"])
def test_other_forms_are_the_same_from_many_processes(inside, few, write, tools, form):
    write("one.jsonl", [tools.line_of(0)])
    for name in (few, "one.jsonl"):
        one, two = inside("evaluate", name, form), inside("evaluate", name, form, "-j", 2)
        plain = [line for line in two.stdout.splitlines() if not line.startswith(("  risk:", "  most ", "  worth "))]
        counted = [f"{14 if name == few else 1} trace"] if form == "-v" and name != few else []
        assert [line for line in plain if not line.startswith(tuple(counted) or "\0")] == one.stdout.splitlines()
        assert two.returncode == one.returncode


def test_a_file_and_its_summary(inside, few, expected, folder):
    done = inside("evaluate", few, "-o", "a.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == "14 traces: 12 PASS, 2 FAIL -> a.jsonl"
    assert done.stderr.splitlines()[-1] == "  full summary: a.summary.json"
    assert (folder / "a.jsonl").read_bytes() == expected
    mask = os.umask(0)
    os.umask(mask)
    for name in ("a.jsonl", "a.summary.json"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o666 & ~mask
    assert json.loads((folder / "a.summary.json").read_bytes())["records"] == 14


def test_a_link_keeps_leading_to_its_file(inside, few, expected, folder):
    (folder / "link.jsonl").symlink_to("linked.jsonl")
    assert inside("evaluate", few, "-o", "link.jsonl").returncode == 2
    assert (folder / "link.jsonl").is_symlink()
    assert (folder / "linked.jsonl").read_bytes() == expected


def test_a_device_is_written_to(inside, few):
    done = inside("evaluate", few, "-j", 2, "--jsonl", "-o", "/dev/null")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "14 traces: 12 PASS, 2 FAIL -> /dev/null")


def test_standard_input_and_packed_files(inside, sentinel, few, expected, folder):
    import gzip

    data = (folder / few).read_bytes()
    assert sentinel("evaluate", "-", "--jsonl", "-j", 2, stdin=data).stdout.encode() == expected
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(data))
    assert inside("evaluate", "packed.jsonl.gz", "--jsonl", "-j", 2).stdout.encode() == expected


def test_a_large_list_is_not_cut(inside, few, expected, folder):
    lines = (folder / few).read_bytes().splitlines()
    (folder / "list.json").write_bytes(b"[" + b",\n".join(lines) + b"]")
    assert inside("evaluate", "list.json", "--jsonl", "-j", 2).stdout.encode() == expected


@pytest.mark.parametrize("output", ["out.jsonl", "out/"])
def test_resuming_with_nothing_to_resume_starts(inside, few, expected, folder, output):
    assert inside("evaluate", few, "-o", output, "--resume").returncode == 2
    again = inside("evaluate", few, "-o", output, "--resume")
    assert (again.returncode, again.stderr.splitlines()[0]) == (2, f"14 traces: 12 PASS, 2 FAIL -> {output}")
    paths = sorted((folder / "out").glob("part-*")) if output == "out/" else [folder / output]
    assert b"".join(path.read_bytes() for path in paths) == expected


def test_a_folder_that_is_not_empty(inside, few, folder):
    (folder / "full").mkdir()
    (folder / "full" / "mine").touch()
    done = inside("evaluate", few, "-o", "full")
    assert (done.returncode, done.stderr) == (3, 'sentinel: error: "full" is not empty; give a new folder\n')
    (folder / "full" / "mine").unlink()
    assert inside("evaluate", few, "-o", "full").returncode == 2
    done = inside("evaluate", few, "-o", "full")
    assert done.stderr == (
        'sentinel: error: "full" is not empty (--resume continues the batch in it); give a new folder\n'
    )


@pytest.mark.parametrize("output", ["quota.jsonl", "quota"])
def test_a_full_disk_is_told_with_the_output_s_name(inside, few, folder, monkeypatch, output):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    form = ("--output-format", "jsonl")
    if output == "quota":
        (folder / output).mkdir()
    monkeypatch.setattr(os, "fsync", full)
    done = inside("evaluate", few, "-o", output, *form)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines()[-1] == f'sentinel: error: "{output}" cannot be written: No space left on device'


def test_a_file_that_another_batch_finishes_meanwhile_is_left_alone(folder, monkeypatch):
    """It is opened before the other lets go, and locked after."""
    path = folder / "race.jsonl"

    def finished(_descriptor, _path):
        (folder / ".race.jsonl.partial").write_bytes(b"whole")
        (folder / ".race.jsonl.partial").rename(path)

    output = outputs.File(path)
    monkeypatch.setattr(outputs, "lock", finished)
    with pytest.raises(InputError, match=r'race.jsonl" has just been finished by another batch; start again$'):
        output.begin(None)
    output.close(forget=False)
    assert path.read_bytes() == b"whole"


@pytest.mark.usefixtures("soon")
def test_a_folder_is_cleared_before_another_batch_may_have_it(folder, monkeypatch):
    output = outputs.Folder(folder / "parts", ".jsonl")
    output.begin(None)
    output.note(b"{}")
    removed = Path.unlink

    def unlink(path, **options):
        other = outputs.Folder(folder / "parts", ".jsonl")
        with pytest.raises(InputError, match="is being written by another batch"):
            other.begin(0)
        other.close(forget=False)
        removed(path, **options)

    monkeypatch.setattr(Path, "unlink", unlink)
    output.close(forget=True)
    assert not (folder / "parts").exists()


@pytest.fixture
def stop(inside, monkeypatch):
    """Begins a batch and stops it when two splits are out."""

    def run(name: str, output: str) -> None:
        noted = batch._note

        def note(manifest, output):
            noted(manifest, output)
            if manifest.splits == 2:
                raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(batch, "_BETWEEN_NOTES", 0)
            patched.setattr(batch, "_SHARE_OF_NOTES", 0)
            patched.setattr(batch, "_note", note)
            assert inside("evaluate", name, "-o", output, "-j", 1).returncode == 130

    return run


CHANGES = {
    "input": (lambda folder: (folder / "x.jsonl").write_bytes(b"{}\n"), (), 'the input "x.jsonl" has changed'),
    "more input": (lambda folder: None, ("t.jsonl",), 'the input "t.jsonl" is new'),
    "plugins": (lambda folder: None, ("--plugins", "no:cost"), 'plugin "signals:cost" was reliability-sentinel-signal'),
    "settings": (
        lambda folder: None,
        ("--set", "cost.budget_tokens=7"),
        'setting "signals.cost.budget_tokens" was none and is 7',
    ),
    "options": (lambda folder: None, ("--strict",), "batch: --strict was off and is on; start"),
    "the reader": (lambda folder: None, ("--from", "native"), "batch: --from was none and is native; start"),
    "a limit": (lambda folder: None, ("--max-record-mb", 1), "batch: --max-record-mb was 256 and is 1; start"),
}


@pytest.mark.parametrize("output", ["changed.jsonl", "changed/"])
@pytest.mark.parametrize(("change", "options", "words"), CHANGES.values(), ids=list(CHANGES))
def test_changed_work_is_refused(inside, stop, few, folder, output, change, options, words):
    (folder / "x.jsonl").write_bytes((folder / few).read_bytes())
    stop("x.jsonl", output)
    change(folder)
    done = inside("evaluate", "x.jsonl", "-o", output, "--resume", *options)
    assert done.returncode == 3
    assert done.stderr.startswith(
        "sentinel: error: --resume: the options or inputs differ from those of the started batch: "
    )
    assert words in done.stderr
    for path in [*folder.glob("changed/*"), *folder.glob("changed.*"), *folder.glob(".changed*")]:
        path.unlink()


def test_other_settings_that_change_no_report_do_not_matter(inside, stop, few, expected, folder):
    stop(few, "same.jsonl")
    assert stat.S_IMODE((folder / "same.jsonl.manifest").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / ".same.jsonl.partial").stat().st_mode) == 0o600
    done = inside("evaluate", few, "-o", "same.jsonl", "--resume", "--fail-on", "never", "--timeout", 30)
    assert done.returncode == 0
    assert (folder / "same.jsonl").read_bytes() == expected


@pytest.mark.parametrize("output", ["told.jsonl", "told/"])
def test_an_earlier_run_is_where_progress_starts(inside, stop, few, folder, monkeypatch, output):
    shown = []
    stop(few, output)
    monkeypatch.setattr(Progress, "show", lambda _self, *now: shown.append(now))
    assert inside("evaluate", few, "-o", output, "--resume").returncode == 2
    whole = (folder / few).stat().st_size
    assert 0 < shown[0][0] < shown[-1][0] == 14
    assert 0 < shown[0][1] < shown[-1][1] == whole


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1}', '{"version": 99}'])
def test_manifests_that_are_none(inside, few, folder, text):
    (folder / "bad.jsonl.manifest").write_text(text)
    (folder / ".bad.jsonl.partial").touch()
    done = inside("evaluate", few, "-o", "bad.jsonl", "--resume")
    assert done.returncode == 3
    assert done.stderr.startswith("sentinel: error: --resume: the manifest ")


def test_a_partial_file_that_lost_its_end(inside, stop, few, folder):
    stop(few, "cut.jsonl")
    os.truncate(folder / ".cut.jsonl.partial", 5)
    done = inside("evaluate", few, "-o", "cut.jsonl", "--resume")
    assert done.returncode == 3
    assert "is shorter than it was when the batch stopped; start again without --resume" in done.stderr


@pytest.mark.usefixtures("soon")
def test_two_batches_at_one_place(inside, few, folder):

    (folder / "taken").mkdir()
    for place, lock in (("locked.jsonl", ".locked.jsonl.partial"), ("taken", "taken")):
        held = os.open(folder / lock, os.O_RDONLY if place == "taken" else os.O_RDWR | os.O_CREAT)
        fcntl.flock(held, fcntl.LOCK_EX)
        done = inside("evaluate", few, "-o", place)
        os.close(held)
        assert done.returncode == 3
        assert "is being written by another batch; wait for it, or stop it" in done.stderr


@pytest.mark.usefixtures("soon")
def test_two_batches_with_one_output_are_told_of_that(inside, few, folder):
    output = outputs.File(folder / "lock1.jsonl")
    output.begin(None)
    output.note(b"{}")
    done = inside("evaluate", few, "-o", "lock1.jsonl")
    assert (done.returncode, done.stderr) == (
        3,
        f'sentinel: error: "{folder}/lock1.jsonl" is being written by another batch; wait for it, or stop it\n',
    )
    assert output.known() == b"{}"
    output.close(forget=True)


@pytest.mark.usefixtures("soon")
def test_what_was_begun_stays_where_another_batch_has_its_summary(inside, stop, few, folder):
    stop(few, "kept.jsonl")
    before = (folder / ".kept.jsonl.partial").read_bytes()
    output = outputs.File(folder / "kept.parquet")
    output.begin(None)
    done = inside("evaluate", few, "-o", "kept.jsonl", "--resume")
    assert '/kept.summary.json" is being written by another batch' in done.stderr
    output.close(forget=True)
    assert (folder / ".kept.jsonl.partial").read_bytes() == before
    assert inside("evaluate", few, "-o", "kept.jsonl", "--resume").returncode == 2


@pytest.mark.usefixtures("soon")
def test_two_batches_with_one_summary(inside, few, folder):
    output = outputs.File(folder / "same.parquet")
    output.begin(None)
    done = inside("evaluate", few, "-o", "same.jsonl")
    assert (done.returncode, done.stderr) == (
        3,
        f'sentinel: error: "{folder}/same.summary.json" is being written by another batch; wait for it, or stop it\n',
    )
    assert not (folder / ".same.jsonl.partial").exists()
    output.close(forget=True)
    assert not list(folder.glob(".same*"))
    assert inside("evaluate", few, "-o", "same.jsonl").returncode == 2
    assert sorted(path.name for path in folder.iterdir() if "same" in path.name) == ["same.jsonl", "same.summary.json"]


WRONG = [
    (("--resume",), "--resume needs an output to continue"),
    (("--resume", "-o", "x.txt"), "--resume needs an output to continue"),
    (("--json", "-o", "x.parquet"), "Parquet cannot be combined with --json, --jsonl or --pretty"),
    (("-o", "/dev/null", "--output-format", "parquet"), "Parquet needs a file or a folder"),
    (("-j", 0), "0 is not in the range"),
    (("-o", "none/x.jsonl"), '"none/x.jsonl" cannot be written: there is no folder "none"'),
    (("-o", "odd://x/y.jsonl"), '"odd://x/y.jsonl": cannot be reached'),
]


@pytest.mark.parametrize(("options", "words"), WRONG)
def test_what_cannot_be(inside, few, options, words):
    done = inside("evaluate", few, *options)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("sentinel: error: ")
    assert words in done.stderr


@pytest.mark.parametrize("output", ["t.parquet", "table/"])
def test_tables(inside, few, expected, folder, write, tools, output):
    import pyarrow.parquet as pq

    write("deep/bad.jsonl", [tools.line_of(1), b"{}\n"])
    done = inside("evaluate", few, "deep/bad.jsonl", "-o", output, "--output-format", "parquet", "-j", 2)
    assert done.returncode == 3, done.stderr
    paths = sorted(folder.glob("table/part-*.parquet")) if output == "table/" else [folder / output]
    found = [row for path in paths for row in pq.read_table(path, partitioning=None).to_pylist()]
    assert [row["report"] for row in found[:14]] == expected.decode().splitlines()
    first = json.loads(found[0]["report"])
    assert {key: first[key] for key in ("trace_id", "verdict", "overall_score")} == {
        key: found[0][key] for key in ("trace_id", "verdict", "overall_score")
    }
    scores = {one["signal_name"]: one["score"] for one in first["signal_scores"]}
    assert {name: found[0][f"score_{name}"] for name in scores} == scores
    assert [(row["source"], row["record"]) for row in found[:2]] == [("t.jsonl", 1), ("t.jsonl", 2)]
    assert (found[-1]["source"], found[-1]["line"], found[-1]["verdict"]) == ("deep/bad.jsonl", 2, None)
    assert "trace_id" in found[-1]["error"]


def test_columns_that_are_known_stay_where_no_worker_gets_ready(monkeypatch):
    monkeypatch.setattr(batching, "pooled", lambda *_, **__: iter(["an answer"]))
    launcher = Launcher(plan=None, kind=None, timeout=1, memory=1, warn=print)
    columns = ["cost", "loop"]
    assert list(batching._locally([], launcher, 1, 1, Progress(0), 0, columns)) == ["an answer"]
    assert columns == ["cost", "loop"]
    launcher.columns = ["cost"]
    assert list(batching._locally([], launcher, 1, 1, Progress(0), 0, columns)) == ["an answer"]
    assert columns == ["cost"]
