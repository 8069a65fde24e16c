"""The ledger as lines of text: what the agent claims, and what the record shows."""

from collections.abc import Iterable, Iterator, Sequence

from sentinel_core.report import LedgerEntry
from sentinel_core.runtime.printable import clipped, counted, printable

__all__ = ["ANSWERS", "counts_of", "ledger_lines"]

ANSWERS = {
    "contradicted": ("✗", "contradicted"),
    "absent": ("–", "not on record"),
    "not_checkable": ("?", "not checkable"),
    "backed": ("✓", "backed"),
}
"""Each answer's sign and its words, the gravest first."""
_CLAIM, _RECORD = 160, 200


def ledger_lines(entries: Sequence[LedgerEntry]) -> Iterator[str]:
    """A headline that counts the answers, then two lines for each claim: what is said, and what the record shows."""
    yield f"  {counted(len(entries), 'claim')}{counts_of(entries)}"
    for entry in entries:
        sign, words = ANSWERS[entry.answer]
        agent = "".join(f"sub-agent {position} " for position in entry.trace_path)
        yield f"  {sign} {agent}message {entry.message_index}: “{printable(clipped(entry.claim, _CLAIM))}”"
        place = "" if entry.record_index is None else f" (message {entry.record_index})"
        yield f"      {words}: {printable(clipped(entry.record, _RECORD))}{place}"


def counts_of(entries: Iterable[LedgerEntry]) -> str:
    """``: 2 not on record, 1 backed``, the gravest first; empty where there are none."""
    given = [entry.answer for entry in entries]
    parts = [f"{given.count(answer)} {words}" for answer, (_, words) in ANSWERS.items() if answer in given]
    return f": {', '.join(parts)}" if parts else ""
