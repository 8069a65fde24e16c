"""The odds of this signal's branches; the host reads them and says what they carry."""

from pathlib import Path

from sentinel_core.host.odds import OddsTable
from sentinel_signal_hallucination.declared import RULES

__all__ = ["ODDS", "explained", "severity_of"]

ODDS = OddsTable(Path(__file__).parent / "data", RULES)
severity_of, explained = ODDS.severity_of, ODDS.explained
