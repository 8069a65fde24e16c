"""Sentences that say that all tests, the build, the type check or the linter pass."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from sentinel_signal_hallucination.sentences import Sentence, plain, sentences_with
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.trouble import speaks_of_trouble
from sentinel_signal_hallucination.words import word_set

__all__ = [
    "ADVICE",
    "AFTER",
    "SUBJECTS",
    "CheckClaim",
    "check_claims",
    "commands_in",
    "is_denied",
    "is_share",
    "narrowed_by",
    "readable",
    "says_where",
]

SUBJECTS = {
    "": word_set("everything checks all"),
    "tests": word_set("test tests testsuite suite specs"),
    "build": word_set("build builds compilation"),
    "types": word_set(
        "type mypy pyright typecheck typechecking typing typescript tsc types type-check type-checks type-checking"
    ),
    "lint": word_set("lint linter linting eslint ruff flake8 pylint linters"),
}
_TROUBLES = word_set("errors failures issues problems warnings violations")
_COUNTED = word_set("passed passing pass")
_NAMED = frozenset(("compiles", "builds")).union(_TROUBLES, _COUNTED, *SUBJECTS.values())
_PASS = word_set(
    "pass passes passed passing green succeed succeeds succeeded successful successfully success clean cleanly fine ok works working happy"
)
_BETWEEN = word_set(
    "now all both again still also finally successfully are is have has been was were and they it everything of the them cases check checks ran run "
    "runs suite result results status completed complete completes finish finished finishes exit exits came come back continue continues to compiles afterwards then here locally "
    "clean fully with zero errors reports finds shows gives hooks builds src . : ( ) - – — ,"
)
_WHOLE = word_set(
    "all the every full entire whole complete our your unit and type existing , of both test . : ; ( — – -"
)
_PART = word_set(
    "new some most other few previous first only these those this one single almost nearly early rest remaining"
)
_DENIED = word_set(
    "assuming assume provided not never no cannot if once when until unless should would could will may might must to ensure sure verify verifying make makes making check "
    "that so expect expected expecting whether except but before after let run running please need needs want wants which currently previously "
    "used confirm criteria goal goals plan target next says say said reads almost nearly at baseline help get keep see todo definition user claims claimed"
)
# What these say before a colon goes for what follows it.
_FRAMES = word_set(
    "to do assuming would should say says said reads criteria goal goals plan target todo definition claims claimed next expected when if once until unless not never"
)
_KNOWN = word_set("verified confirmed checked")
AFTER = word_set("now again and successfully so too cleanly after with without at - – — , ; ( )")
_CLEAN_OF = word_set("no 0 zero without")
_GONE = word_set("fixed resolved gone")
_LEFT = word_set("left remain remaining anymore found reported now and or are were . , ; ) - – —")
ADVICE = word_set("fix change add remove apply set update use delete revert replace install")
_SCRIPTS = word_set("npm pnpm yarn bun")
_OBJECTS = word_set("all the its their our every existing")
_NUMBERS = word_set("two three four five six seven eight nine ten eleven twelve")
_WHERE, _IN_ALL = (
    word_set("on at in under before using locally almost nearly"),
    word_set("addition short summary the total all end"),
)
_CODE = regex(r"`[^`\n]{1,200}`")
_NEAR, _FAR, _GAP = 3, 8, 8
_REACH = 200  # words before and after a subject: a text without a full stop may have thousands of subjects


class CheckClaim(NamedTuple):
    """``kind`` is empty for whatever was checked; ``narrowed`` are the words that say which tests, ``passed`` how many are said to pass."""

    kind: str
    sentence: Sentence
    narrowed: frozenset[str] = frozenset()
    passed: str = ""


def check_claims(content: str, programs: Mapping[str, frozenset[str]] | None = None) -> Iterator[CheckClaim]:
    """The claims of one text, none where it speaks of what fails; ``programs`` has words of the commands that checked, by kind."""
    low = readable(content)
    known = programs or {}
    named = _NAMED.union(*known.values())
    trouble: bool | None = None
    for sentence in sentences_with(low, named):
        words = sentence.words
        whole = low[sentence.start : sentence.end]
        if "[ ]" in whole or _some_fail(words) or says_where(words):
            continue
        for claim in _claims(sentence, words, known):
            if trouble is None:
                trouble = speaks_of_trouble(low, lambda words: not named.isdisjoint(words))
            if not trouble:
                yield claim


def readable(content: str) -> str:
    """The plain text, of the same length, in which commands between backticks are words of the sentence."""
    return plain(_CODE.sub(_bare, content) if "`" in content else content).replace("type check", "type-check")


def commands_in(content: str) -> list[str]:
    """What stands between backticks."""
    return [match[0].strip("`") for match in _CODE.finditer(content)] if "`" in content else []


def says_where(words: list[str]) -> bool:
    """True for a sentence that begins with a place: "On Python 3.12 ..."."""
    return words[0] in _WHERE and _IN_ALL.isdisjoint(words[1:2])


def _bare(match: re.Match[str]) -> str:
    """A command that stands in the sentence, without marks that would end it."""
    return "".join([letter if letter.isalnum() or letter in "-'" else " " for letter in match[0]])


def _claims(sentence: Sentence, words: list[str], known: Mapping[str, frozenset[str]]) -> Iterator[CheckClaim]:
    for kind, nouns in SUBJECTS.items():
        programs = known.get(kind, frozenset())
        for at, word in enumerate(words):
            if word in nouns or word in programs:
                first = max(0, at - _REACH)
                near, place = words[first : at + _REACH], at - first
                narrowed = narrowed_by(near[:place]) if kind == "tests" and word in nouns else frozenset[str]()
                if _passes(near, place, kind, programs) and (kind or _stands_alone(near, place)):
                    yield CheckClaim(kind, sentence, narrowed)
    if _builds(words):
        yield CheckClaim("build", sentence)
    if passed := _counted(words):
        yield CheckClaim("tests", sentence, passed=passed)


def narrowed_by(before: list[str]) -> frozenset[str]:
    """The words that say which tests: "Go" in "all Go tests"."""
    found = list[str]()
    for word in reversed(before):
        if word in _WHOLE or word in _CLEAN_OF or word in _PASS or _is_number(word):
            break
        found.append(word)
    return frozenset(found)


def _stands_alone(words: list[str], at: int) -> bool:
    """True for "everything", and for "all" and "checks" that are followed by no noun, and are said of no others."""
    if words[at] == "everything":
        return True
    before = words[at - 1 : at] if at else []
    if words[at] == "all":
        return before in ([], ["?"], [","], ["and"], [":"]) and words[at + 1 : at + 2] != [] and words[at + 1] in _PASS
    return before in ([], ["all"], ["the"])


def _is_number(word: str) -> bool:
    return word[0].isdigit() or word in _NUMBERS


def _builds(words: list[str]) -> bool:
    """As in "it compiles", "the project builds cleanly"."""
    at = next((at for at, word in enumerate(words) if at and word in ("compiles", "builds")), None)
    if at is None or is_denied(words[:at]):
        return False
    following = words[at + 1 : at + 2]
    return words[at] == "compiles" or bool(following and following[0] in {"cleanly", "fine", "successfully", "without"})


def is_denied(before: list[str]) -> bool:
    """True where a word before the subject makes it a wish, a plan, a condition or somebody else's claim."""
    for at in range(len(before) - 1, max(-1, len(before) - 1 - _FAR), -1):
        word = before[at]
        if word not in _DENIED and not word.endswith("n't") and not (at == 0 and word in ADVICE):
            continue
        if word == "run" and at and before[at - 1] in _SCRIPTS:
            continue
        told = word == "that" and before[at - 1 : at] != [] and before[at - 1] in _KNOWN
        since = word == "after" and "," in before[at:]
        led = ":" in before[at:] and word not in _FRAMES
        if not (told or since or led):
            return True
    return False


def _passes(words: list[str], at: int, kind: str, programs: frozenset[str]) -> bool:  # noqa: PLR0911 - one test a line
    before = words[:at]
    if _is_object(before):
        return _concludes(words, at)
    if is_denied(before) or not _PART.isdisjoint(before[-_NEAR:]):
        return _has_none(words, at)
    if before[-1:] and before[-1].endswith("'s"):
        return False
    if before[-1:] and before[-1] in _NUMBERS and "all" not in before[-_NEAR:]:
        return False
    after = at + 1
    while after < min(len(words), at + _GAP) and _is_between(words, after, programs):
        after += 1
    if after < len(words) and words[after] in _CLEAN_OF:
        return _ends_clean(words, after)
    if words[after : after + 1] != [] and words[after] in _GONE:
        return kind == "build" or (kind != "" and not _TROUBLES.isdisjoint(words[at + 1 : after]) and "all" in before)
    if after >= len(words) or words[after] not in _PASS:
        return False
    if "of" in words[max(0, at - 2) : at] and "100" not in before:
        return False
    return _concludes(words, after) and not is_share(words[: after + 1])


def _concludes(words: list[str], at: int) -> bool:
    """True where the words at ``at`` end the statement; "passed: 2/3" and "passed: false" say the contrary."""
    following = words[at + 1 : at + 4]
    if following[:1] == [":"]:
        return len(following) == _NEAR and following[1][0].isdigit() and following[1] == following[2]
    return following == [] or following[0] in AFTER


def is_share(words: list[str]) -> bool:
    """As in "2/3 tests pass", "2 of 3 mocha tests passed"."""
    for at in range(len(words) - 1):
        if words[at][0].isdigit():
            other = words[at + 1] if words[at + 1] != "of" else words[at + 2 : at + 3][0] if words[at + 2 :] else "of"
            if other[0].isdigit() and other != words[at]:
                return True
    return False


def _is_object(before: list[str]) -> bool:
    """As in "the code passes all tests"."""
    verb = next((at for at in range(len(before) - 1, 0, -1) if before[at] not in _OBJECTS), 0)
    return verb > 0 and before[verb] in {"passes", "pass", "passed"} and not is_denied(before[:verb])


def _is_between(words: list[str], at: int, programs: frozenset[str]) -> bool:
    word = words[at]
    if word in _CLEAN_OF or (word in _PASS and (at + 1 == len(words) or words[at + 1] in AFTER)):
        return False
    return word in _BETWEEN or word in programs or word in _TROUBLES or _is_number(word)


def _ends_clean(words: list[str], at: int) -> bool:
    """As in "without any errors", "no issues"."""
    for place in range(at + 1, min(at + _NEAR + 1, len(words))):
        if words[place] in _TROUBLES:
            return words[place + 1 : place + 2] == [] or words[place + 1] in _LEFT
    return False


def _has_none(words: list[str], at: int) -> bool:
    """As in "No lint errors", "0 type errors", "no failing tests"."""
    near = [place for place in range(max(0, at - _NEAR), at) if words[place] in _CLEAN_OF]
    if not near or not _PART.isdisjoint(words[near[-1] : at]) or is_denied(words[: near[-1]]):
        return False
    end = at + 1
    if words[at - 1] != "failing":
        if words[end : end + 1] == [] or words[end] not in _TROUBLES:
            return False
        end += 1
    return words[end : end + 1] == [] or words[end] in _LEFT


def _some_fail(words: list[str]) -> bool:
    return any(word.startswith("fail") and before[0] in "123456789" for before, word in pairwise(words))


def _counted(words: list[str]) -> str:
    """How many are said to pass, as in "3 passed", "14 passed, 0 failed"; empty where others are said not to."""
    for at in range(1, len(words)):
        if words[at] in _COUNTED and words[at - 1].isdigit() and not is_denied(words[: at - 1]):
            if "of" in words[:at] or not _PART.isdisjoint(words[max(0, at - 1 - _NEAR) : at]):
                return ""
            return words[at - 1] if _concludes(words, at) and not is_share(words[: at + 1]) else ""
    return ""
