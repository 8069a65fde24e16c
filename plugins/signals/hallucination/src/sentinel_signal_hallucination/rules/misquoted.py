"""Numbers that name something, where the record has the same name with another number: web addresses, streets, fields, endings of cards."""

import re
from collections.abc import Iterator
from itertools import chain, islice

from sentinel_core.evaluate.index import Text
from sentinel_core.evaluate.tools import singular
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.sources import Sources
from sentinel_signal_hallucination.tables import has_digit, regex

__all__ = ["misquoted"]

_ADDRESS = regex(r"https?://[^\s()<>\[\]`\"'|]+\d")
_NUMBER = regex(r"\d+(?:\.\d+)*")
_MOST, _LONGEST = 40, 20_000
# "445 Maple Drive", "500 pieces", "ending in 3473": the name stands behind the number, or says that it is the end of one.
_BEFORE_A_NAME = regex(
    r"\d(?<![\w.,:/#$€£-].)(?:\d{0,5} ((?:[A-Z][\w'.-]{1,20} ){1,2}[A-Z][a-z'-]{1,20})(?![\w-])|\d{2,6} ([a-z]{4,20})(?![\w-]))"
)
_ENDING = regex(r"\b(?:ending|ends|ended) (?:in|with) \**(\d{3,10})\b")
_KEYED = regex(r"\"([A-Za-z_]{3,40})\"\s*:\s*\"?(\d{1,9})\"?\s*[,}\]]")
_DATES = regex(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)


def misquoted(texts: list[Text], sources: Sources, settings: Settings) -> Iterator[Evidence]:
    """At most one finding a text for addresses, and one for numbers before or behind a name."""
    for text in texts:
        for start, end, message in islice(_addresses(text, sources), 1):
            yield in_text(text, "identifier", "address", message, start, end, settings.identifier_weight)
        if has_digit(text.content):
            for start, end, message in islice(chain(_named(text, sources), _endings(text, sources)), 1):
                yield in_text(text, "figure", "of_a_name", message, start, end, settings.figure_weight)


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


def _named(text: Text, sources: Sources) -> Iterator[tuple[int, int, str]]:
    """A number before the name of a street, or of a field of the record, that has others alone."""
    fields: dict[str, set[str]] = {}
    for match in islice(_BEFORE_A_NAME.finditer(text.content[:_LONGEST]), _MOST):
        written, _, name = match[0].partition(" ")
        if (name if match[1] else singular(name)) not in sources.context or sources.has(written):
            continue
        if match[1]:
            known = None if _DATES.match(name.lower()) else _street(name, sources)
        else:
            fields = fields or _fields(sources)
            values = fields.get(singular(name), ())
            known = None if sources.derived.gives(written, text.content, match.start()) else min(values, default=None)
        if known is not None:
            yield *match.span(), f'The answer has "{match[0]}"; on record, "{name}" has other numbers, such as {known}.'


def _street(name: str, sources: Sources) -> str | None:
    """The number that the record has before a name."""
    known = re.search(rf"(?<![\w.,-])(\d{{1,6}}) {re.escape(name)}", sources.context)
    return known[1] if known is not None else None


def _fields(sources: Sources) -> dict[str, set[str]]:
    """The whole numbers of the record by the last word of their keys, in the singular; never empty."""
    fields: dict[str, set[str]] = {"": set()}
    for key, value in _KEYED.findall(sources.tool_output):
        fields.setdefault(singular(key.lower().rpartition("_")[2]), set()).add(value)
    return fields


def _endings(text: Text, sources: Sources) -> Iterator[tuple[int, int, str]]:
    """What nothing on record ends in."""
    for match in islice(_ENDING.finditer(text.content[:_LONGEST]) if "end" in text.content else (), _MOST):
        if re.search(rf"{match[1]}(?!\d)", sources.text) is None and re.search(r"\d{4}(?!\d)", sources.text):
            yield *match.span(), f'Nothing on record ends in "{match[1]}".'
