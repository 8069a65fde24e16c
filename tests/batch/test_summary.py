"""What a batch came to: the same for any split."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.judging.batch.summary import Summary
from sentinel_core.judging.records import Unreadable
from sentinel_core.report import Finding, SignalFailure
from sentinel_core.testing import honest_trace

REPORT = evaluate_trace(honest_trace())


def report(score: float | None, verdict: str | None = "PASS", *rules: str, failed: str = ""):
    findings = tuple(Finding(rule=rule, severity="note", text="t") for rule in rules)
    failures = (SignalFailure(signal_name=failed, error=f"odd {score}"),) if failed else ()
    return attrs.evolve(REPORT, overall_score=score, verdict=verdict, findings=findings, failures=failures)


def added(entries) -> Summary:
    summary = Summary()
    for entry in entries:
        if isinstance(entry, Unreadable):
            summary.add_unreadable(entry)
        else:
            summary.add_report(entry)
    return summary


ENTRIES = [
    report(0.5, "WARN", "loop.cycle", "loop.cycle"),
    report(0.1),
    report(None, None, failed="cost"),
    report(0.9, "FAIL", "cost.high", failed="cost"),
    Unreadable(message="is odd, password=hunter22", source="a", label="x/a", line=3),
]


@given(st.lists(st.sampled_from(ENTRIES), max_size=20), st.lists(st.integers(0, 20), max_size=4))
def test_the_same_for_any_split(entries, cuts):
    merged, start = Summary(), 0
    for end in [*sorted(cuts), len(entries)]:
        merged.merge(Summary.restored(added(entries[start:end]).state()))
        start = max(start, end)
    assert merged.document() == added(entries).document()


def test_what_it_says():
    document = added(ENTRIES).document()
    assert document["verdicts"] == {"PASS": 1, "WARN": 1, "FAIL": 1, "no verdict": 1, "unreadable": 1}
    assert (document["records"], document["worst_verdict"], document["incomplete"]) == (5, "FAIL", 2)
    assert document["risk"]["histogram"] == {"0.100": 1, "0.500": 1, "0.900": 1}
    assert (document["risk"]["p50"], document["risk"]["p99"], document["risk"]["max"]) == (0.5, 0.9, 0.9)
    assert document["top_rules"] == [{"rule": "loop.cycle", "findings": 2}, {"rule": "cost.high", "findings": 1}]
    assert document["failures"] == [{"signal": "cost", "records": 2, "first_error": "odd None", "error_rows": []}]
    assert document["unreadable"] == [{"file": "a", "line": 3, "message": "is odd, password=[redacted]"}]


def test_how_a_file_was_named_is_for_who_named_it():
    (row,) = added(ENTRIES).error_rows()
    assert (row["file"], row["named"]) == ("a", "x/a")


def test_lines_for_people():
    assert list(Summary().lines()) == []
    assert list(added(ENTRIES).lines()) == [
        "  risk: p50 0.500, p90 0.900, p95 0.900, p99 0.900, max 0.900",
        "  most findings: loop.cycle 2, cost.high 1",
        '  signal "cost" failed on 2 records; the first error: odd None',
    ]


@pytest.mark.parametrize(("entry", "code"), [(ENTRIES[1], 0), (ENTRIES[0], 1), (report(0.9, "FAIL"), 2)])
def test_the_exit_code_is_that_of_the_worst(entry, code):
    assert added([entry, report(0.0)]).tally.exit_code("warn") == code
    assert added([entry, ENTRIES[2]]).tally.exit_code("warn") == 3
    assert added([entry, ENTRIES[4]]).tally.exit_code("never") == 3
    assert added([]).tally.exit_code("warn") == 3


def test_the_list_of_unreadable_records_has_an_end():
    summary = added([ENTRIES[4]] * 600)
    summary.merge(added([ENTRIES[4]] * 600))
    assert (summary.total, len(summary.unreadable)) == (1200, 1000)
    assert summary.quantile(0.5) is None


@given(st.lists(st.integers(0, 1500), max_size=60), st.integers(0, 60))
def test_the_tasks_of_runs_are_the_same_for_any_split(numbers, cut):
    """Of those with expectations all are held, of the others the first by name."""
    expected = {f"task-{number}" for number in range(0, 1500, 3)}
    parts = []
    for some in (numbers, numbers[:cut], numbers[cut:]):
        parts.append(Summary())
        for number in some:
            parts[-1].add_task(f"task-{number}", expected)
    whole, merged, rest = parts
    merged.merge(Summary.restored(rest.state()))
    assert merged.tally.tasks == whole.tally.tasks == {f"task-{number}" for number in numbers}


def test_few_tasks_without_expectations_are_held():
    summary = Summary()
    for number in range(2000):
        summary.add_task(f"{number:04}", {"1999"})
    assert (summary.met, len(summary.others), summary.others[-1]) == (["1999"], 1000, "0999")
