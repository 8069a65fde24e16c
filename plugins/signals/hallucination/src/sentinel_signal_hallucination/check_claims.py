"""Sentences that say without a reserve that a check passes: not a part of it, not as a plan, and with nothing beside it that fails."""

from collections.abc import Iterator
from typing import NamedTuple

from sentinel_core.evaluate.index import Text
from sentinel_signal_hallucination.sentences import Sentence, plain, sentences
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.words import word_set

__all__ = ["PASS_SIGNS", "CheckClaim", "check_claims"]

PASS_SIGNS = (
    "pass",
    "green",
    "succe",
    "clean",
    "compile",
    "no errors",
    "no lint",
    "no type",
    "0 errors",
    "no warnings",
    "happy",
    "builds",
)
_SUBJECTS = {
    "tests": word_set("test tests testsuite suite specs everything"),
    "build": word_set("build builds compilation"),
    "types": word_set("mypy pyright typecheck typechecking typing typescript tsc types type-check type-checks"),
    "lint": word_set("lint linter linting eslint ruff flake8 pylint linters"),
}
_NAMED = frozenset(("compiles", "builds")).union(*_SUBJECTS.values())
_PASS = word_set(
    "pass passes passed passing green succeed succeeds succeeded successful successfully clean cleanly fine works happy"
)
_BETWEEN = word_set(
    "now all both again still also finally successfully are is have has been were was and they it everything of the them cases check checks ran "
    "suite run completed complete clean fully with zero errors reports finds shows gives --strict hooks builds src . : ( ) - — ,"
)
_WHOLE = word_set("all the every full entire whole complete our your unit and type existing , of both test . : — -")
_PART = word_set(
    "new parser some most other few previous first only these those this one single integration almost nearly early"
)
_DENIED = word_set(
    "not never no cannot if once when until unless should would could will may might must to ensure sure verify verifying make makes making check "
    "that so expect expected expecting whether except but before after let run running please need needs want wants which currently previously "
    "used confirm criteria goal goals plan target next says say said almost nearly at baseline help get keep see todo definition user claims claimed"
)
_AFTER = word_set("now again and successfully so too cleanly after with without at - – — , ; )")
_CLEAN_OF, _NOTHING_OF = ("no", "0", "zero", "without"), ("errors", "issues", "problems", "warnings", "type", "lint")
_WHERE, _IN_ALL = (
    word_set("on at in under before using locally almost nearly"),
    word_set("addition short summary the total all end"),
)
# Who speaks of what fails has hidden nothing.
_ADMITTED = (
    "fail",
    "except",
    "flaky",
    "skipp",
    "unrelated",
    "pre-existing",
    "preexisting",
    "other than",
    "apart from",
    "remain",
    "one error",
    "some error",
)
_NO_TROUBLE = regex(
    r"(?:\b(?:no|zero|0|any|without|fixed (?:the|all|both)?|of the|\d+) (?:\w+ ){0,2}(?:fail\w*|errors?|remaining)|fixed\b[^.\n]{0,40}fail\w*"
    r"|fail\w* (?:is|are|was|were) (?:now )?fixed)"
)
_NEAR, _FAR, _GAP = 3, 8, 7


class CheckClaim(NamedTuple):
    """A sentence that says that all checks of a kind pass."""

    kind: str
    sentence: Sentence


def check_claims(text: Text) -> Iterator[CheckClaim]:
    """The claims of one text; none where it speaks of what fails."""
    content = text.content
    low = plain(content if "```" in content else content.replace("`", " "))
    if any(map(low.__contains__, _ADMITTED)) and any(map(_NO_TROUBLE.sub(" ", low).__contains__, _ADMITTED)):
        return
    for sentence in sentences(low, _NAMED):
        words = sentence.words
        whole = low[sentence.start : sentence.end]
        if sentence.asks or "|" in whole or "[" in whole or (words[0] in _WHERE and _IN_ALL.isdisjoint(words[1:2])):
            continue
        for kind, nouns in _SUBJECTS.items():
            if any(word in nouns and _passes(words, at, kind) for at, word in enumerate(words)):
                yield CheckClaim(kind, sentence)
        if _builds(words):
            yield CheckClaim("build", sentence)


def _builds(words: list[str]) -> bool:
    """As in "it compiles", "the project builds cleanly"."""
    at = next((at for at, word in enumerate(words) if at and word in ("compiles", "builds")), None)
    if at is None or not _DENIED.isdisjoint(words[:at]):
        return False
    return words[at] == "compiles" or not {"cleanly", "fine", "successfully"}.isdisjoint(words[at + 1 : at + 2])


def _passes(words: list[str], at: int, kind: str) -> bool:  # noqa: PLR0911 - one test a line
    before = words[:at]
    if not _DENIED.isdisjoint(before[-_FAR:]) or not _PART.isdisjoint(before[-_NEAR:]):
        return _has_none(words, at)
    if before[-1:] and before[-1].endswith("'s"):
        return False
    if kind == "tests" and before and not (before[-1] in _WHOLE or before[-1][0].isdigit()):
        return False
    after = at + 1
    while after < min(len(words), at + _GAP) and (words[after] in _BETWEEN or words[after][0].isdigit()):
        if words[after] in _CLEAN_OF and words[after + 1 : after + 2] and words[after + 1] in _NOTHING_OF:
            return kind != "tests"
        after += 1
    if words[after : after + 1] == ["no"] and words[after + 1 : after + 2] and words[after + 1] in _NOTHING_OF:
        return kind != "tests"
    if after >= len(words) or words[after] not in _PASS or "of" in words[max(0, at - 2) : at]:
        return False
    return words[after + 1 : after + 2] == [] or words[after + 1] in _AFTER


def _has_none(words: list[str], at: int) -> bool:
    """As in "No lint errors", "0 type errors"."""
    return 0 < at <= _NEAR + 1 and words[at - 1] in _CLEAN_OF and words[at + 1 : at + 2] == ["errors"]
