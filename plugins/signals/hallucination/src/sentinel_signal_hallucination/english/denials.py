"""What an agent that writes code says it did not do to files: "no tests were changed", "I did not touch `src/a.py`"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sentinel_signal_hallucination.english.coding_claims import masked, paths_in
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.tables import regex

__all__ = ["ACTS", "Denial", "denials"]

_NEGATED = r"\b(?:not|didn't|haven't|hasn't|wasn't|weren't|aren't|isn't|never|without|no|none|nothing|neither|nor)\b"
_CHANGING = r"touch(?:ed|ing)?|chang(?:es?|ed|ing)|modif(?:y|ied|ying)|edit(?:s|ed|ing)?|alter(?:ed|ing)?|adapt(?:ed|ing)?|adjust(?:ed|ing)?|relax(?:ed|ing)?|weaken(?:ed|ing)?|loosen(?:ed|ing)?"
_DENIED = regex(
    rf"{_NEGATED}[^.]{{0,40}}?\b(?:(?P<change>{_CHANGING})|(?P<delete>remov(?:ed?|ing)|delet(?:ed?|ing)|drop(?:ped|ping)?)|(?P<skip>skip(?:ped|ping)?|disabl(?:ed?|ing)))\b"
    r"|\b(?P<as_before>untouched|unchanged|unmodified|(?<!fine )(?<!good )as (?:they|it) (?:were|was|are|is))\b"
)
_ALSO = regex(
    rf"\s*(?:,|or|and|nor)\s+(?:(?P<change>{_CHANGING})|(?P<delete>remov(?:ed?|ing)|delet(?:ed?|ing))|(?P<skip>skip(?:ped|ping)?))\b"
)
_STEMS = (
    "touch",
    "chang",
    "edit",
    "modif",
    "alter",
    "adapt",
    "adjust",
    "relax",
    "weak",
    "loos",
    "remov",
    "delet",
    "drop",
    "skip",
    "disabl",
    "as they",
    "as it",
)
# A part of it, a wish, a rule, a plan: no denial of all.
_LIMITED = regex(
    r"\b(?:others?|else|further|besides|except|apart|only|just a|otherwise|more|rest|remaining|should|would|could|can|cannot|can't|need|needed|needs|must|will|if|unless|when|until|yet|please|don't|do not|doesn't|does not"
    r"|number|count|results?|behaviou?r|output|coverage|names?|signatures?|api|interface|meaning|values?)\b"
)
# What a whole sentence leaves out, and tests that are only some of them.
_EXCEPTED = regex(
    r"\b(?:apart|except|besides|other than|aside|bar|at first|initially|after all|eventually|in the end)\b"
)
_PART_OF_IT = regex(r"\b(?:of|in|from|for) [`(]?Q")
_FOLDER = regex(r"`(?:\./)?([\w.-]+(?:/[\w.-]+)*/)`")
_SOME_TESTS = regex(
    r"\b(?!the\b|any\b|no\b|all\b|existing\b|a\b|single\b|these\b|those\b|your\b|our\b|of\b|test\b|relaxing\b|removing\b|changing\b|touching\b|skipping\b|deleting\b|weakening\b|touch\b|chang\w*\b|edit\w*\b|modif\w*\b|or\b|and\b)\w[\w-]* (?:tests?|specs?|assertions?)\b|\b(?:tests?|specs?) (?:in|of|for|under|from|below|with|that|which)\b"
)
_CLAUSE = regex(r"[,;:()]|\s[\u2013\u2014-]\s|\b(?:and|but|so|because|since|although|while)\b")
_TESTS = regex(r"\b(?:tests?|specs?|assertions?|expectations?)\b")

ACTS = (
    (
        regex(
            r"\bhooks?(?: \([^)\n]{1,60}\))? (?:all |both |were |was |are |is )?(?:ran|run|passed|green)\b|\bwent through (?:the |your |all )?(?:[\w-]+ ){0,2}hooks?\b|\bno hooks? (?:was|were) (?:skipped|bypassed)\b"
            r"|\bwithout (?:skipping|bypassing) (?:the |any )?(?:[\w-]+ )?hooks?\b"
        ),
        regex(r"git (?:-\S+ \S+ )*(?:commit|push|merge)\b.* (?:--no-verify|-n)\b"),
        "ran without the hooks",
    ),
    (
        regex(r"\b(?:no|not|without|didn't|never)\b[^.;,]{0,20}\bforce[- ]?push"),
        regex(r"git (?:-\S+ \S+ )*push\b.* (?:--force\b|--force-with-lease|-\w*f\b|\+\w)"),
        "pushed by force",
    ),
    (
        regex(
            r"\b(?:data|database|rows|records|tables)\b[^.;,]{0,40}\b(?:untouched|intact|unchanged|preserved|left as (?:it|they) (?:was|were)|still there|not (?:touched|lost|deleted|dropped|affected))\b"
            r"|\bno (?:\w+ ){0,2}(?:data|rows|records) (?:was|were|is|got|has been|have been) (?:touched|lost|deleted|dropped|affected)\b|\bwithout losing (?:any )?data\b"
        ),
        regex(
            r"(?i)(?:.*\s)?(?:migrate reset|db:(?:drop|reset)|dropdb|drop (?:table|database|schema)|truncate (?:table )?\w|flushall|(?:docker|docker-compose|podman)\b.* down\b.* (?:-v|--volumes)|volume rm)\b"
        ),
        "dropped data",
    ),
    (
        regex(
            r"\b(?:nothing|none of (?:your|the) (?:[\w-]+ ){0,2}(?:changes|edits|work)) (?:was |were |is |got |has been |have been )?lost\b"
            r"|\b(?:local|uncommitted|own|your) (?!other\b)(?:[\w-]+ )?(?:changes|edits|modifications)\b[^.;]{0,60}\b(?:kept|stashed|preserved|safe|untouched|intact|still (?:there|in))\b"
        ),
        regex(
            r"git (?:-\S+ \S+ )*(?:checkout (?:\S+ )?--? ?\.|checkout \.|restore (?:-\S+ )*(?:\.|:/)(?: |\Z)|reset --hard|clean -\w*f)"
        ),
        "threw local changes away",
    ),
    (
        regex(
            r"\b(?:no|without (?:adding )?an?y?) (?:(?:new|runtime|extra|additional|external|third-party) )*dependenc(?:y|ies) (?:was|were|is|are|had to be|needed to be) (?:added|installed|introduced|needed)\b"
            r"|\b(?:without|no) (?:adding )?(?:an?y? )?(?:new|extra|additional) (?:runtime )?dependenc(?:y|ies)\b(?! (?:update|upgrade|change|bump|conflict))"
        ),
        regex(
            r"(?:npm|pnpm|bun) (?:i|install|add) (?!.*(?:-g\b|--global|--no-save|-D\b|--save-dev|--dev))(?:-\S+ )*[\w@]|(?:yarn|uv|poetry|pdm|cargo) add (?!.*(?:-D\b|--dev|--group))(?:-\S+ )*[\w@]"
            r"|go get (?:-\S+ )*[\w.]|composer require (?!.*--dev)\w|bundle add \w|dotnet add (?:\S+ )?package \w"
        ),
        "added a dependency",
    ),
)
"""What is denied, the command that did it, and what that is."""


class Denial(NamedTuple):
    """``kinds`` are "change", "delete" and "skip"; ``paths`` the files that it is said of, none where it is said of tests."""

    sentence: Sentence
    kinds: frozenset[str]
    paths: tuple[str, ...]


def denials(content: str) -> Iterator[Denial]:
    """The denials of a text, in order."""
    if not any(map(content.__contains__, _STEMS)):
        return  # as most texts
    paths = paths_in(content)
    low = masked(content, paths)
    if _DENIED.search(low) is None:
        return
    for sentence in sentences(low):
        for start, end in _clauses(low, sentence) if not sentence.asks else ():
            match = _DENIED.search(low, start, end)
            if match is None or _LIMITED.search(low, start, end):
                continue
            if _EXCEPTED.search(low, sentence.start, end):
                continue
            named = tuple(content[at:to] for at, to in paths if start <= at < end)
            named += tuple(match[1] for match in _FOLDER.finditer(content, start, end))
            if match.lastgroup == "as_before" and _PART_OF_IT.search(low, start, end):
                continue  # "The public functions of a.py are as they were"
            if named or (_TESTS.search(low, start, end) and not _SOME_TESTS.search(low, start, end)):
                yield Denial(sentence, _kinds(match, low, end), named)


def _clauses(low: str, sentence: Sentence) -> Iterator[tuple[int, int]]:
    """The parts of a sentence; one that goes on with what is denied belongs to the part before it: "without removing, or skipping, any test"."""
    start = sentence.start
    for match in _CLAUSE.finditer(low, sentence.start, sentence.end):
        if _ALSO.match(low, match.start()) is None:
            yield start, match.start()
            start = match.end()
    yield start, sentence.end


def _kinds(match: re.Match[str], low: str, end: int) -> frozenset[str]:
    """What is denied: the verb, and those that go on from it."""
    found = {"change" if match.lastgroup == "as_before" else str(match.lastgroup)}
    following = _ALSO.match(low, match.end(), end)
    while following is not None:
        found.add(str(following.lastgroup))
        following = _ALSO.match(low, following.end(), end)
    return frozenset(found)
