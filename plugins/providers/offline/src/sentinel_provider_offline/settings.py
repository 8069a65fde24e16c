"""The thresholds of the rules, as this provider's settings."""

import attrs

from sentinel_core.agent.risk.rules import RiskThresholds

__all__ = ["OfflineSettings"]


@attrs.frozen(kw_only=True)
class OfflineSettings(RiskThresholds):
    """The host's thresholds, each of which can be set for this provider."""
