"""Texts in other languages: no claim of theirs is read, but their values are, once numbers are written as in English."""

import re
from functools import lru_cache

from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.tables import regex

__all__ = ["is_foreign", "with_english_numbers", "without_thousands"]

_OURS = word_set("the is and of to for you your it that this with have has are was were be been not from by i we will")
_THEIRS = word_set(
    "der das und ist nicht mit für auf wurde wurden eine einen ihre ihr sie ich habe haben wird den dem zum zur von bei noch auch "
    "le la les et est pas pour dans votre vous nous du une sur avec a été ont été sont par au aux "
    "el los las y su para con una que se por ha del está"
) - {"a", "i"}
_WORD, _OTHER_SCRIPT = (
    regex(r"[a-zäöüßàâçéèêëîïôûùñáíóú]+"),
    regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"),
)
_MARKS = regex(r"[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
_LONGEST, _SHARE, _FEWEST = 2_000, 0.15, 3
# A share, a year, and a number of ten thousands: what the record has in many spellings, or not at all.
_OPEN = regex(
    r"\d[\d.,]* ?(?:%|％|prozent|pour ?cent|万|亿|千)|(?<![\w.,-])(?:19|20)\d\d(?![\w,-]|\.\d)", re.IGNORECASE
)
_ABOUT = regex(r"[约約]")
_NUMBER = regex(
    r"(?<![\w.,])\d{1,3}(?:[. \u00a0\u202f'’]\d{3})+(?:,\d{1,2})?(?![\w]|[.,]\d)|(?<![\w.,])\d+,\d{1,2}(?![\w]|[.,]\d)"
)
_THOUSANDS = regex(r"[. \u00a0\u202f'’](?=\d{3})")


@lru_cache(maxsize=64)
def is_foreign(text: str) -> bool:
    """True for a text in another language than English."""
    low = text[:_LONGEST].lower()
    if low.isascii() and _THEIRS.isdisjoint(low.split()):  # most
        return False
    words = _WORD.findall(low)
    others = len(_OTHER_SCRIPT.findall(low)) if not low.isascii() else 0
    if others and others > _SHARE * (others + sum(map(len, words))):
        return True
    theirs = sum(map(_THEIRS.__contains__, words))
    return theirs >= _FEWEST and theirs > 2 * sum(map(_OURS.__contains__, words))


def with_english_numbers(text: str) -> str:
    """The text, of the same length, with numbers as in English: "1.234,50" is "1,234.50"; other scripts are white space, "约" is "~"."""
    text = _OPEN.sub(lambda match: " " * len(match[0]), _ABOUT.sub("~", text))
    return _MARKS.sub(" ", _NUMBER.sub(_in_english, text))


def without_thousands(text: str) -> str:
    """The text with numbers as in English, and nothing between thousands."""
    return _NUMBER.sub(lambda match: _in_english(match).replace(",", ""), text)


def _in_english(match: re.Match[str]) -> str:
    whole, comma, rest = match[0].partition(",")
    return _THOUSANDS.sub(",", whole) + ("." if comma else "") + rest
