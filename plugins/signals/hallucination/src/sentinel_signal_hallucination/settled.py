"""An order to do something, no call that could have done it, and an answer that speaks as if it were so: told by its silence."""

from sentinel_core.evaluate.index import Text
from sentinel_core.evaluate.tools import singular
from sentinel_signal_hallucination.answers import WORDS_ONLY, admits, low_of
from sentinel_signal_hallucination.asked import orderable
from sentinel_signal_hallucination.aspects import MODALS, aspect_of
from sentinel_signal_hallucination.held import Held
from sentinel_signal_hallucination.sentences import Sentence, sentences
from sentinel_signal_hallucination.turns import Turn
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["settled"]

_LONGEST, _MOST_ORDERED = 300, 40
_LEADS = word_set("please can could would you now and then ok okay hi hey hello just also kindly so yes well , . !")
_STATES = word_set("is are was were been has have had runs run holds hold reads stays goes now it's that's you're they're lives sits points shows")
_AS_BEFORE = word_set("still already currently always usually normally so far if unless or either may might")
_DULL = word_set("the and for with from that this your you are has have was were now been its his her their our all any one two new")
_SHORTEST = 3


def settled(text: Text, turn: Turn) -> Sentence | None:
    """The sentence that speaks of what was ordered as of a fact, in a short answer without a question, a plan or trouble."""
    if "?" in text.content or len(text.content) > _LONGEST or not _commands(turn) or _is_done_later(turn):
        return None
    low = low_of(text.content)
    if admits(low, turn.low, mildly=True):
        return None
    ordered = {singular(word) for sentence in sentences(turn.low) for word in sentence.words if _says_much(word)}
    told = Held(turn.record.index, text.message_index).told_by_tools.lower()
    return next((sentence for sentence in sentences(low) if _is_fact(sentence, ordered, told)), None)


def _commands(turn: Turn) -> bool:
    """True where the user's message begins with a verb of a deed, and somebody could do it."""
    words = [word for sentence in sentences(turn.low)[:2] for word in sentence.words]
    if not words or len(turn.low.split()) > _MOST_ORDERED:
        return False
    first = next((word for word in words if word not in _LEADS), "")
    tools = turn.record.tools.values()
    can = any(facts.effect == "writes" or facts.runs_anything for facts in tools) or not turn.record.index.trace.details
    return first in orderable() - WORDS_ONLY and can and lemmas().written.isdisjoint(map(singular, words))


def _is_done_later(turn: Turn) -> bool:
    return any(deed.message_index > turn.asked for deed in turn.record.deeds)


def _says_much(word: str) -> bool:
    return word not in _DULL and (len(word) >= _SHORTEST or word[0].isdigit())


def _is_fact(sentence: Sentence, ordered: set[str], told: str) -> bool:
    words = sentence.words
    at = next((at for at, word in enumerate(words) if word in _STATES or word.endswith("'s")), -1)
    if at < 0 or not (_AS_BEFORE | MODALS).isdisjoint(words) or aspect_of(sentence, words, at) != "done":
        return False
    much = {singular(word) for word in words if _says_much(word)}
    return not much.isdisjoint(ordered) and any(word not in told for word in much - ordered or much)
