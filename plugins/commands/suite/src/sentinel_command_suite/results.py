"""The results of trials, scenarios and a whole run."""

from collections.abc import Sequence
from typing import Any, Literal

import attrs
import msgspec

from sentinel_command_suite.runs import Check
from sentinel_core.evaluate.agreement import disagreements

__all__ = ["EvaluationResults", "ScenarioResult", "Status", "TrialResult"]

Status = Literal["passed", "failed", "flaky", "error"]


@attrs.frozen(kw_only=True)
class TrialResult:
    """One trial. ``scores`` has a mean in [0, 1] a dimension; ``reliability`` the verdict and risks of the signals.

    ``status`` is ``error`` if the harness, not the agent, is to blame: the provider could not be reached, a signal
    broke, the judge gave nothing usable; ``error`` then says what. ``cost_usd`` and ``tokens`` are None where unknown.
    ``call_ms`` is the median time of the model's calls in milliseconds, None where a recording answered.
    ``came_to`` is a digest of what the runs did and answered, the same for trials that came to the same; empty where a run ended badly,
    None where it is not known.
    ``notes`` are problems that changed no result: a model that could not be closed, a trace that could not be saved.
    """

    scenario: str
    trial: int
    status: Literal["passed", "failed", "error"]
    scores: dict[str, float] = attrs.field(factory=dict)
    checks: tuple[Check, ...] = ()
    reliability: dict[str, Any] = attrs.field(factory=dict)
    severity: tuple[str | None, ...] = ()
    outcome: tuple[str, ...] = ()
    came_to: str | None = None
    model: str | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    call_ms: float | None = None
    judge_cost_usd: float | None = None
    error: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """``<scenario>#<trial>``."""
        return f"{self.scenario}#{self.trial}"

    @property
    def failures(self) -> tuple[Check, ...]:
        """The required checks that failed."""
        return tuple(check for check in self.checks if check.required and not check.passed)


@attrs.frozen(kw_only=True)
class ScenarioResult:
    """One scenario over its trials. ``n`` counts the trials that could be evaluated."""

    id: str
    status: Status
    scores: dict[str, float]
    n: int
    passed: int
    errors: int
    digest: str
    interval: tuple[float, float]
    trials: tuple[TrialResult, ...] = ()

    @property
    def disagreements(self) -> dict[int, float]:
        """By trial, the share of the others that came to something else, where there are any; trials with an error do not count."""
        trials = [trial for trial in self.trials if trial.status != "error" and trial.came_to is not None]
        if len(trials) < 2:  # noqa: PLR2004 - itself and another
            return {}
        shares = disagreements([trial.came_to or None for trial in trials])
        return {trial.trial: share for trial, share in zip(trials, shares, strict=True) if share}

    @property
    def check_ids(self) -> tuple[str, ...]:
        """The ids of all checks in any trial, sorted."""
        return tuple(sorted({check.id for trial in self.trials for check in trial.checks}))


@attrs.frozen(kw_only=True)
class EvaluationResults:
    """A whole run. ``incomplete`` says why trials are missing; it is empty if none is."""

    suite: str
    suite_version: str
    suite_digest: str
    provider: str
    versions: dict[str, str]
    scenarios: tuple[ScenarioResult, ...]
    models: tuple[str, ...] = ()
    incomplete: str = ""
    judge: dict[str, Any] = attrs.field(factory=dict)
    schema: int = 1

    @property
    def evaluated(self) -> Sequence[ScenarioResult]:
        """Scenarios with at least one trial that could be evaluated."""
        return [scenario for scenario in self.scenarios if scenario.n]

    def to_json(self) -> bytes:
        """For a file: everything needed to compare and to print it again, with secrets taken out."""
        from sentinel_core.runtime.redact import redact_json

        return redact_json(msgspec.json.encode(self))

    @classmethod
    def from_json(cls, data: bytes) -> "EvaluationResults":
        """From such a file. Raises ``msgspec.MsgspecError`` for anything else."""
        return msgspec.json.decode(data, type=cls)
