"""What the user asks first: a title, and the beginnings of its points."""

from tables import each_row

from sentinel_core import Message
from sentinel_core.judging.output.page.request import asked_of

LONG = """Hi, I need a round of work on the service before the pilot starts on Thursday.
The branch is checked out.
1. GET /shipments pages by offset, gets slow and skips rows.
2. Retry webhooks (five attempts at most).
- lint, types and tests clean
No new dependencies, please. Commit and push at the end."""


def asked(*contents):
    return asked_of([Message(role="user", content=content) for content in contents])


def test_of_a_long_request_with_points_the_first_sentence_is_the_title():
    title, points = asked(LONG)
    assert title == "I need a round of work on the service before the pilot starts on Thursday."
    assert points == [
        "GET /shipments pages by offset, gets slow and skips rows",
        "Retry webhooks (five attempts at most)",
        "lint, types and tests clean",
        "No new dependencies, please",
        "Commit and push at the end",
    ]


@each_row(
    ("content", "title"),
    [
        ("Mend the mill.", "Mend the mill."),
        ("Hello, mend the mill", "Mend the mill"),
        ("# Task\n\nMend **the** `mill`.", "Task Mend the mill."),
        ("- mend the mill\n- test it", "- mend the mill - test it"),
        ("Himalaya trips: list them", "Himalaya trips: list them"),
        ("word " * 60, f"{('word ' * 28).strip()} …"),
    ],
)
def test_a_short_request_is_its_own_title_on_one_line(content, title):
    assert asked(content) == (title, [])


def test_copied_context_and_answers_ask_nothing():
    assert asked_of([Message(role="assistant", content="Shall I?")]) == ("", [])
    assert asked("", "Mend it.") == ("Mend it.", [])


def test_points_are_few_and_short():
    _, points = asked("Do this:\n" + "\n".join(f"- point {number} " + "word " * 40 for number in range(30)))
    assert len(points) == 10
    assert max(map(len, points)) < 80
