"""What the user ordered: a request, or a yes to what the agent offered. Orders and time come before words."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from sentinel_core.evaluate.tools import WRITING, singular
from sentinel_signal_hallucination.english.lexicon import WORDS_ONLY, lemmas, word_set
from sentinel_signal_hallucination.english.questions import LEADS, NO_ORDER, REQUESTS, asks_back, plain_words, says_yes
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.english.statements import low_of
from sentinel_signal_hallucination.ledger.actions import Record
from sentinel_signal_hallucination.tables import regex

__all__ = ["Order", "order_of"]

_QUESTIONS = word_set("did have has had was is are were does why what when where how who which am")
_INFORMATION = word_set(
    "status state information info provide know about news explain describe find search look show check list"
)
_WISHES = {("i'd", "like"), ("would", "like"), ("i", "want"), ("i", "need"), ("we", "need"), ("we", "want")}
_BARE = word_set(
    "please go on ahead do it that this so handle proceed take care of fix just now thanks ok okay all them everything for me"
)
_DETERMINERS = word_set("the a an my your our this that his her their its these those last next no")
_ASKS = (
    "confirm", "shall i", "should i", "would you like", "do you want", "want me to", "proceed", "is this correct", "is that correct", "is that right",
    "is this right", "okay?", "right?", "correct?", "i will", "i'll", "you'd like", "you want",
)  # fmt: skip
# Before these, a word that is a noun as often is a verb.
_VERBAL = word_set("to and or please i'll will you i we , can could would let's just then not") | {""}
_DID, _OPENING = word_set("did have has was were"), 8
_LONGEST, _LONGEST_REPLY = 6_000, 15
# What the user ran.
_SHELL = regex(r"(?m)^(?:\$ |!).*")
_message_index = attrgetter("message_index")


class Order(NamedTuple):
    """``words`` may be verbs of an order, ``kinds`` are their groups, ``groups`` those of its nouns, too; ``things`` are all that it names.

    ``agreed`` is True for a yes to an offer.

    ``asks_past`` is True where the user asks what was done.

    ``is_vague`` is True for an order that names nothing: "Please take care of it", "Go ahead"; ``orders`` for one that asks for any action.
    """

    words: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    agreed: bool = False
    is_vague: bool = False
    orders: bool = False
    asks_past: bool = False


def order_of(record: Record, asked: int) -> Order:
    """What a user's message orders."""
    low = _SHELL.sub(" ", low_of((record.index.messages[asked].content or "")[:_LONGEST]))
    low = low.replace("update on", "status of")
    texts = record.index.texts
    number = bisect_left(texts, asked, key=_message_index) - 1
    is_open = number >= 0 and not _was_taken_up(record, texts[number].message_index, asked)
    offer = _offer(low, texts[number].content[-_LONGEST:]) if is_open else ()
    offered = frozenset(_named(offer))
    every = sentences(low)
    asks_past = any(one.asks and asks_what_was_done(one.words) for one in every)
    parts = [one for one in every if not one.asks or _requests(one.words)]
    if asks_past:  # "I asked you last week to order milk. Where did that end up?"
        parts = [one for one in parts if ("asked", "you") not in pairwise(one.words)]
    table, known = lemmas(), record.tool_nouns
    ordered = {table.doing.get(word, word) for one in parts for word in _ordered(one.words)}
    words = frozenset(filter(str.isalpha, ordered | offered)) - WORDS_ONLY
    words |= frozenset(map(singular, words))
    wished = (word for one in parts if _INFORMATION.isdisjoint(one.words) for word in one.words)
    nouns = frozenset(map(singular, (*offered, *wished)))
    groups = frozenset(filter(None, map(table.group.get, words))) - {"work", "general"}
    groups = groups or frozenset(filter(None, (table.noun.get(word) or known.get(word) for word in nouns))) - {
        "general"
    }
    acts = (*(one.words for one in parts if _QUESTIONS.isdisjoint(one.words[:2])), *(one.words for one in offer))
    kinds = frozenset(table.group[verb] for each in acts for verb in _acts(each)) - {"work", "general"}
    orders = bool(offered or groups or not words.isdisjoint(WRITING)) or any(map(_wishes, parts))
    return Order(
        words,
        groups,
        nouns | words,
        kinds,
        bool(offered),
        _is_vague(low),
        orders,
        asks_past,
    )


def _was_taken_up(record: Record, offered: int, asked: int) -> bool:
    """True where a user's message before this one answered an offer, and calls followed it."""
    index = record.index
    before = bisect_left(index.asked, asked) - 1
    answered = index.asked[before] if before >= 0 else -1
    return answered > offered and any(answered < call.message_index < asked for call in index.calls)


def asks_what_was_done(words: list[str]) -> bool:
    """True for "Pip, what did we post last week?", "Have you cancelled it?"."""
    return any(
        before in _DID and word in ("you", "we", "i", "that", "it") for before, word in pairwise(words[:_OPENING])
    )


def _requests(words: list[str]) -> bool:
    """True for "Could you cancel it?"; not so for "What did you cancel?"."""
    return not REQUESTS.isdisjoint(words) and not asks_what_was_done(words)


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
    at = next((at for at, word in enumerate(words) if word not in LEADS), 0)
    starts = words[at].isalpha() and words[at] not in NO_ORDER and at + 1 < len(words)
    return not sentence.asks and (starts or any(pair in _WISHES for pair in pairwise(words)))


def _is_vague(low: str) -> bool:
    words = plain_words(low)
    return bool(words) and _BARE.issuperset(words)


def _offer(low: str, text: str) -> tuple[Sentence, ...]:
    """What the agent offered, where the user says yes to it or answers what it asks about it."""
    offer = low_of(text)
    says_so = says_yes(low) and ("?" in offer or any(map(offer.__contains__, _ASKS)))
    return sentences(offer) if says_so or (len(plain_words(low)) <= _LONGEST_REPLY and asks_back(offer)) else ()


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
