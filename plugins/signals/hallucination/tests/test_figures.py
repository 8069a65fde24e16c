"""Figures that only look like others: after a month, in algebra, and in longer numbers."""

import pytest
from tables import each_row


@pytest.mark.parametrize("text", ["In March 12.5 GB were used.", "In May 1.23 million were sold."])
def test_a_figure_after_a_month_need_not_be_a_year(script, text):
    steps = (script.call("get_usage", '{"year": 2026, "total": 48.5, "sold": 4.75}'), script.say(text))
    assert [one.rule for one in script.judge(script.user("How much was it?"), *steps).findings] == ["figure"]


@pytest.mark.parametrize(
    "text", ["So $20r_1 + 10r_2 = 40$.", "That makes 908xy + 12.", "Assuming a rate of 100 per night, it is more."]
)
def test_algebra_along_the_way_and_what_is_assumed_is_not_held_against_the_record(script, text):
    steps = (
        script.call("solve", '{"x": 3}'),
        script.say(text),
        script.call("solve", '{"x": 4}'),
        script.say("It is 3."),
    )
    assert script.judge(script.user("Solve it."), *steps).findings == ()


@pytest.mark.parametrize(
    "text", ["Transfer it to DK50 0040 0440 1162 43.", "It rests on No 261/2004.", "You owe 3 450 in all."]
)
def test_a_part_of_a_longer_number_is_no_figure(script, text):
    assert (
        script.judge(script.user("And now?"), script.call("get_terms", '{"fee": 12}'), script.say(text)).findings == ()
    )


@pytest.mark.parametrize(("written", "is_held"), [("3912000", True), ("3.81 million", False)])
def test_a_rounded_figure_is_held_against_those_that_are_rounded_too(script, written, is_held):
    steps = (
        script.call("get_rows", f'{{"before": "{written}", "after": 3968000}}'),
        script.say("From 3.91 to 3.97 million."),
    )
    assert (script.judge(script.user("How many rows?"), *steps).findings == ()) is is_held


@each_row(
    ("result", "written", "is_named"),
    [
        ('{"count": 41}', "97", False),  # too short to be judged
        ('{"count": 412}', "978", True),
        ('{"pin": 4821}', "9781", False),
        ("Your one-time token is 4829.", "9781", False),
        ('{"ref": 219099999}', "978199999", False),
    ],
)
def test_a_number_that_may_be_private_is_not_named(script, result, written, is_named):
    found = script.judge(script.user("How many?"), script.call("get_it", result), script.say(f"It is {written}."))
    assert any("A result has" in one.text for one in found.findings) is is_named


@each_row("text", ["- Marketing 1,312", "Decreased 1,312", "In May 1,312 were sold."])
def test_what_only_begins_like_a_month_makes_no_date(script, text):
    given = script.call("get_sales", '{"sales": 88, "costs": 97.5}')
    assert script.judge(script.user("How much?"), given, script.say(text)).findings == ()
