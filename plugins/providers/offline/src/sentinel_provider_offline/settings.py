"""Settings of this provider: the thresholds of the rules."""

import attrs

from sentinel_core.agent.risk.rules import RiskThresholds

__all__ = ["OfflineSettings"]


@attrs.frozen(kw_only=True)
class OfflineSettings(RiskThresholds):
    """The host's risk thresholds; each can be set for this provider."""
