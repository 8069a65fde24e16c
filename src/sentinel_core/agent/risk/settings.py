"""The thresholds of the rules."""

import attrs

__all__ = ["RiskThresholds"]

_share = [attrs.validators.ge(0.0), attrs.validators.le(1.0)]
_milliseconds = attrs.validators.gt(0.0)


@attrs.frozen(kw_only=True)
class RiskThresholds:
    """At or above a value the rule applies. Rates and shares are fractions of 1, response times milliseconds.

    Raises ``ValueError`` for a value out of range, and where a medium threshold is above its high one.
    """

    failure_rate_high: float = attrs.field(default=0.05, validator=_share)
    skipped_share_medium: float = attrs.field(default=0.10, validator=_share)
    error_rate_medium: float = attrs.field(default=0.01, validator=_share)
    error_rate_high: float = attrs.field(default=0.02, validator=_share)
    p95_medium: float = attrs.field(default=500.0, validator=_milliseconds)
    p95_high: float = attrs.field(default=1000.0, validator=_milliseconds)

    def __attrs_post_init__(self) -> None:
        for name in ("error_rate", "p95"):
            if getattr(self, f"{name}_medium") > getattr(self, f"{name}_high"):
                raise ValueError(f"'{name}_medium' must not be above '{name}_high'")
