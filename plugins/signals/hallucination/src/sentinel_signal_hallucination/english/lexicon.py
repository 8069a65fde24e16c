"""The tables of words: lemmas of actions with all their forms, read once.

Their source is TOML; ``tables.json`` holds the same, for that is read in a tenth of the time. A test holds them together.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sentinel_core.evaluate.tools import NOTHING, READING, VAGUE, WRITING
from sentinel_core.trace import from_json
from sentinel_signal_hallucination.tables import regex

__all__ = [
    "COMPLETE",
    "PHRASES",
    "RELATED",
    "WORDS_ONLY",
    "Lemmas",
    "base_of",
    "bases",
    "is_no_action",
    "lemmas",
    "may_be_action",
    "word_set",
    "words_of",
]

_VOWELS = frozenset("aeiou")
# One syllable with a short vowel: its last letter is doubled.
_SHORT = regex(r"[^aeiou]+[aeiou][bdgklmnprt]|(?:re|un)[^aeiou]+[aeiou][dgmnprt]")
RELATED: dict[str, frozenset[str]] = {
    group: frozenset((group, *related.split()))
    for group, related in {
        "obtain": "create change play",
        "cancel": "remove change pay",
        "remove": "cancel change create",
        "send": "create pay decide",
        "pay": "change cancel send obtain",
        "change": "obtain create remove pay cancel",
        "create": "obtain send change decide",
        "decide": "create change send",
        "deploy": "",
        "play": "",
    }.items()
}
"""The groups of tools that may have done a action of a group."""


class Lemmas(NamedTuple):
    """``done`` maps participles and pasts to base forms (those of irregular verbs, whatever they say, too), ``doing`` the forms in "-ing"; ``group`` base forms, ``noun`` nouns, to groups."""

    group: dict[str, str]
    noun: dict[str, str]
    done: dict[str, str]
    doing: dict[str, str]
    kept: frozenset[str]
    written: frozenset[str]


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = from_json((Path(__file__).parents[1] / "data" / "tables.json").read_bytes())
    return tables


@lru_cache(maxsize=32)
def words_of(name: str) -> frozenset[str]:
    """One of the lists of words in ``things.toml``."""
    return frozenset(_tables()["things"][name])


def _forms(verb: str, irregular: str | None) -> tuple[list[str], str]:
    """The participles and pasts, and the form in "-ing"."""
    stem, doubled = verb.removesuffix("e"), verb + verb[-1]
    past = verb[:-1] + "i" if verb.endswith("y") and verb[-2] not in _VOWELS else stem
    if _SHORT.fullmatch(verb) or (irregular and doubled in irregular):
        stem = past = doubled
    return irregular.split() if irregular else [past + "ed"], stem + "ing"


@lru_cache(maxsize=1)
def lemmas() -> Lemmas:
    """The table of lemmas, its forms generated."""
    table, irregular = _tables()["lemmas"], _tables()["irregular"]
    group, noun, doing = dict[str, str](), dict[str, str](), dict[str, str]()
    done = {form: verb for verb, forms in irregular.items() for form in forms.split()}
    for name, row in table.items():
        for verb in row["verbs"]:
            past, goes_on = _forms(verb, irregular.get(verb))
            group.setdefault(verb, name)
            done.update(dict.fromkeys(past, verb))
            doing[goes_on] = verb
        noun.update(dict.fromkeys(row["nouns"], name))
    return Lemmas(group, noun, done, doing, words_of("kept") | noun.keys(), words_of("written"))


# To know, to think and to write an answer take no tool.
WORDS_ONLY = (READING | NOTHING | VAGUE) - word_set("apply open resolve convert extract") | words_of("answer_only")
# That a thing is done, whatever it is; and the words of phrases that say so.
COMPLETE = word_set(
    "done sorted finished completed complete arranged settled live gone set processed placed issued through successful success"
)
# Words that say so soon after one of these: "in the queue", "taken care of", "I did"; "now" after any.
PHRASES = {
    "queue": word_set("in"), "care": word_set("taken"), "way": word_set("on"), "out": word_set("gone"),
    "did": word_set("i"), "ahead": word_set("went"), "able": word_set("was were"), "managed": word_set("i we i've we've have has"), "now": word_set(""),
    "through": word_set("gone went is are"),
}  # fmt: skip
_SHORTEST_PAST = 5


@lru_cache(maxsize=50_000)
def bases(word: str) -> tuple[str, ...]:
    """The verbs that a participle or past may be of: "cordoned" is of "cordon", "tried" of "try"."""
    known = lemmas().done.get(word)
    if known is not None:
        return (known,)
    if not word.endswith("ed") or word.endswith("eed") or len(word) < _SHORTEST_PAST:
        return ()
    stem = word[:-2]
    other = stem[:-1] + "y" if stem.endswith("i") else stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    return (stem, stem + "e", other)


def base_of(word: str) -> str:
    """The likeliest of its verbs: one that is known; of a word of completion that is of none, the word."""
    found = (lemmas().done.get(word) or word,) if word in COMPLETE else bases(word) or (word,)
    return next((base for base in found if base in WORDS_ONLY or base in lemmas().group), found[0])


def is_no_action(verb: str) -> bool:
    """True for a verb of knowing, reading, speaking and writing the answer: that takes no call."""
    group = lemmas().group.get(verb)
    return group == "work" or (verb in WORDS_ONLY and group != "general")


@lru_cache(maxsize=50_000)
def _is_known(form: str) -> bool:
    if form in COMPLETE or form in PHRASES or form in lemmas().doing:
        return True
    verb = base_of(form)
    return not is_no_action(verb) and (verb in WRITING or verb in lemmas().group)


def may_be_action(form: str, asked: str) -> bool:
    """True for a form of a verb of actions, or of one that the users' words have; none takes no call."""
    return _is_known(form) or any(base in asked and not is_no_action(base) for base in bases(form))
