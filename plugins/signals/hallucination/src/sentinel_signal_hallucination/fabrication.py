"""Claims without a call that could back them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.ledger import Ledger
from sentinel_signal_hallucination.places import SOURCES_BY_FAMILY, Place, deeds_in, leanings_in
from sentinel_signal_hallucination.tables import words

__all__ = ["fabricated"]

if TYPE_CHECKING:
    from sentinel_signal_hallucination.claims import Claim

# What may be done in code that the answer shows: sending is not.
_DONE_IN_CODE = words("create delete save update")


def _is_shown(claim: "Claim", content: str) -> bool:
    """True where the answer holds code, and the claim may be of what is done there: "I've created the form: ..."."""
    return "```" in content and _DONE_IN_CODE.issuperset(family.name for family in claim.families)


def _evidence(claim: "Claim", text: Text, weight: float, *, tried: bool, certain: bool) -> Evidence:
    why = "every call that could have done it failed" if tried else "no call before it could have done it"
    finding = Finding(
        rule="contradicted_claim" if tried else "claim_without_call",
        severity="error" if certain else "warning",
        text=f'The agent says that something was done ("{claim.verb}"), but {why}.',
        message_index=text.message_index,
        quote=claim.sentence,
    )
    return Evidence(finding, weight, certain=certain)


def _weight(claim: "Claim", settings: Settings, *, tools: bool) -> float:
    strength = claim.families[0].strength
    if not tools:
        own_deed = settings.effect_weight if claim.voice == "active" else settings.hearsay_weight
        return own_deed if strength == "effect" else 0.0
    return {"effect": settings.effect_weight, "work": settings.work_weight, "read": settings.read_weight}[strength]


_message_index = attrgetter("message_index")
_Suspects = dict[int, list[int]]
"""The numbers of texts that may hold a claim which no call backs, and where in the text such claims may begin."""


def _suspects(index: TraceIndex, texts: list[Text], ends: list[int], places: list[Place], ledger: Ledger) -> _Suspects:
    suspects: _Suspects = {}
    for place, families in places:
        number = bisect_right(ends, place) - 1
        calls = _calls(index, texts[number])
        for family in families:
            if not calls or ledger.first(family) >= calls:
                suspects.setdefault(number, []).append(place - ends[number])
                break
    return suspects


def _leanings(index: TraceIndex, texts: list[Text], ends: list[int], spoken: str, ledger: Ledger) -> list[Place]:
    """Places that lean on what tools gave; sought only in texts before the first call that could have given it."""
    places: list[Place] = []
    for family, rows in SOURCES_BY_FAMILY:
        first, number = ledger.first(family), len(texts)
        if first < len(index.calls):
            number = bisect_left(texts, index.calls[first].message_index, key=_message_index)
        if number:
            places += leanings_in(spoken, family, rows, ends[number])
    return places


def _calls(index: TraceIndex, text: Text) -> int:
    """How many calls may back the text: those before it, and its own message's, which may only be written after it."""
    return text.calls_before + len(index.messages[text.message_index].tool_calls)


def fabricated(index: TraceIndex, settings: Settings, spoken: str) -> Iterable[Evidence]:
    """Claims that no call backs, one finding a family: the first sentence stands for its repetitions.

    ``spoken`` is all assistant texts, one a line or more. Where the trace shows no tools at all, only changes outside the
    conversation count: the rest may be done by thinking.
    """
    ledger = Ledger(index)
    texts = ledger.unbacked()
    if not texts:
        return ()
    if len(texts) < len(index.texts):
        spoken = "\n".join([text.content for text in texts])
    ends = [0, *accumulate([len(text.content) + 1 for text in texts])]
    places = deeds_in(spoken) + _leanings(index, texts, ends, spoken, ledger)
    suspects = _suspects(index, texts, ends, places, ledger) if places else {}
    return _unbacked_claims(index, settings, suspects, ledger) if suspects else ()


def _unbacked_claims(index: TraceIndex, settings: Settings, suspects: _Suspects, ledger: Ledger) -> Iterator[Evidence]:
    # What few traces need is imported when one does.
    from sentinel_signal_hallucination.claims import claims_in
    from sentinel_signal_hallucination.standing import Judge

    details = index.trace.details
    tools = bool(index.calls or (details is not None and details.available_tools))
    judge = Judge(index, ledger)
    seen: set[str] = set()
    doubted: set[str] = set()
    for number, openings in sorted(suspects.items()):
        text = index.texts[number]
        calls = _calls(index, text)
        for claim in () if text.is_copied else claims_in(text.content, sorted(set(openings))):
            name = claim.families[0].name
            weight = _weight(claim, settings, tools=tools)
            if name in seen or not weight:
                continue
            # What has no doer may be anybody's: a list of somebody's deeds.
            if not tools and (claim.voice == "brief" or _is_shown(claim, text.content)):
                continue
            standing = judge.standing(claim, text, calls)
            certain = claim.families[0].strength == "effect" and (tools or claim.voice == "active")
            told = seen
            if certain and standing == "doubtful":
                # Told once, too, but a later sentence without this doubt is told besides.
                weight, certain, told = min(weight, settings.hearsay_weight), False, doubted
            if standing != "backed" and name not in told:
                told.update(family.name for family in claim.families)
                yield _evidence(claim, text, weight, tried=judge.tried(claim, calls), certain=certain)
