"""A run as text for a terminal: the pass rate, a line per dimension, what failed and why, what changed."""

from collections.abc import Iterator, Sequence

from sentinel_command_suite.compare import Comparison, Entry
from sentinel_command_suite.document import Labels
from sentinel_command_suite.judge import agreement_in
from sentinel_command_suite.results import EvaluationResults, ScenarioResult
from sentinel_command_suite.summary import summary_of
from sentinel_core.runtime.printable import clipped, counted, printable

__all__ = ["change", "judged", "outcome", "render_text", "why"]

_COLORS = {"passed": "32", "failed": "31", "flaky": "33", "error": "35"}
_SYMBOLS = {"passed": "✓", "failed": "✗", "flaky": "~", "error": "?"}
_EVIDENCE = 240
_SHOWN = 4
_MOST_CHANGES = 100
_MOST = 0.5


def render_text(
    results: EvaluationResults,
    comparison: Comparison | None = None,
    *,
    labels: Labels | None = None,
    verbose: bool = False,
    color: bool = False,
) -> str:
    """Lines of text, each with a newline."""
    return "".join(f"{line}\n" for line in _lines(results, comparison, labels, verbose=verbose, color=color))


def _lines(
    results: EvaluationResults, comparison: Comparison | None, labels: Labels | None, *, verbose: bool, color: bool
) -> Iterator[str]:
    yield f"Suite {results.suite} {printable(results.suite_version)} with {printable(results.provider)}: {outcome(results)}"
    yield from _figures(results)
    if results.incomplete:
        yield f"  ! {printable(results.incomplete)}"
    for scenario in results.scenarios:
        if verbose or scenario.status != "passed":
            yield from _scenario(scenario, color=color)
    yield from (f"  judge: {line}" for line in judged(results, labels))
    if comparison is not None:
        yield from _comparison(comparison)


def outcome(results: EvaluationResults) -> str:
    """Counts of scenarios that passed, failed, were flaky or not evaluated, and of lost trials."""
    summary = summary_of(results)
    parts = [f"{summary['passed']} of {len(results.evaluated)} scenarios passed"]
    parts += [f"{summary[name]} {name}" for name in ("failed", "flaky") if summary[name]]
    if summary["not_evaluated"]:
        parts.append(f"{summary['not_evaluated']} could not be evaluated")
    if summary["harness_errors"]:
        parts.append(f"{counted(summary['harness_errors'], 'trial')} lost to harness errors")
    return ", ".join(parts)


def _figures(results: EvaluationResults) -> Iterator[str]:
    summary = summary_of(results)
    for name, value in summary["figures"].items():
        low, high = value["interval"]
        yield f"  {name:<17} {value['value']:.3f}  [{low:.3f}, {high:.3f}]  n = {value['n']}"
    ks = [k for k in summary["pass@k"] if k != "1"]
    if ks:
        k = ks[-1]
        yield f"  pass@{k} {summary['pass@k'][k]['value']:.3f}, pass^{k} {summary['pass^k'][k]['value']:.3f}"
    if summary["cost_usd"] is not None:
        yield f"  cost              ${summary['cost_usd']:.4f}"


def _scenario(scenario: ScenarioResult, *, color: bool) -> Iterator[str]:
    symbol = _SYMBOLS[scenario.status]
    head = f"\x1b[{_COLORS[scenario.status]}m{symbol}\x1b[0m" if color else symbol
    trials = f"  {scenario.passed} of {scenario.n} trials passed" if scenario.n > 1 else ""
    yield f"  {head} {scenario.id}: {scenario.status}{trials}"
    yield from _odd_ones(scenario)
    reasons = why(scenario)
    yield from (f"      {printable(clipped(reason, _EVIDENCE))}" for reason in reasons[:_SHOWN])
    if len(reasons) > _SHOWN:
        yield f"      and {len(reasons) - _SHOWN} more"


def _odd_ones(scenario: ScenarioResult) -> Iterator[str]:
    """The trials that came to something else than most of the others."""
    for trial, share in scenario.disagreements.items():
        if share > _MOST:
            yield f"      trial {trial} came to a different result from {share:.0%} of the other trials"


def why(scenario: ScenarioResult) -> Sequence[str]:
    """Why trials did not pass, each reason once."""
    reasons = []
    for trial in scenario.trials:
        if trial.error:
            reasons.append(f"harness: {trial.error}")
        reasons += [f"{check.dimension} / {check.id}: {check.evidence}" for check in trial.failures]
        if trial.status == "failed" and not trial.failures:
            reasons.append(f"reliability: the signals' verdict is {trial.reliability.get('verdict')}")
    return list(dict.fromkeys(reasons))


def judged(results: EvaluationResults, labels: Labels | None) -> Iterator[str]:
    """The judge, and how well it agrees with human labels."""
    if not results.judge:
        return
    yield f"{printable(str(results.judge['provider']))}, {results.judge['votes']} votes per question"
    if labels is None:
        yield "no human labels were given (--labels), so its agreement with people is unknown"
        return
    found = agreement_in(results, labels)
    kappa = "not defined" if found["kappa"] is None else f"{found['kappa']:.3f}"
    share = "" if found["agreement"] is None else f", {found['agreement']:.0%} the same"
    yield f"agreement with human labels: kappa {kappa}, n = {found['n']}{share}"


def _comparison(comparison: Comparison) -> Iterator[str]:
    yield f"Against baseline {printable(comparison.baseline)}:"
    yield from (f"  ✗ less covered: {printable(text)}" for text in comparison.less_covered)
    yield from (
        f"  ! scenario {scenario_id} changed and is left out of the comparison" for scenario_id in comparison.changed
    )
    for title, entries in (("worse", comparison.regressions), ("better", comparison.improvements)):
        yield from (f"  {title}: {change(entry)}" for entry in entries[:_MOST_CHANGES])
        if len(entries) > _MOST_CHANGES:
            yield f"  {title}: and {len(entries) - _MOST_CHANGES} more"
    if not (comparison.regressions or comparison.improvements or comparison.less_covered):
        yield "  no figure moved by more than 5%"
    for name, (before, after) in comparison.versions.items():
        yield f"  {printable(name)} was {printable(before)} and is now {printable(after)}"


def change(entry: Entry) -> str:
    """One figure before and after, and whether that is more than noise."""
    where = "all scenarios" if entry.id == "*" else entry.id
    test = "no test of its own" if entry.p is None else f"p = {entry.p:.2g}"
    verdict = "more than noise" if entry.significant else "may be noise"
    return f"{where} {entry.metric} {entry.before:.3f} → {entry.after:.3f} (n = {entry.n}, {test}, {verdict})"
