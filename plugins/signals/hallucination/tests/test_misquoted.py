"""Addresses beside those of the record."""

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
