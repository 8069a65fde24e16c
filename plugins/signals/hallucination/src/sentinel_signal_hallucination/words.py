"""The tables of words: lemmas of deeds with all their forms, read once.

Their source is TOML; ``tables.json`` holds the same, for that is read in a tenth of the time. A test holds them together.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sentinel_core.evaluate.tools import NOTHING, READING, VAGUE, WRITING
from sentinel_core.trace import from_json

__all__ = [
    "COMPLETE",
    "IN_PHRASES",
    "KIN",
    "WORDS_ONLY",
    "Lemmas",
    "base_of",
    "bases",
    "is_no_deed",
    "lemmas",
    "may_be_deed",
    "word_set",
    "words_of",
]

_VOWELS = frozenset("aeiou")
KIN: dict[str, frozenset[str]] = {
    group: frozenset((group, *kin.split()))
    for group, kin in {
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
"""The groups of tools that may have done a deed of a group, the likest first."""


class Lemmas(NamedTuple):
    """``done`` maps participles and pasts to base forms, ``doing`` the forms in "-ing", ``irregular`` those of any irregular verb; ``group`` base forms, ``noun`` nouns, to groups."""

    group: dict[str, str]
    noun: dict[str, str]
    done: dict[str, str]
    doing: dict[str, str]
    irregular: dict[str, str]
    kept: frozenset[str]
    written: frozenset[str]


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = from_json((Path(__file__).parent / "data" / "tables.json").read_bytes())
    return tables


def words_of(name: str) -> frozenset[str]:
    """One of the lists of words in ``things.toml``."""
    return frozenset(_tables()["things"][name])


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied"
    return verb + "ed"


def _doubled(verb: str, past: tuple[str, ...]) -> bool:
    return any(form.startswith(verb + verb[-1]) for form in past)


def _ing(verb: str, past: tuple[str, ...]) -> str:
    if verb.endswith("e"):
        return verb[:-1] + "ing"
    return f"{verb}{verb[-1]}ing" if _doubled(verb, past) or verb in ("run", "put", "set", "begin") else verb + "ing"


@lru_cache(maxsize=1)
def lemmas() -> Lemmas:
    """The table of lemmas, its forms generated."""
    table, irregular = _tables()["lemmas"], _tables()["irregular"]
    group, noun, done, doing = dict[str, str](), dict[str, str](), dict[str, str](), dict[str, str]()
    for name, row in table.items():
        for verb in row["verbs"]:
            past = tuple(irregular.get(verb, _past(verb)).split())
            group.setdefault(verb, name)
            done.update(dict.fromkeys(past, verb))
            doing[_ing(verb, past)] = verb
        noun.update(dict.fromkeys(row["nouns"], name))
    return Lemmas(
        group,
        noun,
        done,
        doing,
        {form: verb for verb, forms in irregular.items() for form in forms.split()},
        words_of("kept"),
        words_of("written"),
    )


# To know, to think and to write an answer take no tool.
WORDS_ONLY = (READING | NOTHING | VAGUE) - word_set("open resolve convert extract") | words_of("answer_only")
# That a thing is done, whatever it is; and the words of phrases that say so.
COMPLETE = word_set(
    "done sorted finished completed complete arranged settled live gone set processed placed issued through successful success"
)
IN_PHRASES = word_set("set place queue care now way did out able managed ahead")
_SHORTEST_PAST = 5


@lru_cache(maxsize=4096)
def bases(word: str) -> tuple[str, ...]:
    """The verbs that a participle or past may be of: "cordoned" is of "cordon", "tried" of "try"."""
    known = lemmas().done.get(word) or lemmas().irregular.get(word)
    if known is not None:
        return (known,)
    if not word.endswith("ed") or word.endswith("eed") or len(word) < _SHORTEST_PAST:
        return ()
    stem = word[:-2]
    more = (stem[:-1],) if stem[-1:] == stem[-2:-1] else ()
    return (stem, stem + "e", *more, *((stem[:-1] + "y",) if stem.endswith("i") else ()))


def base_of(word: str) -> str:
    """The likeliest of its verbs: one that is known; of a word of completion that is of none, the word."""
    known = lemmas().done.get(word)
    if known is not None or word in COMPLETE:
        return known or word
    found = bases(word) or (word,)
    return next((base for base in found if base in WRITING or base in WORDS_ONLY or base in lemmas().group), found[0])


def is_no_deed(verb: str) -> bool:
    """True for a verb of knowing, reading, speaking and writing the answer: that takes no call."""
    group = lemmas().group.get(verb)
    return group == "work" or (verb in WORDS_ONLY and verb not in COMPLETE and group != "light")


@lru_cache(maxsize=4096)
def _is_known(form: str) -> bool:
    table = lemmas()
    if form in COMPLETE or form in IN_PHRASES or form in table.noun or form in table.doing:
        return True
    verb = base_of(form)
    return bool(bases(form)) and not is_no_deed(verb) and (verb in WRITING or verb in table.group)


def may_be_deed(form: str, asked: str) -> bool:
    """True for a form of a verb of deeds, or of one that the users' words have; none takes no call."""
    return _is_known(form) or any(base in asked and not is_no_deed(base) for base in bases(form))
