"""Near-identical assistant texts, in time linear in the number of texts."""

from itertools import pairwise
from typing import TYPE_CHECKING

from sentinel_signal_loop.stretches import NEW, Track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sentinel_core import Text
    from sentinel_signal_loop import LoopSettings

__all__ = ["normalised", "text_track"]

# Digits and punctuation differ between copies and are dropped. One byte that Cyrillic, Chinese and Japanese letters
# often end with becomes "m", so that cutting at "m" gives pieces of about forty bytes in every script.
_CUT = b"m"
_DROPPED = bytes(byte for byte in range(128) if not (chr(byte).isalpha() or chr(byte).isspace()))
_FOLDED = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\t\n\v\f\r\xbc",
    b"abcdefghijklmnopqrstuvwxyz     " + _CUT,
)
_COMPARED_HEAD = 800
_COMPARED_TAIL = 400
_EDGE = 32
_MOST_BYTES = 4  # that UTF-8 needs for one character


def normalised(content: str) -> bytes:
    """The text for comparing, with nothing left that usually differs between copies."""
    return content.encode("utf-8", "surrogatepass").translate(_FOLDED, _DROPPED)


def _anchors(text: bytes) -> tuple[bytes, ...]:
    """Pieces of a text, of which a near-identical copy shares at least one.

    An inner piece lies between two cuts and stays the same where text before it was added or removed. The first and the
    last in byte order are taken, because all copies agree on which they are. A text with fewer than two cuts has only
    its edges.
    """
    inner = text[:_COMPARED_HEAD].split(_CUT)[1:-1]
    edges = text[:_EDGE], text[-_EDGE:]
    return (*edges, min(inner), max(inner)) if inner else edges


def _compared(text: bytes) -> bytes:
    whole = _COMPARED_HEAD + _COMPARED_TAIL
    return text if len(text) <= whole else text[:_COMPARED_HEAD] + text[-_COMPARED_TAIL:]


def _near(length: int, other: int, similarity: float) -> bool:
    # Indel distance is at least the difference in length, so most pairs need no comparison.
    return abs(length - other) <= (1 - similarity) * (length + other)


def _alike(one: bytes, other: bytes, similarity: float) -> bool:
    if not _near(len(one), len(other), similarity):
        return False
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity(_compared(one), _compared(other), score_cutoff=similarity) > 0


class _Seen:
    """Earlier texts by their whole and by their anchors; each anchor keeps the latest text only, which bounds the work."""

    __slots__ = ("_bodies", "_by_anchor", "_similarity", "_whole")

    def __init__(self, similarity: float) -> None:
        self._similarity = similarity
        self._bodies: list[bytes] = []
        self._whole: dict[bytes, int] = {}
        self._by_anchor: dict[bytes, int] = {}

    def add(self, body: bytes) -> int:
        """Keep a text; the number of the latest one before that it nearly equals, or ``NEW``."""
        anchors = _anchors(body)
        previous = self._whole.get(body, NEW)
        if previous == NEW:
            for anchor in anchors:
                number = self._by_anchor.get(anchor, NEW)
                if number > previous and _alike(body, self._bodies[number], self._similarity):
                    previous = number
        number = self._whole[body] = len(self._bodies)
        self._bodies.append(body)
        for anchor in anchors:
            self._by_anchor[anchor] = number
        return previous


def text_track(texts: "Sequence[Text]", settings: "LoopSettings") -> Track | None:
    """A step for each text that is long enough, pointing at the latest earlier text that it nearly equals; None if none does."""
    least, similarity = settings.least_text_bytes, settings.similarity
    bodies = {
        source: body
        for source, text in enumerate(texts)
        if len(text.content) * _MOST_BYTES >= least and len(body := normalised(text.content)) >= least
    }
    lengths = sorted(map(len, bodies.values()))
    if not any(_near(length, longer, similarity) for length, longer in pairwise(lengths)):
        return None
    track, seen = Track([texts[source].message_index for source in bodies], list(bodies)), _Seen(similarity)
    for step, body in enumerate(bodies.values()):
        previous = seen.add(body)
        if previous != NEW:
            track.repeat(step, previous)
    return track if track.sureness else None
