"""What was acknowledged is reported once: after a kill, and where the disk is full for a while."""

import json
import os
import resource
import sys
import time
from pathlib import Path

import pytest
from forked_commands import run_forked
from receiving import DEADLINE, agent, chat, document

LIE = "I used the calculator tool and the result is 42."


def test_what_was_acknowledged_outlives_a_kill(receiver):
    at_work = receiver("--quiet", 100)
    at_work.send(chat(1, 2, 1, says=LIE), agent(1, 1))
    at_work.process.kill()
    at_work.end()
    again = receiver("--quiet", 100)
    assert again.counts() == {"restored": 2, "waiting": 1}
    again.send(chat(1, 2, 1, says=LIE), agent(1, 1))  # the client did not hear the answer
    assert again.counts()["duplicates"] == 2
    assert again.stop() == 2
    assert len(again.reports()) == 1
    assert not list((again.folder / ".sentinel").glob("*.spool"))


def test_a_second_receiver_with_the_same_reports_is_refused(receiver):
    at_work = receiver()
    done = run_forked("receive", "--port", "0", cwd=at_work.folder, timeout=DEADLINE)
    assert done.returncode == 3
    assert 'another receiver uses ".sentinel/reports.jsonl.spool"; choose another file of reports' in done.stderr
    assert at_work.stop() == 0


def limit_files(pid, size):
    """Let a process write no file beyond this size, as if the disk were full; None: any size."""
    most = resource.RLIM_INFINITY
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most if size is None else size, most))


def receiving_child(at_work):
    pid = at_work.process.pid
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


@pytest.fixture
def unmeasured_process(monkeypatch):
    """The process ends where no file has room: the measuring of coverage could not write its own."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the files of another process")


@on_linux
def test_while_the_disk_is_full_senders_must_wait_and_nothing_is_lost(receiver):
    at_work = receiver("--quiet", 100)
    child, taken, refused = receiving_child(at_work), [], []
    limit_files(child, 6_000)
    for number in range(1, 21):
        status, headers, body = at_work.post(document([chat(number, 2, 1), agent(number, 1)]))
        (taken if status == 200 else refused).append(number)
        if status != 200:
            assert (status, headers["Retry-After"]) == (503, "1")
            assert "spans cannot be stored: File too large" in json.loads(body)["message"]
    assert taken
    assert refused
    limit_files(child, None)
    for number in refused:
        at_work.send(chat(number, 2, 1), agent(number, 1))
    assert at_work.stop() == 0, at_work.err
    assert sorted(int(report["trace_id"], 16) for report in at_work.reports()) == list(range(1, 21))


@on_linux
def test_groups_that_cannot_be_handed_over_wait_for_room(receiver):
    at_work = receiver("--quiet", 0.5)
    child = receiving_child(at_work)
    at_work.send(chat(1, 2, 1), agent(1, 1))
    limit_files(child, 0)
    at_work.wait_for(waiting=0)
    status, _, body = at_work.post(document([chat(2, 2, 1)]))
    assert (status, json.loads(body)["message"]) == (503, "spans cannot be stored: File too large")
    assert at_work.reports() == []
    limit_files(child, None)
    at_work.wait_for_reports(1)
    at_work.send(chat(2, 2, 1), agent(2, 1))
    assert at_work.stop() == 0
    assert len(at_work.reports()) == 2


@on_linux
@pytest.mark.usefixtures("unmeasured_process")
@pytest.mark.parametrize("is_killed", [False, True], ids=["until there is room", "until it is stopped"])
def test_reports_that_cannot_be_written_are_kept(receiver, is_killed):
    at_work = receiver()
    limit_files(at_work.process.pid, 0)
    at_work.send(chat(1, 2, 1, says=LIE), agent(1, 1))
    deadline = time.monotonic() + DEADLINE
    while (answer := at_work.post(document([chat(2, 2, 1), agent(2, 1)])))[0] == 200:
        assert time.monotonic() < deadline
    assert (answer[0], answer[1]["Retry-After"]) == (503, "1")
    assert "reports cannot be written" in json.loads(answer[2])["message"]
    if is_killed:
        assert at_work.stop() == 3
        assert "is judged at the next start" in "".join(at_work.err)
        assert at_work.reports() == []
        at_work = receiver()
    else:
        limit_files(at_work.process.pid, None)
    at_work.wait_for_reports(2)
    assert at_work.stop() == 2
    assert [report["trace_id"][-1] for report in at_work.reports()] == ["1", "2"]


@on_linux
def test_of_reports_that_were_written_in_part_the_rest_is_written(receiver, tmp_path):
    path = tmp_path / ".sentinel" / "reports.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps({"trace_id": "x" * 20_000}) + "\n")  # so that the limit is that of this file
    at_work = receiver()
    at_work.send(chat(1, 2, 1), agent(1, 1))
    at_work.wait_for_reports(2)
    before = path.stat().st_size
    limit_files(at_work.process.pid, before + (before - 20_018) * 3 // 2)
    at_work.send(chat(2, 2, 1), agent(2, 1), chat(3, 2, 1), agent(3, 1))
    at_work.wait_for_reports(3)
    limit_files(at_work.process.pid, None)
    at_work.wait_for_reports(4)
    assert at_work.stop() == 0
    assert [report["trace_id"][-1] for report in at_work.reports()] == ["x", "1", "2", "3"]


@on_linux
@pytest.mark.usefixtures("unmeasured_process")
def test_a_gate_does_not_wait_for_room(receiver):
    at_work = receiver("--until-quiet", 0.5)
    limit_files(at_work.process.pid, 0)
    at_work.send(chat(1, 1))
    assert at_work.end() == 3
    assert "reports cannot be written to" in "".join(at_work.err)


@pytest.mark.parametrize(("output", "mode"), [("out/.sentinel/reports.jsonl", 0o600), ("shared.jsonl", 0o640)])
def test_a_file_of_reports_that_the_user_names_has_the_mode_of_the_users_files(receiver, output, mode):
    before = os.umask(0o027)
    try:
        at_work = receiver("-o", output)
    finally:
        os.umask(before)
    at_work.send(chat(1, 2, 1), agent(1, 1))
    assert at_work.stop() == 0
    path = at_work.folder / output
    assert (path.stat().st_mode & 0o777, path.read_bytes().count(b"\n")) == (mode, 1)
