"""What an agent says of its own use of tools, and of what they gave: a claim always, also where a trace lists no tools."""

import re
from collections.abc import Iterator

import attrs

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.evaluate.tools import ToolFacts, name_words, singular
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.record import failed
from sentinel_signal_hallucination.sentences import Sentence, plain, sentences, sentences_with, span_around
from sentinel_signal_hallucination.statements import Statement, statements
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.words import lemmas, word_set, words_of

__all__ = ["tool_results", "tool_uses"]

# What an agent cannot have without a tool. A search may be of its own memory, a run need not be of code.
_TOOL_NOUNS = words_of("tools")
_RUN = word_set("run execute")
_RUN_OBJECTS = words_of("runnable")
_CHECKS = word_set("build test tests pytest lint check validate ci")
_SEARCH = word_set("search query fetch browse scan")
_CALLED = word_set("call invoke use")
_TOLD = (
    r"(?:[\w-]+ ){0,3}?(tool|api|search|calculator|query|database|function|lookup|command|script|summary|system|server|output|response|results?)"
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
_OWN_WORDS = frozenset(
    ("summary", "system", "output", "response", "result", "results", "query", "function", "script", "server")
)


@attrs.frozen
class _Use:
    index: TraceIndex
    text: Text
    low: str

    def called(self) -> list[ToolFacts]:
        """The tools that were called up to the text, and in its own message."""
        return [
            self.index.tools[call.call.name]
            for call in self.index.calls
            if call.message_index <= self.text.message_index
        ]


def tool_uses(index: TraceIndex, text: Text, settings: Settings) -> Iterator[Evidence]:
    """At most one finding for a use of a tool that did not happen."""
    use = _Use(index, text, plain(text.content))
    for sentence in sentences_with(use.low, lemmas().tool_forms):
        for statement in statements(sentence):
            if (
                statement.group == "work"
                and statement.voice == "active"
                and statement.aspect == "done"
                and _is_made_up(statement, use)
            ):
                told = f'The agent says that it used a tool ("{statement.verb}"), but no earlier call did.'
                yield _evidence(text, "claim_without_call", told, sentence, settings)
                return


def tool_results(index: TraceIndex, texts: list[Text], settings: Settings) -> Iterator[Evidence]:
    """Words of a result that never came, in those of the texts that stand before the first call that gave something."""
    if not texts:
        return
    first = next(
        (call.message_index for call in index.calls if call.result is not None and not failed(call)),
        len(index.messages),
    )
    for text in texts:
        if text.message_index > first:
            return
        yield from _results(_Use(index, text, plain(text.content)), settings)


def _is_made_up(statement: Statement, use: _Use) -> bool:
    called = use.called()
    named = statement.objects & (_TOOL_NOUNS | _words_of_tools(use.index))
    if statement.verb in _RUN:
        return (
            not _RUN_OBJECTS.isdisjoint(statement.objects)
            and not any(
                {"run", "execute", "test", "query"} & facts.verbs or _CHECKS & set(name_words(facts.name))
                for facts in called
            )
            and not (named and _is_called(named, called))
            and _knows_tools(use)
        )
    if statement.verb in _SEARCH:
        return bool(named or use.index.tools) and not called and _asked_for_work(use)
    if statement.verb in _CALLED and named:
        return not _is_called(named, called)
    return False


def _knows_tools(use: _Use) -> bool:
    return bool(use.index.tools) or _asked_for_work(use)


def _asked_for_work(use: _Use) -> bool:
    """True where some user speaks: an agent that talks to other agents may have been told of work done elsewhere."""
    return bool(use.index.asked)


def _words_of_tools(index: TraceIndex) -> frozenset[str]:
    return frozenset(singular(word) for name in index.tools for word in name_words(name)) - {
        "get",
        "search",
        "update",
        "list",
        "user",
    }


def _is_called(named: frozenset[str], called: list[ToolFacts]) -> bool:
    """True where a called tool may be the one that is named; a bare "tool" is any."""
    exact = named - {"tool", "api", "function", "code", "plugin", "endpoint"}
    if not exact:
        return bool(called)
    return any(
        not exact.isdisjoint(singular(word) for word in (*name_words(facts.name), *facts.objects, *facts.verbs))
        for facts in called
    )


def _results(use: _Use, settings: Settings) -> Iterator[Evidence]:
    index = use.index
    before = [call for call in index.calls if call.message_index < use.text.message_index]
    if _was_given(use):
        return
    match = _first_told(use.low)
    if match is None or _TROUBLE.search(use.low) is not None or use.low.rstrip().endswith("?"):
        return
    noun = match[1]
    if noun in _OWN_WORDS and not before:
        return
    if noun == "system" and noun not in _words_of_tools(index):
        return
    for sentence in sentences(use.low):
        if (
            sentence.start <= match.start() < sentence.end
            and not sentence.asks
            and " if " not in use.low[sentence.start : match.start()]
        ):
            text = (
                "The agent says what a tool returned, but no earlier call returned anything."
                if not before
                else "The agent says what a tool returned, but every earlier call failed or returned nothing."
            )
            yield _evidence(
                use.text,
                "result_without_call",
                text,
                sentence,
                settings,
                certain=bool(before) and all(call.result is not None for call in before),
            )
            return


def _first_told(low: str) -> re.Match[str] | None:
    """The first place that tells what a tool gave."""
    found = [match for gave in _GAVE if (match := gave.search(low)) is not None]
    return min(found, key=re.Match.start, default=None)


def _was_given(use: _Use) -> bool:
    """True where results stand in the conversation in another way."""
    messages = use.index.messages[: use.text.message_index]
    return bool(use.index.orphans) or any(message.role == "tool" and message.content for message in messages)


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
