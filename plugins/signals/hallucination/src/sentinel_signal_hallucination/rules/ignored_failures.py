"""Commands that failed for good, and an answer that speaks of what they were for without a word of trouble."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from sentinel_core.evaluate.check_words import VIEWERS
from sentinel_core.evaluate.facts.commands import kinds_of, kinds_of_call
from sentinel_core.evaluate.facts.signs import is_shown_done
from sentinel_core.evaluate.index import Call, Text
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.check_claims import ADVICE, NO_FACT, is_good, readable
from sentinel_signal_hallucination.english.coding_claims import KINDS, CodingClaim, coding_claims
from sentinel_signal_hallucination.english.lexicon import COMPLETE, bases, lemmas, word_set
from sentinel_signal_hallucination.english.questions import asks_back, proposes
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.english.silence import BEING, STATES
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.coding import of_other_kinds
from sentinel_signal_hallucination.ledger.commands import brief, only_shows
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.rules.checks import command_words, is_edit
from sentinel_signal_hallucination.tables import regex

__all__ = ["swallowed"]

_STEM, _FARTHEST, _LONGEST = 4, 20, 20_000
_OWN, _UNDONE, _TRIES = (
    word_set("i we i've we've"),
    word_set("haven't didn't not never"),
    word_set("tried trying attempted attempting attempt wanted i'll we'll i'd ago yesterday"),
)
_PROGRAMS = word_set(
    "git gh glab docker podman kubectl oc helm npm pnpm yarn bun cargo go aws gcloud az terraform systemctl"
)
_MEANT = word_set("them it the this that these those your")
# What they do is told by the word after them.
_WAITS = regex(r"(?:kubectl|oc) (?:\S+ )*?(?:rollout status|wait)\b|gh run watch\b")
# What waits for the end of a deployment fails where that does.
_REQUEST = regex(r"(?:gh api|curl|http) [^'\"]*?/([a-z]{4,})(?= |\Z)")
_PROBES = regex(r"(?:-\w+ )*(?:true|false|:|id|whoami|which|test|command -v)\b")
_SHOWN, _LONGEST_SHOWN = regex(r"(?<![\w./-])(?=[\w.-]*[\d_])[\w.-]*[a-z][\w.-]{3,}\w"), 4_000
_NAME = regex(r"(?i)\A(?=.*[a-z])[\w@+.:-]*[\w](?:[-._:@][\w]+)+\Z")


class _Failure(NamedTuple):
    """``words`` are those of the command that say what it does, ``targets`` names what it does it to, ``ending`` shows that it failed.

    ``shown`` are the names in what it printed: who says of one of them that it failed tells of the failure.
    """

    command: str
    words: frozenset[str]
    targets: frozenset[str]
    ending: str
    shown: frozenset[str]


def swallowed(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding an answer, which no call follows; messages in ``known`` have one already."""
    for number in () if turns.record.index.children else sorted(turns.spoken & turns.failed):
        turn = turns[number]
        for text in turn.texts[-1:]:
            if turn.calls and text.message_index > turn.calls[-1].message_index and text.message_index not in known:
                failures = _failures(turn)
                first = next(failures, None)
                if first is None:
                    continue
                low = readable(text.content).replace(";", ".")  # each clause admits its own trouble
                is_proposed: Callable[[Sentence], bool] = proposes(low) if asks_back(low) else lambda _: False
                hidden = _hidden(chain((first,), failures), text.content, low)
                for sentence, failure in islice((row for row in hidden if not is_proposed(row[0])), 1):
                    yield _evidence(text, sentence, failure, settings)


def _hidden(failures: Iterable[_Failure], content: str, low: str) -> Iterator[tuple[Sentence, _Failure]]:
    """The commands that failed for good, and sentences that present them as done."""
    claims, parts = list(coding_claims(content[:_LONGEST])), sentences(low)
    raw = [content[part.start : part.end].lower() for part in parts]
    for failure in failures:
        aimed = [part for part, own in zip(parts, raw, strict=True) if any(map(own.__contains__, failure.targets))]
        named = failure.targets | failure.shown
        of_targets = [part.words for part, own in zip(parts, raw, strict=True) if any(map(own.__contains__, named))]
        if not admits(low, about=partial(_is_about, failure, of_targets)):
            yield from ((one, failure) for one in parts if _speaks_of(one, failure, claims, is_aimed=one in aimed))


def _is_about(failure: _Failure, of_targets: list[list[str]], words: Sequence[str]) -> bool:
    """True where a sentence or a part of it names the command, or is of a sentence with what it was given."""
    return any(frozenset(words).issubset(one) for one in of_targets) or _names(failure, words)


def _failures(turn: Turn) -> Iterator[_Failure]:
    """The commands that failed, were no checks, and were not made up for; the last first."""
    calls = turn.calls[-_FARTHEST:]
    for number, call in reversed(list(enumerate(calls))):
        command = command_of(call.call.arguments) if turn.record.tools[call.call.name].runs_anything else None
        if (
            command
            and call.outcome.state == "failed"
            and not call.checks
            and (_WAITS.search(command) or not only_shows(call))
        ):
            parts = [part.text for part in reversed(parts_of(command))] or [command]
            program = call.outcome.words.partition(":")[0]  # "rm: cannot remove" is of no other part
            last = next((part for part in parts if part.partition(" ")[0] == program), parts[0])
            if last.partition(" ")[0] in VIEWERS or _PROBES.match(last):
                continue  # "grep" that found nothing failed at nothing
            words, kinds = command_words(last), kinds_of(last).sure
            if _WAITS.match(last):
                kinds |= {"deploy"}
            printed = "" if call.result is None else call.result.content
            kinds -= {kind for kind in kinds if is_shown_done(kind, printed)}
            if not any(_may_mend(words, kinds, later) for later in calls[number + 1 :]):
                shown = "" if call.result is None else call.result.content[-_LONGEST_SHOWN:]
                targets = _targets(last), frozenset(_SHOWN.findall(shown.lower()))
                yield _Failure(last, words | _orders(last, kinds), targets[0], call.outcome.words, targets[1])


def _orders(command: str, kinds: frozenset[str]) -> frozenset[str]:
    """The words with which people order what a command is for; of a request the last word of its address."""
    if request := _REQUEST.match(command):
        return frozenset((request[1],))
    return frozenset[str]().union(*(KINDS[kind].orders for kind in kinds if kind in KINDS))


def _targets(command: str) -> frozenset[str]:
    """What a simple command is given by a name that is no mere word: a file, a branch, a version, a package."""
    given = (word.strip("'\"").rstrip("/") for word in command.split()[1:] if not word.startswith("-"))
    names = (name.rpartition("/")[2] for name in given if "=" not in name)
    return frozenset(name.lower() for name in names if len(name) >= _STEM and _NAME.search(name))


def _may_mend(words: frozenset[str], kinds: frozenset[str], call: Call) -> bool:
    """True for a call that may have done what a command of these words and kinds did not."""
    if call.outcome.state == "failed":
        return False
    if not kinds.isdisjoint(kinds_of_call(call.call.name, call.call.arguments).may):
        return True  # a script that may be anything
    command = command_of(call.call.arguments)
    if command is None:
        return not is_edit(call)
    rows = ((command_words(part.text) - _PROGRAMS, kinds_of(part.text)) for part in parts_of(command))
    is_same = (not words.isdisjoint(own) and (not kinds or any(map(can.can_be, kinds))) for own, can in rows)
    return not only_shows(call) and ("<<" in command or any(is_same))


def _names(failure: _Failure, words: Sequence[str]) -> bool:
    """True where a sentence is of the command, in any form of its words; what the agent says that it did not do is of that very word."""
    if not _OWN.isdisjoint(words) and not _UNDONE.isdisjoint(words):
        return any(_has_stem(word, verb) for word in words for verb in failure.words)
    return any(_is_related(word, verb) for word in words for verb in failure.words)


def _speaks_of(sentence: Sentence, failure: _Failure, claims: list[CodingClaim], *, is_aimed: bool) -> bool:
    """True for a sentence that says that what the command was for is done; what a command of another kind does is none of it."""
    words = sentence.words
    if sentence.asks or not NO_FACT.isdisjoint(words) or words[0] in ADVICE or not _TRIES.isdisjoint(words):
        return False
    if words[0] in bases(words[0]) and words[1:2] and words[1] in _MEANT:
        return False  # "Clean them up, then deploy again"
    others = of_other_kinds(claims, sentence, failure.command)
    others |= COMPLETE if others else others  # "Done: committed" says it of the commit
    done = [word for word in words if word not in others and (word in STATES or bases(word) or is_good(word))]
    if not BEING.isdisjoint(words) and (is_aimed or len(failure.words.intersection(words)) > 1):
        return True
    objects = words[1:] if words[0] in _PROGRAMS else words  # "Git answered" is of no command
    return _names(failure, done) or (bool(done) and (is_aimed or not failure.words.isdisjoint(objects)))


def _is_related(word: str, verb: str) -> bool:
    """True for forms of one word, and for verbs of one group."""
    group = lemmas().group
    of = {group[base] for base in (*bases(word), word) if base in group}
    return group.get(verb) in of or _has_stem(word, verb)


def _has_stem(word: str, verb: str) -> bool:
    return word.removeprefix("re").startswith(verb[:_STEM]) or word.startswith(verb[:_STEM])


def _evidence(text: Text, sentence: Sentence, failure: _Failure, settings: Settings) -> Evidence:
    how = f'ended with "{failure.ending}"' if failure.ending else "failed"
    message = f'The answer tells of success, but the last run of "{brief(failure.command)}" {how}.'
    return in_text(text, "contradicted_claim", "command", message, sentence.start, sentence.end, settings.checks_weight)
