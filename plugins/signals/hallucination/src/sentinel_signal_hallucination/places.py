"""Where texts may hold claims: a first look that must be cheap and miss nothing. Most traces come out of it with nothing."""

import re
from collections.abc import Iterable
from itertools import islice

from sentinel_signal_hallucination.brief import briefs_in
from sentinel_signal_hallucination.families import BY_NAME, BY_VERB, Family
from sentinel_signal_hallucination.patterns import ADVERBS, CHAINED, IRREGULAR, SOURCES, STARS, VETO_RIGHT, SourceClaim
from sentinel_signal_hallucination.tables import either, regex

__all__ = ["CHAIN_CHARS", "LOOKS", "SOURCES_BY_FAMILY", "Place", "chain", "deeds_in", "leanings_in"]

Place = tuple[int, tuple[Family, ...]]
"""Where a claim's opening stands, counted in characters, and the families that it may be of."""

CHAIN_CHARS = 200
_LONGEST_CHAIN = 6

_ODD = sorted(verb for verb in IRREGULAR.union(BY_VERB) if not verb.endswith("ed"))
_DEED = rf"((?:[a-z]*+-)*[a-z]*+(?<=[^e]ed)|{either(_ODD)})\b"
# The shapes of claims, in as few searches as can be: each passes over the whole text, and that is what a trace costs. All
# begin with a literal, for which texts are searched several times faster than for one of a set. A look whose gate is not
# there need not even be compiled.
LOOKS = tuple(
    # Only "went ahead and" may, where no deed follows, be the first of two deeds: the rest is looked for once.
    (gate, regex(rf"{opening} (?:{ADVERBS}+{_DEED}|went\b)"))
    for gate, opening in (
        ("", r"I(?! can | will )(?:['’]ve| have)?"),
        ("W", r"We(?:['’]ve| have)?"),
        ("", r"w(?:e(?:['’]ve| have)?|as|ere|(?<=now))"),
        ("been", r"been"),
        ("uccessfully", rf"uccessfully{STARS}"),
    )
)
SOURCES_BY_FAMILY = tuple(
    (BY_NAME[name], tuple(row for row in SOURCES if row.family == name))
    for name in sorted({row.family for row in SOURCES})
)
_PASSIVE = ("w ", "was ", "were ", "been ")


def chain(prose: str, start: int, stop: int) -> list[re.Match[str]]:
    """The next verbs of the sentence: what the same doer may be said to have done besides."""
    more = CHAINED.finditer(prose, start, _sentence_end(prose, start, stop))
    return [match for match in islice(more, _LONGEST_CHAIN) if match[1] in BY_VERB]


def _sentence_end(prose: str, start: int, stop: int) -> int:
    line = prose.find("\n", start, stop)
    stop = stop if line < 0 else line
    period = prose.find(". ", start, stop)
    return stop if period < 0 else period


def deeds_in(spoken: str) -> list[Place]:
    """Every place where something may be said to be done, and others that will come to nothing."""
    places: list[Place] = []
    for gate, look in LOOKS:
        for match in look.finditer(spoken) if gate in spoken else ():
            families, end = BY_VERB.get(match[1]), match.end()
            if match[0].startswith(_PASSIVE):
                if families is not None and not _is_dated(spoken, end):
                    places.append((match.start(), families))
                continue
            if families is not None:
                places.append((match.start(), families))
            places += _chained(spoken, match.start(), end)
    for place, deed in briefs_in(spoken):
        if deed.verb in BY_VERB:
            places.append((place, BY_VERB[deed.verb]))
        if not deed.things:
            places += _chained(spoken, place, deed.end)
    return places


def _chained(spoken: str, place: int, end: int) -> list[Place]:
    verbs = CHAINED.findall(spoken, end, _sentence_end(spoken, end, end + CHAIN_CHARS))
    return [(place, BY_VERB[verb]) for verb in verbs if verb in BY_VERB]


def _is_dated(spoken: str, end: int) -> bool:
    """Whether the next word takes the force of what was done in the passive: no claim comes of "was created on 2024-05-01"."""
    return (
        spoken[end : end + 1] == " "
        and spoken[end + 1 : end + 2].isalpha()
        and VETO_RIGHT.match(spoken, end) is not None
    )


def leanings_in(spoken: str, family: Family, rows: Iterable[SourceClaim], stop: int) -> list[Place]:
    """Every place before ``stop`` that leans, in one of the ways of ``rows``, on what the family's tools may have given."""
    places: list[Place] = []
    for row in rows:
        if spoken.find(row.gate, 0, stop) >= 0:
            places += [(match.start(), (family,)) for match in row.pattern.finditer(spoken, 0, stop)]
    return places
