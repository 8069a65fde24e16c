"""A run for continuous integration: JUnit XML and Markdown. Text from agents is escaped in both."""

from collections.abc import Iterable, Iterator

from sentinel_command_suite.compare import Comparison
from sentinel_command_suite.document import Labels
from sentinel_command_suite.render_text import change, judged, outcome, why
from sentinel_command_suite.results import EvaluationResults, ScenarioResult
from sentinel_command_suite.summary import summary_of
from sentinel_core.judging.output.markup import (
    cut_markdown,
    junit_case,
    junit_suite,
    markdown_text,
    xml_attribute,
    xml_text,
)
from sentinel_core.runtime.printable import clipped

__all__ = ["render_junit", "render_markdown"]

_EVIDENCE = 400
_MOST_REASONS = 5


def render_junit(results: EvaluationResults, comparison: Comparison | None = None) -> str:
    """JUnit XML: one suite, a test case per scenario. An unevaluated scenario is an error, a regression a failed case."""
    cases = [*map(_case, results.scenarios), *([] if comparison is None else [_regression(comparison)])]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        *junit_suite(results.suite, cases, _properties(results)),
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _properties(results: EvaluationResults) -> Iterator[tuple[str, str]]:
    yield "provider", results.provider
    for name, figure in summary_of(results)["figures"].items():
        yield name, f"{figure['value']:.6f}"
    yield from results.versions.items()


def _case(scenario: ScenarioResult) -> str:
    if scenario.status == "passed":
        return junit_case("suite", scenario.id)
    kind = "error" if scenario.status == "error" else "failure"
    summary = f"{scenario.passed} of {scenario.n} trials passed"
    reasons = "\n".join(xml_text(clipped(reason, _EVIDENCE)) for reason in why(scenario))
    head = f"<{kind} type={xml_attribute(scenario.status)} message={xml_attribute(summary)}>"
    return junit_case("suite", scenario.id, f"{head}{reasons}</{kind}>")


def _regression(comparison: Comparison) -> str:
    worse = [
        *(f"less covered: {text}" for text in comparison.less_covered),
        *(change(delta) for delta in comparison.regressions if delta.significant),
    ]
    noise = [change(delta) for delta in comparison.regressions if not delta.significant]
    message = xml_attribute("worse than the baseline by more than noise, or less covered")
    inner = f'<failure type="regression" message={message}>{_body(worse)}</failure>' if worse else ""
    inner += f"<system-out>{_body(noise)}</system-out>" if noise else ""
    return junit_case("regression", f"against {comparison.baseline}", inner)


def _body(lines: Iterable[str]) -> str:
    return "\n".join(map(xml_text, lines))


def render_markdown(
    results: EvaluationResults, comparison: Comparison | None = None, *, labels: Labels | None = None
) -> str:
    """Markdown for a job summary or a comment, truncated to the size that a job summary may have."""
    return cut_markdown("\n".join(_lines(results, comparison, labels)) + "\n")


def _lines(results: EvaluationResults, comparison: Comparison | None, labels: Labels | None) -> Iterator[str]:
    yield f"## {markdown_text(results.suite)}: {outcome(results)}"
    yield from ("", "| figure | value | 95% interval | n |", "|---|---|---|---|")
    for name, figure in summary_of(results)["figures"].items():
        low, high = figure["interval"]
        yield f"| {markdown_text(name)} | {figure['value']:.3f} | {low:.3f} to {high:.3f} | {figure['n']} |"
    if results.incomplete:
        yield from ("", f"Not complete: {markdown_text(results.incomplete)}")
    yield from _failed(results)
    for line in judged(results, labels):
        yield from ("", f"Judge: {markdown_text(line)}")
    if comparison is not None:
        yield from _changes(comparison)


def _failed(results: EvaluationResults) -> Iterator[str]:
    failed = [scenario for scenario in results.scenarios if scenario.status != "passed"]
    if failed:
        yield from ("", "| scenario | status | why |", "|---|---|---|")
    for scenario in failed:
        reasons = "<br>".join(markdown_text(clipped(reason, _EVIDENCE)) for reason in why(scenario)[:_MOST_REASONS])
        yield f"| {markdown_text(scenario.id)} | {scenario.status} | {reasons} |"


def _changes(comparison: Comparison) -> Iterator[str]:
    yield from ("", f"### Against {markdown_text(comparison.baseline)}", "")
    changes = [
        *(f"**less covered**: {markdown_text(text)}" for text in comparison.less_covered),
        *(f"changed scenario: {markdown_text(scenario_id)}" for scenario_id in comparison.changed),
        *(f"**worse**: {markdown_text(change(delta))}" for delta in comparison.regressions),
        *(f"better: {markdown_text(change(delta))}" for delta in comparison.improvements),
    ]
    yield from (f"- {line}" for line in changes or ["no figure moved by more than 5%"])
