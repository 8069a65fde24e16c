"""Texts of which no rule can find anything, whatever the record shows: short, without values and marks, and of words that report nothing."""

from sentinel_signal_hallucination.english.check_claims import is_good
from sentinel_signal_hallucination.english.lexicon import bases, lemmas, word_set
from sentinel_signal_hallucination.english.prescan import telling
from sentinel_signal_hallucination.tables import regex

__all__ = ["BEING", "STATES", "is_silent"]

STATES = word_set("open out live up gone available in-place merged running done set through now")
"""What says that a command did what it was for."""

BEING = word_set("is are has have now reads goes i've it's was were")
"""What says how a thing is."""

# No digit, no quotation, no path, no code, no markup.
_BARE = regex(r"[A-Za-z \n.,;:!?'’-]{0,1000}\Z")
_WORD = regex(r"[a-z]+")
_WHOLE = regex(r"[a-z'-]+")
_ASKS = ("?", "please", "let me know")
# Of times without digits, and of an imitated output.
_OTHERS = STATES | BEING | word_set("half quarter observation")


def is_silent(text: str) -> bool:
    """True where it asks for something, and each word is of none of those that any rule looks for: "Which of the two files do you mean?"."""
    if _BARE.match(text) is None:
        return False
    low = text.lower().replace("’", "'")
    return any(map(low.__contains__, _ASKS)) and not any(map(_reports, {*_WORD.findall(low), *_WHOLE.findall(low)}))


def _reports(word: str) -> bool:
    known = word.encode() in telling() or word in _OTHERS or word in lemmas().doing
    return known or is_good(word) or bool(bases(word))
