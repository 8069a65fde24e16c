"""What the distribution offers: the signal ``hallucination``."""

from collections.abc import Iterable, Mapping, Sequence

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.hookspecs import hookimpl
from sentinel_core.offers import Explanation, Signal
from sentinel_core.report import Finding, LedgerEntry
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.declared import RULES
from sentinel_signal_hallucination.judging import detect

__all__ = ["sentinel_signals"]


def _explain() -> Mapping[str, Explanation]:
    from sentinel_signal_hallucination.explained import explain

    return explain()


def _ledger(index: TraceIndex, findings: Sequence[Finding]) -> Iterable[LedgerEntry]:
    from sentinel_signal_hallucination.ledger.entries import entries

    return entries(index, findings)


@hookimpl
def sentinel_signals() -> Iterable[Signal]:
    """The signal ``hallucination``."""
    return [
        Signal(
            name="hallucination",
            summary="tool use that is claimed, imitated or left unanswered",
            detect=detect,
            settings=Settings,
            rules=RULES,
            explain=_explain,
            ledger=_ledger,
        )
    ]
