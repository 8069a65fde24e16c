"""The user's last order, where nothing was done after it: an order in words, or a yes to what the agent proposed."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sentinel_core.evaluate.tools import WRITING

if TYPE_CHECKING:
    from sentinel_core import TraceIndex

__all__ = ["OpenOrder", "open_order"]

_LONGEST, _OFFER, _FEWEST_WORDS, _NEAR, _SHOWN = 6_000, 800, 3, 4, 200

_YES = frozenset("""
    absolutely affirmative agreed certainly confirmed correct definitely exactly ok okay right sure yeah yep yes yup
""".split())  # fmt: skip  # noqa: SIM905 - a table of words
"""How a message begins that is a yes to what was asked right before it."""

_LEADS = frozenset("""
    ahead also and can could go hello help hey hi i i'd i'll just kindly like me my need now ok okay please so sure then to want we we'd
    well will would yes you you'd
""".split())  # fmt: skip  # noqa: SIM905 - a table of words
"""Words before the verb of an order: "Could you please", "I would like to"."""

_BY_TEXT = frozenset("""
    build comment decide draft export file generate hold lift log make message note place play post print record reply report share
    start stop text write
""".split())  # fmt: skip  # noqa: SIM905 - a table of words
_DEEDS = WRITING - _BY_TEXT
"""Verbs of orders that need a call: an answer in words carries out the others as well, or they are mostly nouns."""

_STATES = frozenset("are did does had has have is was were will".split())  # noqa: SIM905 - a table of words
"""After a word that is a verb and a noun: "Order 12 has not come" orders nothing."""

_UNLESS = r"n't\b|\b(?:not|never|no|before|if|unless|until|once|how|what|when|why|whether)\b"
"""In a sentence that orders nothing now."""

_PROCEED = r"\b(?:go ahead|go for it|proceed|carry on|please do|do (?:it|so|that)|make it so)\b"

_ASKS = (
    r"\b(?:(?:shall|should|may|can|could) i|(?:like|want) me to|proceed|go ahead|confirm|say yes|reply|would you like to|do you (?:agree|want to)"
    r"|is (?:this|that|it|everything|all of this) (?:correct|right|ok|okay|fine))\b"
)
"""How an agent asks for a yes before it does something."""

_CLOSING = (
    r"\b(?:that(?:'s| is|'ll be| will be) (?:all|it|everything)|all set|no further|nothing else|have a (?:great|good|nice)|bye"
    r"|thank(?:s| you) for)\b"
)
_BACK = r"n't\b|\b(?:not|no|leave|keep|instead|later|never ?mind|forget|changed my mind|get back|contact you)\b"
"""What a user says who takes an order back, or puts it off."""

_proceeds, _is_unless, _asks = (re.compile(one).search for one in (_PROCEED, _UNLESS, _ASKS))
_closes, _takes_back = (re.compile(one).search for one in (_CLOSING, _BACK))
_markers = re.compile(r"\[[^\]]{0,200}\]|[#<]{1,3}[A-Z_/]{1,40}[#>]{1,3}").sub
_sentences = re.compile(r"[.!?\n;]+").split
_words = re.compile(r"[a-z]+(?:'[a-z]+)?").findall


class OpenOrder(NamedTuple):
    """The user's message that orders something, its beginning, and whether the agent said and did nothing at all after its yes."""

    message_index: int
    quote: str
    is_unanswered: bool


def open_order(index: "TraceIndex") -> OpenOrder | None:
    """The last order or go-ahead where every call after it only reads or failed, and the user did not take it back.

    An order counts only where the trace shows a tool; a go-ahead shows that the agent meant to do something.
    """
    acted = _last_deed(index)
    for place in reversed(index.asked):
        if place < acted:
            return None
        content = index.messages[place].content or ""
        low = _low(_markers(" ", content[:_LONGEST]))
        is_go_ahead = _is_go_ahead(low, _offer(index, place))
        if is_go_ahead or (index.tools and _is_order(low)):
            return OpenOrder(place, content.strip()[:_SHOWN], is_go_ahead and _is_silent_after(index, place))
        if _takes_back(low) is not None:
            return None
    return None


def _last_deed(index: "TraceIndex") -> int:
    """The message of the last call that may have changed something, handed something in, or gave the task to somebody else; else -1."""
    for call in reversed(index.calls):
        facts = index.tools[call.call.name]
        if facts.effect != "reads" and not facts.is_inert and call.outcome.state != "failed":
            return call.message_index
    return -1


def _is_silent_after(index: "TraceIndex", place: int) -> bool:
    latest = [one.message_index for one in index.texts[-1:]] + [one.message_index for one in index.calls[-1:]]
    return max(latest, default=-1) < place


def _low(content: str) -> str:
    return content.lower().replace("’", "'")


def _offer(index: "TraceIndex", place: int) -> str:
    """The end of what the agent said last before the user's message; empty where it said nothing."""
    said = next((text.content for text in reversed(index.texts) if text.message_index < place), "")
    return _low(said[-_OFFER:])


def _is_go_ahead(low: str, offer: str) -> bool:
    if _asks(offer) is None:
        return False
    if any(_proceeds(one) is not None for one in _orders(low)):
        return True
    words = _words(low)
    return bool(words) and words[0] in _YES and _closes(low) is None


def _is_order(low: str) -> bool:
    """True for "Please cancel order 12"; a verb alone is a marker, and names nothing."""
    for sentence in _orders(low):
        words = _words(sentence)
        at = next((at for at, word in enumerate(words) if word not in _LEADS), 0)
        is_named = len(words) >= _FEWEST_WORDS and words[at] in _DEEDS
        if is_named and _STATES.isdisjoint(words[at + 1 : at + _NEAR]):
            return True
    return False


def _orders(low: str) -> Iterator[str]:
    """The sentences that may order something now."""
    return (one for one in _sentences(low) if _is_unless(one) is None)
