"""More tests than any run had, other shares of them than a run shows, and a part of them that is told as all."""

from collections.abc import Sequence

from sentinel_core.evaluate.facts.counts import (
    can_be_sum,
    counts_in,
    failures_in,
    folder_of,
    is_of_one_package,
    is_selected,
    others_in,
    without_separators,
)
from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.english.check_claims import CheckClaim
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.tables import regex

__all__ = ["Run", "beyond", "other_share", "tells_all"]

Run = tuple[Call, str]
"""A call that ran tests, with the command that did."""
# Between the number and the tests stands what they are of ("14 parser tests"), and no measure: "in 20 seconds all tests pass".
_TOLD = regex(
    r"(?<![#\w.:-])(?<!python )(?<!node )(?<!java )(?<!php )(?<!ruby )(?<!go )(?<!rails )(?<!django )(?<!in )(?<!after )"
    r"(\d{1,6})(?:/\1|(?: out)? of (?:the )?\1)?(?: (?!all\b|the\b|seconds?\b|minutes?\b|m?s\b|files?\b|lines?\b|times?\b|of\b|and\b)\w+){0,2}? (?:tests?|specs|examples)\b"
    r"|(?<![#\w.:-])(\d{1,6})(?:/\2)? pass(?:ed|ing|es)?\b"
)
_SHARE = regex(
    r"(?<![\w.])(\d{1,6}) ?(?:/|(?:out )?of (?:the )?)(\d{1,6})(?: \w+){0,3} (?:pass(?:ed|es|ing)?|green|succeed\w*)\b"
)
_PARTS = word_set(
    "new added these those them unit integration regression affected related relevant cases assertions before previously of baseline files file suites"
)
_WHOLE, _SUITES = word_set("whole full entire complete"), word_set("suite suites tests testsuite run runs")
_TESTS, _JOINTS = _SUITES | word_set("test tested specs spec examples"), word_set(", ; : and but")
_EVERY = _WHOLE | word_set("all every each across")
_PACKAGES = word_set("workspace solution monorepo crates crate packages package projects project modules module")
_PARTLY = word_set("only selected deselected subset filtered skipped part")
_ALL_OF_IT = word_set("everything")
_NONE = word_set("no none nothing 0 zero")
_MODES = ((word_set("race detector"), "race"),)
# What is told of a run that only an option brings about.
_EARLIER = word_set("earlier before previously first initially baseline")
_NEAR = 3


def beyond(claim: CheckClaim, low: str, runs: Sequence[Run]) -> tuple[str, str] | None:
    """The branch and what the record shows, where a claim of tests goes beyond all runs."""
    words = claim.sentence.words
    low = without_separators(low[claim.sentence.start : claim.sentence.end])
    numbers = (
        [(int(match[1] or match[2]), bool(match[2])) for match in _TOLD.finditer(low)]
        if _PARTS.isdisjoint(words)
        else []
    )
    if claim.kind not in ("", "tests"):
        return None
    shown = [(command, "" if call.result is None else call.result.content) for call, command in runs]
    commands = " ".join(command for command, _ in shown)
    for named, option in _MODES:
        if named <= frozenset(words) and option not in commands:
            return "scope", f'no run had "{option}" ("{shown[-1][0][:80]}")'
    if not any(
        word in _PARTLY and _NONE.isdisjoint(words[max(0, at - 2) : at]) for at, word in enumerate(words)
    ) and _is_of_a_part(_of_tests(words), shown):
        return "scope", f'only a part of them ran ("{shown[-1][0][:80]}")'
    counts = [counts_in(text) for _, text in shown]
    if not numbers or not all(counts):
        return None
    parts = [count for one in counts for count in one]
    every = [*parts, *(count for _, text in shown for count in others_in(text))]
    most = max(parts)
    for count, of_passed in numbers:
        if count > most and not can_be_sum(count, parts if of_passed else every):
            return "count", f"no run had more than {most:,}"
    return None


def _of_tests(words: list[str]) -> list[str]:
    """The parts of a sentence that name the tests, or all of it: "the tests pass, and the whole workspace builds" says so of another."""
    ends = [*(at for at, word in enumerate(words) if word in _JOINTS), len(words)]
    parts = [words[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return [word for part in parts if not _TESTS.isdisjoint(part) for word in part] or words


def _is_of_a_part(words: Sequence[str], shown: Sequence[tuple[str, str]]) -> bool:
    """True where a whole is told, and each run was of the same part: parts that differ may make up the whole."""
    if len({command for command, _ in shown}) > 1 and not all(_names_tests(command) for command, _ in shown):
        return False
    if _has_near(words, _WHOLE, _SUITES):
        return all(
            is_selected(command, text)
            or is_of_one_package(command)
            or ((folder := folder_of(command)) and frozenset(folder.split("/")).isdisjoint(words))
            for command, text in shown
        )
    return _has_near(words, _EVERY, _PACKAGES) and all(is_of_one_package(command) for command, _ in shown)


def tells_all(claim: CheckClaim) -> bool:
    """True for "all tests pass", "the suite is green", "everything passes": no tests are named that it is of."""
    words = claim.sentence.words
    is_whole = not (_SUITES | _ALL_OF_IT).isdisjoint(words) or _has_near(words, _EVERY, _TESTS)
    return is_whole and not claim.narrowed and _PARTLY.isdisjoint(words)


def _names_tests(command: str) -> bool:
    """True for a run that takes tests by their name, as is done with those that failed."""
    return is_selected(command, "") and "/" not in command


def _has_near(words: Sequence[str], these: frozenset[str], those: frozenset[str]) -> bool:
    return any(word in these and not those.isdisjoint(words[at + 1 : at + 1 + _NEAR]) for at, word in enumerate(words))


def other_share(low: str, runs: Sequence[Run]) -> tuple[Sentence, str] | None:
    """A sentence that tells how many of the tests of a run passed, where that run shows another number of failures."""
    shown = ["" if call.result is None else call.result.content for call, _ in runs]
    for sentence in sentences(low):
        if sentence.asks or not _EARLIER.isdisjoint(sentence.words):
            continue
        for match in _SHARE.finditer(without_separators(low[sentence.start : sentence.end])):
            passed, total = int(match[1]), int(match[2])
            counts = [(counts_in(text), failures_in(text)) for text in shown]
            if any(passed in given and (total in given or total == passed + failed) for given, failed in counts):
                continue
            same = [(given, failed) for given, failed in counts if total in given]
            if (
                same
                and passed < total
                and all(failed and passed not in (*given, total - failed) for given, failed in same)
            ):
                return sentence, f"{same[-1][1]:,} of {total:,} failed"
    return None
