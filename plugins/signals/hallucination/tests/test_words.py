"""The tables: forms are made from lemmas, and what is read at run time is what the TOML files say."""

import json
import tomllib
from pathlib import Path

import pytest
from tables import each_row

import sentinel_signal_hallucination
from sentinel_signal_hallucination.english.lexicon import RELATED, lemmas
from sentinel_signal_hallucination.judging import check_expressions

DATA = Path(sentinel_signal_hallucination.__file__).parent / "data"
MOST_ROWS = 810


def test_the_tables_are_those_of_the_sources():
    sources = {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8"))
        for path in DATA.glob("*.toml")
        if path.stem not in ("odds", "branches")
    }
    tables = json.loads((DATA / "tables.json").read_bytes())
    assert {name: tables[name] for name in sources} == sources
    rows = [
        row
        for name in ("lemmas", "things")
        for part in sources[name].values()
        for row in (part if isinstance(part, list) else part["verbs"] + part["nouns"])
    ]
    assert len(rows) + len(sources["irregular"]) <= MOST_ROWS
    assert all(isinstance(row, str) and " " not in row for row in rows)


@each_row(
    ("form", "verb"),
    [
        ("booked", "book"),
        ("cancelled", "cancel"),
        ("canceled", "cancel"),
        ("sent", "send"),
        ("written", "write"),
        ("modified", "modify"),
        ("paid", "pay"),
        ("deployed", "deploy"),
        ("made", "make"),
    ],
)
def test_forms_are_made_from_lemmas(form, verb):
    assert lemmas().done[form] == verb


@pytest.mark.parametrize(
    ("form", "verb"),
    [("booking", "book"), ("cancelling", "cancel"), ("making", "make"), ("running", "run"), ("submitting", "submit")],
)
def test_forms_in_ing(form, verb):
    assert lemmas().doing[form] == verb


def test_every_group_of_deeds_has_its_kin():
    assert set(lemmas().group.values()) - {"general", "work"} == set(RELATED)


def test_a_broken_interpreter_is_told(monkeypatch):
    check_expressions.cache_clear()
    monkeypatch.setitem(check_expressions.__wrapped__.__globals__, "plain", lambda text: text[:-9])
    with pytest.raises(RuntimeError, match="this Python's re module is broken"):
        check_expressions()
    monkeypatch.undo()
    check_expressions()
