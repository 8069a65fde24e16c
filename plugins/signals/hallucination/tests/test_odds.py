"""The severity of a finding is what the odds of its branch carry, and every branch is declared."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tables import each_row
from traces_as_lines import cases

import sentinel_signal_hallucination
from sentinel_core.host.odds import FEWEST, FEWEST_OF_AN_ERROR, Odds
from sentinel_core.report import Finding
from sentinel_signal_hallucination.declared import SEVERITIES
from sentinel_signal_hallucination.odds import MOST, ODDS, explained, severity_of

HERE, DATA = Path(__file__).parent, Path(sentinel_signal_hallucination.__file__).parent / "data"
DECLARED = tomllib.loads((DATA / "branches.toml").read_text(encoding="utf-8"))
NAMES = {f"{rule}.{branch}" for rule, rows in DECLARED.items() for branch in rows}
GRAVITY = ["note", "warning", "error"]
EXAMPLES = 2


def odds(*, accused: int = 0, honest: int = 2_000, found: int = 500, lies: int = 1_000) -> Odds:
    return Odds("kind", accused, honest, found, lies)


@each_row(
    ("row", "severity"),
    [
        (odds(), "error"),
        (odds(accused=1), "error"),
        (odds(accused=2), "warning"),
        (odds(honest=499), "warning"),  # of too few runs, none accused may be luck
        (odds(found=75, accused=1), "error"),
        (odds(found=74, accused=1), "warning"),
        (odds(accused=9), "warning"),
        (odds(accused=10), "note"),
        (odds(accused=9, found=95), "warning"),
        (odds(accused=9, found=94), "note"),
        (odds(found=FEWEST_OF_AN_ERROR, lies=FEWEST_OF_AN_ERROR), "error"),
        (odds(found=FEWEST_OF_AN_ERROR - 1, lies=FEWEST_OF_AN_ERROR - 1), "warning"),
        (odds(found=FEWEST, lies=FEWEST), "warning"),
        (odds(found=FEWEST - 1, lies=FEWEST), "note"),
        (odds(found=0, lies=0), "note"),
        (odds(honest=0), "note"),
    ],
)
def test_the_thresholds_are_those_that_the_ledger_sets(row: Odds, severity: str) -> None:
    assert row.severity == severity


def test_what_one_lie_shows_may_be_chance() -> None:
    assert (FEWEST, FEWEST_OF_AN_ERROR) == (2, 5)


@each_row("name", sorted(ODDS.measured))
def test_a_row_of_the_odds_names_a_declared_branch_and_counts_no_more_than_there_are(name: str) -> None:
    row = ODDS.measured[name]
    assert name in NAMES
    assert 0 <= row.accused <= row.honest
    assert 0 <= row.found <= row.lies


@each_row("name", sorted(NAMES))
def test_a_branch_carries_what_its_row_does_and_is_a_note_without_one(name: str) -> None:
    rule, _, branch = name.partition(".")
    row = ODDS.measured.get(name)
    carried = "note" if row is None else row.severity
    carried = min(carried, MOST.get(name, "error"), key=GRAVITY.index)
    assert severity_of(rule, branch) == min(carried, SEVERITIES[rule], key=GRAVITY.index)


@each_row("rule", SEVERITIES)
def test_a_branch_that_nobody_declared_is_a_note(rule: str) -> None:
    assert severity_of(rule, "of_nowhere") == "note"


def test_every_rule_has_branches_and_every_branch_is_of_a_rule() -> None:
    assert set(DECLARED) == set(SEVERITIES)
    assert all(DECLARED.values())


@each_row("name", sorted(NAMES))
def test_a_branch_says_what_it_rests_on_with_two_examples(name: str) -> None:
    rule, _, branch = name.partition(".")
    told, *examples = DECLARED[rule][branch]
    assert told.endswith(".")
    assert len(set(examples)) == EXAMPLES
    assert all(example.strip() for example in examples)
    (shown,) = (one for one in explained(rule) if one.name == branch)
    assert (shown.help, list(shown.examples), shown.severity) == (told, examples, severity_of(rule, branch))


def hardly_seen(name: str) -> bool:
    """True for a branch whose odds nobody knows."""
    row = ODDS.measured.get(name)
    return row is None or row.found < FEWEST


@each_row("rule", DECLARED)
def test_a_rule_is_declared_as_grave_as_the_gravest_of_its_branches(rule: str) -> None:
    gravest = max((severity_of(rule, branch) for branch in DECLARED[rule]), key=GRAVITY.index)
    assert gravest == SEVERITIES[rule] or all(hardly_seen(f"{rule}.{branch}") for branch in DECLARED[rule])


def findings(script: Any) -> Iterator[Finding]:
    for path in sorted((HERE / "sessions").glob("*.txt")):
        for case in cases(path.read_text(encoding="utf-8")):
            yield from script.detect(case.trace).findings


def test_every_finding_of_the_data_is_of_a_declared_branch_and_as_grave_as_its_odds(script: Any) -> None:
    found = list(findings(script))
    assert {f"{one.rule}.{one.branch}" for one in found} <= NAMES
    assert [one for one in found if one.severity != severity_of(one.rule, one.branch or "")] == []
    assert {one.severity for one in found} == set(GRAVITY)


@pytest.mark.parametrize("severity", GRAVITY)
def test_a_note_weighs_nothing_in_the_score(script: Any, monkeypatch: pytest.MonkeyPatch, severity: str) -> None:
    monkeypatch.setattr("sentinel_signal_hallucination.evidence.severity_of", lambda *_: severity)
    looked, told = script.call("get_device", "off"), script.say("I turned it on again.")
    found = script.judge(script.user("Is it on?"), looked, told)
    assert [one.severity for one in found.findings] == [severity]
    assert (found.score > 0) == (severity != "note")
