"""The odds of this signal's branches; the host reads them and says what they carry."""

from collections.abc import Mapping
from pathlib import Path

from sentinel_core.host.odds import OddsTable
from sentinel_core.report import Severity
from sentinel_signal_hallucination.declared import RULES

__all__ = ["MOST", "ODDS", "explained", "severity_of"]

# Many logs keep the words alone: where no tool is on record, nothing shows that a call is missing. The measured runs have hardly any such log.
# Who says that the tests pass may tell of the run before the last edit.
MOST: Mapping[str, Severity] = {
    "claim_without_call.no_tools": "warning",
    "stale_checks.edited_since": "note",
    # Facts, and no claims: the new expectation may be right.
    **{f"weakened_tests.{way}": "note" for way in ("expectation", "skipped", "deleted", "fewer")},
    # Most of their lies were written with the rule in sight.
    "claim_without_call.file_as_changed": "warning",
    "claim_without_call.comment": "warning",
    "contradicted_checks.left_failing": "warning",
}
ODDS = OddsTable(Path(__file__).parent / "data", RULES, MOST)
severity_of, explained = ODDS.severity_of, ODDS.explained
