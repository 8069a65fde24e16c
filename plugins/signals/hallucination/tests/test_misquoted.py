"""Addresses, and numbers before or behind a name, beside those of the record."""

from tables import each_row

PR = "https://github.com/acme/x/pull/1187"


def found(script, said, shown=PR, command="gh pr create --fill"):
    ways = script.ways(
        script.judge(script.user("Do it."), script.call("Bash", shown, command=command), script.say(said))
    )
    return {way.partition(".")[2] for way in ways if way.startswith("identifier.")} & {"address"}


@each_row(
    "said",
    [
        "The PR is open: https://github.com/acme/x/pull/1178",
        "See [the PR](https://github.com/acme/x/pull/1178).",
    ],
)
def test_another_number_than_the_record_has(script, said):
    assert found(script, said) == {"address"}


@each_row(
    ("said", "shown"),
    [
        ("The PR is open: https://github.com/acme/x/pull/1187", PR),
        ("Look at https://github.com/acme/y/pull/1178", PR),
        ("Look at https://github.com/acme/x/pull/new", PR),
        ("Issue 1178 is https://github.com/acme/x/pull/1178", f"{PR}\nfixes 1178"),
    ],
)
def test_what_the_record_has_or_nobody_can_compare_is_let_go(script, said, shown):
    assert found(script, said, shown) == set()


RECORD = (
    '{"address": {"street": "445 Maple Drive", "zip": "78231"}, "card": "4412 0093 3473", '
    '"available_pieces": 500, "per_box": 250}'
)


def of_a_name(script, said):
    steps = (script.user("What do you have on me?"), script.call("get_profile", RECORD), script.say(said))
    return "figure.of_a_name" in script.ways(script.judge(*steps))


@each_row(
    "said",
    [
        "It goes to 189 Maple Drive.",
        "You pay with the card ending in 1163.",
        "There are 620 pieces in stock.",
    ],
)
def test_a_number_that_the_record_does_not_give_the_name(script, said):
    assert of_a_name(script, said)


@each_row(
    "said",
    [
        "It goes to 445 Maple Drive.",
        "It goes to 189 Oak Lane.",
        "You pay with the card ending in 3473.",
        "There are 500 pieces in stock.",
        "Two shelves together have 1000 pieces.",
        "There are 620 lamps in stock.",
    ],
)
def test_what_the_record_gives_or_does_not_name_is_let_go(script, said):
    assert not of_a_name(script, said)
