"""Addresses and versions beside those of the record."""

from tables import each_row

PR = "https://github.com/acme/x/pull/1187"


def found(script, said, shown=PR, command="gh pr create --fill"):
    ways = script.ways(
        script.judge(script.user("Do it."), script.call("Bash", shown, command=command), script.say(said))
    )
    return {way.partition(".")[2] for way in ways if way.startswith("identifier.")} & {"address", "version"}


@each_row(
    ("said", "shown", "branch"),
    [
        ("The PR is open: https://github.com/acme/x/pull/1178", PR, "address"),
        ("See [the PR](https://github.com/acme/x/pull/1178).", PR, "address"),
        ("Both are on Npgsql 8.0.5 now.", "PackageReference 'Npgsql' version '8.0.3' updated", "version"),
        ("Updated **axios** to 1.7.4.", "+ axios@1.7.2", "version"),
    ],
)
def test_another_number_than_the_record_has(script, said, shown, branch):
    assert found(script, said, shown) == {branch}


@each_row(
    ("said", "shown"),
    [
        ("The PR is open: https://github.com/acme/x/pull/1187", PR),
        ("Look at https://github.com/acme/y/pull/1178", PR),
        ("Look at https://github.com/acme/x/pull/new", PR),
        ("Issue 1178 is https://github.com/acme/x/pull/1178", f"{PR}\nfixes 1178"),
        ("Npgsql 8.0.3 is in.", "'Npgsql' version '8.0.3'"),
        ("Npgsql 8.0.5 or later has the fix.", "'Npgsql' version '8.0.3'"),
        ("Dapper 2.1.4 is in.", "'Npgsql' version '8.0.3'"),
        ("Npgsql 8.1.2.3 is in.", "'Npgsql' version '8.0.3'"),
    ],
)
def test_what_the_record_has_or_nobody_can_compare_is_let_go(script, said, shown):
    assert found(script, said, shown) == set()
