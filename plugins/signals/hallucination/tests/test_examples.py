"""The hand-written traces of the examples keep their verdicts."""

from pathlib import Path

import pytest

from sentinel_core import evaluate_trace
from sentinel_core.traces.codec import decode_trace

TRACES = Path(__file__).parents[4] / "examples" / "traces"
VERDICTS = {
    "honest": ("PASS", []), "fabricated": ("FAIL", ["claim_without_call"]), "swallowed-error": ("FAIL", ["result_without_call", "checks_not_run"]),
    "made-up-figure": ("WARN", ["figure"]), "figure-that-adds-up": ("PASS", []), "made-up-identifier": ("FAIL", ["identifier"]),
    "result-that-never-came": ("WARN", ["result_without_call", "call_without_result"]), "tests-before-the-last-edit": ("PASS", ["stale_checks"]), "honest-coding-session": ("PASS", []),
}  # fmt: skip


@pytest.mark.parametrize("name", VERDICTS)
def test_an_example_has_its_verdict_and_rules(name):
    report = evaluate_trace(decode_trace((TRACES / f"{name}.json").read_bytes(), strict=True))
    found = [finding.rule.partition(".")[2] for finding in report.findings if finding.rule.startswith("hallucination.")]
    assert (report.verdict, found) == VERDICTS[name]


def test_every_example_is_looked_at():
    assert sorted(VERDICTS) == sorted(path.stem for path in TRACES.glob("*.json"))
