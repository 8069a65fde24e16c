import errno
import fcntl
import os
import sqlite3
import stat

import attrs
import pytest
from agent_killing import work

from sentinel_agent.events import (
    AttemptFinished,
    AttemptStarted,
    MessageReceived,
    ReplyReceived,
    RunResumed,
    RunStarted,
)
from sentinel_agent.journal import Journal, JournalObserver, Run, decode_event, encode_event
from sentinel_agent.replay import ReplayModel, export, load_record
from sentinel_agent.resume import differences, fingerprint
from sentinel_agent.run_progress import run_status
from sentinel_core.errors import InputError, JournalError, ProviderError, RunHeldError
from sentinel_core.model import Reply, Request

STARTED = RunStarted(run_id="r1", conversation_id="c", system_prompt="p", provider="x", tools=())
RUN = Run(run_id="r1", release_id="v1", started_at="t", flags={"a": 1}, fingerprint={"b": [2]}, events=(STARTED,))


@pytest.fixture
def journal(tmp_path):
    made = Journal(tmp_path / "state")
    yield made
    made.close()


def elsewhere(job):
    """What ``job`` gives in another process: a text."""
    reader, writer = os.pipe()
    process = os.fork()
    if not process:
        try:
            os.write(writer, job().encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(process, 0)
    with os.fdopen(reader) as file:
        return file.read()


def test_what_is_written_is_read(journal):
    writer = journal.begin(RUN)
    said = MessageReceived(content="é", sequence=1, at="now")
    writer(said)
    assert journal.read("r1") == attrs.evolve(RUN, events=(STARTED, said))
    assert journal.runs() == [attrs.evolve(RUN, events=())]


def test_attempt_that_succeeded_is_written_with_its_reply(journal):
    writer = journal.begin(RUN)
    writer(AttemptFinished(turn=1, attempt=1, duration_ms=1.0, sequence=1))
    assert len(journal.read("r1").events) == 1
    writer(ReplyReceived(turn=1, reply=Reply(content="hi"), duration_ms=1.0, sequence=2))
    assert len(journal.read("r1").events) == 3


def test_files_are_for_their_owner_only(journal, tmp_path):
    journal.begin(RUN)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()}
    assert modes.pop("journal.db") == 0o600
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_two_at_once_and_the_other_says_who(journal, tmp_path):
    journal.begin(RUN)

    def other():
        second = Journal(tmp_path / "state")
        assert second.holder("r1") == os.getppid()
        try:
            second.resume("r1")
        except RunHeldError as error:
            return str(error)
        return "taken"

    assert elsewhere(other) == f'run "r1" is in use by process {os.getpid()}; wait for that process, or end it'
    assert journal.holder("r1") is None


def test_a_process_that_only_looks_keeps_nobody_out(journal, monkeypatch):
    lock, looks = fcntl.lockf, [errno.EAGAIN, errno.EACCES]

    def busy(*arguments):
        if looks:
            raise OSError(looks.pop(), "held")
        lock(*arguments)

    monkeypatch.setattr(fcntl, "lockf", busy)
    assert journal.begin(RUN).run_id == "r1"


def test_lease_ends_with_its_process(journal, tmp_path):
    def begin():
        second = Journal(tmp_path / "state")
        second.begin(RUN)
        assert second.holder("r1") is None
        return "begun"

    assert elsewhere(begin) == "begun"
    assert journal.holder("r1") is None
    assert journal.resume("r1")[0].events == (STARTED,)


def test_writer_that_was_overtaken_is_fenced_off(journal):
    old = journal.begin(RUN)
    _, new = journal.resume("r1")
    with pytest.raises(RunHeldError, match="taken over"):
        old(MessageReceived(content="late", sequence=1))
    new(MessageReceived(content="mine", sequence=1))
    assert [event.content for event in journal.read("r1").events[1:]] == ["mine"]


def test_unknown_run_is_told(journal):
    assert journal.holder("nope") is None
    for ask in (journal.read, journal.resume):
        with pytest.raises(JournalError, match='there is no run "nope"'):
            ask("nope")


def test_many_make_the_journal_at_once(tmp_path):
    processes = []
    for number in range(8):
        process = os.fork()
        if not process:
            try:
                Journal(tmp_path / "new").begin(attrs.evolve(RUN, run_id=f"r{number}"))
            finally:
                os._exit(0)
        processes.append(process)
    for process in processes:
        os.waitpid(process, 0)
    journal = Journal(tmp_path / "new")
    assert len(journal.runs()) == 8
    journal.close()


def test_newer_journal_is_refused(tmp_path):
    Journal(tmp_path).close()
    database = sqlite3.connect(tmp_path / "journal.db")
    database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(JournalError, match="version 7, but this Sentinel writes version 1"):
        Journal(tmp_path)
    assert open_below(tmp_path) == []


def test_file_that_is_no_journal_is_refused(tmp_path):
    (tmp_path / "journal.db").write_bytes(b"not a database at all, but long enough" * 9)
    with pytest.raises(JournalError, match=r"journal\.db\" cannot be used"):
        Journal(tmp_path)
    assert open_below(tmp_path) == []


def open_below(folder):
    """Files there that this process has open."""
    links = [os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]  # noqa: PTH208 - as text
    return [link for link in links if link.startswith(f"{folder}{os.sep}")]


def test_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match="cannot be used"):
        Journal(tmp_path / "file" / "state")


def test_lost_event_is_noticed(journal):
    writer = journal.begin(RUN)
    writer(MessageReceived(content="a", sequence=2))
    with pytest.raises(JournalError, match="is missing event 1"):
        journal.read("r1")


@pytest.mark.parametrize("data", [b"{}", b"[]", b'{"event": "Nothing"}', b'{"event": "MessageReceived"}', b"{"])
def test_what_is_no_event_is_refused(data):
    with pytest.raises(JournalError):
        decode_event(data)


def test_event_comes_back_as_it_was():
    reply = ReplyReceived(turn=1, reply=Reply(content="x"), duration_ms=1.5, sequence=3, at="now")
    for event in (STARTED, reply, RunResumed(accepted=("a: 1 -> 2",))):
        assert decode_event(encode_event(event)) == event


def test_keeper_stops_where_its_command_is_gone(journal, monkeypatch):
    journal_observer = JournalObserver(journal)
    journal_observer.prepare("v1", {}, {}, lambda _run_id: None)
    monkeypatch.setattr(os, "getppid", lambda: 1)
    with pytest.raises(JournalError, match="has ended"):
        journal_observer(STARTED)


def test_differences_are_told_by_name():
    common = {"provider": "x", "system_prompt": "p", "tools": (), "plugins": {"tools:a": "1"}}
    before = fingerprint(model="m", settings={"agent": {"max_turns": 12, "jitter": True}}, **common)
    now = fingerprint(model="n", settings={"agent": {"max_turns": 3, "jitter": True}, "tools.a": {"z": 1}}, **common)
    assert differences(before, now) == ("agent.max_turns: 12 -> 3", 'model: "m" -> "n"', "tools.a.z: nothing -> 1")
    assert differences(before, before) == ()


def test_record_is_exported_and_played(journal, tmp_path):
    journal.begin(RUN)(ReplyReceived(turn=1, reply=Reply(content="hi"), duration_ms=1.0, sequence=1))
    path = tmp_path / "run.jsonl"
    export(journal.read("r1"), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    model = ReplayModel(load_record(path))
    pieces = []
    request = Request(system_prompt="", messages=())
    assert model.complete(request, pieces.append).content == "hi"
    assert pieces == ["hi"]
    with pytest.raises(ProviderError, match="has only 1 reply,"):
        model.complete(request)
    assert model.get_capabilities().tools
    assert model.estimate_tokens(()) == 0
    model.close()


@pytest.mark.parametrize("text", ["", "{}", '{"sentinel_record": 2}', '{"sentinel_record": 1}\n{}', "\x00"])
def test_what_is_no_record_is_refused(tmp_path, text):
    (tmp_path / "x").write_text(text)
    with pytest.raises(InputError, match="record"):
        load_record(tmp_path / "x")
    with pytest.raises(InputError, match="cannot be read"):
        load_record(tmp_path / "y")


def test_how_a_run_stands(tmp_path):
    state = tmp_path / "state"
    assert work(state, tmp_path / "reports", after=10) is None
    journal = Journal(state)
    run_id = journal.runs()[0].run_id
    told = run_status(journal.read(run_id).events, None, judged=())
    assert told == {"state": "interrupted", "resumable": True, "delivery": None, "holder": None}
    assert run_status(journal.read(run_id).events, 7, judged=())["state"] == "working"
    journal.close()
    work(state, tmp_path / "reports")
    journal = Journal(state)
    events = journal.read(run_id).events
    journal.close()
    told = run_status(events, None, judged=())
    assert told == {"state": "completed", "resumable": False, "delivery": "delivered", "holder": None}
    told = {run_status(events[:cut], None, judged=())["resumable"] for cut in range(1, len(events))}
    assert told == {True}, "killed anywhere before its report is out, it can go on"


def test_an_empty_record_can_be_told():
    told = run_status((), None, judged=())
    assert told == {"state": "interrupted", "resumable": True, "delivery": None, "holder": None}


def test_attempt_in_flight_is_closed_by_the_resumption(journal):
    from sentinel_agent.recorder import Record

    record = Record(lambda: "now")
    record.resume([STARTED, AttemptStarted(turn=1, attempt=1, sequence=1)])
    closed, resumed = record.events[2:]
    assert (closed.error_type, closed.sequence) == ("Interrupted", 2)
    assert isinstance(resumed, RunResumed)
    with pytest.raises(
        JournalError, match="event 0 in the record is a RunStarted, but in this run it is a MessageReceived"
    ):
        record.emit(MessageReceived(content="x"))
