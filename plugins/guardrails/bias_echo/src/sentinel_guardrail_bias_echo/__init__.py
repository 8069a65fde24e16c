"""Sentinel guardrail: stops reruns that repeat the same bias."""

from collections import Counter
from collections.abc import Iterable

import attrs

from sentinel_core import Guardrail, History, Ruling, hookimpl
from sentinel_core.traces.readers import counted

__all__ = ["BiasEchoSettings", "check", "sentinel_guardrails"]


@attrs.frozen(kw_only=True)
class BiasEchoSettings:
    """A bias tag is considered repeated if at least ``bias_repetition_threshold`` loops in the store have it.

    If ``project_wide`` is false, only the loops of the same family are considered.
    """

    bias_repetition_threshold: int = attrs.field(
        default=3, validator=[attrs.validators.instance_of(int), attrs.validators.ge(1)]
    )
    """Number of loops that must have the same bias tag before the tag is considered repeated."""
    project_wide: bool = attrs.field(default=True, validator=attrs.validators.instance_of(bool))
    """Whether to count the loops of the whole store instead of only those of the family."""


def check(history: History, settings: BiasEchoSettings) -> Ruling:
    """Finalize once a bias tag is repeated.

    A loop counts once for each of its tags, even if it was delivered several times. Later attempts do not clear a repeated
    tag; only a recorded decision by a person does. A running attempt is not stopped.
    """
    tags_of = {attempt.loop_id: frozenset(attempt.bias_tags) for attempt in history.attempts}
    counts = Counter(tag for tags in tags_of.values() for tag in tags)
    if settings.project_wide:
        counts.update({tag: history.tags_elsewhere.get(tag, 0) for tag in counts})
    repeated = sorted(tag for tag, count in counts.items() if count >= settings.bias_repetition_threshold)
    facts = {
        "bias_echo": bool(repeated),
        "repeated_tags": repeated,
        "repetition_counts": dict(sorted(counts.items())),
        "threshold": settings.bias_repetition_threshold,
        "trigger": "pessimist" if repeated else None,
        "action": "halt_loop" if repeated else None,
    }
    if history.live is not None or not repeated:
        return Ruling(action="allow", facts=facts)
    seen = ", ".join(f'"{tag}" in {counted(counts[tag], "loop")}' for tag in repeated)
    detail = f"The same bias was repeated: {seen}; the limit is {settings.bias_repetition_threshold}."
    return Ruling(action="finalize", reason="bias_echo", detail=detail, facts=facts)


@hookimpl
def sentinel_guardrails() -> Iterable[Guardrail]:
    """The guardrail of this package."""
    return [
        Guardrail(
            name="bias_echo",
            summary="no rerun once the same bias tag has been seen bias_repetition_threshold times",
            check=check,
            settings=BiasEchoSettings,
        )
    ]
