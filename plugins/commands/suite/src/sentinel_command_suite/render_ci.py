"""A run for continuous integration: JUnit XML and Markdown. Text from agents is escaped in both."""

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from sentinel_command_suite.compare import Comparison
from sentinel_command_suite.document import Labels
from sentinel_command_suite.render_text import change, judged, outcome, why
from sentinel_command_suite.results import EvaluationResults, ScenarioResult
from sentinel_command_suite.summary import summary_of
from sentinel_core.runtime.printable import clipped, printable

__all__ = ["render_junit", "render_markdown"]

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+!|~@&:=^$])")
_EVIDENCE = 400
_MOST_BYTES = 900 << 10
_MOST_REASONS = 5


def render_junit(results: EvaluationResults, comparison: Comparison | None = None) -> str:
    """JUnit XML: one suite, a test case per scenario. An unevaluated scenario is an error, a regression a failed case."""
    cases = [*map(_case, results.scenarios), *([] if comparison is None else [_regression(comparison)])]
    failed = sum("<failure" in case for case in cases)
    errors = sum("<error" in case for case in cases)
    head = f'name={_attribute(results.suite)} tests="{len(cases)}" failures="{failed}" errors="{errors}" skipped="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f"<testsuite {head}>",
        "<properties>",
        *(f"<property name={_attribute(name)} value={_attribute(value)}/>" for name, value in _properties(results)),
        "</properties>",
        *cases,
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _properties(results: EvaluationResults) -> Iterator[tuple[str, str]]:
    yield "provider", results.provider
    for name, figure in summary_of(results)["figures"].items():
        yield name, f"{figure['value']:.6f}"
    yield from results.versions.items()


def _case(scenario: ScenarioResult) -> str:
    head = f"<testcase classname={_attribute('suite')} name={_attribute(scenario.id)}"
    if scenario.status == "passed":
        return f"{head}/>"
    kind = "error" if scenario.status == "error" else "failure"
    summary = f"{scenario.passed} of {scenario.n} trials passed"
    reasons = "\n".join(_xml(clipped(one, _EVIDENCE)) for one in why(scenario))
    return (
        f"{head}><{kind} type={_attribute(scenario.status)} message={_attribute(summary)}>{reasons}</{kind}></testcase>"
    )


def _regression(comparison: Comparison) -> str:
    head = f"<testcase classname={_attribute('regression')} name={_attribute('against ' + comparison.baseline)}"
    worse = [
        *(f"less covered: {one}" for one in comparison.less_covered),
        *(change(one) for one in comparison.regressions if one.significant),
    ]
    noise = [change(one) for one in comparison.regressions if not one.significant]
    message = _attribute("worse than the baseline by more than noise, or less covered")
    inner = f'<failure type="regression" message={message}>{_body(worse)}</failure>' if worse else ""
    inner += f"<system-out>{_body(noise)}</system-out>" if noise else ""
    return f"{head}>{inner}</testcase>" if inner else f"{head}/>"


def _body(lines: Iterable[str]) -> str:
    return "\n".join(map(_xml, lines))


def _xml(text: str) -> str:
    return escape(_ILLEGAL.sub("�", printable(text)))


def _attribute(text: str) -> str:
    return quoteattr(_ILLEGAL.sub("�", printable(text)))


def render_markdown(
    results: EvaluationResults, comparison: Comparison | None = None, *, labels: Labels | None = None
) -> str:
    """Markdown for a job summary or a comment, truncated to the size that a job summary may have."""
    text = "\n".join(_lines(results, comparison, labels)) + "\n"
    if len(text.encode()) <= _MOST_BYTES:
        return text
    return text.encode()[:_MOST_BYTES].decode("utf-8", "ignore").rpartition("\n")[0] + "\n\nThe rest is left out.\n"


def _lines(results: EvaluationResults, comparison: Comparison | None, labels: Labels | None) -> Iterator[str]:
    yield f"## {_plain(results.suite)}: {outcome(results)}"
    yield from ("", "| figure | value | 95% interval | n |", "|---|---|---|---|")
    for name, figure in summary_of(results)["figures"].items():
        low, high = figure["interval"]
        yield f"| {_plain(name)} | {figure['value']:.3f} | {low:.3f} to {high:.3f} | {figure['n']} |"
    if results.incomplete:
        yield from ("", f"Not complete: {_plain(results.incomplete)}")
    yield from _failed(results)
    for line in judged(results, labels):
        yield from ("", f"Judge: {_plain(line)}")
    if comparison is not None:
        yield from _changes(comparison)


def _failed(results: EvaluationResults) -> Iterator[str]:
    failed = [one for one in results.scenarios if one.status != "passed"]
    if failed:
        yield from ("", "| scenario | status | why |", "|---|---|---|")
    for scenario in failed:
        reasons = "<br>".join(_plain(clipped(one, _EVIDENCE)) for one in why(scenario)[:_MOST_REASONS])
        yield f"| {_plain(scenario.id)} | {scenario.status} | {reasons} |"


def _changes(comparison: Comparison) -> Iterator[str]:
    yield from ("", f"### Against {_plain(comparison.baseline)}", "")
    changes = [
        *(f"**less covered**: {_plain(one)}" for one in comparison.less_covered),
        *(f"changed scenario: {_plain(one)}" for one in comparison.changed),
        *(f"**worse**: {_plain(change(one))}" for one in comparison.regressions),
        *(f"better: {_plain(change(one))}" for one in comparison.improvements),
    ]
    yield from (f"- {change}" for change in changes or ["no figure moved by more than 5%"])


def _plain(text: str) -> str:
    """The text with every character escaped that Markdown or HTML would act on."""
    folded = " ".join(printable(text).split())
    return _MARKUP.sub(lambda match: _ENTITIES.get(match[1], f"\\{match[1]}"), folded)


_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;", ":": "&#58;"}
