"""Why each rule matters, what to change, and a trace in which it fires: a data file, read when somebody asks."""

from collections.abc import Mapping
from pathlib import Path

from sentinel_core.offers import Explanation
from sentinel_core.trace import from_json
from sentinel_signal_hallucination.odds import explained

__all__ = ["explain"]


def explain() -> Mapping[str, Explanation]:
    """By the rule's id."""
    rows = from_json((Path(__file__).parent / "data" / "explained.json").read_bytes())
    return {rule: Explanation(**row, branches=explained(rule)) for rule, row in rows.items()}
