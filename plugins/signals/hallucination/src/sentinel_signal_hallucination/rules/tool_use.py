"""What an agent says of its own use of tools, and of what they gave: a claim always, also where a trace lists no tools."""

import re
from collections.abc import Iterator
from itertools import chain, islice

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.evaluate.tools import name_words, singular
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.lexicon import bases, word_set, words_of
from sentinel_signal_hallucination.english.modality import SELF
from sentinel_signal_hallucination.english.prescan import GIVING, Scan
from sentinel_signal_hallucination.english.sentences import Sentence, sentences, sentences_with
from sentinel_signal_hallucination.english.statements import Statement, low_of, statements
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.actions import failed
from sentinel_signal_hallucination.tables import regex

__all__ = ["tool_results", "tool_uses"]

# What an agent cannot have without a tool. A search may be of its own memory, a run need not be of code.
_TOOL_NOUNS, _RUN_OBJECTS, _GIVEN = (words_of(name) for name in ("tools", "runnable", "given"))
_RUNS, _CALLS = word_set("run execute"), word_set("call invoke use convert")
_CHECKS = word_set("run execute query build test tests pytest lint check validate ci")
_LOOKS = _RUNS | word_set(
    "query search fetch browse scrape retrieve ping visit crawl look open check pull call read scan inspect access load test monitor analyze consult grep measure generate render paint export"
)
_USES = _LOOKS | _CALLS
_FOUND = word_set(
    "is are was were found shows show says showed returned got came gave reports lists reads read will there's"
)
# What tells of a thing, and which of these may be the user's own, or of no run at all.
_SOURCE = "|".join(sorted((_TOOL_NOUNS | words_of("sources")) - word_set("code test online web internet google")))
_OWN_WORDS = word_set(
    "summary system service output response result results query function script server command database"
)
_TELLS = "|".join((*sorted(GIVING), "turned up", "came (?:back|up)"))
_PART = "results?|output|response|answer"
# Begins with a set of letters: what is none of them is passed over quickly.
_GAVE = regex(
    rf"[tmoapuv](?<!\w.)(?:(?:(?<=t)he|(?<=m)y|(?<=o)ur|(?<=a)n?) (?:[\w-]+ ){{0,3}}?(?P<gave>{_SOURCE})(?: call)?(?:'s)?(?: (?:for|of|on) (?:[\w-]+ ){{0,2}}[\w-]+)?"
    rf"(?: (?:{_PART}) was|(?: (?:{_PART}))? (?:{_TELLS}))\b"
    rf"|(?:(?<=a)ccording to|(?<=p)er|(?P<means>(?<=u)sing|(?<=v)ia|(?<=t)hrough)) (?:the|our|my) (?:[\w-]+ ){{0,3}}?(?P<by>{_SOURCE})\b)"
)
_GENERAL = ("returns", "says", "shows", "lists", "show", "say")
_HAD = regex(r"\b(?:i|we) (?:just )?(?:ran|used|called|tried|got|searched|checked)\b")
_NO_REPORT = word_set("am you your can could would should will need needs must may might let let's i'll we'll")
_NOT_YET = word_set("if what whether when until once")
_ANY_TOOL = word_set("tool api function code plugin endpoint")
_NO_NAMES = word_set("get search update list user")
_NEAR, _FAR, _PASTED = 7, 2_000, 3


def tool_uses(index: TraceIndex, looks: list[Scan], settings: Settings) -> Iterator[Evidence]:
    """At most one finding a text for a use of a tool that did not happen."""
    ran = (call.message_index for call in index.calls if index.tools[call.call.name].runs_anything)
    before = next(ran, len(index.messages))
    looks = [look for look in looks if look.text.message_index < before and any(map(_is_use, look.forms))]
    if not looks:
        return
    first = index.calls[0].message_index if index.calls else len(index.messages)
    is_whole = _is_whole(index)
    for text, forms in ((look.text, frozenset(filter(_is_use, look.forms))) for look in looks):
        is_first = is_whole and text.message_index < first
        for one in chain.from_iterable(map(statements, sentences_with(low_of(text.content), forms))):
            if _is_announced(one, index, text):
                continue
            if _is_own(one) and (_is_made_up(one, index, text) or (is_first and _is_outside(one, text))):
                part, word = one.sentence, one.sentence.words[one.at]
                message = f'The agent says that it used a tool ("{word}"), but no earlier call did.'
                yield in_text(
                    text, "claim_without_call", "use_of_a_tool", message, part.start, part.end, settings.tool_weight
                )
                break


def _is_announced(one: Statement, index: TraceIndex, text: Text) -> bool:
    """True for "I read the modules first" before calls: the form is that of the present, too."""
    word = one.sentence.words[one.at]
    return word in bases(word) and any(call.message_index >= text.message_index for call in index.calls)


def _is_own(one: Statement) -> bool:
    """True for "I searched it", and for "Searched it" that begins a sentence."""
    words = one.sentence.words
    return one.by_self or (one.voice == "brief" and not one.at and words[0] != one.verb and ":" in words[:_NEAR])


def _is_use(form: str) -> bool:
    return not _USES.isdisjoint(bases(form))


def _is_whole(index: TraceIndex) -> bool:
    """True where some user speaks, and neither pastes anything nor can work have been done elsewhere: by sub-agents, or in calls that are not recorded."""
    users = [index.messages[at].content or "" for at in index.asked]
    if (
        not users
        or index.orphans
        or index.children
        or any(message.role == "tool" and message.content for message in index.messages)
    ):
        return False
    return not any(user.count("\n") >= _PASTED or "observation" in user.lower() for user in users)


def _is_made_up(one: Statement, index: TraceIndex, text: Text) -> bool:
    """True for a run of what nothing ran, or the use of a tool by its name that was not called; a bare "tool" is any."""
    runs = one.verb in _RUNS
    named = one.objects & (_RUN_OBJECTS if runs else _TOOL_NOUNS | _words_of_tools(index))
    if not named or not (runs or one.verb in _CALLS):
        return False
    calls = [call for call in index.calls if call.message_index <= text.message_index]
    facts = {index.tools[call.call.name] for call in calls}
    called = {singular(word) for each in facts for word in (*name_words(each.name), *each.objects, *each.verbs)}
    if any(facts.effect == "unknown" and not facts.verbs for facts in facts):
        return False  # whatever "q" does
    exact = (named - _ANY_TOOL) | (_CHECKS if runs else frozenset())
    if runs and any(call.checks for call in calls):
        return False  # "eslint" is a linter
    if any(call.result is not None and any(noun in call.result.content.lower() for noun in exact) for call in calls):
        return False  # "LINE TEST REPORT"
    return called.isdisjoint(exact) if exact else not called


def _words_of_tools(index: TraceIndex) -> frozenset[str]:
    return frozenset(singular(word) for name in index.tools for word in name_words(name)) - _NO_NAMES


def _is_outside(one: Statement, text: Text) -> bool:
    """True for a look at what the conversation does not hold, with what was found."""
    near = one.sentence.words[one.at + 1 :][:_NEAR]
    if one.verb not in _LOOKS or not near or not _GIVEN.isdisjoint(near):
        return False
    rest = {
        word for sentence in sentences(low_of(text.content[one.sentence.start :][:_FAR])) for word in sentence.words
    }
    return any(word[0].isdigit() for word in rest) or not _FOUND.isdisjoint(rest)


def tool_results(index: TraceIndex, texts: list[Text], settings: Settings) -> Iterator[Evidence]:
    """Words of a result that never came, in those of the texts that stand before the first call that gave something."""
    gave = (
        call.message_index
        for call in index.calls
        if call.result is not None and not failed(call, index.tools[call.call.name])
    )
    first = next(gave, len(index.messages)) if texts else 0
    texts = [text for text in texts if text.message_index <= first]
    for text in texts if texts and _is_whole(index) else ():
        low = low_of(text.content)
        matches = list(_GAVE.finditer(low))
        if matches and not admits(low) and not low.rstrip().endswith("?") and not _had(index):
            rows = chain.from_iterable(_results(text, match, index, settings) for match in matches)
            yield from islice(rows, 1)


def _had(index: TraceIndex) -> bool:
    """True where a user tells of a tool: "I ran the query", "the server returned 502"."""
    asked = [low_of(index.messages[at].content) for at in index.asked]
    return any(_HAD.search(low) or _GAVE.search(low) for low in asked)


def _results(text: Text, match: re.Match[str], index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    before = [call for call in index.calls if call.message_index < text.message_index]
    noun = match["gave"] or match["by"]
    if not before and noun in _OWN_WORDS and (not match["gave"] or match[0].endswith(_GENERAL)):
        return
    if before and noun in ("system", "service") and noun not in _words_of_tools(index):
        return
    for sentence in sentences(match.string):
        if sentence.start <= match.start() < sentence.end and _is_report(sentence, match):
            certain = bool(before) and all(call.result is not None for call in before)
            branch = "after_failures" if certain else "before_results"
            what = "every earlier call failed or returned nothing" if before else "no earlier call returned anything"
            message = f"The agent says what a tool returned, but {what}."
            yield in_text(
                text, "result_without_call", branch, message, sentence.start, sentence.end, settings.tool_weight
            )


def _is_report(sentence: Sentence, match: re.Match[str]) -> bool:
    """False for a question, a condition, advice and plans; words without a verb of telling need a value."""
    words = sentence.words
    if sentence.asks or not _NOT_YET.isdisjoint(match.string[sentence.start : match.start()].split()):
        return False
    if match["gave"]:
        return True
    has_value = any(word[0].isdigit() or word[0] == "Q" for word in words)
    return has_value and _NO_REPORT.isdisjoint(words) and (not match["means"] or not SELF.isdisjoint(words))
