"""When words of a deed are no claim of one: told by a result, a text that the user asked for, or followed by the call."""

import re

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_signal_hallucination.answers import COMPLETE, Said
from sentinel_signal_hallucination.aspects import SELF
from sentinel_signal_hallucination.orders import says_yes
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.turns import Turn
from sentinel_signal_hallucination.words import lemmas, words_of

__all__ = ["is_exempt", "is_written", "was_told"]

_OPENED = words_of("opened")
_TEXTUAL = frozenset(("create", "change", "remove", "deploy", "light", ""))
_STORES = frozenset(("save", "store", "upload", "download", "file", "submit", "publish", "attach", "lodge"))
_DENIED = r"""(?![\"']?\s*[:=]\s*(?:false|null|0|no)\b)"""
_KNOWING, _TEXTS, _WRITING = words_of("known"), words_of("texts"), words_of("writing")
_SORTED = regex(
    r" (?:by (?!the |\w+ mail)|from \w+ to |chronologically|alphabetically|first\b|top of the list|in (?:ascending|descending)|last\b)"
)
_CLAUSE = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "went",
        "goes",
        "works",
        "still",
        "does",
        "do",
        "did",
        "will",
        "can",
        "looks",
        "to",
        "that",
        "as",
    ]
)


def is_exempt(one: Said, text: Text, low: str, turn: Turn) -> bool:
    """Whether the words are of knowing, sorting or writing, or of a proposal that its call follows."""
    return (
        _is_hidden(one, low)
        or _is_knowing(one)
        or _is_sorting(one, low)
        or _is_draft(one, turn)
        or _call_follows(text, turn)
    )


def _is_hidden(one: Said, low: str) -> bool:
    """True for a headline in a list that no line announces as one of deeds."""
    if one.voice != "brief" or not one.sentence.is_item:
        return False
    lines = (line.strip() for line in reversed(low[: one.sentence.start].split("\n")))
    lead = next((line for line in lines if line and line[0] not in "-+•–|" and not line[0].isdigit()), "")
    words = set(lead.strip(" :.!").split())
    return lead.endswith(":") and words.isdisjoint(SELF | COMPLETE | lemmas().done.keys())


def _is_knowing(one: Said) -> bool:
    following = one.sentence.words[one.at + 1 : one.at + 6]
    if one.verb == "open":
        return _OPENED.isdisjoint(one.head)
    if one.verb == "confirm" and one.by_self and not _CLAUSE.isdisjoint(following):
        return True
    vague = (
        lemmas().group.get(one.verb) == "light"
        or one.verb in COMPLETE
        or one.verb in ("include", "record", "log", "correct")
    )
    return vague and not _KNOWING.isdisjoint(one.head)


def _is_sorting(one: Said, low: str) -> bool:
    made = lemmas().noun.keys() | {"trip", "stay"}
    return (
        one.verb in ("order", "arrange", "place", "put", "sort")
        and one.head.isdisjoint(made)
        and _SORTED.search(low, one.sentence.place(one.at), one.sentence.end) is not None
    )


def is_written(one: Said, text: Text, turn: Turn) -> bool:
    """What is written, sorted or changed may be the answer's own text."""
    table = lemmas()
    if not turn.record.tools and ("```" in text.content or ":\n" in text.content):
        return True
    return (
        one.verb not in _STORES
        and (one.group in _TEXTUAL or table.group.get(one.verb) == "light")
        and not one.head.isdisjoint(table.written)
        and one.head.isdisjoint(table.kept)
    )


def _is_draft(one: Said, turn: Turn) -> bool:
    """The user asked for a text: what it tells need not be the agent's deed."""
    asked = {word.strip(".,:;!?") for word in turn.low.split()}
    writes = not asked.isdisjoint(_WRITING) or ("write" in asked and not asked.isdisjoint(_TEXTS))
    return writes and one.group != "send"


def _call_follows(text: Text, turn: Turn) -> bool:
    """A claim that the user says yes to, and whose call follows, was a proposal."""
    index = turn.record.index
    if turn.until >= len(index.messages) or not says_yes(index.messages[turn.until].content or ""):
        return False
    later = [at for at in index.asked if at > turn.until]
    until = later[0] if later else len(index.messages)
    return any(turn.until < deed.message_index < until for deed in turn.record.deeds)


def was_told(one: Said, text: Text, index: TraceIndex, *, kindly: bool = False) -> bool:
    """True where a result tells of it in the same word; ``kindly``, in a word of the same kind."""
    table = lemmas()
    verbs = {verb for verb, group in table.group.items() if group == one.group} if kindly else {one.verb}
    forms = {one.sentence.words[one.at], *(form for form, verb in table.done.items() if verb in verbs and verb != form)}
    tells = re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, sorted(forms)))})(?![a-z]){_DENIED}")
    results = (
        result.content.lower() for message in index.messages[: text.message_index] for result in message.tool_results
    )
    return any(any(form in content for form in forms) and tells.search(content) is not None for content in results)
