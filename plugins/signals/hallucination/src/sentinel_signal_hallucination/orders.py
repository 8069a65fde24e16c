"""What the user ordered: a request, or a yes to what the agent offered. Orders and time come before words."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from sentinel_core.evaluate.tools import WRITING, singular
from sentinel_signal_hallucination.answers import low_of
from sentinel_signal_hallucination.record import Record
from sentinel_signal_hallucination.sentences import Sentence, sentences
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.words import WORDS_ONLY, lemmas, word_set

__all__ = ["Order", "asks_back", "order_of", "proposes", "says_yes"]

_QUESTIONS = word_set("did have has had was is are were does why what when where how who which am")
_INFORMATION = word_set(
    "status state information info provide know about news explain describe find search look show check list"
)
_LEADS = word_set("please can could would you now and then ok okay hi hey hello just also kindly so yes well , . !")
_WISHES = {("i'd", "like"), ("would", "like"), ("i", "want"), ("i", "need"), ("we", "need"), ("we", "want")}
_NO_ORDER = WORDS_ONLY | word_set(
    "i we you he she they it is are was were do does did has have had am what which who where when why how whose if but or in on at for from to of with "
    "about regarding by as than because while there here this that these those my our your the a an no not thanks thank good great sorry hey any all some whether one maybe perhaps"
)
_BARE = word_set(
    "please go on ahead do it that this so handle proceed take care of fix just now thanks ok okay all them everything for me"
)
_REQUESTS = word_set("can could would will please mind you")
_DETERMINERS = word_set("the a an my your our this that his her their its these those last next no")
_YES = word_set(
    "yes yeah yep yup sure ok okay correct right please confirm confirmed proceed absolutely definitely great perfect fine good "
    "sounds agree agreed exactly indeed affirmative go certainly ahead works true do that's"
)
_NO = word_set("no nope don't not wait instead actually cancel stop nevermind")
_ASKS = (
    "confirm", "shall i", "should i", "would you like", "do you want", "want me to", "proceed", "is this correct", "is that correct", "is that right",
    "is this right", "okay?", "right?", "correct?", "i will", "i'll", "you'd like", "you want",
)  # fmt: skip
# Before these, a word that is a noun as often is a verb.
_VERBAL = word_set("to and or please i'll will you i we , can could would let's just then not") | {""}
_CLOSING = word_set("else help questions further welcome")
_FIRST, _LONGEST_YES, _LONGEST, _LONGEST_REPLY, _TAIL = 6, 40, 6_000, 15, 400
# What the user ran.
_SHELL = regex(r"(?m)^(?:\$ |!).*")
_message_index = attrgetter("message_index")


class Order(NamedTuple):
    """``words`` may be verbs of an order, ``kinds`` are their groups, ``groups`` those of its nouns, too; ``things`` are all that it names.

    ``agreed`` is True for a yes to an offer.

    ``bare`` is True for an order that names nothing: "Please take care of it", "Go ahead"; ``orders`` for one that asks for any deed.
    """

    words: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    agreed: bool = False
    bare: bool = False
    orders: bool = False


def order_of(record: Record, asked: int) -> Order:
    """What a user's message orders."""
    low = _SHELL.sub(" ", low_of((record.index.messages[asked].content or "")[:_LONGEST]))
    low = low.replace("update on", "status of")
    texts = record.index.texts
    number = bisect_left(texts, asked, key=_message_index) - 1
    offer = _offer(low, texts[number].content[-_LONGEST:]) if number >= 0 else ()
    offered = frozenset(_named(offer))
    parts = [one for one in sentences(low) if not one.asks or _requests(one.words)]
    table, known = lemmas(), record.tool_nouns
    ordered = {table.doing.get(word, word) for one in parts for word in _ordered(one.words)}
    words = frozenset(filter(str.isalpha, ordered | offered)) - WORDS_ONLY
    words |= frozenset(map(singular, words))
    wished = (word for one in parts if _INFORMATION.isdisjoint(one.words) for word in one.words)
    nouns = frozenset(map(singular, (*offered, *wished)))
    groups = frozenset(filter(None, map(table.group.get, words))) - {"work", "light"}
    groups = groups or frozenset(filter(None, (table.noun.get(word) or known.get(word) for word in nouns))) - {"light"}
    acts = (*(one.words for one in parts if _QUESTIONS.isdisjoint(one.words[:2])), *(one.words for one in offer))
    kinds = frozenset(table.group[verb] for each in acts for verb in _acts(each)) - {"work", "light"}
    orders = bool(offered or groups or not words.isdisjoint(WRITING)) or any(map(_wishes, parts))
    return Order(
        words,
        groups,
        nouns | words,
        kinds,
        bool(offered),
        _is_bare(low),
        orders,
    )


def _requests(words: list[str]) -> bool:
    """True for "Could you cancel it?"; not so for "What did you cancel?"."""
    return not _REQUESTS.isdisjoint(words) and not ("did" in words[:3] and "you" in words)


def _ordered(words: list[str]) -> Iterator[str]:
    """The words that stand where a verb of an order may; of "cancel order 12" not the second."""
    table = lemmas()
    if _QUESTIONS.isdisjoint(words[:2]) and "status" not in words:
        for before, word in pairwise(("", *words)):
            if before not in _DETERMINERS and not (before in table.group and singular(word) in table.noun):
                yield "message" if before in ("write", "reply") and word in ("to", "back") else word


def _wishes(sentence: Sentence) -> bool:
    """As in "I'd like to leave early", "ping ops that we start"."""
    words = sentence.words
    at = next((at for at, word in enumerate(words) if word not in _LEADS), 0)
    starts = words[at].isalpha() and words[at] not in _NO_ORDER and at + 1 < len(words)
    return not sentence.asks and (starts or any(pair in _WISHES for pair in pairwise(words)))


def _words(low: str) -> list[str]:
    return low.replace(",", " ").replace(".", " ").replace("!", " ").split()


def _is_bare(low: str) -> bool:
    words = _words(low)
    return bool(words) and _BARE.issuperset(words)


def _offer(low: str, text: str) -> tuple[Sentence, ...]:
    """What the agent offered, where the user says yes to it or answers what it asks about it."""
    offer = low_of(text)
    says_so = says_yes(low) and ("?" in offer or any(map(offer.__contains__, _ASKS)))
    return sentences(offer) if says_so or (len(_words(low)) <= _LONGEST_REPLY and asks_back(offer)) else ()


def _named(offer: Iterable[Sentence]) -> Iterator[str]:
    """The words of an offer that may be verbs of what is to be done, and its nouns."""
    table = lemmas()
    for sentence in offer:
        for word in sentence.words:
            base = table.done.get(word) or table.doing.get(word) or word
            if base in WRITING or base in table.group or singular(word) in table.noun:
                yield base


def _acts(words: list[str]) -> Iterator[str]:
    """The verbs of what is to be done: of words that are nouns as often ("order", "return") those that stand as a verb."""
    table = lemmas()
    for before, word in pairwise(("", *words)):
        base = table.doing.get(word) or word
        if base in table.group and (before in _VERBAL or singular(word) not in table.noun):
            yield base


def says_yes(content: str) -> bool:
    """True where a user's message begins like a yes."""
    words = _words(content.lower())
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
    | _NO_ORDER
    | _LEADS
    | _REQUESTS
    | word_set("shall should may also your be me else more so then again still")
)
_GO_AHEAD = word_set(
    "proceed go continue do confirm start finalize finalise make place complete it this that these them"
)
