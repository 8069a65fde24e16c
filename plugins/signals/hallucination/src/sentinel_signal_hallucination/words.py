"""The tables of words: lemmas of deeds with all their forms, read once.

Their source is TOML; ``tables.json`` holds the same, for that is read in a tenth of the time. A test holds them together.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sentinel_core.trace import from_json

__all__ = ["KIN", "Lemmas", "lemmas", "word_set", "words_of"]

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
    """``done`` maps participles and pasts to base forms, ``doing`` the forms in "-ing"; ``group`` base forms, ``noun`` nouns, to groups."""

    group: dict[str, str]
    noun: dict[str, str]
    done: dict[str, str]
    doing: dict[str, str]
    irregular: dict[str, str]
    tool_forms: frozenset[str]
    all_forms: frozenset[str]
    kept: frozenset[str]
    written: frozenset[str]


# What besides a verb's form makes a statement: "all set", "on its way", "you have a ticket", "I was able to book".
_OTHERS = [
    "successful",
    "success",
    "complete",
    "set",
    "ready",
    "way",
    "headed",
    "underway",
    "succeeded",
    "enjoy",
    "have",
    "got",
    "you've",
    "able",
    "managed",
    "did",
]


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
    tool_forms = frozenset(form for form, verb in done.items() if table[group[verb]]["kind"] == "tool")
    return Lemmas(
        group,
        noun,
        done,
        doing,
        {form: verb for verb, forms in irregular.items() for form in forms.split()},
        tool_forms,
        frozenset((*done, *doing, *_OTHERS)),
        words_of("kept"),
        words_of("written"),
    )
