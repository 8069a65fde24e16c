"""What the user ordered: a request, or a yes to what the agent proposed. Orders and time come before words."""

from bisect import bisect_left
from typing import NamedTuple

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.evaluate.tools import name_words, singular
from sentinel_signal_hallucination.sentences import plain, sentences
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["Order", "orders_of"]

_YES = word_set(
    "yes yeah yep yup sure ok okay correct right please confirm confirmed proceed absolutely definitely great perfect fine good "
    "sounds agree agreed exactly indeed affirmative go certainly ahead works true do that's"
)
_NO = word_set("no nope don't not wait instead actually cancel stop nevermind")
_WISH = word_set(
    "want need like please can could would help make get let's wish i'd looking love reserve book hoping trying must should i'll "
    "give try going"
)
_INFORMATION = word_set(
    "information info status tell know where when what how which why whether about find search look show check list explain describe summarize summarise translate"
)
_BARE = word_set("please go do handle proceed take fix just")
_LEADS = word_set(
    "to please you and then or just also i'll let's would could can should , ; : - must don't me go ahead now so i'd"
)
_ASKS = (
    "confirm",
    "shall i",
    "should i",
    "would you like",
    "do you want",
    "want me to",
    "proceed",
    "is this correct",
    "is that correct",
    "is that right",
    "is this right",
    "okay?",
    "right?",
    "correct?",
    "i will",
    "i'll",
    "you'd like",
    "you want",
)
_ASKS_WHAT = (
    "what",
    "which",
    "when",
    "where",
    "how ",
    "who",
    "provide",
    "tell me",
    "could you",
    "may i have",
    "can i have",
)
_FIRST, _LONGEST_YES, _LONGEST = 6, 40, 6_000


class Order(NamedTuple):
    """A user's message that orders something. ``groups`` are those of the deeds, ``words`` all words of order and proposal."""

    at: int
    groups: frozenset[str]
    words: frozenset[str]
    agrees: bool


def orders_of(index: TraceIndex) -> list[Order]:
    """The orders of a trace, in order of time."""
    texts, found = index.texts, list[Order]()
    wanted = _wanted(index)
    places = [text.message_index for text in texts]
    for at in index.asked:
        content = index.messages[at].content or ""
        low = plain(content[:_LONGEST])
        words = _words(low)
        groups = _requested(low, wanted)
        agrees = False
        if not groups and _is_bare(low):
            groups = frozenset(("light",))
        number = bisect_left(places, at) - 1
        if number >= 0:
            proposal = texts[number].content[-_LONGEST:].lower()
            if _agrees(low) and _proposes(proposal):
                proposed = plain(proposal)
                deeds = _named(proposed)
                agrees, groups, words = True, groups | deeds, words | _words(proposed)
        if groups or agrees:
            found.append(Order(at, groups, words, agrees))
    return found


def _proposes(text: str) -> bool:
    """True for a question that a yes answers, or a plan to be confirmed."""
    if any(map(text.__contains__, _ASKS)):
        return True
    question = text.rpartition("?")[0].replace("\n", ". ").rpartition(". ")[2]
    return "?" in text and not any(map(question.__contains__, _ASKS_WHAT))


def _words(low: str) -> frozenset[str]:
    return frozenset(singular(token.word) for sentence in sentences(low) for token in sentence.tokens)


def _agrees(low: str) -> bool:
    words = low.replace(",", " ").replace(".", " ").replace("!", " ").split()
    if not words or len(words) > _LONGEST_YES:
        return False
    first = words[:_FIRST]
    return not _YES.isdisjoint(first) and first[0] not in _NO


def _wanted(index: TraceIndex) -> dict[str, str]:
    """The nouns in the names of tools that write, and the group of what the tool does to them."""
    found: dict[str, str] = {}
    for name, facts in sorted(index.tools.items()):
        if facts.effect == "writes":
            groups = sorted(lemmas().group[verb] for verb in facts.verbs if verb in lemmas().group)
            found.update(
                dict.fromkeys(
                    (singular(word) for word in name_words(name) if word not in facts.verbs),
                    groups[0] if groups else "light",
                )
            )
    return found


def _requested(low: str, wanted: dict[str, str]) -> frozenset[str]:
    """The groups of the deeds that a user's message asks for."""
    table, found = lemmas(), set()
    for sentence in sentences(low):
        words = [token.word for token in sentence.tokens]
        wishes = not _WISH.isdisjoint(words) and _INFORMATION.isdisjoint(words)
        for at, word in enumerate(words):
            group = table.group.get(word)
            if (
                group is not None
                and words[at + 1 : at + 2] != ["me"]
                and "status" not in words
                and (at == 0 or words[at - 1] in _LEADS)
            ):
                found.add(group)
            noun = table.noun.get(singular(word)) or wanted.get(singular(word))
            if noun is not None and wishes:
                found.add(noun)
            if word in table.doing and wishes:
                found.add(table.group[table.doing[word]])
    return frozenset(found - {"work"})


def _is_bare(low: str) -> bool:
    """As in "Please take care of it", "Go ahead": an order that names nothing."""
    words = low.replace(".", " ").replace("!", " ").split()
    return 0 < len(words) <= _LONGEST_YES and "?" not in low and words[0] in _BARE and _INFORMATION.isdisjoint(words)


def _named(low: str) -> frozenset[str]:
    """The groups of the deeds that a proposal names in any form."""
    table, found = lemmas(), set()
    for sentence in sentences(low):
        for token in sentence.tokens:
            word = token.word
            base = table.done.get(word) or table.doing.get(word) or word
            group = table.group.get(base) or table.noun.get(singular(word))
            if group is not None:
                found.add(group)
    return frozenset(found - {"work"})
