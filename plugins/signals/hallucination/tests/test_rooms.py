"""The order of the rooms: rules stand on the ledger, the ledger on English, and words know nothing of traces."""

import ast
from pathlib import Path

import pytest

import sentinel_signal_hallucination

SOURCE = Path(sentinel_signal_hallucination.__file__).parent
PACKAGE = sentinel_signal_hallucination.__name__
BELOW = {
    "english": {"tables"},
    "ledger": {"tables", "english"},
    "rules": {"tables", "english", "ledger", "evidence", "_settings"},
}
PRIVATE_WORDS = {"deed", "deeds", "said", "told", "held", "kin", "bare", "in_vain", "light"}


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("room", BELOW)
def test_a_room_imports_only_rooms_below_it(room):
    for path in (SOURCE / room).glob("*.py"):
        ours = {module.split(".")[1] for module in imports_of(path) if module.startswith(f"{PACKAGE}.")}
        assert ours <= BELOW[room] | {room}, path.name


def test_words_know_no_trace():
    for path in (SOURCE / "english").glob("*.py"):
        host = {module for module in imports_of(path) if module.startswith("sentinel_core")}
        allowed = {
            "sentinel_core.evaluate.facts.commands",
            "sentinel_core.evaluate.tools",
            "sentinel_core.trace",
            "sentinel_core.evaluate.index",
        }
        assert host <= allowed, path.name


def test_identifiers_are_words_of_the_field():
    for path in SOURCE.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        names |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        assert not names & PRIVATE_WORDS, path.name
