"""Whether a statement says that a thing is done: or planned, conditional, denied, earlier, somebody else's."""

from itertools import pairwise, takewhile

from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.tables import regex

__all__ = [
    "ADVERBS",
    "NO_NOUNS",
    "OTHERS",
    "REACH",
    "SELF",
    "STOPS",
    "is_done",
    "is_less_certain",
    "is_managed",
    "unhedged",
]

ADVERBS = word_set(
    "successfully now just also all both fully finally officially automatically promptly manually already recently since "
    "then still indeed hereby immediately directly safely correctly properly each once actually currently newly "
    "previously originally initially only even again simply"
)
_EARLIER = word_set("previously originally earlier initially ago yesterday")
SELF = word_set("i we i've we've i'm we're")
OTHERS = word_set(
    "user you you've they they've he she who customer user airline company seller merchant someone they're"
)
_MODALS = word_set(
    "will would could should must may might can cannot can't shall i'll we'll you'll it'll they'll to let's let need needs "
    "want wants going gonna i'd we'd you'd won't"
)
_DENIALS = word_set(
    "not never no cannot unable without nothing nothing's neither nor none failed fails nobody nobody's hardly unfortunately"
)
_CONDITIONS = word_set(
    "if soon once when until unless whether assuming whenever provided upon after before while where how why should please in-case"
)
_REASONS = word_set("since because")
_RELATIVE = word_set("that which who whom what whatever whose")
_READ = word_set(
    "understand understood hear heard sorry aware know confirmed verified see sees saw shows show shown showing indicates indicate indicating says say appears seems looks notice noticed find found finding according records listed"
)
STOPS = frozenset(",;:()–—-")
NO_NOUNS = _MODALS | _RELATIVE | _CONDITIONS | SELF
"""Words that are in no noun phrase."""
_CLAUSE_ENDS = STOPS | word_set("and but so")
_TURNS, _GOES_ON = word_set("but ; – —"), word_set("and so ,")
_SUBJECTS = word_set("i you he she it we they there nobody nothing no the your my i'm it's that's there's")
_NOTHING = word_set("nothing no none neither")
_PLANS = word_set("to being")
# Words before and after the verb: a text without a full stop is one sentence, and may have thousands of verbs.
REACH = 200


_HEDGING = word_set("should seem seems appear appears")
_ADVERBS_OF_NOW = r"((?:(?:now|already|all|both|also|indeed) )*)"
# As in "should now be blocked", "seems to have gone through": each is told as a fact. "It looks as though it is paid" is a guess.
_HEDGES = (
    (regex(rf"\bshould (?=(?:\w+ ){{0,2}}(?:now|already) ){_ADVERBS_OF_NOW}be\b|\bshould be\b(?= (?:\w+ ){{1,2}}now\b)"), r"\1is"),
    (regex(rf"\bshould {_ADVERBS_OF_NOW}have (?=been |gone |received )"), r"\1has "),
    (regex(r"\b(?:seem|appear)s? to be\b"), "is"),
    (regex(r"\b(?:seem|appear)s? to have\b"), "has"),
)  # fmt: skip


def unhedged(words: list[str]) -> list[str]:
    """The words of a sentence without what only softens them."""
    if _HEDGING.isdisjoint(words):
        return words
    sentence = " ".join(words)
    for hedge, plainly in _HEDGES:
        sentence = hedge.sub(plainly, sentence)
    return sentence.split()


def is_less_certain(words: list[str], at: int) -> bool:
    """True where the part of the sentence has a denial, before or behind, or tells what had been: it is read with less certainty."""
    begins = zip(words, (*words[1:], ""), strict=True)
    turns = (word in _TURNS or (word in _GOES_ON and after in _SUBJECTS) for word, after in begins)
    ends = [-1, *(place for place, is_turn in enumerate(turns) if is_turn), len(words)]
    start, end = next((start, end) for start, end in pairwise(ends) if start < at <= end)
    words = words[start + 1 : end]
    return not _DENIALS.isdisjoint(words) or "had" in words or any(word.endswith("n't") for word in words)


def is_managed(words: list[str], at: int) -> bool:
    """As in "I was able to book", "I managed to book", "I did book"; not so "you may be able to book"."""
    before = [word for word in words[max(0, at - 6) : at] if word not in ADVERBS]
    was_able = before[-2:] == ["able", "to"] and before[-3:-2] in (["was"], ["were"], ["been"])
    return was_able or before[-2:] in (["managed", "to"], ["i", "did"])


def is_done(words: list[str], at: int) -> bool:
    """False for an action, told by the word at a place, that is planned, conditional, denied, earlier or somebody else's."""
    words, at = words[max(0, at - REACH) : at + REACH], min(at, REACH)
    before = words[:at]
    clause = before[max((k + 1 for k, word in enumerate(before) if word in _CLAUSE_ENDS), default=0) :]
    return (
        _CONDITIONS.isdisjoint(before)
        and _DENIALS.isdisjoint(clause)
        and _REASONS.isdisjoint(clause)
        and not any(word.endswith("n't") for word in clause)
        and _NOTHING.isdisjoint(takewhile(_goes_on, _behind(words, at)))
        and (not _is_planned(clause) or is_managed(words, at))
        and _EARLIER.isdisjoint(words[: at + 6])
        and _RELATIVE.isdisjoint(clause[1:][-5:])
        and not any(left == "by" and word in OTHERS for left, word in pairwise(words[at + 1 : at + 6]))
        and _READ.isdisjoint(before if SELF.isdisjoint(clause) else clause)
    )


def _behind(words: list[str], at: int) -> list[str]:
    """The words behind a verb, and behind one that goes on with it: "exported and sent nothing"."""
    is_joined = words[at + 1 : at + 2] in (["and"], ["or"]) and words[at + 2 : at + 3] != []
    return words[at + 3 : at + 4] if is_joined else words[at + 1 : at + 3]


def _goes_on(word: object) -> bool:
    return word not in _CLAUSE_ENDS


def _is_planned(clause: list[str]) -> bool:
    """A modal near the action; "May 17" and the "to" of "a flight to Rome" are none."""
    return not _PLANS.isdisjoint(clause[-2:]) or any(
        word in _MODALS and word != "to" and not following[:1].isdigit()
        for word, following in pairwise((*clause[-6:], ""))
    )
