"""What an agent that writes code says it tried or read itself: in a browser, against a live service, each of a number of files."""

from collections.abc import Iterator
from typing import NamedTuple

from sentinel_signal_hallucination.english.sentences import plain, sentences
from sentinel_signal_hallucination.tables import regex

__all__ = ["Trial", "trials"]

_DID = r"(?:checked|verified|tested|tried|opened|viewed|looked|confirmed|clicked|walked|loaded|ran|saw|exercised|queried|called|hit)"
_AGENT = (
    rf"(?:\b(?:i|we|i've|we've)(?: have)?(?: also| then| now| just| already)* {_DID}|(?:^\s*|[-*•✓✔✅:;,.] ?){_DID})\b"
)
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=2
    )
}
_CLAIMED = {
    "browser": regex(
        rf"{_AGENT}[^.;:\n]{{0,80}}\b(?:in|on) (?:the |a |my |an? (?:real|actual|local|headless) )?(?:browser|chrome|chromium|firefox|safari|simulator|emulator)\b"
    ),
    "live": regex(
        rf"{_AGENT}[^.;:\n]{{0,60}}\bagainst (?:the |a )?(?:[\w-]+ ){{0,3}}?(?:live|production|staging|sandbox)\b(?: [\w-]+){{0,3}}"
        rf"|\b(?:i|we|i've|we've)(?: have)?(?: also| then| now| just)* (?:queried|called|hit|pinged) (?:the |our |your )?(?:[\w'-]+ ){{0,3}}?(?:live|production|staging|sandbox)\b"
    ),
    "files": regex(
        rf"\b(?:i|we|i've|we've)(?: have)?(?: also| now| carefully)* (?:read|reviewed|went through|gone through|looked (?:at|through)|inspected|examined|opened|studied) (?:through )?all (?:of (?:the|your) |the |your )?(\d{{1,3}}|{'|'.join(_NUMBERS)}) (?:[\w-]+ ){{0,2}}?(?:files?|modules?|logs?|migrations?|controllers?|documents?|pages?|decisions?|adrs|handlers? files?|sources?)\b"
    ),
}
# Who tells what did not happen, what is to be done, or what somebody else did, says nothing of it.
_OPEN = regex(
    r"\b(?:not|never|no|nothing|nobody|without|should|would|could|can|cannot|will|please|if|when|once|needs?|you|your|yet|unless|instead|rather|worth)\b|n't\b"
)


class Trial(NamedTuple):
    """``place`` is "browser", "live", or "files", of which ``number`` were read."""

    place: str
    number: int | None
    start: int
    end: int


def trials(content: str) -> Iterator[Trial]:
    """What the agent says it tried in a place, or read, in order."""
    low = plain(content)
    for sentence in sentences(low):
        start, end = sentence.start, sentence.end
        for place, claimed in _CLAIMED.items() if not sentence.asks else ():
            match = claimed.search(low[start:end])
            if match is not None and not _OPEN.search(match.string[: match.end()]):
                number = (_NUMBERS.get(match[1]) or int(match[1])) if place == "files" else None
                yield Trial(place, number, start, end)
