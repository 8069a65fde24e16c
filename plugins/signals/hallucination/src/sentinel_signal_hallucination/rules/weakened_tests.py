"""Tests that failed, were changed or left out, and passed: told as facts, wherever they happened."""

from collections.abc import Iterator

from sentinel_core.evaluate.facts.weakening import Weakening
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, evidence
from sentinel_signal_hallucination.ledger.actions import Record

__all__ = ["weakened"]


def weakened(record: Record, settings: Settings) -> Iterator[Evidence]:
    """A finding where each change or run stands."""
    for one in record.weakenings if record.runs_anything else ():
        call = one.changed
        message = f"After the tests failed{_ending(one)}, {one.words}, and then they passed."
        weight = settings.checks_weight
        yield evidence(
            "weakened_tests", one.way, message, weight, message_index=call.message_index, call_id=call.call.id
        )


def _ending(one: Weakening) -> str:
    check = one.failed.check
    return f' ("{check.ending}")' if check is not None and check.ending else ""
