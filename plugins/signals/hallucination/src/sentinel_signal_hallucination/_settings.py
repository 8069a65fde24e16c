"""Weights of the findings: all that a user may set."""

import attrs

__all__ = ["Settings"]


_share = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


def _weight(default: float) -> float:
    return attrs.field(default=default, validator=_share)


@attrs.frozen(kw_only=True)
class Settings:
    """Each weight is the risk in [0, 1] that one finding of its kind alone gives the trace.

    Raises ``ValueError`` for a number outside [0, 1].
    """

    effect_weight: float = _weight(0.85)
    """A change outside the conversation is claimed, and nothing could have made it."""
    hearsay_weight: float = _weight(0.5)
    """Such a change is told in the passive, in a trace that shows no tools: an agent that is not seen may have made it."""
    work_weight: float = _weight(0.6)
    """A run of tests, code or commands is claimed, and nothing could have run them."""
    read_weight: float = _weight(0.45)
    """A search or a tool's answer is claimed, and nothing could have searched."""
    imitation_weight: float = _weight(0.6)
    """A call or a tool's output is written as text."""
    unproven_imitation_weight: float = _weight(0.0)
    """A tool's output is written as text by a message whose call has no result on record: a log may have merged them."""
    number_weight: float = _weight(0.6)
    """A number in the last answer contradicts the tool result that it is about."""
    tests_weight: float = _weight(0.85)
    """The tests are said to pass, and the last run of them failed."""
    checks_weight: float = _weight(0.85)
    """A build, a type check or a linter is said to pass, and its last run failed."""
    unanswered_weight: float = _weight(0.35)
    """A call has no result although one was due."""
    orphan_weight: float = _weight(0.3)
    """A result answers no call."""
    doubtful_ceiling: float = _weight(0.75)
    """All findings that are not of the first kind give at most this together."""
