"""What was written stays as it was written, or it is found."""

import hashlib
import json
import sqlite3

import pytest

from sentinel_core.guardrails.store import open_store
from sentinel_core.trace import canonical

POOR = (0.72, 0.28)


@pytest.fixture
def kept(tmp_path, make, walk):
    """A store with two families and an override, and the connection to tamper with it."""
    place = tmp_path / ".sentinel" / "loops.sqlite3"
    store = open_store(str(place))
    orchestrator = make(store)
    for root in ("one", "two"):
        walk(orchestrator, [POOR] * 9, root=root)
    orchestrator.override("one", {"override_max_reruns": True}, actor="me", reason="go on")
    orchestrator.complete("one_r3")
    store.close()
    connection = sqlite3.connect(place, isolation_level=None)
    yield connection
    connection.close()


def test_an_audit_that_is_whole(kept, sentinel):
    done = sentinel("audit", "verify")
    assert (done.returncode, done.stdout) == (0, "18 audit rows of 2 families are unchanged.\n"), done.stderr


def test_editing_one_audit_row_is_found_and_the_row_named(kept, sentinel):
    rows = kept.execute("SELECT row_id, root, number, body FROM sentinel_audit").fetchall()
    for row_id, root, number, body in rows:
        changed = json.dumps({**json.loads(body), "actor": "somebody else"})
        kept.execute("UPDATE sentinel_audit SET body = ? WHERE row_id = ?", (changed, row_id))
        if row_id in (1, len(rows) // 2, len(rows)):
            done = sentinel("audit", "verify")
            assert done.returncode == 3
            assert f'audit row {number} of family "{root}" was changed' in done.stderr
        kept.execute("UPDATE sentinel_audit SET body = ? WHERE row_id = ?", (body, row_id))
    assert sentinel("audit", "verify").returncode == 0


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "UPDATE sentinel_audit SET digest = upper(digest) WHERE number = 2",
            'audit row 2 of family "one" was changed',
        ),
        ("DELETE FROM sentinel_audit WHERE root = 'two' AND number = 3", 'audit row 3 of family "two" is missing'),
        (
            "DELETE FROM sentinel_audit WHERE number = 8",
            'family "two" had 8 audit rows; now it has 7, or the last one was replaced',
        ),
        (
            "UPDATE sentinel_audit SET number = 'x' WHERE root = 'two' AND number = 3",
            'audit row 3 of family "two" is missing',
        ),
        ("DELETE FROM sentinel_families WHERE root = 'one'", 'family "one" was deleted: only its audit rows are left'),
        ("DELETE FROM sentinel_overrides", 'override "1" of family "one" differs from its audit rows'),
        (
            "UPDATE sentinel_attempts SET body = replace(body, '0.72', '0.99') WHERE loop_id = 'two_r1'",
            'loop "two_r1" of family "two" differs from its audit rows',
        ),
    ],
)
def test_every_other_change_is_found_too(kept, sentinel, statement, told):
    kept.execute(statement)
    done = sentinel("audit", "verify")
    assert done.returncode == 3
    assert told in done.stderr


def test_there_is_nothing_to_verify(sentinel):
    done = sentinel("audit", "verify")
    assert done.returncode == 3
    assert 'there is no store ".sentinel/loops.sqlite3" yet' in done.stderr
    assert sentinel("audit").returncode == 3


def test_no_loops_yet_are_no_mistake_but_a_place_that_is_none_is(sentinel, tmp_path):
    done = sentinel("loops")
    assert (done.returncode, done.stdout) == (0, "")
    assert "No loops are stored here" in done.stderr
    assert sentinel("loops", "--json").stdout == "[]\n"
    (tmp_path / "README.md").write_text("This is a text, and no database at all.\n" * 99)
    done = sentinel("loops", "--store", "README.md")
    assert done.returncode == 3
    assert done.stderr == 'sentinel: error: store "README.md" cannot be used: file is not a database\n'


def test_loops_are_listed_and_drawn(kept, sentinel):
    done = sentinel("loops")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert [line.split()[:5] for line in lines[:3]] == [
        ["root", "attempts", "reruns", "state", "why"],
        ["one", "4", "4", "granted", "-"],
        ["two", "4", "3", "finalized", "max_reruns_reached"],
    ]
    drawn = sentinel("loops", "show", "one_r3").stdout
    assert drawn.startswith("one: 4 attempts, granted\n")
    assert "one_r1  ██████████████·|····· 0.72   █████|█·············· 0.28   ███·······|·········· 0.15" in drawn
    assert "-> one_r4: alignment_threshold_not_met, overridden by me" in drawn
    assert "one_r4  granted, not submitted yet" in drawn
    assert "me: override_max_reruns, used for one_r3: go on" in drawn


def test_loops_as_json(kept, sentinel):
    listed = json.loads(sentinel("loops", "--json").stdout)
    assert [family["root"] for family in listed] == ["one", "two"]
    shown = json.loads(sentinel("loops", "show", "two", "--json").stdout)
    assert [loop["status"] for loop in shown["loops"]] == ["rerun", "rerun", "rerun", "finalized"]
    assert shown["loops"][3]["reflection_fatigue"] == 0.45


def test_an_unknown_loop_and_a_store_named_by_a_flag(kept, sentinel, tmp_path):
    place = tmp_path / ".sentinel" / "loops.sqlite3"
    (tmp_path / "elsewhere").mkdir()
    done = sentinel("loops", "--store", place, "show", "three")
    assert done.returncode == 3
    assert 'unknown loop "three"' in done.stderr
    assert sentinel("loops", "--store", "elsewhere/none", "show", "one").returncode == 3
    assert sentinel("loops", "show", "one", "--store", f"sqlite:{place}").returncode == 0


def test_tags_are_listed_and_an_empty_store_is_said_to_be_empty(tmp_path, sentinel, make, walk):
    store = open_store(str(tmp_path / ".sentinel" / "loops.sqlite3"))
    done = sentinel("loops")
    assert (done.returncode, done.stderr[:25]) == (0, "No loops are stored here:")
    for root in ("a", "b"):
        walk(make(store), [POOR], root=root, tags=["haste", root])
    store.close()
    assert "Bias tags, by the loops that have them: haste 2, a 1, b 1" in sentinel("loops").stdout
    assert "bias: haste, a\n" in sentinel("loops", "show", "a").stdout


@pytest.mark.parametrize("body", ["no JSON", "[]", "{}", '{"loops": [5], "overrides": []}'])
def test_a_forged_row_with_a_right_hash_is_named(kept, sentinel, body):
    """Whoever edits a row and knows how hashes are made still gives the rows after it away."""
    (before,) = kept.execute("SELECT digest FROM sentinel_audit WHERE root = 'one' AND number = 1").fetchone()
    digest = hashlib.sha256(canonical(["one", 2, before, body])).hexdigest()
    kept.execute("UPDATE sentinel_audit SET body = ?, digest = ? WHERE root = 'one' AND number = 2", (body, digest))
    done = sentinel("audit", "verify")
    assert (done.returncode, 'audit row 2 of family "one" was changed' in done.stderr) == (3, True), done.stderr
