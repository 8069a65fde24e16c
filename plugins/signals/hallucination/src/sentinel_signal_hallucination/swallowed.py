"""Commands that failed for good, and an answer that speaks of what they were for without a word of trouble."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from sentinel_core.evaluate.check_words import VIEWERS
from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.check_claims import (
    ADVICE,
    AFTER,
    SUBJECTS,
    is_denied,
    is_share,
    narrowed_by,
    readable,
    says_where,
)
from sentinel_signal_hallucination.checks import command_words, is_edit, is_unseen_since, user_saw
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.orders import asks_back
from sentinel_signal_hallucination.sentences import Sentence, sentences, span_around
from sentinel_signal_hallucination.trouble import speaks_of_trouble
from sentinel_signal_hallucination.words import bases, lemmas, word_set

__all__ = ["swallowed"]

# What says that a check went well, with or without a verb.
_GOOD = word_set(
    "green ok okay accepts accepted completes completed happy fine valid hold holds silent agree agrees through good 100 without none no zero nothing 0 congratulations type-checks "
    "type-check up works quiet satisfied"
)
_GOOD_STEMS = ("pass", "succe", "compil", "clean", "built", "build")
# What says so of any other command.
_STATES = word_set("open out live up gone available in-place merged running done set through now")
_NO_FACT = word_set(
    "should would will might may could if once until unless please let let's need needs want wants to-do todo plan next you'll you'd cannot but whether "
    "before false previously"
)
_SOME = word_set("most some few other others previous only almost nearly half rest remaining")
_NONE = word_set("no 0 zero any without")
_ADVICE = ADVICE | word_set("run rerun check try verify make see ensure confirm to")
_SCOPES = (["for"], ["in"], ["of"], ["on"], ["that"], ["which"])
_RUNS = word_set("run runs suite status result results command")
_LOOKS = re.compile(
    r"(?:cd|pwd|which|type|test|stat|file|du|ps|pgrep|curl|ping|git (?:-C \S+ )?(?:status|diff|log|show|branch|remote|fetch|grep|blame))\b"
)
_message_index = attrgetter("message_index")
_NOUNS_OF = {
    "tests": SUBJECTS["tests"],
    "build": SUBJECTS["build"] | word_set("compile compiles compiled built image bundle"),
    "types": SUBJECTS["types"] | word_set("compile compiles compiled compiler type-checks typechecks"),
    "lint": SUBJECTS["lint"] | word_set("formatting formatted formatter style"),
}
_STEM, _LONGEST_REST, _QUOTED_COMMAND = 4, 5, 80


class _Failure(NamedTuple):
    """``kind`` is that of a check, else empty; ``words`` are those of the command that say what it does."""

    call: Call
    command: str
    kind: str
    words: frozenset[str]
    ending: str


def swallowed(index: TraceIndex, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding an answer; messages in ``known`` have one already."""
    if index.children:
        return
    for text in _answers(index):
        if text.message_index not in known and (found := _judge(text, index)) is not None:
            yield _evidence(text, *found, settings)


def _failures(call: Call, index: TraceIndex) -> Iterator[_Failure]:
    """What failed in a call of a shell or the like: the checks that did, else the whole command."""
    if not index.tools[call.call.name].runs_anything:
        return
    for check in call.checks:
        if check.passed is False and (check.kind != "lint" or check.ending):
            yield _Failure(call, check.command, check.kind, command_words(check.command), check.ending)
    command = command_of(call.call.arguments)
    if command and not call.checks and call.outcome.state == "failed" and not _looks(call):
        parts = parts_of(command)
        words = frozenset[str]().union(*(command_words(part.text) for part in parts[-1:]))
        yield _Failure(call, parts[-1].text if parts else command, "", words, call.outcome.words)


def _looks(call: Call) -> bool:
    """True for a command that only looks for something, or looks at it: that it found nothing is no failure."""
    parts = parts_of(command_of(call.call.arguments) or "")
    return all(_LOOKS.match(part.text) or part.text.partition(" ")[0] in VIEWERS for part in parts)


def _answers(index: TraceIndex) -> Iterator[Text]:
    """The last text before each message of the user, and at the end, that no call follows."""
    texts, last = [text for text in index.texts if not text.is_copied], -1
    for end in (*index.asked, len(index.messages)):
        at = bisect_left(texts, end, key=_message_index) - 1
        if at > last:
            last = at
            following = index.calls[texts[at].calls_before :][:1]
            if not (following and following[0].message_index < end):
                yield texts[at]


def _judge(text: Text, index: TraceIndex) -> tuple[Sentence, _Failure] | None:
    number = bisect_left(index.asked, text.message_index) - 1
    since = index.asked[number] if number >= 0 else -1
    calls = index.calls[bisect_left(index.calls, since, key=_message_index) : text.calls_before]
    failures = [failure for call in calls for failure in _failures(call, index)]
    for failure in reversed(failures):
        if _is_mended(failure, failures, calls):
            continue
        low = readable(text.content)
        if (
            user_saw(index, failure.call.message_index, text.message_index)
            or asks_back(low)
            or "[ ]" in low
            or speaks_of_trouble(low, partial(_names, failure))
        ):
            return None
        sentence = next((one for one in sentences(low) if _speaks_of(one, failure)), None)
        if sentence is not None:
            return sentence, failure
    return None


def _is_mended(failure: _Failure, failures: list[_Failure], calls: list[Call]) -> bool:
    """True where something later may have done what this call did not."""
    if failure.kind:
        failed = [other.call.position for other in failures if other.kind == failure.kind]
        return is_unseen_since(failure.call, [call for call in calls if call.position not in failed], failure.kind)
    return any(_may_mend(failure, call) for call in calls if call.position > failure.call.position)


def _may_mend(failure: _Failure, call: Call) -> bool:
    command = command_of(call.call.arguments)
    if command is None:
        return not is_edit(call) and call.outcome.state != "failed"
    if _looks(call) or call.outcome.state == "failed":
        return False
    parts = parts_of(command)
    return not parts or any(not failure.words.isdisjoint(command_words(part.text)) for part in parts) or "<<" in command


def _links(words: Sequence[str], failure: _Failure) -> bool:
    """True where a sentence names the command, or what it checks."""
    return any(word.removesuffix("'s") in failure.words or word in _NOUNS_OF.get(failure.kind, ()) for word in words)


def _names(failure: _Failure, words: Sequence[str]) -> bool:
    """True where a sentence is of the command, in any form of its words."""
    return _links(words, failure) or any(_is_kin(word, verb) for word in words for verb in failure.words)


def _speaks_of(sentence: Sentence, failure: _Failure) -> bool:
    """True for a sentence that says that what the command was for is done."""
    words = sentence.words
    if sentence.asks or not _NO_FACT.isdisjoint(words) or words[0] in _ADVICE:
        return False
    if failure.kind:
        if (
            is_share(words)
            or says_where(words)
            or any(word in _SOME and words[at - 1] not in _NONE for at, word in enumerate(words))
        ):
            return False
        at = next(
            (at for at, word in enumerate(words) if _links([word], failure) and _is_whole(words, at, failure)), None
        )
        return (
            at is not None
            and any(map(_is_good, words))
            and all(_concludes(words, place) for place in range(len(words)))
        )
    done = [word for word in words if word in _STATES or bases(word) or _is_good(word)]
    return any(_is_kin(word, verb) for word in done for verb in failure.words) or (
        bool(done) and _links(words, failure)
    )


def _concludes(words: list[str], at: int) -> bool:
    """What "passes" something else is no check: "the tests pass None"."""
    return not words[at].startswith("pass") or words[at + 1 : at + 2] == [] or words[at + 1] in AFTER


def _is_good(word: str) -> bool:
    return word in _GOOD or word.startswith(_GOOD_STEMS)


def _is_whole(words: list[str], at: int, failure: _Failure) -> bool:
    """False for a single test, for some of the tests, and where it is a wish, a plan or a condition."""
    following = words[at + 1 : at + 2]
    if words[at] == "test" and following and not (following[0] in _RUNS or following[0][0].isdigit()):
        return False
    if words[at] in SUBJECTS["tests"] and (following[:1] in _SCOPES or not narrowed_by(words[:at]) <= failure.words):
        return False
    return not is_denied(words[:at])


def _is_kin(word: str, verb: str) -> bool:
    """True for forms of one word, and for verbs of one group."""
    group = lemmas().group
    of = {group[base] for base in (*bases(word), word) if base in group}
    if verb in group and group[verb] in of:
        return True
    shared = next(
        (at for at, (left, right) in enumerate(zip(word, verb, strict=False)) if left != right),
        min(len(word), len(verb)),
    )
    return shared >= min(_STEM, len(verb)) and max(len(word), len(verb)) - shared <= _LONGEST_REST


def _evidence(text: Text, sentence: Sentence, failure: _Failure, settings: Settings) -> Evidence:
    rule, done = ("contradicted_checks", "passing") if failure.kind else ("contradicted_claim", "done")
    command = failure.command.partition("\n")[0][:_QUOTED_COMMAND]
    how = f'ended with "{failure.ending}"' if failure.ending else "failed"
    finding = Finding(
        rule=rule,
        severity="error",
        text=f'The answer presents "{command}" as {done}, but its last run {how}.',
        message_index=text.message_index,
        quote=span_around(text.content, sentence.start, sentence.end),
    )
    return Evidence(finding, settings.checks_weight, certain=True)
