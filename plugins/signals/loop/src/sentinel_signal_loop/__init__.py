"""Sentinel signal: an agent that goes in circles.

Four rules: ``identical_calls``, ``cycle``, ``repeated_messages`` and ``too_many_messages``. The score is the worst of
theirs, over the trace and its sub-agents; the README has the formulas.
"""

import functools
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from operator import add
from typing import TYPE_CHECKING

import attrs

from sentinel_core import Call, Detection, Explanation, Finding, Signal, Text, TraceIndex, hookimpl
from sentinel_core.trace import canonical_each
from sentinel_signal_loop.declared import RULES, USUAL_LIMIT

if TYPE_CHECKING:
    from sentinel_signal_loop.rules import Part
    from sentinel_signal_loop.stretches import Track

__all__ = ["LoopSettings", "detect", "sentinel_signals"]

_positive = attrs.validators.gt(0.0)
_at_least_one = attrs.validators.gt(0)
_share = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True)
class LoopSettings:
    """Thresholds of the loop signal. Weights, shares and scores are in [0, 1]; a higher score is worse.

    Raises ``ValueError`` for a value out of its range.
    """

    half_at_calls: float = attrs.field(default=2.5, validator=_positive)
    """Number of repeated calls in one stretch at which the score is 0.5."""
    half_at_texts: float = attrs.field(default=4.0, validator=_positive)
    """Number of repeated messages in one stretch at which the score is 0.5."""
    after_news_weight: float = attrs.field(default=0.25, validator=_share)
    """Weight of a repetition that comes after something new: another call, a changed result, or a new message from the user."""
    unrecorded_weight: float = attrs.field(default=0.5, validator=_share)
    """Weight of a repeated call whose result is empty or not recorded."""
    scattered_weight: float = attrs.field(default=0.3, validator=_share)
    """Score of a run in which every call repeats an earlier call, but always with something new in between."""
    similarity: float = attrs.field(default=0.9, validator=_share)
    """Minimum normalised Indel similarity at which two messages are considered nearly identical."""
    least_text_bytes: int = attrs.field(default=40, validator=_at_least_one)
    """Minimum length of a message in bytes (letters and single spaces, as UTF-8); shorter messages are treated as boilerplate and never count as a repetition."""
    message_limit: int | None = attrs.field(default=None, validator=attrs.validators.optional(_at_least_one))
    """Number of messages above which a run is too long. If not set, 100 gives the score, and a longer run is only a note."""
    length_weight: float = attrs.field(default=0.5, validator=_share)
    """Maximum score for length alone."""


_DIGITS = 6
_FEWEST_ALIKE = 2
_SILENT = Detection(score=None, details="The agent said nothing and called no tool.")
_UNRECORDED = "Some repeated calls have no recorded result, so their results cannot be compared."
_UNREAD = "Repetitions were not looked for, because not all of the run could be read."


def detect(index: TraceIndex, settings: LoopSettings) -> Detection:
    """The worst loop in the trace and its sub-agents; not measured where no agent said or called anything."""
    if not index.messages and not index.children:
        return Detection(score=None, details="The trace has no messages.")
    parts, gaps = _own(index, settings)
    if not (parts or gaps or index.children):
        return _nothing(index)
    score, findings, gaps = _with_children(index, parts, gaps, settings)
    if not findings:
        return _nothing(index)
    unique = tuple(dict.fromkeys(gaps))
    return Detection(score=round(score, _DIGITS), findings=findings, details=findings[0].text, gaps=unique)


def _nothing(index: TraceIndex) -> Detection:
    if not (index.calls or index.texts) and index.is_silent:
        return _SILENT
    return _no_loop(len(index.calls), len(index.texts))


@functools.lru_cache(maxsize=1024)
def _no_loop(calls: int, texts: int) -> Detection:
    # Kept, because making it anew takes as long as finding out that there is no loop in a short run.
    return Detection(score=0.0, details=f"{_count(calls, 'call')} and {_count(texts, 'text')}, no loop.")


def _count(number: int, thing: str) -> str:
    return f"1 {thing}" if number == 1 else f"{number} {thing}s"


def _with_children(
    index: TraceIndex, parts: "list[Part]", gaps: list[str], settings: LoopSettings
) -> tuple[float, list[Finding], list[str]]:
    """With the trace's own parts and gaps: the worst score, all findings, those of the worst part first, and all gaps."""
    for position, child in enumerate(index.children):
        score, findings, child_gaps = _with_children(child, *_own(child, settings), settings)
        parts.append((score, [attrs.evolve(found, trace_path=(position, *found.trace_path)) for found in findings]))
        gaps += child_gaps
    if not parts:
        return 0.0, [], gaps
    parts.sort(key=_by_score, reverse=True)
    return parts[0][0], [found for part in parts for found in part[1]], gaps


def _own(index: TraceIndex, settings: LoopSettings) -> "tuple[list[Part], list[str]]":
    """Score and findings of each rule that may have found something, and what could not be seen."""
    parts: list[Part] = []
    gaps: list[str] = []
    if len(index.messages) > (settings.message_limit or USUAL_LIMIT):
        from sentinel_signal_loop.rules import length_part

        parts.append(length_part(index, settings))
    if index.is_partial:  # what was lost may be what made the calls differ, or what lay between them
        return parts, [_UNREAD]
    calls, said = _own_doing(index)
    track = _call_track(calls, settings)
    if track is None and len(said) < _FEWEST_ALIKE:
        return parts, gaps
    if track is None:
        blocks = _unheard(index, said)
        if blocks is not None and not _repeats(blocks, settings):
            return parts, gaps
    from sentinel_signal_loop.rules import call_part, text_part

    heard = _heard(index)
    made = [call.message_index for call in calls] if track is None else track.new
    if track is not None:
        parts.append(call_part(calls, track, heard, settings))
        if any(calls[track.sources[step]].result is None for step in track.sureness):
            gaps.append(_UNRECORDED)
    news = sorted(heard + made)
    if _repeats(_blocks(said, [bisect_right(news, text.message_index) for text in said]), settings):
        texts = _text_track(said, settings)
        if texts is not None:
            parts.append(text_part(said, texts, news, settings))
    return parts, gaps


# What follows repeats is imported late: few runs repeat a call, or say two texts with nothing new between them.


def _call_track(calls: list[Call], settings: LoopSettings) -> "Track | None":
    if len(calls) < _FEWEST_ALIKE:
        return None
    # Where the arguments differ, so do the keys; to write them all at once takes half as long.
    given = canonical_each([call.call.arguments for call in calls])
    if len(set(given)) == len(calls):
        return None
    from sentinel_signal_loop.stretches import call_track

    return call_track(calls, given, settings)


def _text_track(texts: Sequence[Text], settings: LoopSettings) -> "Track | None":
    from sentinel_signal_loop.texts import text_track

    return text_track(texts, settings)


def _own_doing(index: TraceIndex) -> tuple[list[Call], list[Text]]:
    """Calls and texts without those of context that was copied after compaction: they were not made again."""
    if index.trace.details is None:
        return index.calls, index.texts
    return [call for call in index.calls if not call.is_copied], [text for text in index.texts if not text.is_copied]


def _blocks(texts: Sequence[Text], before: list[int]) -> list[list[Text]]:
    """Texts with no news between them, where there are two or more; only within these can a repeat be dry.

    ``before`` counts the news before each text. In most runs a call or a user's message lies between any two texts, and
    comparing texts costs the most by far.
    """
    if len(set(before)) == len(before):
        return []
    blocks: dict[int, list[Text]] = {}
    for text, count in zip(texts, before, strict=True):
        blocks.setdefault(count, []).append(text)
    return [block for block in blocks.values() if len(block) >= _FEWEST_ALIKE]


def _by_score(part: "Part") -> float:
    return part[0]


def _repeats(blocks: list[list[Text]], settings: LoopSettings) -> bool:
    return any(_text_track(block, settings) is not None for block in blocks)


def _unheard(index: TraceIndex, texts: Sequence[Text]) -> list[list[Text]] | None:
    """The blocks where no call is a repeat, told by counts alone; None where a user repeats himself or context may be copied.

    They are enough for most conversations: users' messages alone part most texts, and calls most others.
    """
    asked, messages = index.asked, index.messages
    if len({messages[position].content for position in asked}) < len(asked):
        return None
    before = [bisect_right(asked, text.message_index) for text in texts]
    if len(set(before)) == len(before):
        return []
    if index.trace.details is not None:
        return None
    made = [text.calls_before + len(messages[text.message_index].tool_calls) for text in texts]
    return _blocks(texts, list(map(add, before, made)))


def _heard(index: TraceIndex) -> list[int]:
    """The messages in which a user says something not said before: they may ask for the same again."""
    said: set[str | None] = set()
    heard = []
    for position in index.asked:
        content = index.messages[position].content
        if content not in said:
            said.add(content)
            heard.append(position)
    return heard


def _explain() -> Mapping[str, Explanation]:
    from sentinel_signal_loop.explained import explain

    return explain()


@hookimpl
def sentinel_signals() -> Iterable[Signal]:
    """Offer the loop signal."""
    return [
        Signal(
            name="loop",
            summary="an agent that goes in circles",
            detect=detect,
            settings=LoopSettings,
            rules=RULES,
            explain=_explain,
        ),
    ]
