"""Two runs of a suite: what changed, and whether it is more than noise. Pure."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import attrs

from sentinel_command_suite.results import EvaluationResults, ScenarioResult
from sentinel_command_suite.scenario import DIMENSIONS
from sentinel_command_suite.statistics import holm, mean, sign_flip_test, stratified_test

__all__ = ["ALPHA", "DROP", "Comparison", "Entry", "compare"]

ALPHA = 0.01
DROP = 0.05
WHOLE = "*"
_PLACES = 6
_SLACK = 1e-9

Pair = tuple[ScenarioResult, ScenarioResult]


@attrs.frozen(kw_only=True)
class Entry:
    """One figure before and after. ``id`` is a scenario's, or ``*`` for the whole.

    ``n`` counts what it rests on: trials on both sides for a pass rate and for one scenario's score, scenarios for a
    score of the whole. ``p`` is one-sided, in the direction of the change; ``p_adjusted`` is Holm's, over all figures of
    the whole, or over all scenarios; None if there is no test, as for a single scenario's score. ``relative`` is the
    change as a share of ``before``. ``less_is_better`` holds for time, tokens and cost.
    """

    id: str
    metric: str
    before: float
    after: float
    delta: float
    n: int
    p: float | None
    p_adjusted: float | None
    relative: float | None
    significant: bool
    less_is_better: bool = False

    @property
    def gain(self) -> float:
        """The change, above 0 where it is for the better."""
        return -self.delta if self.less_is_better else self.delta


@attrs.frozen(kw_only=True)
class Comparison:
    """All deltas, the regressions and improvements among them, and what was checked less than before.

    ``less_covered`` says in words what is missing. ``changed`` are the scenarios that changed, which no test includes.
    """

    baseline: str
    entries: tuple[Entry, ...]
    regressions: tuple[Entry, ...]
    improvements: tuple[Entry, ...]
    less_covered: tuple[str, ...]
    changed: tuple[str, ...]
    versions: Mapping[str, tuple[str, str]]
    alpha: float

    @property
    def is_regression(self) -> bool:
        """True if something got worse by more than noise, or less was checked."""
        return bool(self.less_covered) or any(entry.significant for entry in self.regressions)

    @property
    def is_warning(self) -> bool:
        """True where scenarios changed, so that they are in no test."""
        return bool(self.changed)


def compare(
    current: EvaluationResults, before: EvaluationResults, *, name: str = "", alpha: float = ALPHA
) -> Comparison:
    """Compare a run with an earlier one of the same suite.

    A figure that dropped by more than 5% of what it was is a regression to look at; ``significant`` says whether it is
    more than noise at ``alpha``: over all scenarios by an exact test on trials (pass rate) or on the paired scores. Time a
    call, tokens and cost are tested as scores are, and are a regression only where they rose by more than noise.
    """
    old = {scenario.id: scenario for scenario in before.scenarios}
    same = [(old[new.id], new) for new in current.evaluated if new.id in old and old[new.id].n]
    pairs = [(first, second) for first, second in same if first.digest == second.digest]
    changed = tuple(second.id for first, second in same if first.digest != second.digest)
    entries = (*_adjusted(_of_whole(pairs), alpha), *_adjusted(_of_scenarios(pairs), alpha))
    return Comparison(
        baseline=name,
        entries=entries,
        regressions=tuple(entry for entry in entries if _is_worse(entry)),
        improvements=tuple(entry for entry in entries if _is_better(entry)),
        less_covered=tuple(_less_covered(current, before)),
        changed=changed,
        versions=_changed_versions(current, before),
        alpha=alpha,
    )


def _is_worse(entry: Entry) -> bool:
    return entry.gain < 0 and (entry.significant or _is_large(entry))


def _is_better(entry: Entry) -> bool:
    """Better by more than 5% of what it was, or from nothing."""
    return entry.gain > 0 and (entry.significant or _is_large(entry))


def _is_large(entry: Entry) -> bool:
    """More than 5% of what it was. Of what less is better of, only what is more than noise counts."""
    return not entry.less_is_better and (entry.relative is None or abs(entry.relative) > DROP)


def _of_whole(pairs: Sequence[Pair]) -> list[Entry]:
    if not pairs:
        return []
    rates = [(first.passed / first.n, second.passed / second.n) for first, second in pairs]
    p = _trials_test(pairs, mean([after - before for before, after in rates]))
    entries = [_entry(WHOLE, "pass_rate", rates, p, n=sum(first.n + second.n for first, second in pairs))]
    for metric, value in _METRICS.items():
        found = [(value(first), value(second)) for first, second in pairs]
        both = [(before, after) for before, after in found if before is not None and after is not None]
        if both:
            entries.append(_entry(WHOLE, metric, both, _signs_test(both)))
    for metric, least in _SPENT.items():
        spent = [(_spent(first, metric), _spent(second, metric)) for first, second in pairs]
        known = [(before, after) for before, after in spent if before is not None and after is not None]
        if known:
            # A change that nobody would notice is none, however certain it is.
            tested = [(old, new if abs(new - old) > max(least, DROP * old) else old) for old, new in known]
            entries.append(attrs.evolve(_entry(WHOLE, metric, known, _signs_test(tested)), less_is_better=True))
    return entries


def _spent(scenario: ScenarioResult, metric: str) -> float | None:
    """The median over the trials that could be evaluated."""
    values = [getattr(trial, metric) for trial in scenario.trials if trial.status != "error"]
    known = [float(value) for value in values if value is not None]
    return median(known) if known else None


def _score(dimension: str) -> Callable[[ScenarioResult], float | None]:
    return lambda scenario: scenario.scores.get(dimension)


def _reliability(scenario: ScenarioResult) -> float | None:
    """1 minus the mean risk: more is better, as with every other figure."""
    risks = [trial.reliability.get("overall") for trial in scenario.trials if trial.status != "error"]
    known = [risk for risk in risks if risk is not None]
    return 1 - mean(known) if known else None


# What a scenario takes, and the change in one that counts: on a busy machine calls differ by some milliseconds.
_SPENT: Mapping[str, float] = {"call_ms": 20.0, "tokens": 0.0, "cost_usd": 0.0}

_METRICS: Mapping[str, Callable[[ScenarioResult], float | None]] = {
    **{dimension: _score(dimension) for dimension in DIMENSIONS},
    "reliability": _reliability,
}


def _of_scenarios(pairs: Sequence[Pair]) -> list[Entry]:
    entries = []
    for first, second in pairs:
        rates = [(first.passed / first.n, second.passed / second.n)]
        p = _trials_test([(first, second)], rates[0][1] - rates[0][0])
        entries.append(_entry(second.id, "pass_rate", rates, p, n=first.n + second.n))
        for metric in DIMENSIONS:
            before, after = first.scores.get(metric), second.scores.get(metric)
            if before is not None and after is not None:
                entries.append(_entry(second.id, metric, [(before, after)], None, n=first.n + second.n))
    return entries


def _trials_test(pairs: Sequence[Pair], delta: float) -> float:
    """The test in the direction of the change: for a rise, passed and failed trials are swapped."""
    if delta <= 0:
        return stratified_test((old.passed, old.n, new.passed, new.n) for old, new in pairs)
    return stratified_test((old.n - old.passed, old.n, new.n - new.passed, new.n) for old, new in pairs)


def _signs_test(values: Sequence[tuple[float, float]]) -> float:
    differences = [after - before for before, after in values]
    sign = 1 if sum(differences) <= 0 else -1
    return sign_flip_test([sign * difference for difference in differences])


def _entry(
    owner: str, metric: str, values: Sequence[tuple[float, float]], p: float | None, *, n: int | None = None
) -> Entry:
    before, after = mean([old for old, _ in values]), mean([new for _, new in values])
    delta = 0.0 if abs(after - before) < _SLACK else after - before
    return Entry(
        id=owner,
        metric=metric,
        before=round(before, _PLACES),
        after=round(after, _PLACES),
        delta=round(delta, _PLACES),
        n=len(values) if n is None else n,
        p=None if p is None else float(f"{p:.6g}"),
        p_adjusted=None,
        relative=round(delta / before, _PLACES) if before else None,
        significant=False,
    )


def _adjusted(entries: Sequence[Entry], alpha: float) -> list[Entry]:
    """The entries with p-values adjusted for the number of figures compared."""
    p_values = {f"{entry.id} {entry.metric}": entry.p for entry in entries if entry.p is not None}
    adjusted = {name: float(f"{p:.6g}") for name, p in holm(p_values).items()}
    made = []
    for entry in entries:
        p = adjusted.get(f"{entry.id} {entry.metric}")
        made.append(attrs.evolve(entry, p_adjusted=p, significant=p is not None and p <= alpha and entry.delta != 0))
    return made


def _less_covered(current: EvaluationResults, before: EvaluationResults) -> list[str]:
    """What the earlier run checked and this one did not."""
    now = {scenario.id: scenario for scenario in current.scenarios}
    losses = []
    for old in before.evaluated:
        new = now.get(old.id)
        if new is None:
            losses.append(f'scenario "{old.id}" is gone')
        elif not new.n:
            losses.append(f'scenario "{old.id}" could not be evaluated')
        else:
            losses.extend(f'scenario "{old.id}": {what}' for what in _lost(old, new))
    return losses


def _lost(old: ScenarioResult, new: ScenarioResult) -> list[str]:
    losses = []
    if gone := sorted(set(old.check_ids) - set(new.check_ids)):
        losses.append(f"no longer checked: {', '.join(gone)}")
    if gone := sorted(_signals(old) - _signals(new)):
        losses.append(f"no longer judged by {', '.join(gone)}")
    if new.n < old.n:
        losses.append(f"{new.n} trials instead of {old.n}")
    return losses


def _signals(scenario: ScenarioResult) -> set[str]:
    return {name for trial in scenario.trials for name in trial.reliability.get("signals", ())}


def _changed_versions(current: EvaluationResults, before: EvaluationResults) -> dict[str, tuple[str, str]]:
    old, new = _versions(before), _versions(current)
    return {
        name: (old.get(name, "none"), new.get(name, "none"))
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    }


def _versions(results: EvaluationResults) -> dict[str, Any]:
    about = {"suite": results.suite_version, "provider": results.provider, "models": ", ".join(results.models)}
    return {**about, **results.versions}
