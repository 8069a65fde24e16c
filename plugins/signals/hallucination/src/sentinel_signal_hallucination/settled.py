"""An order to do something, no call that could have done it, and an answer that speaks as if it were so: told by its silence."""

from sentinel_core.evaluate.index import Text
from sentinel_core.evaluate.tools import singular
from sentinel_signal_hallucination.answers import Said, low_of
from sentinel_signal_hallucination.aspects import MODALS, aspect_of
from sentinel_signal_hallucination.held import Held
from sentinel_signal_hallucination.orders import admits
from sentinel_signal_hallucination.sentences import Sentence, sentences
from sentinel_signal_hallucination.turns import Turn
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["LONGEST_FACT", "settled"]

LONGEST_FACT, _MOST_ORDERED = 300, 40
_STATES = word_set(
    "is are was were been has have had runs run holds hold reads stays goes now it's that's you're they're lives sits points shows"
)
_AS_BEFORE = word_set("based still already currently always usually normally so far if unless or either may might")
_DULL = word_set(
    "the and for with from that this your you are has have was were now been its his her their our all any one two new"
)
_SHORTEST = 3


def settled(text: Text, turn: Turn) -> Said | None:
    """The words that speak of what was ordered as of a fact, in a short answer without a question, a plan or trouble."""
    if "?" in text.content or len(text.content) > LONGEST_FACT or not _commands(turn):
        return None
    low = low_of(text.content)
    if admits(low, turn.low, mildly=True):
        return None
    ordered = {singular(word) for sentence in sentences(turn.low) for word in sentence.words if _says_much(word)}
    told = Held(turn.record.index, text.message_index).told_by_tools.lower()
    return next(filter(None, (_fact(sentence, ordered, told) for sentence in sentences(low))), None)


def _commands(turn: Turn) -> bool:
    """True where the user's message orders a deed, and somebody could do it."""
    tools = turn.record.tools.values()
    can = any(facts.effect == "writes" or facts.runs_anything for facts in tools) or not turn.record.index.trace.details
    if not can or not turn.order.commands or len(turn.low.split()) > _MOST_ORDERED:
        return False
    return all(lemmas().written.isdisjoint(map(singular, part.words)) for part in sentences(turn.low))


def _says_much(word: str) -> bool:
    return word not in _DULL and (len(word) >= _SHORTEST or word[0].isdigit())


def _fact(sentence: Sentence, ordered: set[str], told: str) -> Said | None:
    words = sentence.words
    at = next((at for at, word in enumerate(words) if word in _STATES and (at or "'" in word)), -1)
    if at < 0 or aspect_of(sentence, words, at) != "done":
        return None
    # What has a verb of a deed was judged by its grammar.
    if not (_AS_BEFORE | MODALS | lemmas().done.keys()).isdisjoint(words):
        return None
    much = {singular(word) for word in words if _says_much(word)}
    is_new = any(word not in told for word in much - ordered or much)
    return Said(sentence, at, words[at], "state", named=False) if is_new and not much.isdisjoint(ordered) else None
