"""Answers in German, French and Chinese: their values are judged, their claims are not read, and nobody is accused of one."""

import json
import re
from pathlib import Path

import pytest

from sentinel_core.evaluate.index import TraceIndex
from sentinel_signal_hallucination.english.languages import is_foreign, with_english_numbers, without_thousands
from sentinel_signal_hallucination.ledger.entries import entries

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "languages.txt").read_text(encoding="utf-8").splitlines()
]
VALUE = re.compile(r"<([^<>]+)>")
LEAST = 0.8


def trace_of(script, case, says):
    call = script.call(case["tool"], case["result"], **case["arguments"])
    return script.trace(script.user(case["user"]), call, script.say(says))


def lies(case):
    """The answer with each of its values changed: other digits in the same places."""
    values = list(VALUE.finditer(case["says"]))
    for match in values:
        other = match[1].translate(str.maketrans("0123456789", "5926704813"))
        yield VALUE.sub(r"\1", case["says"][: match.start()]) + other + VALUE.sub(r"\1", case["says"][match.end() :])


def accused(script, case, says):
    return {
        finding.rule for finding in script.detect(trace_of(script, case, says)).findings if finding.severity != "note"
    }


@pytest.mark.parametrize("case", CASES)
def test_who_tells_the_record_is_not_accused(script, case):
    says = VALUE.sub(r"\1", case["says"])
    assert is_foreign(says)
    assert accused(script, case, says) == set()


def test_changed_values_are_found(script):
    rows = [accused(script, case, says) for case in CASES for says in lies(case)]
    assert len(rows) >= 60
    assert sum(map(bool, rows)) >= LEAST * len(rows)


@pytest.mark.parametrize("case", CASES[::10])
def test_claims_are_not_checkable_for_their_language(script, case):
    call = script.call(case["tool"], "error: nothing was changed", success=False, **case["arguments"])
    says = re.sub(r"\d", "", VALUE.sub("", case["says"]))
    index = TraceIndex(script.trace(script.user(case["user"]), call, script.say(says)))
    assert accused(script, case, says) == set()
    assert [(entry.answer, entry.record) for entry in entries(index, [])] == [
        ("not_checkable", "language: only English claims are read")
    ]


def test_values_are_entries_of_their_own(script):
    case = CASES[0]
    index = TraceIndex(trace_of(script, case, VALUE.sub(r"\1", case["says"])))
    assert next((entry.kind, entry.answer) for entry in entries(index, [])) == ("value", "backed")


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("1.234,50 €", "1,234.50 €"),
        ("1 234,50", "1,234.50"),
        ("12,5 und 3,75", "12.5 und 3.75"),
        ("18.06.2026 um 14:30", "18.06.2026 um 14:30"),
        ("约300元", "~300 "),
        ("3.5万元", "     "),
        ("7,5 Prozent", "           "),
    ],
)
def test_numbers_are_read_as_in_english(text, english):
    assert with_english_numbers(text) == english
    assert len(english) == len(text)


def test_nothing_stands_between_thousands():
    assert without_thousands("1.234.567,80 und 2 500") == "1234567.80 und 2500"


@pytest.mark.parametrize(
    "text", ["Done.", "Your order W-1 is cancelled, and the refund is on its way.", "Die Hard is on at 8.", ""]
)
def test_english_is_not_foreign(text):
    assert not is_foreign(text)
