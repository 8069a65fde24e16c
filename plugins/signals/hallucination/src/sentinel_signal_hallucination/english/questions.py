"""Questions at the end of a text, and answers that say yes: what a text proposes, it does not tell as done."""

from collections.abc import Callable
from itertools import pairwise

from sentinel_signal_hallucination.english.lexicon import WORDS_ONLY, word_set
from sentinel_signal_hallucination.english.sentences import Sentence, sentences

__all__ = ["LEADS", "NO_ORDER", "REQUESTS", "asks_back", "plain_words", "proposes", "says_yes"]

LEADS = word_set("please can could would you now and then ok okay hi hey hello just also kindly so yes well , . !")
NO_ORDER = WORDS_ONLY | word_set(
    "i we you he she they it is are was were do does did has have had am what which who where when why how whose if but or in on at for from to of with "
    "about regarding by as than because while there here this that these those my our your the a an no not thanks thank good great sorry hey any all some whether one maybe perhaps"
)
REQUESTS = word_set("can could would will please mind you")
_YES = word_set(
    "yes yeah yep yup sure ok okay correct right please confirm confirmed proceed absolutely definitely great perfect fine good "
    "sounds agree agreed exactly indeed affirmative go certainly ahead works true do that's"
)
_NO = word_set("no nope don't not wait instead actually cancel stop nevermind")
_CLOSING = word_set("else help questions further welcome")
_LONGEST_YES, _FIRST, _TAIL = 40, 6, 400


def plain_words(low: str) -> list[str]:
    """The words of a plain text without its marks."""
    return low.replace(",", " ").replace(".", " ").replace("!", " ").split()


def says_yes(content: str) -> bool:
    """True where a user's message begins like a yes."""
    words = plain_words(content.lower())
    return 0 < len(words) <= _LONGEST_YES and not _YES.isdisjoint(words[:_FIRST]) and words[0] not in _NO


_TO_CONFIRM = tuple(
    f"{please} {do}" for please in ("please", "kindly") for do in ("confirm", "ensure", "verify", "check")
)


def asks_back(low: str) -> bool:
    """True where the text ends in a question that a yes answers, or asks for a yes: all of it may be a proposal."""
    tail = low[-_TAIL:]
    if "?" not in tail:
        return any(map(tail.__contains__, _TO_CONFIRM))
    last = _last_question(tail)
    return last is not None and _CLOSING.isdisjoint(last.words) and not _offers(last.words)


def proposes(low: str) -> Callable[[Sentence], bool]:
    """Whether a sentence of a text that asks back is what the question is about.

    A question that names nothing of its own ("Shall I proceed?") is about all of it, any other about what shares a word with it.
    """
    tail = low[-_TAIL:]
    last = _last_question(tail) if "?" in tail else None
    named = frozenset(filter(_says_something, last.words)) if last is not None else frozenset[str]()
    numbers = frozenset(filter(_is_number, named))

    def is_proposed(sentence: Sentence) -> bool:
        if not named or last is None or not _GO_AHEAD.isdisjoint(last.words):
            return True
        own = frozenset(filter(_is_number, sentence.words))
        return not (numbers and own and numbers.isdisjoint(own)) and not named.isdisjoint(sentence.words)

    return is_proposed


def _last_question(tail: str) -> Sentence | None:
    body = tail[: tail.rfind("?")].rstrip(" ?!")
    last = sentences(tail[max(map(body.rfind, ".!?\n")) + 1 :])[-1:]
    return last[0] if last and last[0].asks else None


def _is_number(word: str) -> bool:
    return word[0].isdigit()


def _says_something(word: str) -> bool:
    """True for a number, and for a word that is more than grammar."""
    return _is_number(word) or (word.isalpha() and word not in _GRAMMAR)


def _offers(words: list[str]) -> bool:
    """True for "Would you like me to add a note?": it is of something else; not so "Shall I go ahead?"."""
    at = next((at for at, pair in enumerate(pairwise(words)) if pair in _TO_DO), -1)
    return at >= 0 and _GO_AHEAD.isdisjoint(words[at : at + 5])


_TO_DO = {("me", "to"), ("like", "to")}
_GRAMMAR = (
    WORDS_ONLY
    | NO_ORDER
    | LEADS
    | REQUESTS
    | word_set("shall should may also your be me else more so then again still")
)
_GO_AHEAD = word_set(
    "proceed go continue do confirm start finalize finalise make place complete it this that these them"
)
