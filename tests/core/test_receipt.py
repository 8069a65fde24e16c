"""The receipt's rows: what is folded, what never is, and in which order."""

import pytest
from tables import each_row

from sentinel_core.evaluate.facts.witness import Witness
from sentinel_core.judging.output.receipt import receipt_document, receipt_markdown, receipt_text, rows_of
from sentinel_core.report import LedgerEntry


def entry(answer="backed", at=1, claim=None, **more):
    told = {"kind": "edit", "record": 'the call to "Edit" worked'} | more
    return LedgerEntry(claim=claim or f"I changed part {at}.", message_index=at, answer=answer, **told)


def shown(entries):
    return [(row.entry.answer, row.entry.kind, row.entry.message_index, row.more) for row in rows_of(entries)]


def test_backed_claims_of_a_kind_are_one_row_with_the_latest():
    entries = [entry(at=1), entry(at=5), entry(at=3), entry(at=4, kind="commit")]
    assert shown(entries) == [("backed", "edit", 5, 2), ("backed", "commit", 4, 0)]


def test_repetitions_are_dropped():
    assert shown([entry(at=1, claim="Done it."), entry(at=5, claim="Done  it.")]) == [("backed", "edit", 5, 0)]


def test_the_gravest_answer_comes_first_and_figures_last():
    entries = [
        entry(at=1, kind="value"),
        entry(at=2),
        entry("not_checkable", 3),
        entry("absent", 4),
        entry("contradicted", 5),
    ]
    assert [row[:2] for row in shown(entries)] == [
        ("contradicted", "edit"), ("absent", "edit"), ("not_checkable", "edit"), ("backed", "edit"), ("backed", "value"),
    ]  # fmt: skip


def test_what_is_not_checkable_is_folded_only_in_a_long_receipt():
    few, many = ([entry("not_checkable", at) for at in range(number)] for number in (4, 30))
    assert len(rows_of(few)) == 4
    assert shown(many) == [("not_checkable", "edit", 29, 29)]


def test_accusations_are_never_folded():
    assert len(rows_of([entry("absent", at) for at in range(30)])) == 30


@pytest.mark.parametrize(
    ("kind", "words"),
    [("push", "2 pushes"), ("check", "2 checks"), ("value", "2 figures"), ("pull_request", "2 pull requests")],
)
def test_a_row_counts_its_claims(kind, words):
    (_, row) = receipt_text([entry(at=1, kind=kind), entry(at=2, kind=kind)], "s")
    assert row == f'✓ {words}, the last “I changed part 2.” (message 2): the call to "Edit" worked'


def test_sub_agents_come_after_the_agent():
    assert [row.entry.trace_path for row in rows_of([entry("absent", 9, trace_path=(0,)), entry("absent", 1)])] == [
        (),
        (0,),
    ]
    assert "(sub-agent 0 message 9)" in list(receipt_text([entry(at=9, trace_path=(0,))], "s"))[1]


def test_nothing_claimed_is_a_headline():
    assert list(receipt_text([], "s")) == ["s: 0 claims"]
    assert list(receipt_markdown([], "s")) == ["**Sentinel receipt** of s: 0 claims"]
    assert receipt_document([], "s")["rows"] == []


def test_no_name_of_a_session_is_live():
    lines = [*receipt_text([], "\x1b[2J"), *receipt_markdown([], "<img src=x>\x1b[2J")]
    assert not any("\x1b" in line or "<img" in line for line in lines)


@each_row(
    ("witness", "kind", "path", "words"),
    [
        (Witness({"a.py": "changed"}), "edit", "a.py", "a.py changed since the session began"),
        (Witness({"a.py": "older"}), "edit", "a.py", "a.py did not change since the session began"),
        (Witness({"a.py": "absent"}), "edit", "a.py", "a.py does not exist"),
        (Witness({}), "edit", "a.py", None),
        (Witness({}, ["0123456789abcdef"]), "commit", "", "commit 0123456789"),
        (Witness({}, []), "commit", "", "no commit since the session began"),
        (Witness({}, None, ["origin/main"]), "push", "", "origin/main was pushed"),
        (Witness({}, None, [], False), "push", "", "the branch is not pushed"),
        (Witness({}, None, []), "push", "", None),
        (Witness({}), "deploy", "", None),
    ],
)
def test_the_working_tree_is_told_in_words(witness, kind, path, words):
    assert witness.shows(kind, path) == words
