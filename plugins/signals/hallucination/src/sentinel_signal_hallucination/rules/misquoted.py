"""Web addresses and versions that nothing on record has, although the record has another of the same place or the same name."""

from collections.abc import Iterator
from itertools import islice

from sentinel_core.evaluate.index import Text
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.sources import Sources
from sentinel_signal_hallucination.tables import regex

__all__ = ["misquoted"]

_ADDRESS = regex(r"https?://[^\s()<>\[\]`\"'|]+\d")
_VERSION = regex(r"(?<![\w.-])v?(?P<number>\d+(?:\.\d+){2,3})(?![\w.-]*\w)")
_DOTTED = regex(r"[0-9]\.[0-9]+\.[0-9]")  # as few texts have
_NAMED = regex(r"(?<![\w./-])([A-Za-z][\w@/+-]{1,40})[*`]{0,3}(?: (?:to|at|on|is|now|version))*[ @]\Z")
_SENTENCE = regex(r"[.!?]\s|\n")
_NUMBER = regex(r"\d+(?:\.\d+)*")
# What is wished, advised or known of the world, rather than what is there.
_GENERAL = regex(
    r"(?i)\b(?:or (?:later|newer|higher|above)|since|before|until|latest|newest|requir\w*|needs?|minimum|at least|advis\w*|CVE|instead|would|could|should|if|next|plan\w*|upcoming|supports?|introduced|fixed in|drop\w*|deprecat\w*)\b"
)
_MOST, _NEAR = 40, 60


def misquoted(texts: list[Text], sources: Sources, settings: Settings) -> Iterator[Evidence]:
    """At most one finding a text."""
    for text in texts:
        for branch, start, end, message in islice((*_addresses(text, sources), *_versions(text, sources)), 1):
            yield in_text(text, "identifier", branch, message, start, end, settings.identifier_weight)


def _addresses(text: Text, sources: Sources) -> Iterator[tuple[str, int, int, str]]:
    """Addresses that end in another number than the known one of their place."""
    for match in islice(_ADDRESS.finditer(text.content) if "://" in text.content else (), _MOST):
        place, _, last = match[0].lower().rpartition("/")
        at = sources.text.find(f"{place}/")
        known = _NUMBER.match(sources.text, at + len(place) + 1) if at >= 0 and last.isdigit() else None
        if known is not None and last not in sources.text:
            yield (
                "address",
                *match.span(),
                f'The address "{match[0]}" is in no result; the record has "{place}/{known[0]}".',
            )


def _versions(text: Text, sources: Sources) -> Iterator[tuple[str, int, int, str]]:
    """Versions of a name of which the record has others alone."""
    for match in islice(_VERSION.finditer(text.content) if _DOTTED.search(text.content) else (), _MOST):
        number, named = match["number"], _NAMED.search(text.content[max(0, match.start() - _NEAR) : match.start()])
        sentence = (
            _SENTENCE.split(text.content[: match.start()])[-1] + _SENTENCE.split(text.content[match.start() :])[0]
        )
        if named is None or number in sources.text or _GENERAL.search(sentence):
            continue
        name = named[1]
        others = [one for one in _known(name.lower(), sources.text) if one.count(".") == number.count(".")]
        if others:
            yield "version", *match.span(), f'"{name} {number}" is in no result; the record has {others[-1]}.'


def _known(name: str, record: str) -> Iterator[str]:
    """The numbers that stand behind a name."""
    at = record.find(name)
    for _ in range(_MOST):
        if at < 0:
            return
        yield from _NUMBER.findall(record[at + len(name) : at + len(name) + _NEAR])
        at = record.find(name, at + 1)
