"""What the user ordered: a request, or a yes to what the agent proposed. Orders and time come before words."""

from bisect import bisect_left

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.evaluate.tools import name_words, singular
from sentinel_signal_hallucination.sentences import plain, sentences
from sentinel_signal_hallucination.tables import once
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["Order", "Orders"]

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
_MAILS = word_set("email e-mail mail text sms message invoice parcel package card")
_BARE = word_set("please go do handle proceed take fix just")
_LEADS = word_set(
    "to please you and then or just also i'll let's would could can should , ; : - must don't me go ahead now so i'd"
)
_ASKS = (
    "confirm", "shall i", "should i", "would you like", "do you want", "want me to", "proceed", "is this correct", "is that correct", "is that right",
    "is this right", "okay?", "right?", "correct?", "i will", "i'll", "you'd like", "you want",
)  # fmt: skip
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
_ASKS_STATE = ("did", "are", "has", "have", "was", "were")
_FIRST, _LONGEST_YES, _LONGEST, _LONGEST_AGREED = 6, 40, 6_000, 1_000


class Order:
    """A user's message that orders something. ``groups`` are those of the deeds; ``agrees`` is True for a yes to a proposal."""

    def __init__(self, at: int, groups: frozenset[str], low: str, *, agrees: bool) -> None:
        self.at, self.groups, self.agrees, self._low = at, groups, agrees, low

    @once
    def words(self) -> frozenset[str]:
        """All words of the order and of the proposal, as singulars."""
        return frozenset(singular(word) for sentence in sentences(self._low) for word in sentence.words)


class Orders:
    """The orders of a trace; each message is read when first asked for."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._places = [text.message_index for text in index.texts]
        self._read: dict[int, Order | None] = {}

    def before(self, message_index: int) -> Order | None:
        """The last order before a message."""
        asked = self._index.asked
        found = (self._order(asked[number]) for number in range(bisect_left(asked, message_index) - 1, -1, -1))
        return next((order for order in found if order is not None), None)

    @once
    def all(self) -> list[Order]:
        """All orders, in order of time."""
        return [order for at in self._index.asked if (order := self._order(at)) is not None]

    def says_yes(self, message_index: int) -> bool:
        """True where the last user's message before a message begins like a yes: a cheap look."""
        number = bisect_left(self._index.asked, message_index) - 1
        content = self._index.messages[self._index.asked[number]].content if number >= 0 else None
        return content is not None and len(content) <= _LONGEST_AGREED and _agrees(content.lower())

    def _order(self, at: int) -> Order | None:
        if at not in self._read:
            self._read[at] = self._found(at)
        return self._read[at]

    @once
    def _wanted(self) -> dict[str, str]:
        return _wanted(self._index)

    def _found(self, at: int) -> Order | None:
        low = plain((self._index.messages[at].content or "")[:_LONGEST])
        groups = _requested(low, self._wanted)
        if not groups and _is_bare(low):
            groups = frozenset(("light",))
        number = bisect_left(self._places, at) - 1
        if number >= 0 and _agrees(low):
            proposal = self._index.texts[number].content[-_LONGEST:].lower()
            if _proposes(proposal):
                proposed = plain(proposal)
                return Order(at, groups | _named(proposed), f"{low}\n{proposed}", agrees=True)
        return Order(at, groups, low, agrees=False) if groups else None


def _proposes(text: str) -> bool:
    """True for a question that a yes answers, or a plan to be confirmed."""
    if any(map(text.__contains__, _ASKS)):
        return True
    question = text.rpartition("?")[0].replace("\n", ". ").rpartition(". ")[2]
    return (
        "?" in text
        and question.strip().partition(" ")[0] not in _ASKS_STATE
        and not any(map(question.__contains__, _ASKS_WHAT))
    )


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
        words = sentence.words
        wishes = not _WISH.isdisjoint(words) and _INFORMATION.isdisjoint(words)
        for at, word in enumerate(words):
            group = table.group.get(word)
            if (
                group is not None
                and (word != "update" or words[at + 1 : at + 2] != ["me"])
                and (word != "send" or words[at + 1 : at + 2] != ["me"] or not _MAILS.isdisjoint(words))
                and "status" not in words
                and (at == 0 or words[at - 1] in _LEADS)
            ):
                found.add(group)
            if word == "get" and words[at + 1 : at + 2] in (["me"], ["us"]) and _INFORMATION.isdisjoint(words):
                found.add("obtain")
            if not wishes:
                continue
            noun = table.noun.get(singular(word)) or wanted.get(singular(word))
            if noun is not None:
                found.add(noun)
            if word in table.doing:
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
        for word in sentence.words:
            base = table.done.get(word) or table.doing.get(word) or word
            group = table.group.get(base) or table.noun.get(singular(word))
            if group is not None:
                found.add(group)
    return frozenset(found - {"work"})
