"""Every store keeps the same promises; files of other versions and of other kinds are refused by name."""

import os
import sqlite3
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sentinel_core.errors import ConfigError, StoreError
from sentinel_core.guardrails import sql
from sentinel_core.guardrails.audit import audit_problems
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.family import Family, Loop
from sentinel_core.guardrails.store import open_store

POOR = (0.72, 0.28)
POSTGRES = pytest.param("postgres", marks=pytest.mark.process)  # a server of its own
KINDS = ("memory", "sqlite", POSTGRES)


@pytest.fixture(params=KINDS)
def place(request, address):
    return "memory:" if request.param == "memory" else address(request.param)


@pytest.fixture
def store(place):
    made = open_store(place)
    yield made
    made.close()


def change(root="a", loop_id="a", before=None, tags=()):
    family = before or Family(root=root)
    reflection = Reflection(alignment_score=0.5, drift_score=0.5, bias_tags=tags)
    loop = Loop(loop_id=loop_id, number=len(family.loops), at="t", reflection=reflection)
    return family.changed("handed_in", at="t", actor="me", loops=[loop])


def test_what_is_saved_is_there_whole(store):
    made = change(tags=("haste", "haste"))
    assert store.family_of("a") is None
    assert store.save(made)
    assert store.family_of("a") == made.family
    assert store.families() == [made.family]
    (row,) = store.audit()
    assert (row.root, row.number, row.row_id) == ("a", 1, 1)
    assert list(audit_problems(store.families(), store.audit())) == []


@pytest.mark.parametrize("kind", ["sqlite", POSTGRES])
def test_processes_that_are_forked_from_one_another_do_not_share_connections(address, kind):
    store = open_store(address(kind))
    for root in ("a", "b", "c", "d"):
        assert store.save(change(root, root))
    children = []
    for root in ("a", "b", "c"):
        if not (pid := os.fork()):
            wrong = 0
            for number in range(200):
                found = store.family_of(root)
                wrong += found is None or found.root != root
                if number == 100:
                    store.close()
            os._exit(min(wrong, 1))
        children.append(pid)
    assert all(store.family_of("d").root == "d" for _ in range(200))
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0, 0, 0]
    assert store.family_of("d").root == "d"
    store.close()


@pytest.mark.parametrize("kind", [POSTGRES])
def test_who_pages_through_the_audit_misses_no_row_that_is_written_late(address, kind):
    place = address(kind)
    store, slow = open_store(place), open_store(place)
    written, go_on, write = threading.Event(), threading.Event(), slow._write

    def dawdle(cursor, made):
        write(cursor, made)
        written.set()
        go_on.wait(30)

    slow._write = dawdle
    with ThreadPoolExecutor() as pool:
        late = pool.submit(slow.save, change("late", "late"))
        assert written.wait(30)
        early = pool.submit(store.save, change("early", "early"))
        time.sleep(0.3)
        seen = list(store.audit())
        go_on.set()
        assert late.result(30)
        assert early.result(30)
    seen += store.audit(after=seen[-1].row_id if seen else 0)
    assert sorted(row.root for row in seen) == ["early", "late"]
    store.close()
    slow.close()


def test_a_change_of_an_older_version_is_not_written(store):
    first = change()
    assert store.save(first)
    assert not store.save(change())
    second = change(before=first.family, loop_id="a_r1")
    assert store.save(second)
    assert not store.save(change(before=first.family, loop_id="a_r1", tags=("other",)))
    assert store.family_of("a_r1") == second.family
    assert [row.number for row in store.audit()] == [1, 2]


def test_a_loop_that_another_family_has_is_not_taken(store):
    assert store.save(change())
    assert store.save(change("b", "b"))
    assert not store.save(change(before=store.family_of("b"), loop_id="a"))
    assert store.family_of("a").root == "a"
    assert len(store.audit()) == 2


def test_tags_are_counted_by_loop_in_other_families(store):
    for root, tags in (("a", ("haste", "haste")), ("b", ("haste", "pride")), ("c", ("pride",))):
        assert store.save(change(root, root, tags=tags))
    assert store.tags_elsewhere("a", ["pride", "haste", "envy", "haste"]) == {"haste": 1, "pride": 2}
    assert store.tags_elsewhere("a", []) == {}


def test_the_audit_is_read_in_parts(store):
    for root in ("a", "b", "c"):
        assert store.save(change(root, root))
    assert [row.root for row in store.audit(after=1)] == ["b", "c"]
    assert [row.root for row in store.audit(after=1, limit=1)] == ["b"]
    assert [row.root for row in store.audit("c")] == ["c"]


def test_a_family_lives_through_closing_and_opening(place, make, walk):
    store = open_store(place)
    answers = walk(make(store), [POOR] * 9, tags=["haste"])
    make(store).override("loop", {"override_bias_echo": True}, actor="me", reason="go", seconds=60)
    before = store.families()
    store.close()
    store.close()
    if place == "memory:":
        return
    again = open_store(place)
    assert again.families() == before
    assert make(again).complete("loop") == answers[0]
    assert list(audit_problems(again.families(), again.audit())) == []
    again.close()


def test_overrides_come_back_in_their_order(store, make, walk):
    orchestrator = make(store)
    walk(orchestrator, [POOR])
    for number in range(12):
        orchestrator.override("loop", {"override_fatigue": True}, actor="me", reason=f"reason {number}")
    assert [one.reason for one in store.family_of("loop").overrides] == [f"reason {number}" for number in range(12)]


@pytest.mark.parametrize("kind", ["sqlite", POSTGRES])
def test_a_store_of_a_newer_version_is_refused(kind, address):
    place = address(kind)
    store = open_store(place)
    with store.transaction(write=True) as cursor:
        cursor.execute("UPDATE sentinel_schema SET version = 99")
    store.close()
    with pytest.raises(StoreError, match="has version 99, but this Sentinel supports only versions up to 2"):
        open_store(place)


@pytest.mark.parametrize("kind", ["sqlite", POSTGRES])
def test_a_store_of_an_older_version_is_brought_up_to_date(kind, address, monkeypatch):
    place = address(kind)
    with monkeypatch.context() as older:
        older.setattr(sql, "_MIGRATIONS", sql._MIGRATIONS[:1])
        older.setattr(sql, "NEWEST", 1)
        old = open_store(place)
        assert old.save(change())
        with old.transaction(write=False) as cursor:
            cursor.execute("SELECT version FROM sentinel_schema")
            assert [version for (version,) in cursor.fetchall()] == [1]
        old.close()
    store = open_store(place)
    assert store.family_of("a") == change().family
    assert store.save(change("b", "b", tags=("haste",)))
    assert store.tags_elsewhere("a", ["haste"]) == {"haste": 1}
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", POSTGRES])
def test_a_row_that_cannot_be_read_is_an_error_of_the_store(kind, address):
    store = open_store(address(kind))
    assert store.save(change())
    with store.transaction(write=True) as cursor:
        cursor.execute("UPDATE sentinel_attempts SET body = '{}'")
    with pytest.raises(StoreError, match="contains a loop that cannot be read"):
        store.family_of("a")
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", POSTGRES])
def test_what_raises_in_the_middle_of_a_change_leaves_nothing(kind, address, monkeypatch):
    store = open_store(address(kind))
    write = store._write

    def breaks(cursor, made):
        write(cursor, made)
        raise KeyError("in the middle")

    monkeypatch.setattr(store, "_write", breaks)
    with pytest.raises(KeyError):
        store.save(change())
    assert store.family_of("a") is None
    assert store.audit() == []
    store.close()


def test_a_file_that_is_no_store(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and long enough to be looked at" * 50)
    with pytest.raises(StoreError, match=r'"[^"]*notes.txt" cannot be used: file is not a database'):
        open_store(str(path))


def test_a_place_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(str(tmp_path / "file" / "loops.sqlite3"))


def test_looking_makes_no_file(tmp_path):
    with pytest.raises(StoreError, match="there is no store"):
        open_store(str(tmp_path / "none.sqlite3"), create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_for_its_owner_only(tmp_path):
    path = tmp_path / "new" / "loops.sqlite3"
    store = open_store(f"sqlite:{path}")
    assert store.save(change())
    assert {stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    store.close()


def test_a_locked_file_is_waited_for_and_then_told(tmp_path, monkeypatch, make):
    from sentinel_core.guardrails import sqlite

    path = tmp_path / "loops.sqlite3"
    open_store(str(path)).close()
    monkeypatch.setattr(sqlite, "_PATIENCE", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    store = open_store(str(path))
    with pytest.raises(StoreError, match="database is locked"):
        make(store).submit("a", Reflection(alignment_score=0.5, drift_score=0.5))
    store.close()
    other.close()


def test_a_file_that_is_taken_away_is_an_error_until_it_is_there_again(tmp_path):
    path, kept = tmp_path / "loops.sqlite3", tmp_path / "kept.sqlite3"
    store = open_store(str(path))
    assert store.save(change())
    path.rename(kept)
    for work in (lambda: store.save(change("b")), lambda: store.family_of("a"), store.audit):
        with pytest.raises(StoreError, match=r'loops.sqlite3" cannot be used: No such file or directory; no rerun'):
            work()
    assert not path.exists()
    kept.rename(path)
    assert store.family_of("a") == change().family
    path.rename(kept)
    open_store(str(path)).close()
    with pytest.raises(StoreError, match=r'loops.sqlite3" cannot be used: it was replaced by another file; restart'):
        store.family_of("a")
    store.close()


@pytest.mark.parametrize("place", ["mysql://host/db", "https://user:secret-of-mine@host"])
def test_a_place_of_an_unknown_kind(place):
    with pytest.raises(ConfigError, match="use a path, sqlite:PATH, memory: or postgresql://") as caught:
        open_store(place)
    assert "secret-of-mine" not in str(caught.value)


@pytest.mark.parametrize("place", ["postgresql://nobody:secret-of-mine@127.0.0.1:1/none", "postgresql://h:x/%%"])
def test_a_server_that_is_not_there(place):
    with pytest.raises(StoreError, match="cannot be used") as caught:
        open_store(place)
    assert "secret-of-mine" not in str(caught.value)


@pytest.mark.process
def test_a_lost_server_is_an_error_after_a_while(address, postgres, monkeypatch):
    from sentinel_core.guardrails import postgres as module

    store = open_store(address("postgres"))
    assert store.save(change())
    monkeypatch.setattr(store, "_patience", 0.2)
    monkeypatch.setattr(module, "_PAUSE", 0.05)
    postgres.control("stop", "-m", "immediate")
    try:
        with pytest.raises(StoreError, match="no rerun is granted"):
            store.family_of("a")
    finally:
        postgres.control("start")
    monkeypatch.setattr(store, "_patience", 20.0)
    assert store.family_of("a") == change().family
    store.close()


def test_looking_takes_no_lock_and_needs_no_right_to_write(tmp_path, monkeypatch, make):
    place = tmp_path / "kept" / "loops.sqlite3"
    store = open_store(str(place))
    make(store).submit("a", Reflection(alignment_score=0.5, drift_score=0.5))
    busy = sqlite3.connect(place, isolation_level=None)
    busy.execute("BEGIN IMMEDIATE")
    opened = open_store(str(place), create=False)
    assert [family.root for family in opened.families()] == ["a"]
    busy.execute("ROLLBACK")
    busy.close()
    opened.close()
    store.close()
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # the tests may run as root, who may write anywhere
    before = place.read_bytes()
    frozen = open_store(str(place), create=False)
    assert [family.root for family in frozen.families()] == ["a"]
    with pytest.raises(StoreError, match="readonly"):
        make(frozen).submit("b", Reflection(alignment_score=0.5, drift_score=0.5))
    frozen.close()
    assert (place.read_bytes(), [one.name for one in place.parent.iterdir()]) == (before, ["loops.sqlite3"])
