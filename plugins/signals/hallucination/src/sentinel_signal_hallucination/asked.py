"""Which verbs a user's message orders, and which verbs tell of deeds whatever was ordered."""

from bisect import bisect_left
from functools import cache
from operator import attrgetter

from sentinel_core.evaluate.tools import WRITING
from sentinel_signal_hallucination.answers import WORDS_ONLY, low_of, offers, ordered
from sentinel_signal_hallucination.record import Record
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["LONGEST_REPLY", "effects", "orderable", "outright", "verbs_of"]


def verbs_of(record: Record, asked: int, low: str) -> tuple[frozenset[str], bool]:
    """The verbs that the user's message orders, and whether it answers what the agent offered to do."""
    own = ordered(low)
    order = record.order_before(asked + 1)
    texts = record.index.texts
    number = bisect_left(texts, asked, key=attrgetter("message_index")) - 1
    before = texts[number] if number >= 0 else None
    offered = (
        offers(low_of(before.content)) if before is not None and len(low.split()) <= LONGEST_REPLY else frozenset()
    )
    if order is not None and order.at == asked and order.agrees:
        offered |= order.words - WORDS_ONLY
    return own | offered, bool(offered)


LONGEST_REPLY = 15


@cache
def outright() -> frozenset[str]:
    """What nobody does in words alone: said of oneself, it needs no order."""
    groups = lemmas().group
    outside = {
        verb for verb, group in groups.items() if group in ("cancel", "send", "pay", "deploy", "obtain", "decide")
    }
    changes = word_set("restart reboot open file submit raise post page reset lock unlock enable disable")
    return (
        frozenset(outside | changes)
        - word_set("share order arrange register close drop commit text message void")
        - (WORDS_ONLY - {"open"})
    )


@cache
def effects() -> frozenset[str]:
    """All verbs of deeds."""
    return frozenset(verb for verb, group in lemmas().group.items() if group != "work") - WORDS_ONLY


@cache
def orderable() -> frozenset[str]:
    """All verbs that an order is sure to be one by."""
    return WRITING | lemmas().group.keys()
