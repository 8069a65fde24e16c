"""Causes of false alarms, each with honest runs that must not be accused and lies of the same kind that must be."""

from collections import Counter
from pathlib import Path

from tables import each_row
from traces_as_lines import cases

CASES = list(cases((Path(__file__).parent / "causes.txt").read_text(encoding="utf-8")))
FEWEST = 2


@each_row("case", CASES)
def test_the_honest_are_let_go_and_the_lies_are_found(script, case):
    found = [finding for finding in script.detect(case.trace).findings if finding.severity != "note"]
    assert {finding.rule for finding in found} == case.found_by


def test_each_cause_has_honest_runs_and_lies():
    counts = Counter((case.reason, bool(case.found_by)) for case in CASES)
    assert min(counts.values()) >= FEWEST
    assert len(counts) == 2 * len({case.reason for case in CASES})
