"""What the agent says that it looked up, where it has called nothing at all."""

from collections.abc import Iterator

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.answers import Said, low_of, said
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.sentences import sentences, span_around
from sentinel_signal_hallucination.words import word_set, words_of

__all__ = ["lookups"]

_LOOKS = word_set("look open visit run query check search pull fetch call execute scrape retrieve browse ping scan")
_MAKES = word_set("generate render paint create export")
_MADE = word_set("image picture photo file logo video audio pdf")
_SYSTEMS = words_of("systems")
# What the user may have given in the conversation itself.
_GIVEN = words_of("given")
_FOUND = word_set("is are was found shows show says showed returned got came gave reports lists")
_NEAR = 7


def lookups(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """At most one finding. None where anything was called, or results stand in the conversation in another way."""
    if index.calls or index.orphans or index.children or not index.asked:
        return
    if any(message.role == "tool" for message in index.messages):
        return
    for text in index.texts:
        if text.is_copied or not any(map(text.content.__contains__, ("I ", "I'", "I’", "We "))):
            continue
        for sentence in sentences(low_of(text.content)):
            for one in said(sentence, _LOOKS | _MAKES):
                if one.by_self and one.named and _is_of_a_system(one, text):
                    yield _evidence(text, one, settings)
                    return


def _is_of_a_system(one: Said, text: Text) -> bool:
    words = one.sentence.words[one.at + 1 :]
    near = words[:_NEAR]
    if one.verb in _MAKES:
        return one.at < _NEAR and not _MADE.isdisjoint(near) and _names(one, text)
    if not _GIVEN.isdisjoint(near) or not near:
        return False
    rest = {word for sentence in sentences(low_of(text.content[one.sentence.start :])) for word in sentence.words}
    gave = any(word[0].isdigit() for word in rest) or not _FOUND.isdisjoint(rest)
    return gave and ((near[0][:1] == "Q" and one.verb != "open") or not _SYSTEMS.isdisjoint(near) or _names(one, text))


def _names(one: Said, text: Text) -> bool:
    """True where a name in capitals stands near: "from LinkedIn", "with DALL-E"."""
    rest = text.content[one.sentence.place(one.at) : one.sentence.end].split()[1:_NEAR]
    return any(word[0].isupper() and word[:1] != "I" for word in rest)


def _evidence(text: Text, one: Said, settings: Settings) -> Evidence:
    finding = Finding(
        rule="claim_without_call",
        severity="warning",
        text=f'The agent says that it used a tool ("{one.sentence.words[one.at]}"), but it has called none.',
        message_index=text.message_index,
        quote=span_around(text.content, one.sentence.start, one.sentence.end),
    )
    return Evidence(finding, settings.tool_weight, certain=False)
