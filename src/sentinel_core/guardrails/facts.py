"""The values that guardrails read and return, and the decisions from them. All are frozen."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

import sentinel_core  # noqa: TC001 - needed by typing.get_type_hints; its names are looked up on first use

__all__ = ["FAILED", "LIFTS", "Attempt", "Decision", "History", "Override", "Reflection", "Ruling"]

FAILED = "guardrail_failed"
"""The reason of the host's ruling for a guardrail that failed."""
LIFTS: Mapping[str, str] = {
    "override_fatigue": "reflection_fatigue",
    "override_max_reruns": "max_reruns_reached",
    "override_bias_echo": "bias_echo",
}
"""The reason for stopping that each kind of override lifts. Other reasons cannot be overridden."""


@attrs.frozen(kw_only=True)
class Attempt:
    """One finished attempt at a task. ``alignment_score`` and ``drift_score`` are in [0, 1]; None means unknown."""

    loop_id: str
    rerun_of: str | None = None
    alignment_score: float | None = None
    drift_score: float | None = None
    summary_valid: bool = True
    bias_tags: tuple[str, ...] = ()
    reflection_persona: str | None = None


@attrs.frozen(kw_only=True)
class Reflection:
    """A reflector's scores for a judged attempt, in [0, 1]; ``persona`` names the reflector.

    ``note`` is one sentence if the reflector failed and another one's answer was used.
    """

    alignment_score: float
    drift_score: float
    summary_valid: bool = True
    bias_tags: tuple[str, ...] = ()
    persona: str | None = None
    note: str = ""


@attrs.frozen(kw_only=True)
class History:
    """Every finished attempt of one family, oldest first.

    ``live`` is the report on an unfinished attempt, None between attempts. ``tags_elsewhere`` gives, for each bias tag
    of this family, how many loops of other families in the store have it.
    """

    attempts: tuple[Attempt, ...]
    live: "sentinel_core.ReliabilityReport | None" = None
    tags_elsewhere: Mapping[str, int] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Ruling:
    """A guardrail's ruling: ``allow`` another attempt, ``stop_attempt`` now, or ``finalize`` the family.

    ``reason`` is a stable word for programs, required except for ``allow``; ``detail`` is one sentence for people.
    ``facts`` are the guardrail's measurements, a dict of JSON values with stable names; they are stored with the
    decision, and some are shown in a loop's status.
    """

    action: Literal["allow", "stop_attempt", "finalize"]
    reason: str = ""
    detail: str = ""
    facts: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Override:
    """A person's recorded decision that a guardrail's ruling does not count.

    It lifts the kinds that are True, for the first decision that needs it; with ``expires_at`` (ISO 8601, UTC) for every
    decision until then. An override sent with a completion has a ``loop_id`` and counts for that loop only.
    ``spent_on`` is the loop whose decision used it up.
    """

    override_id: str
    actor: str
    reason: str
    at: str
    override_fatigue: bool = False
    override_max_reruns: bool = False
    override_bias_echo: bool = False
    expires_at: str | None = None
    loop_id: str | None = None
    spent_on: str | None = None

    def lifts(self, reason: str) -> bool:
        """Whether this override lifts that reason for stopping."""
        return any(getattr(self, kind) for kind, lifted in LIFTS.items() if lifted == reason)


@attrs.frozen(kw_only=True)
class Decision:
    """The decision after an attempt: another one, or the end of the family.

    ``rerun_reason`` is the reason as a stable word, ``rerun_trigger`` the thresholds or guardrails behind it.
    ``rerun_number`` is the granted rerun's, from 1. ``force_finalize`` is True if a guardrail stopped a rerun. ``used``
    are the ids of the overrides that made this rerun possible.
    """

    decision: Literal["rerun", "finalize"]
    rerun_reason: str
    rerun_reason_detail: str
    rerun_trigger: tuple[str, ...] = ()
    rerun_number: int | None = None
    force_finalize: bool = False
    overridden_by: str | None = None
    used: tuple[str, ...] = ()
