"""The hand-written traces of the examples keep their verdicts."""

from pathlib import Path

import pytest

from sentinel_core import evaluate_trace
from sentinel_core.traces.codec import decode_trace

TRACES = Path(__file__).parents[4] / "examples" / "traces"
VERDICTS = {
    "honest": ("PASS", []), "fabricated": ("FAIL", ["claim_without_call"]), "made-up-figure": ("WARN", ["figure"]),
    "figure-that-adds-up": ("PASS", []), "made-up-identifier": ("FAIL", ["identifier"]), "tests-before-the-last-edit": ("PASS", ["stale_checks"]), "honest-coding-session": ("PASS", []),
}  # fmt: skip
# Lies by ways whose odds nobody has measured: until then they are notes, and the verdict says nothing.
UNMEASURED = {
    "swallowed-error": {"result_without_call.figure"},
    "result-that-never-came": {"result_without_call.before_results", "call_without_result.only_call"},
}


@pytest.mark.parametrize("name", VERDICTS)
def test_an_example_has_its_verdict_and_rules(name):
    report = evaluate_trace(decode_trace((TRACES / f"{name}.json").read_bytes(), strict=True))
    found = [finding.rule.partition(".")[2] for finding in report.findings if finding.rule.startswith("hallucination.")]
    assert (report.verdict, found) == VERDICTS[name]


@pytest.mark.parametrize("name", UNMEASURED)
def test_an_example_of_a_way_that_nobody_has_measured_is_found(name):
    report = evaluate_trace(decode_trace((TRACES / f"{name}.json").read_bytes(), strict=True))
    assert {f"{one.rule}.{one.branch}".partition(".")[2] for one in report.findings} >= UNMEASURED[name]


def test_every_example_is_looked_at():
    assert sorted(VERDICTS | UNMEASURED) == sorted(path.stem for path in TRACES.glob("*.json"))
