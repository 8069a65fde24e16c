"""The four rules: from steps to scores and findings."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sentinel_core import Finding
from sentinel_core.evaluate.tools import facts_of
from sentinel_core.host.odds import OddsTable
from sentinel_signal_loop.declared import RULES, USUAL_LIMIT
from sentinel_signal_loop.stretches import Stretch, Track, rising, stretches

if TYPE_CHECKING:
    from sentinel_core import Call, Text, TraceIndex
    from sentinel_signal_loop import LoopSettings

__all__ = ["ODDS", "Part", "call_part", "length_part", "text_part"]

_QUOTED = 160
_SHOWN = 5
_BANDS = (("many", 0.8), ("several", 0.3), ("few", 0.0))
ODDS = OddsTable(Path(__file__).parent / "data", RULES)

Part = tuple[float, list[Finding]]
"""A rule's score in [0, 1] and its findings, worst first."""


def call_part(calls: "Sequence[Call]", track: Track, news: Sequence[int], settings: "LoopSettings") -> Part:
    """Rules ``identical_calls`` and ``cycle``: stretches of calls that brought nothing new, and scattered repeats."""

    def finding(stretch: Stretch, score: float) -> Finding:
        call = calls[stretch.dry[-1].source]
        names = _names(calls, stretch)
        if _period(stretch) == 1:
            rule = "identical_calls"
            text = f'"{names[0]}" was called {len(stretch.dry) + 1} times with the same arguments'
        else:
            rule = "cycle"
            text = f"The same calls were made in a cycle ({', '.join(names)}), {len(stretch.dry)} of them repeats"
        branch = _band(score) if call.call.arguments or not _writes(call) else "without_arguments"
        return Finding(
            rule=rule,
            branch=branch,
            severity=ODDS.severity_of(rule, branch),
            text=f"{text}; nothing new came back.",
            message_index=call.message_index,
            call_id=call.call.id,
            quote=_call_quote(call),
        )

    found = stretches(track, news)
    score, findings = _worst(found, settings.half_at_calls, settings.after_news_weight, finding)
    scattered = [repeat for stretch in found for repeat in stretch.repeats if not repeat.dry]
    if scattered:
        share = settings.scattered_weight * len(scattered) / len(calls)
        score = 1 - (1 - score) * (1 - share)
        findings.append(_scattered([calls[repeat.source] for repeat in scattered]))
    return score, findings


def text_part(texts: "Sequence[Text]", track: Track, news: Sequence[int], settings: "LoopSettings") -> Part:
    """Rule ``repeated_messages``: near-identical texts with nothing new between them."""

    def finding(stretch: Stretch, score: float) -> Finding:
        text = texts[stretch.dry[-1].source]
        branch = _band(score)
        return Finding(
            rule="repeated_messages",
            branch=branch,
            severity=ODDS.severity_of("repeated_messages", branch),
            text=f"The agent said nearly the same thing {len(stretch.dry) + 1} times, with nothing new in between.",
            message_index=text.message_index,
            quote=text.content[:_QUOTED],
        )

    found = stretches(track, news)
    return _worst(found, settings.half_at_texts, settings.after_news_weight, finding)


def length_part(index: "TraceIndex", settings: "LoopSettings") -> Part:
    """Rule ``too_many_messages``, for a run beyond the limit: the share of the messages beyond it, times the rule's weight."""
    count, limit = len(index.messages), settings.message_limit or USUAL_LIMIT
    score = settings.length_weight * (1 - limit / count)
    if settings.message_limit is None:
        text = f"The run has {count} messages; no limit is set."
        return score, [Finding(rule="too_many_messages", severity="note", text=text, message_index=limit)]
    text = f"The run has {count} messages; the limit is {limit}."
    return score, [Finding(rule="too_many_messages", severity="warning", text=text, message_index=limit)]


def _worst(found: list[Stretch], half: float, wet: float, finding: Callable[[Stretch, float], Finding]) -> Part:
    scored = [(rising(stretch.weight(wet), half), stretch) for stretch in found if stretch.dry]
    scored.sort(key=lambda pair: -pair[0])
    return (scored[0][0] if scored else 0.0), [finding(stretch, score) for score, stretch in scored[:_SHOWN]]


def _scattered(repeats: "Sequence[Call]") -> Finding:
    """One finding for all; it names the call that was repeated most often, the latest of those."""
    counts = Counter(call.key for call in repeats)
    most = max(counts.values())
    call = next(call for call in reversed(repeats) if counts[call.key] == most)
    return Finding(
        rule="identical_calls",
        branch="scattered",
        severity=ODDS.severity_of("identical_calls", "scattered"),
        text=f"Earlier calls were repeated {len(repeats)} {'time' if len(repeats) == 1 else 'times'} with the same result; "
        f'{most} of these repetitions called "{call.call.name[:_QUOTED]}" with the same arguments.',
        message_index=call.message_index,
        call_id=call.call.id,
        quote=_call_quote(call),
    )


def _band(score: float) -> str:
    """The branch of a stretch: how much it repeats, as the score has it with these settings."""
    return next(name for name, least in _BANDS if score >= least)


def _writes(call: "Call") -> bool:
    """True for a tool that changes something: without arguments it cannot know what, so they were not recorded."""
    return facts_of(call.call.name).effect == "writes"


def _period(stretch: Stretch) -> int:
    return max(repeat.distance for repeat in stretch.dry)


def _names(calls: "Sequence[Call]", stretch: Stretch) -> list[str]:
    names = dict.fromkeys(calls[repeat.source].call.name[:_QUOTED] for repeat in stretch.repeats)
    return list(names)[:_SHOWN]


def _call_quote(call: "Call") -> str:
    name, arguments = call.key
    return f"{name} {arguments.decode()}"[:_QUOTED]
