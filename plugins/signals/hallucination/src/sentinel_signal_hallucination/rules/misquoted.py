"""Web addresses that nothing on record has, although the record has another of the same place."""

from collections.abc import Iterator
from itertools import islice

from sentinel_core.evaluate.index import Text
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.sources import Sources
from sentinel_signal_hallucination.tables import regex

__all__ = ["misquoted"]

_ADDRESS = regex(r"https?://[^\s()<>\[\]`\"'|]+\d")
_NUMBER = regex(r"\d+(?:\.\d+)*")
_MOST = 40


def misquoted(texts: list[Text], sources: Sources, settings: Settings) -> Iterator[Evidence]:
    """At most one finding a text."""
    for text in texts:
        for start, end, message in islice(_addresses(text, sources), 1):
            yield in_text(text, "identifier", "address", message, start, end, settings.identifier_weight)


def _addresses(text: Text, sources: Sources) -> Iterator[tuple[int, int, str]]:
    """Addresses that end in another number than the known one of their place."""
    for match in islice(_ADDRESS.finditer(text.content) if "://" in text.content else (), _MOST):
        place, _, last = match[0].lower().rpartition("/")
        at = sources.text.find(f"{place}/")
        known = _NUMBER.match(sources.text, at + len(place) + 1) if at >= 0 and last.isdigit() else None
        if known is not None and last not in sources.text:
            yield (
                *match.span(),
                f'The address "{match[0]}" is in no result; the record has "{place}/{known[0]}".',
            )
