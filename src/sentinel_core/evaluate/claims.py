"""The claims that signals list for a ledger: checked, in the order of the messages."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from sentinel_core.evaluate.foreign import NonsenseError, describe_in_place, refuse_astray, refused_type
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.report import Detection, Finding, LedgerEntry, SignalFailure

__all__ = ["ledger_of"]


class Listing(Protocol):
    """What of a bound signal lists claims."""

    @property
    def name(self) -> str:
        """The signal's name."""

    @property
    def ledger(self) -> Callable[[TraceIndex, Sequence[Finding]], Iterable[LedgerEntry]] | None:
        """Lists the claims, given the signal's own findings; None where the signal has none."""


def ledger_of(
    index: TraceIndex, signals: Sequence[Listing], answers: Sequence[tuple[str, Detection | SignalFailure]]
) -> tuple[tuple[LedgerEntry, ...], tuple[str, ...]]:
    """The claims that the signals list, in the order of the messages; and which signals could not list theirs, and why."""
    found, unlisted = list[LedgerEntry](), list[str]()
    for signal, (_, answer) in zip(signals, answers, strict=True):
        if signal.ledger is None or not isinstance(answer, Detection):
            continue
        try:
            listed = [_checked_entry(index, entry) for entry in signal.ledger(index, answer.findings)]
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a stranger's code raises costs its own claims alone
            unlisted.append(f"the claims: signal {signal.name} {describe_in_place(error)}")
            continue
        found += [entry.of(signal.name) for entry in listed]
    return tuple(sorted(found, key=_place_of_entry)), tuple(unlisted)


def _checked_entry(index: TraceIndex, entry: object) -> LedgerEntry:
    if not isinstance(entry, LedgerEntry):
        raise NonsenseError(f"listed {refused_type(entry)}; expected a LedgerEntry")
    refuse_astray(index, entry)
    return entry


def _place_of_entry(entry: LedgerEntry) -> tuple[tuple[int, ...], int]:
    return tuple(entry.trace_path), entry.message_index
