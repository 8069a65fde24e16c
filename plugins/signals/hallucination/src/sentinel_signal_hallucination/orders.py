"""What the user ordered: a request, or a yes to what the agent offered. Orders and time come before words."""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from sentinel_core.evaluate.tools import WRITING, singular
from sentinel_signal_hallucination.answers import low_of
from sentinel_signal_hallucination.record import Record
from sentinel_signal_hallucination.sentences import Sentence, sentences
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.words import WORDS_ONLY, lemmas, word_set, words_of

__all__ = ["Order", "admits", "asks_back", "order_of", "says_yes"]

_QUESTIONS = word_set("did have has had was is are were does why what when where how who which am")
_INFORMATION = word_set(
    "status state information info provide know about news explain describe find search look show check list"
)
_LEADS = word_set("please can could would you now and then ok okay hi hey hello just also kindly so yes well , . !")
_OBJECTS = word_set("the a an my our this that these those all it them him her up down off on back in")
_STATES = word_set("is are was were has have had do does did will would can could sounds looks works seems 's , . !")
_WISHES = {("i'd", "like"), ("would", "like"), ("i", "want"), ("i", "need"), ("we", "need"), ("we", "want")}
_MAKES = word_set("make give get let have go")
_NO_ORDER = word_set(
    "i we you he she they it is are was were do does did has have had am what which who where when why how whose if but or in on at for from to of with "
    "about regarding by as than because while there here this that these those my our your the a an no not thanks thank good great sorry hey any all some whether one maybe perhaps"
)
_BARE = word_set(
    "please go on ahead do it that this so handle proceed take care of fix just now thanks ok okay all them everything for me"
)
_MAILS = word_set("email e-mail mail text sms message invoice parcel package card")
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
_CLOSING = word_set("else help questions further welcome")
# Who speaks of trouble has hidden nothing. Mild words tell of something else as often.
_TROUBLE, _MILD = words_of("trouble"), words_of("mild_trouble")
_FIRST, _LONGEST_YES, _LONGEST, _SHORTEST_VERB, _LONGEST_REPLY, _TAIL = 6, 40, 6_000, 3, 15, 400
# What the user ran.
_SHELL = regex(r"(?m)^(?:\$ |!).*")
_message_index = attrgetter("message_index")


class Order(NamedTuple):
    """``words`` may be verbs of an order, ``groups`` those of its verbs and nouns, ``things`` are all that it names; ``agreed`` is True for a yes to an offer.

    ``bare`` is True for an order that names nothing: "Please take care of it", "Go ahead"; ``orders`` for one that asks for any deed,
    ``commands`` for one that does so in so many words: "Close valve 3".
    """

    words: frozenset[str]
    groups: frozenset[str]
    things: frozenset[str] = frozenset()
    agreed: bool = False
    bare: bool = False
    orders: bool = False
    commands: bool = False


def order_of(record: Record, asked: int) -> Order:
    """What a user's message orders."""
    low = _SHELL.sub(" ", low_of((record.index.messages[asked].content or "")[:_LONGEST]))
    texts = record.index.texts
    number = bisect_left(texts, asked, key=_message_index) - 1
    offered = frozenset(_offered(low, texts[number].content[-_LONGEST:])) if number >= 0 else frozenset[str]()
    words = (frozenset(_ordered(low)) | offered) - WORDS_ONLY
    words |= frozenset(map(singular, words))
    table, known = lemmas(), record.tool_nouns
    nouns = {singular(word) for word in (*offered, *_wished(low))}
    kinds = {table.group.get(word) for word in words} - {None, "work", "light"}
    kinds = kinds or {table.noun.get(word) or known.get(word) for word in nouns} - {None, "light"}
    parts = sentences(low)
    commands = any(map(_is_command, parts))
    orders = bool(commands or offered or kinds or not words.isdisjoint(WRITING)) or any(map(_wishes, parts))
    return Order(
        words, frozenset(filter(None, kinds)), frozenset(nouns) | words, bool(offered), _is_bare(low), orders, commands
    )


def _is_command(sentence: Sentence) -> bool:
    """As in "Please scale the worker", "make it 21": it begins with a verb of a deed, or with what may be one, before an object."""
    if sentence.asks or _asks_to_be_told(sentence.words):
        return False
    first, follows = _opening(sentence.words)
    if first in WRITING | lemmas().group.keys() and first not in WORDS_ONLY:
        return True
    return follows in _OBJECTS and first.isalpha() and first not in _NO_ORDER | (WORDS_ONLY - _MAKES)


def _wishes(sentence: Sentence) -> bool:
    """As in "I'd like to leave early", "ping ops that we start"."""
    if sentence.asks or _asks_to_be_told(sentence.words):
        return False
    first, follows = _opening(sentence.words)
    if any(pair in _WISHES for pair in pairwise(sentence.words)):
        return True
    return follows not in _STATES and first.isalpha() and first not in _NO_ORDER | WORDS_ONLY


def _opening(words: list[str]) -> tuple[str, str]:
    """The first two words after a greeting, "please" and the like."""
    first = next((at for at, word in enumerate(words) if word not in _LEADS), 0)
    return words[first], words[first + 1] if first + 1 < len(words) else "."


def _wished(low: str) -> Iterator[str]:
    """The words of sentences that do not ask for information: what they name is wanted."""
    for sentence in sentences(low):
        if not _asks_to_be_told(sentence.words) and (not sentence.asks or not _REQUESTS.isdisjoint(sentence.words)):
            yield from sentence.words


def _is_bare(low: str) -> bool:
    words = low.replace(".", " ").replace("!", " ").replace(",", " ").split()
    return bool(words) and _BARE.issuperset(words)


def _ordered(low: str) -> Iterator[str]:
    """The words that stand where a verb of an order may; of "cancel order 12" not the second."""
    verbs = lemmas().group.keys()
    for sentence in sentences(low):
        words = sentence.words
        if not _QUESTIONS.isdisjoint(words[:2]) or (sentence.asks and _REQUESTS.isdisjoint(words)) or "status" in words:
            continue
        for at, word in enumerate(words):
            if word in ("send", "update", "tell") and _is_to_be_told(words, at):
                continue
            if (
                word in ("write", "reply")
                and words[at + 1 : at + 2] in (["to"], ["back"])
                and _PLACES.isdisjoint(words)
            ):
                yield "message"
            gift = words[max(0, at - 3) : at][:1] == ["give"]
            is_free = gift or words[at - 1 : at] == [] or words[at - 1] not in _DETERMINERS
            is_free = is_free and not (
                words[at - 1 : at] != [] and words[at - 1] in verbs and singular(word) in lemmas().noun
            )
            if word.isalpha() and len(word) >= _SHORTEST_VERB and is_free:
                yield lemmas().doing.get(word, word)


# What a program writes to.
_PLACES = word_set("file files disk log logs database table path folder stdout output csv json sheet memory cache")


def _is_to_be_told(words: list[str], at: int) -> bool:
    """As in "send me the state", "an update on my ticket"."""
    return words[at + 1 : at + 2] in (["me"], ["us"], ["on"]) and _MAILS.isdisjoint(words)


def _asks_to_be_told(words: list[str]) -> bool:
    return not _INFORMATION.isdisjoint(words) or any(
        word in ("send", "update", "tell") and _is_to_be_told(words, at) for at, word in enumerate(words)
    )


def _offered(low: str, text: str) -> Iterator[str]:
    """The words of what the agent offered, where the user says yes to it or answers what it asks about it."""
    words = low.replace(",", " ").replace(".", " ").replace("!", " ").split()
    if not words or len(words) > _LONGEST_YES or words[0] in _NO:
        return
    offer = low_of(text)
    says_so = not _YES.isdisjoint(words[:_FIRST]) and ("?" in offer or any(map(offer.__contains__, _ASKS)))
    if not says_so and not (len(words) <= _LONGEST_REPLY and asks_back(offer)):
        return
    table = lemmas()
    for sentence in sentences(offer):
        for word in sentence.words:
            base = table.done.get(word) or table.doing.get(word) or word
            if base in WRITING or base in table.group or singular(word) in table.noun:
                yield base


def says_yes(content: str) -> bool:
    """True where a user's message begins like a yes."""
    words = content.lower().replace(",", " ").replace(".", " ").replace("!", " ").split()
    return 0 < len(words) <= _LONGEST_YES and not _YES.isdisjoint(words[:_FIRST]) and words[0] not in _NO


def admits(low: str, asked: str, *, mildly: bool = False) -> bool:
    """True where the text speaks of trouble anywhere, in words that the user did not use first."""
    signs = (_TROUBLE | _MILD if mildly else _TROUBLE).difference(*(sentence.words for sentence in sentences(asked)))
    return any(not signs.isdisjoint(sentence.words) for sentence in sentences(low))


_TO_CONFIRM = regex(r"\b(?:please|kindly) (?:ensure|confirm|verify|check)(?: that\b|,| the following\b)")


def asks_back(low: str) -> bool:
    """True where the text ends in a question that a yes answers, or asks for a yes: all of it may be a proposal."""
    if "?" not in low[-_TAIL:]:
        return _TO_CONFIRM.search(low[-_TAIL:]) is not None
    last = sentences(low[-_TAIL:])[-1:]
    return bool(last) and last[0].asks and _CLOSING.isdisjoint(last[0].words)
