"""Values in a normal form: every spelling of one value has a form in common, and no other value has it."""

import random

import pytest
from tables import each_row

from sentinel_core.evaluate.facts import values
from sentinel_core.evaluate.facts.values import values_in, values_of


def forms(text, kind):
    return [value.forms for value in values_in(text) if value.kind == kind]


@each_row(
    "text",
    [
        "18 June", "18th of June", "June 18", "June 18th, 2024", "the June the 18th", "2024-06-18", "2024/06/18", "18.06.2024", "06/18/2024",
        "2024-06-18T10:00", "18 juin", "18. Juni", "6月18日", "6月18号", "18 jun",
    ],
)  # fmt: skip
def test_a_date_in_any_spelling_is_one_date(text):
    (found,) = forms(text, "date")
    assert "06-18" in found


def test_december_is_a_month():
    assert forms("2024-12-31", "date") == [{"12-31"}]


def test_a_date_that_may_be_read_in_two_ways_has_both_forms():
    assert forms("on 05/06/2024", "date") == [{"05-06", "06-05"}]


@pytest.mark.parametrize("text", ["99/99/2024", "2024-13-40"])
def test_no_month_has_such_a_day(text):
    assert forms(text, "date") == []


@each_row(
    ("text", "minutes"),
    [
        ("at 15:30", {"930"}),
        ("at 3:30 pm", {"930"}),
        ("at 3:30", {"210", "930"}),
        ("at 03:30", {"210"}),
        ("at 3 p.m.", {"900"}),
        ("at 12 am", {"0"}),
        ("um 15 Uhr 30", {"930"}),
        ("à 15h", {"900"}),
        ("half past three", {"210", "930"}),
        ("quarter to one", {"45", "765"}),
        ("0:15", {"15"}),
        ("10:00:00Z", {"600", "1320"}),
    ],
)
def test_a_time_is_minutes_since_midnight(text, minutes):
    assert forms(text, "time") == [minutes]


@pytest.mark.parametrize(
    ("text", "name"), [("#W-1234567", "w1234567"), ("order W1234567.", "w1234567"), ("AB_12", "ab12"), ("#7", "7")]
)
def test_separators_of_an_identifier_do_not_matter(text, name):
    assert forms(text, "identifier") == [{name}]


@pytest.mark.parametrize("text", ["30kg", "512MB", "a@b1.com"])
def test_a_quantity_and_an_address_are_no_identifiers(text):
    assert forms(text, "identifier") == []


@pytest.mark.parametrize(
    ("text", "number"), [("$1,166.98", "1166.98"), ("12.50", "12.5"), ("120", "120"), ("2.0", "2")]
)
def test_a_number_has_one_form(text, number):
    assert forms(text, "number") == [{number}]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("2026-05-12T16:00:00+01:00", ["date", "time"]),
        ("2026-05-12T16:00:00.123Z", ["date", "time"]),
        ("2025-11-13T16:15", ["date", "time"]),
        ("from 16:00-17:30", ["time", "time"]),
    ],
)
def test_an_instant_is_a_date_and_a_time(text, kinds):
    assert [value.kind for value in values_in(text)] == kinds


@pytest.mark.parametrize("text", ["Ana.B@x-y.example.test", "<ana.b@x-y.example.test>.", "mail ana.b@x-y.example.test"])
def test_an_address_has_one_form(text):
    assert forms(text, "address") == [{"ana.b@x-y.example.test"}]


@pytest.mark.parametrize("text", ["and/or", "2/3", "https://host.example/a.html", "a@b", "@name", "e.g. x", "1.2/3.4"])
def test_fractions_links_and_choices_are_no_paths_or_addresses(text):
    assert forms(text, "path") == forms(text, "address") == []


def test_a_path_has_its_endings_as_forms():
    assert forms("in /repo/src/app.py", "path") == [{"repo/src/app.py", "src/app.py"}]
    assert forms("`./src/app.py`", "path") == [{"src/app.py"}]


@pytest.mark.parametrize("text", ["./app.py", "../app.py", "see ./../app.py now"])
def test_a_name_without_a_folder_is_no_path(text):
    assert forms(text, "path") == []


@pytest.mark.parametrize("text", ["7 chairs", "no digits, nothing", "it is past that", "go to bed"])
def test_small_numbers_and_words_are_no_values(text):
    assert values_in(text) == ()


def test_values_come_in_the_order_of_the_text_with_their_places():
    text = "Order W1234567 of 120 leaves on 18 June at 15:30."
    assert [(value.kind, text[value.start : value.end]) for value in values_in(text)] == [
        ("identifier", "W1234567"), ("number", "120"), ("date", "18 June"), ("time", "15:30"),
    ]  # fmt: skip


@each_row(
    ("item", "kinds"),
    [
        ("2024-06-18 15:30", ["date", "time"]),
        (120, ["number"]),
        ("$45.50", ["number"]),
        (True, []),
        (None, []),
        ("a lamp", []),
        ("a lamp of 120 cm and a table", []),
        ("1" * 41, []),
        (7, []),
    ],
)
def test_a_field_has_values_where_all_of_it_is_values(item, kinds):
    assert [value.kind for value in values_of(item)] == kinds


PIECES = (
    *["18", "6", "06", "2024", "31", "15:30", "3", "pm", "3pm", "15h30", "15", "uhr", "may", "May", "SEPTEMBER", "9", "sept.", "月", "日", "6月18日", "half", "past", "two", "quarter", "to", "Half", "nov", "dec", "the", "of", "st", "rd"],
    *["-", "/", ".", ":", ",", "T", "Z", "+", "_", "#", "x"], " ", " ", "\n",
)  # fmt: skip


@each_row("seed", range(200))
def test_what_is_tried_only_where_it_can_begin_is_what_would_be_found_anywhere(seed):
    chosen = random.Random(seed)
    text = "".join(chosen.choice(PIECES) + chosen.choice(("", " ")) for _ in range(60))
    for pattern, begins in ((values._DATE, values._BEGINS_DATE), (values._TIME, values._BEGINS_TIME)):
        found = [match.span() for match in values._matches(pattern, begins, text)]
        assert found == [match.span() for match in pattern.finditer(text)]


@each_row(
    "field",
    ["7", "42", "9999", "W1234567", "sofia_kim_7287", "gold_member", "2024-06-18", "2024-02-31", "a1", "A" * 39 + "1"],
)
def test_a_field_seen_at_a_glance_has_the_values_that_its_text_has(field):
    assert values_of(field) == values_in(field)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Wednesday 16 to Friday 18 December", ["12-16", "12-18"]),
        ("the 3rd to 5 June", ["06-03", "06-05"]),
        ("December 16-18", ["12-16", "12-18"]),
        ("16. bis 18. Dezember", ["12-16", "12-18"]),
        ("June 3 to 10:30", ["06-03"]),
        ("18 December", ["12-18"]),
    ],
)
def test_a_range_of_days_has_both(text, days):
    assert [form for value in values_in(text) if value.kind == "date" for form in value.forms] == days
