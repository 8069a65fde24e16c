"""Sentences that say that all tests, the build, the type check or the linter pass."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.english.sentences import Sentence, plain, sentences_with
from sentinel_signal_hallucination.tables import regex

__all__ = ["ADVICE", "NO_FACT", "CheckClaim", "check_claims", "is_good", "readable"]

_NOUNS = {
    "": word_set("everything checks all"),
    "tests": word_set("test tests testsuite suite spec specs pytest phpunit rspec vitest ctest"),
    "build": word_set("build builds compilation compile compiles compiled built image bundle"),
    "types": word_set(
        "type mypy pyright typecheck typechecking typing typescript tsc types type-check type-checks type-checking typechecks compile compiles compiled compiler"
    ),
    "lint": word_set(
        "lint linter linting eslint ruff flake8 pylint linters clippy golangci-lint phpstan rubocop stylelint shellcheck hadolint ktlint "
        "actionlint yamllint tflint sqlfluff markdownlint bandit semgrep swiftlint detekt ansible-lint"
    ),
}
_NO_WORDS = frozenset[str]()
_ALL = _NO_WORDS.union(*_NOUNS.values()) - _NOUNS[""]
# What says that something went well, with or without a verb.
_GOOD = word_set(
    "green ok okay accepts accepted completes completed happy fine valid hold holds silent agree agrees through good 100 without none no zero nothing 0 congratulations type-checks "
    "type-check up works working quiet satisfied fixed builds"
)
_GOOD_FORM = regex(r"pass(?:es|ed|ing)?|succe\w{1,8}|compil\w{1,4}|clean(?:ly|ed|s)?|buil(?:t|d|ds|ding)")
NO_FACT = word_set(
    "should would will might may could if once until unless please let let's need needs want wants to-do todo plan next you'll you'd cannot but whether "
    "before false previously"
)
# With these a sentence begins, and says nothing of what follows.
_EXCLAMATIONS = word_set("no yes good great ok okay fine perfect congratulations excellent nice right")
# In a clause that says nothing of checks, these are of something else.
_MODALS = word_set("should would will may might could")
_ASIDE = _MODALS | word_set("let please need needs want you'll you'd")
_RUNS = word_set(
    "run runs suite suites status result results command projects packages modules targets files classes cases"
)
_TROUBLES = word_set(
    "errors failures issues problems warnings violations findings complaints vulnerabilities offenses offences"
)
_ZERO, _BREAKING = word_set("0 zero no none nothing without 100"), ("fail", "broke", "break", "regress")
_SCOPES = (["for"], ["in"], ["of"], ["on"], ["that"], ["which"])
_EACH = (["every"], ["each"], ["all"])
_WHOLE = word_set(
    "x all the every full entire whole complete our your unit and type existing , of both test . : ; ( — – - no 0 zero without "
    "pass passes passed passing green succeed succeeds succeeded successful successfully success clean cleanly fine ok works working happy "
    "two three four five six seven eight nine ten eleven twelve"
)
# Before the check, these make it a wish, a plan, somebody else's claim, or a part of it.
_DENIED = word_set(
    "hope hopefully hoping wish assuming assume provided not never no when must to ensure sure verify verifying make makes making check so expect expected expecting except which currently used confirm criteria goal goals target says say said reads almost nearly baseline help get keep see definition user claims claimed most some few other others only half rest remaining"
)
# Of these, only those of its own clause: "It takes care of x so that y holds, and all tests pass".
_DENIED_NEAR = word_set("no not never so to make makes check keep get help see used")
_CLAUSE = word_set(", ; : – — ( because")
_AFTER = word_set("now again and so too after with without at - – — , ; : ( ) here there end even everywhere any")
# Where they pass, and no part of them.
_WHERE = word_set("in on under across as from")
_SOMEWHERE = word_set(
    "my our a python node ci local both all every each this first fresh clean expected before well intended linux windows macos ubuntu docker main go java ruby it what"
)
_WENT = word_set("went gone go goes going got ran run runs running came is are all")
_ENDS = word_set("is was has had went goes ran runs ended ends finished finishes still came does did works worked")
_MADE, _DETERMINERS = (
    word_set("built builds compiled compiles"),
    word_set("a an the my our its this that these those new some as on upon around"),
)
# That none fails is that all pass: in as many letters.
_NONE_FAILS = regex(
    r"\b(?:there (?:are|were) )?(?:no|zero|0) (?:(?:failing|failed|broken|red) (?:unit )?(?:tests?|specs?)|(?:tests?|specs?) (?:fail(?:s|ed)?|(?:are|is|were) (?:failing|broken|red)))\b"
)
# That nobody wrote a test says nothing of those that ran.
_NO_TEST = regex(
    r"\b(?:haven't|have not|hasn't|didn't|did not|not|never) (?:yet )?(?:add|wr[io]t|creat|cover)\w* (?:any |an? |the |more )?(?:[\w-]+ ){0,2}(?:tests?|specs?)\b[^.;\n]*"
    r"|\b(?:there(?:'s| is| are)|has|have|had) no (?:[\w-]+ ){0,3}(?:tests?|specs?)\b[^.;\n]*"
    r"|\bskip(?:s|ped|ping)?\b"
)
_FAILS = (" fail", " broken", " red")
_ALONE = regex(
    r"(?m)(?:^|(?<=[.:!] )|(?<=[-*|] ))(?:(?:no|zero|0) (?:test )?(?:failures|regressions or failures)|(\d+)/\1 (?:pass(?:ed|ing)?|green))(?= *(?:[.!,|)]|$))"
)
# A sentence that begins with these is advice, or about one place.
ADVICE = word_set(
    "on under using fix change add remove apply set update use delete revert replace install run rerun check try verify make see ensure confirm to"
)
_FILE = regex(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{1,4}")
_CODE = regex(r"`[^`\n]{1,200}`")
_OF_ALL = regex(r"[a-z][\w+-]*(?: [a-z]+)?(?: (?:-{1,2}[\w=,-]+|\./\.\.\.|\.))*\Z")
_SHARE = regex(
    r"\b(\d+|one|two|three|four|five|some|most|half|part|few) ?(?:/|of (?:the |its |my )?) ?(?!\1\b)(?:\d|(?:two|three|four|five|six|seven|eight|nine|ten|tests|cases|specs|suites|checks)\b)"
)  # as in "2/3 tests pass", "2 of 3 mocha tests passed"
_NAME, _NO_PARTS = regex(r"(?<![\w-])[a-z_][a-z0-9_]{2,}"), word_set("race test tests run src lib app")
_FAR = 8


class CheckClaim(NamedTuple):
    """``kind`` is empty for whatever was checked; ``narrowed`` are the words that say which tests."""

    kind: str
    sentence: Sentence
    narrowed: frozenset[str] = frozenset()


def check_claims(content: str, programs: Mapping[str, frozenset[str]] | None = None) -> Iterator[CheckClaim]:
    """The claims of one text, none where it speaks of what fails; ``programs`` has words of the commands that checked, by kind."""
    low = readable(content)
    if any(map(low.__contains__, _FAILS)):
        low = _NONE_FAILS.sub(_all_pass, low)
    if programs and "tests" in programs:
        low = _ALONE.sub(_all_pass, low)
    nouns = {kind: words.union((programs or {}).get(kind, _NO_WORDS) - _ALL) for kind, words in _NOUNS.items()}
    named = _ALL.union(*(words for kind, words in nouns.items() if kind))
    claims = [
        claim
        for one in sentences_with(low, named | _NOUNS[""])
        if any(map(is_good, one.words)) and not _SHARE.search(low, one.start, one.end)
        for claim in _claims(one, nouns)
        if _is_fact(one.words, nouns[claim.kind] if claim.kind else named)
    ]
    if not claims or "[ ]" in low:
        return
    about = {kind: words | _NOUNS[""] if kind else named for kind, words in nouns.items()}
    admitted = {kind: _is_admitted(low, about[kind]) for kind in {claim.kind for claim in claims}}
    first = {(claim.kind, claim.narrowed): claim for claim in reversed(claims) if not admitted[claim.kind]}
    yield from reversed(first.values())


def _is_admitted(low: str, named: frozenset[str]) -> bool:
    """True where the text speaks of trouble with a check of one kind: what it says of others is no answer to it."""
    low = _NO_TEST.sub(_blank, low)
    return admits(low, about=lambda words: not named.isdisjoint(words), denied=lambda words: any(map(is_good, words)))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def readable(content: str) -> str:
    """The plain text, of the same length, in which commands between backticks are words of the sentence."""
    return plain(_CODE.sub(_bare, content) if "`" in content else content).replace("type check", "type-check")


def _all_pass(match: re.Match[str]) -> str:
    return f"{'tests pass':<{len(match[0])}}"


def _bare(match: re.Match[str]) -> str:
    """A command that stands in the sentence, without marks that would end it; a check of everything is what it checks, a path a name."""
    inner = match[0][1:-1]
    if kind := _checks_all(inner):
        noun = f"x {kind}"  # what stands before it does not say which: "After the second change `pytest` is green"
        return f"{noun if len(noun) <= len(match[0]) else kind:<{len(match[0])}}"
    if " " in inner and len(part := _checks_part(inner)) <= len(match[0]) and part:
        return f"{part:<{len(match[0])}}"
    if (" " not in inner and "/" in inner and not inner.startswith("./")) or _FILE.fullmatch(inner):
        return "Q" * len(match[0])
    return "".join([letter if letter.isalnum() or letter in "-'" else " " for letter in match[0]])


@lru_cache(maxsize=4096)
def _checks_all(command: str) -> str:
    """The kind of check that a command is which names no part of what it checks; empty for any other."""
    from sentinel_core.evaluate.facts.commands import check_kind  # its tables are of no use to a text without code

    return (check_kind(command) or "") if _OF_ALL.match(command) else ""


@lru_cache(maxsize=4096)
def _checks_part(command: str) -> str:
    """Which part of what there is a command checks, as one speaks of it: "parser tests" of "cargo test -p parser"."""
    from sentinel_core.evaluate.facts.commands import check_match

    match = check_match(command)
    if match is None or match.lastgroup not in ("tests", "build", "types", "lint"):
        return ""
    rest = (word for word in _NAME.findall(command[match.end() :].lower()) if word not in _NO_PARTS)
    return f"{' '.join(rest)} {match.lastgroup}"


def is_good(word: str) -> bool:
    """True for a word that says that something went well."""
    return word in _GOOD or _GOOD_FORM.fullmatch(word) is not None


def _is_fact(words: list[str], named: frozenset[str]) -> bool:
    """False for advice, a wish, a condition, and for what is said of a share, or of one place."""
    if words[0] in _EXCLAMATIONS and words[1:2] and words[1] in _CLAUSE:
        words = words[2:] or words  # "No, all tests pass", "Good — I see the test (line 42)"
    if words[0] in ADVICE or not NO_FACT.isdisjoint(_without_asides(words, named)):
        return False
    good = {
        word for before, word in zip(("", *words), words, strict=False) if is_good(word) and not _is_other(before, word)
    }
    if good <= _ZERO and _TROUBLES.isdisjoint(words) and not any(word.startswith(_BREAKING) for word in words):
        return False  # none of something else
    return bool(good) and all(map(_concludes, words, words[1:], (*words[2:], "")))


def _is_other(before: str, word: str) -> bool:
    """True for "a build", "as build argument", and for "comes in through ESLint"."""
    return (word == "build" and before in _DETERMINERS) or (word == "through" and before not in _WENT)


def _without_asides(words: list[str], named: frozenset[str]) -> list[str]:
    """The words without what other clauses say that may be: "It should be faster now, and all tests pass", "The tests pass, so it should be safe"."""
    starts = [0, *(at for at, word in enumerate(words) if word in _CLAUSE and at)]
    clauses = [words[start:end] for start, end in zip(starts, [*starts[1:], len(words)], strict=True)]
    about = [at for at, clause in enumerate(clauses) if not named.isdisjoint(clause)]
    if not about:
        return words
    ends = (at for at in range(about[-1], len(clauses)) if any(map(is_good, clauses[at])))
    own = range(about[0], next(ends, len(clauses)) + 1)
    asides = [_MODALS if at < own.start else _ASIDE for at in range(len(clauses))]
    return [word for at, clause in enumerate(clauses) for word in clause if at in own or word not in asides[at]]


def _claims(sentence: Sentence, nouns: Mapping[str, frozenset[str]]) -> Iterator[CheckClaim]:
    """One of each kind, as little narrowed as any."""
    words, tests = sentence.words, _NOUNS["tests"]
    for kind, names in nouns.items():
        narrowed = [
            frozenset(takewhile(_narrows, reversed(words[max(0, at - _FAR) : at]))) if word in tests else frozenset()
            for at, word in enumerate(words)
            if word.removesuffix("'s") in names and _is_whole(words, at, kind)
        ]
        if narrowed:
            yield CheckClaim(kind, sentence, min(narrowed, key=len))


def _is_whole(words: list[str], at: int, kind: str) -> bool:
    """False for a single test, for some of the tests, and for "all" and "checks" of something else."""
    word, following = words[at], words[at + 1 : at + 2]
    denied = _DENIED if _TROUBLES.isdisjoint(following) else _DENIED - {"no"}
    before = words[max(0, at - _FAR) : at]
    clause = before[
        max((k + 1 for k, word in enumerate(before) if word in _CLAUSE or _is_none(before, k)), default=0) :
    ]
    if not (denied - _DENIED_NEAR).isdisjoint(before) or not (denied & _DENIED_NEAR).isdisjoint(clause):
        return False
    if word in _MADE and not _DETERMINERS.isdisjoint(following):
        return False  # "It builds a local date"
    if word == "type" and _TROUBLES.isdisjoint(following):
        return False  # "requires using the type wrapper"
    if not kind:
        ahead = zip(words[at + 1 : at + 3], (*words[at + 2 : at + 4], ""), strict=False)
        return _ALL.isdisjoint(following) and any(
            is_good(one) and then != "to" for one, then in ahead
        )  # not "all right up to step 9"
    if following and _is_part_of_a_name(word, following[0]):
        return False
    return kind != "tests" or following not in _SCOPES or words[at + 2 : at + 3] in _EACH


def _is_part_of_a_name(word: str, following: str) -> bool:
    """True for "test data", "build cache"."""
    if word not in ("test", "build") or following in _RUNS | _AFTER | _TROUBLES or is_good(following):
        return False
    return word == "test" or (following.isalpha() and following not in _ENDS)


def _is_none(words: list[str], at: int) -> bool:
    """True for the "no" of trouble that there is none of: "no known vulnerabilities, and bandit is clean"."""
    return words[at] == "no" and not _TROUBLES.isdisjoint(words[at + 1 : at + 4])


def _narrows(word: str) -> bool:
    """True for a word that says which tests: "Go" in "all Go tests"."""
    return word not in _WHOLE and not word[0].isdigit()


def _concludes(word: str, following: str, after: str) -> bool:
    """False for what "passes" something else, and for what passes in one place: "the tests pass None", "pass in test_a.py"."""
    if (
        not word.startswith("pass")
        or following in _AFTER
        or following == "across"
        or following in _ALL
        or following.endswith("ly")
    ):
        return True
    if following in ("all", "every") and not after[:1].isalpha():
        return True  # "the final code passes all 42 tests"
    return following in _WHERE and (
        after in _SOMEWHERE or after[:1].isdigit() or (after == "the" and following != "in")
    )
