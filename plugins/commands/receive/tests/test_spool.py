"""What was stored is there again, whole requests only, wherever the writing ended; and one receiver has a spool."""

import subprocess
import sys

import pytest

from sentinel_command_receive import spool as spooling
from sentinel_command_receive.bodies import ReceivedSpan
from sentinel_command_receive.service import _Intake
from sentinel_command_receive.spool import Handed, Spool, Started, Stored, claimed
from sentinel_core.errors import ConfigError
from sentinel_core.telemetry import Groups


def received(*spans, trace="t"):
    return [
        ReceivedSpan(trace_id=trace, span_id=name, parent_id="", conversation=None, data=name.encode())
        for name in spans
    ]


def replayed(folder):
    """What a new process finds: spans by their text, and the other records."""
    return [
        found if isinstance(found, Handed | Started) else found[1].read().decode() for found in Spool(folder).replay()
    ]


def test_places_lead_back_to_what_was_stored(tmp_path):
    spool = Spool(tmp_path)
    stored = spool.store(received("first", "", "third" * 500_000))
    assert [place.read() for _, place in stored] == [b"first", b"", b"third" * 500_000]
    assert stored[0][0] == Stored("t", "first", "", None)


def test_what_was_stored_is_read_again_in_order(tmp_path):
    spool = Spool(tmp_path)
    spool.store(received("a", "b"))
    spool.note(Handed(1, ["t"]))
    spool.store(received("c"))
    expected = ["a", "b", Handed(1, ["t"]), "c"]
    assert replayed(tmp_path) == expected
    after = Spool(tmp_path)
    assert len(list(after.replay())) == 4
    after.note(Started(1))
    assert replayed(tmp_path) == [*expected, Started(1)]
    assert len(list(tmp_path.iterdir())) == 2


def test_wherever_a_kill_cuts_the_file_whole_requests_are_left(tmp_path):
    spool = Spool(tmp_path)
    ends = []
    for request in (received("a", "b"), received("c"), received("d", "e", "f")):
        spool.store(request)
        ends.append(next(tmp_path.iterdir()).stat().st_size)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        assert "".join(replayed(tmp_path)) == ["", "ab", "abc", "abcdef"][sum(end <= size for end in ends)]


def test_a_damaged_byte_is_counted_and_what_is_before_it_is_read(tmp_path):
    Spool(tmp_path).store(received("a"))
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        damaged = Spool(tmp_path)
        assert list(damaged.replay()) == []
        assert damaged.damaged <= len(whole)
    path.write_bytes(whole + b"\0" * 100)  # as a file system may leave it after a power cut
    damaged = Spool(tmp_path)
    assert (len(list(damaged.replay())), damaged.damaged) == (1, 100)


FULL = """
import resource, signal, sys
from pathlib import Path
from sentinel_command_receive.bodies import ReceivedSpan
from sentinel_command_receive.spool import Spool

spool = Spool(Path(sys.argv[1]))
span = lambda name, size: ReceivedSpan(trace_id="t", span_id=name, parent_id="", conversation=None, data=name.encode() * size)
spool.store([span("a", 10)])
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, resource.RLIM_INFINITY))
try:
    spool.store([span("b", 10), span("c", 3_000_000)])
except OSError as error:
    print(type(error).__name__, error.errno)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
spool.store([span("d", 10)])
"""


@pytest.mark.process
def test_of_a_request_for_which_the_disk_has_no_room_nothing_is_left(tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("OSError")
    assert replayed(tmp_path) == ["a" * 10, "d" * 10]


def test_segments_go_from_the_oldest_on_once_nothing_is_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(spooling, "_SEGMENT", 10)
    spool = Spool(tmp_path)
    first, second, third = (spool.store(received(name)) for name in ("a", "b", "c"))
    assert len(list(tmp_path.iterdir())) == 3
    del second
    spool.trim()
    assert len(list(tmp_path.iterdir())) == 3  # what became of the first may be told in the second
    del first
    spool.trim()
    assert len(list(tmp_path.iterdir())) == 1
    assert [place.read() for _, place in third] == [b"c"]


HOLDS = """
import os, sys
from pathlib import Path
from sentinel_command_receive.spool import Claim

Claim(Path(sys.argv[1]), os.open(f"{sys.argv[1]}/lock", os.O_RDWR)).hold_as_child()
print("held", flush=True)
sys.stdin.read()
"""
CLAIMS = """
import sys
from pathlib import Path
from sentinel_command_receive.spool import claimed

with claimed(Path(sys.argv[1])):
    pass
"""


def restored(folder, reported):
    """An intake after a start; what waits, by trace and number of spans, and the last batch."""
    intake = _Intake(Groups(quiet=0, patience=0), Spool(folder))
    newest = intake.restore(reported)
    return intake, {group.id: len(group.spans) for group in intake.due()}, newest


def test_only_batches_without_reports_are_judged_again_however_often_it_starts(tmp_path):
    intake, waits, _ = restored(tmp_path, 0)
    assert waits == {}
    for trace in "xyz":
        intake.spool.store(received("1", "2", trace=trace))
    intake.note(Handed(1, ["x"]))
    intake.note(Handed(2, ["y"]))
    assert restored(tmp_path, 1)[1:] == ({"y": 2, "z": 2}, 2)
    assert restored(tmp_path, 1)[1:] == ({"y": 2, "z": 2}, 2)
    intake, _, _ = restored(tmp_path, 1)
    intake.note(Handed(3, ["z"]))
    assert restored(tmp_path, 3)[1:] == ({"y": 2}, 3)  # batch 2 was given up before batch 3 was made
    intake, _, _ = restored(tmp_path, 3)
    intake.note(Handed(4, ["y"]))
    intake.spool.store(received("3", trace="x"))
    intake.spool.store(received("2", trace="z"))  # a client that did not hear the answer
    assert restored(tmp_path, 4)[1:] == ({"x": 3}, 4)


def test_more_than_there_is_room_for_is_taken_again(tmp_path):
    intake, _, _ = restored(tmp_path, 0)
    intake.spool.store(received(*map(str, range(10))))
    again = _Intake(Groups(quiet=0, patience=0, most_spans=3), Spool(tmp_path))
    again.restore(0)
    assert [len(group.spans) for group in again.due()] == [10]
    assert (again.status()["restored"], again.groups.most_spans) == (10, 3)


@pytest.mark.process
def test_one_receiver_has_a_spool_and_an_empty_one_is_removed(tmp_path):
    folder = tmp_path / "spool"
    with claimed(folder) as claim:
        assert claim.folder == folder
        done = subprocess.run([sys.executable, "-c", CLAIMS, folder], capture_output=True, text=True, check=False)
        assert "another receiver uses" in done.stderr
        assert folder.exists()
    assert not folder.exists()
    with claimed(folder):
        (folder / "1.spans").touch()
    assert folder.exists()


@pytest.mark.process
def test_the_next_receiver_waits_for_the_child_of_one_that_was_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(spooling, "_ORPHAN_SECONDS", 0.1)
    folder = tmp_path / "spool"
    with claimed(folder):
        (folder / "1.spans").touch()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as orphan:
        assert orphan.stdout.readline() == "held\n"
        with pytest.raises(ConfigError, match="another receiver uses"), claimed(folder):
            pass
        orphan.stdin.close()
        orphan.wait()
    with claimed(folder):
        pass
