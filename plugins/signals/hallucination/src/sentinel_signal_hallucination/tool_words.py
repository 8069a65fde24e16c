"""What an agent says of its own use of tools, and of what they gave: a claim always, also where a trace lists no tools."""

import re
from collections.abc import Iterator
from functools import partial

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.evaluate.tools import ToolFacts, name_words, singular
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.answers import Said, low_of, said
from sentinel_signal_hallucination.aspects import SELF
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.looks import Look
from sentinel_signal_hallucination.record import failed
from sentinel_signal_hallucination.sentences import Sentence, sentences, sentences_with, span_around
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.words import bases, word_set, words_of

__all__ = ["tool_results", "tool_uses"]

# What an agent cannot have without a tool. A search may be of its own memory, a run need not be of code.
_TOOL_NOUNS, _RUN_OBJECTS, _SYSTEMS, _GIVEN = (words_of(name) for name in ("tools", "runnable", "systems", "given"))
_RUNS, _CALLS = word_set("run execute"), word_set("call invoke use convert")
_CHECKS = word_set("run execute query build test tests pytest lint check validate ci")
# To do one of these takes something to do it to; the others may be done to what stands in the conversation.
_LOOKS_OUTSIDE = word_set("query search fetch browse scrape retrieve ping visit crawl")
_LOOKS = (
    _LOOKS_OUTSIDE
    | _RUNS
    | word_set(
        "look open check pull call read scan inspect access load test monitor measure generate render paint create export"
    )
)
_USES = _LOOKS | _CALLS
_OWN = SELF | {"able", "managed"}
_MAKES, _MADE = (
    word_set("generate render paint create export"),
    word_set("image picture photo file logo video audio pdf"),
)
_FOUND = word_set("is are was were found shows show says showed returned got came gave reports lists")
_ADDRESS = regex(r"\w/\w|https?:|\w\.(?:ya?ml|json|toml|md|py|js|ts|csv|txt|log|conf|ini|html?|pdf|xlsx?|docx?)\b")
_TOLD = (
    r"(?:[\w-]+ ){0,3}?(tool|api|search|calculator|query|database|function|lookup|command|script|summary|system|server|service|output|response|results?)"
    r"(?: call)?(?:'s)? ?(?:results?|output|response|answer)? (?:returned|returns|says?|said|showed|shows?|gave|gives|reported|reports|responded|indicates?|confirmed|came back)\b"
)
# Each begins with letters that are looked for quickly.
_GAVE = (
    regex(rf"the (?<!\wthe ){_TOLD}"),
    regex(rf"my (?<!\wmy ){_TOLD}"),
    regex(
        r"according to the (?<!\waccording to the )(?:[\w-]+ ){0,3}?"
        r"(tool|api|search|calculator|query|database|function|lookup|command|summary|output|response|results?)\b"
    ),
)
_TROUBLE = regex(
    r"\b(?:errors?|fail\w*|unable|could(?:n't| not)|cannot|can't|did(?:n't| not)|no (?:results?|data|response|output)|nothing|empty|unavailable|timed out|unfortunately|not (?:find|found|available|return\w*))\b"
)
_OWN_WORDS = word_set("summary system service output response result results query function script server")
_ANY_TOOL = word_set("tool api function code plugin endpoint")
_NEAR, _PASTED = 7, 3


def tool_uses(index: TraceIndex, looks: list[Look], settings: Settings) -> Iterator[Evidence]:
    """At most one finding a text for a use of a tool that did not happen."""
    first = min((call.message_index for call in index.calls), default=len(index.messages))
    ran = next(
        (call.message_index for call in index.calls if index.tools[call.call.name].runs_anything), len(index.messages)
    )
    for look in looks:
        text = look.text
        if look.verbs.isdisjoint(_USES) or ran <= text.message_index:
            continue
        forms = frozenset(form for form in look.forms if not _USES.isdisjoint(bases(form)))
        is_first = text.message_index < first and _is_whole(index)
        for one in (
            one
            for sentence in sentences_with(low_of(text.content), forms)
            if not _OWN.isdisjoint(sentence.words)
            for one in said(sentence, _USES)
        ):
            if one.by_self and (_is_made_up(one, index, text) or (is_first and _is_outside(one, text, index))):
                told = f'The agent says that it used a tool ("{one.sentence.words[one.at]}"), but no earlier call did.'
                yield _evidence(text, "claim_without_call", told, one.sentence, settings)
                break


def _is_whole(index: TraceIndex) -> bool:
    """True where some user speaks, and no work can have been done elsewhere: by sub-agents, or in calls that are not recorded."""
    return bool(index.asked) and not (
        index.orphans or index.children or any(message.role == "tool" for message in index.messages)
    )


def _is_made_up(one: Said, index: TraceIndex, text: Text) -> bool:
    """True for a run of what nothing ran, or the use of a tool by its name that was not called."""
    if one.verb not in _RUNS | _CALLS:
        return False
    called = {index.tools[call.call.name] for call in index.calls if call.message_index <= text.message_index}
    named = one.objects & (_TOOL_NOUNS | _words_of_tools(index))
    if one.verb in _RUNS:
        ran = any(
            not _CHECKS.isdisjoint((*facts.verbs, *name_words(facts.name))) or facts.runs_anything for facts in called
        )
        known = bool(index.tools or index.asked)
        return (
            not one.objects.isdisjoint(_RUN_OBJECTS) and not ran and not (named and _is_called(named, called)) and known
        )
    return one.verb in _CALLS and bool(named) and not _is_called(named, called)


def _is_called(named: frozenset[str], called: set[ToolFacts]) -> bool:
    """True where a called tool may be the one that is named; a bare "tool" is any."""
    exact = named - _ANY_TOOL
    words = {singular(word) for facts in called for word in (*name_words(facts.name), *facts.objects, *facts.verbs)}
    return bool(called) if not exact else not exact.isdisjoint(words)


def _words_of_tools(index: TraceIndex) -> frozenset[str]:
    return frozenset(singular(word) for name in index.tools for word in name_words(name)) - {
        "get",
        "search",
        "update",
        "list",
        "user",
    }


def _is_outside(one: Said, text: Text, index: TraceIndex) -> bool:
    """True for a look at what the conversation does not hold, with what was found."""
    near = one.sentence.words[one.at + 1 :][:_NEAR]
    if one.verb in _MAKES:
        return not _MADE.isdisjoint(near) and _has_a_name(one, text)
    if one.verb not in _LOOKS or not near or not _GIVEN.isdisjoint(near):
        return False
    rest = {word for sentence in sentences(low_of(text.content[one.sentence.start :])) for word in sentence.words}
    if not any(word[0].isdigit() for word in rest) and _FOUND.isdisjoint(rest):
        return False
    if one.verb in _LOOKS_OUTSIDE or not _SYSTEMS.isdisjoint(near):
        return True
    users = [index.messages[at].content or "" for at in index.asked]
    if any(user.count("\n") >= _PASTED for user in users):
        return False
    told = text.content[one.sentence.place(one.at) : one.sentence.end]
    named = (near[0][:1] == "Q" and one.verb != "open") or _has_a_name(one, text)
    parts = (told, *(users if one.verb in ("read", "open") else ()))
    return named or (any(word[0].isdigit() for word in rest) and any(map(_ADDRESS.search, parts)))


def _has_a_name(one: Said, text: Text) -> bool:
    """True where a name in capitals stands near: "from LinkedIn", "with DALL-E"."""
    rest = text.content[one.sentence.place(one.at) : one.sentence.end].split()[1:_NEAR]
    return any(word[0].isupper() and word[:1] != "I" for word in rest)


def tool_results(index: TraceIndex, texts: list[Text], settings: Settings) -> Iterator[Evidence]:
    """Words of a result that never came, in those of the texts that stand before the first call that gave something."""
    gave = (call.message_index for call in index.calls if call.result is not None and not failed(call))
    first = next(gave, len(index.messages))
    results = partial(_results, index=index, settings=settings)
    for text in texts:
        if text.message_index <= first:
            yield from results(text)


def _results(text: Text, index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    before = [call for call in index.calls if call.message_index < text.message_index]
    low = low_of(text.content)
    match = min((match for gave in _GAVE if (match := gave.search(low)) is not None), key=re.Match.start, default=None)
    if match is None or _was_given(index, text) or _TROUBLE.search(low) is not None or low.rstrip().endswith("?"):
        return
    noun = match[1]
    if (noun in _OWN_WORDS and not before) or (noun in ("system", "service") and noun not in _words_of_tools(index)):
        return
    for sentence in sentences(low):
        if sentence.start <= match.start() < sentence.end:
            if not sentence.asks and "if" not in low[sentence.start : match.start()].split():
                what = (
                    "every earlier call failed or returned nothing" if before else "no earlier call returned anything"
                )
                certain = bool(before) and all(call.result is not None for call in before)
                told = f"The agent says what a tool returned, but {what}."
                yield _evidence(text, "result_without_call", told, sentence, settings, certain=certain)
            return


def _was_given(index: TraceIndex, text: Text) -> bool:
    """True where results stand in the conversation in another way."""
    messages = [message for message in index.messages[: text.message_index] if message.content]
    return bool(index.orphans) or any(
        message.role == "tool" or (message.role == "user" and "observation" in (message.content or "").lower())
        for message in messages
    )


def _evidence(
    text: Text, rule: str, told: str, sentence: Sentence, settings: Settings, *, certain: bool = False
) -> Evidence:
    finding = Finding(
        rule=rule,
        severity="error" if certain else "warning",
        text=told,
        message_index=text.message_index,
        quote=span_around(text.content, sentence.start, sentence.end),
    )
    return Evidence(finding, settings.effect_weight if certain else settings.tool_weight, certain=certain)
