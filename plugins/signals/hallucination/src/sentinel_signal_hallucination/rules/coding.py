"""What an agent that writes code says it did, of which no call is of the kind: an edit is no push, a commit no deployment."""

from collections.abc import Iterator

from sentinel_core.evaluate.index import Text
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.coding_claims import CodingClaim, coding_claims
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.english.questions import asks_back
from sentinel_signal_hallucination.english.statements import low_of
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.coding import NAMES, CodingFacts, is_asserted, may_be_done, works
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.rules.files import about_files
from sentinel_signal_hallucination.tables import regex

__all__ = ["coding", "witnessed"]

_MOVES = regex(r"\bmv\b|[Mm]ove|[Rr]ename").search
_MOVING = word_set("moved renamed deleted removed split extracted replaced merged dropped")
_LONGEST = 20_000


def coding(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding of each kind in an answer; messages in ``known`` have one already."""
    index = turns.record.index
    is_partial = any(message.details and message.details.is_copied_context for message in index.messages)
    if is_partial or not any(map(works, (*index.calls, *turns.record.calls_below))):
        return
    facts = CodingFacts(turns.record)
    for number in sorted(turns.spoken):
        turn = turns[number]
        for text in turn.texts[-1:]:
            if text.message_index not in known and not asks_back(low_of(text.content[:_LONGEST])):
                found = list(_judge(text, turn, facts, settings))
                yield from found or about_files(text, turn, facts, settings)


def witnessed(turns: Turns) -> frozenset[int]:
    """The messages with a claim that the working tree bears out."""
    seen = turns.record.index.witness
    if seen is None:
        return frozenset()
    texts = (text for text in turns.record.index.texts if not text.is_copied)
    claims = ((text, claim) for text in texts for claim in coding_claims(text.content[:_LONGEST]))
    return frozenset(text.message_index for text, claim in claims if seen.tells(claim.kind, claim.path))


def _judge(text: Text, turn: Turn, facts: CodingFacts, settings: Settings) -> Iterator[Evidence]:
    witness = facts.index.witness
    reported: set[str] = set()
    for claim in coding_claims(text.content[:_LONGEST]):
        branch = "edit_of_path" if claim.path else claim.kind
        if branch in reported or not is_asserted(claim, text, turn):
            continue
        what = f"{NAMES[claim.kind]} of {claim.path}" if claim.path else NAMES[claim.kind]
        seen = None if witness is None else witness.tells(claim.kind, claim.path)
        if not (seen or claim.is_weak or may_be_done(claim, text, facts)):
            reported.add(branch)
            message = f"The agent tells of {what}, but no call on record can have been one."
            yield _at(claim, text, "claim_without_call", branch, message, settings)
        elif seen is False and not claim.is_weak and not _is_certain(claim, text, facts):
            reported.add(branch)
            message = f"The agent tells of {what}, but the working tree shows none since the session began."
            yield _at(claim, text, "contradicted_claim", "working_tree", message, settings)
        elif (
            not seen
            and (call := facts.failed_try(claim.kind, claim.path, text)) is not None
            and not _is_admitted(claim, text)
        ):
            reported.add(branch)
            message = f'The agent tells of {what}, but each call for it failed, the last with "{call.outcome.words}".'
            yield _at(claim, text, "contradicted_claim", "command", message, settings)


def _is_admitted(claim: CodingClaim, text: Text) -> bool:
    """True where the text speaks of trouble near the claim."""
    own = claim.sentence.words
    return admits(low_of(text.content[:_LONGEST]), about=lambda words: words == own)


def _at(claim: CodingClaim, text: Text, rule: str, branch: str, message: str, settings: Settings) -> Evidence:
    return in_text(text, rule, branch, message, claim.sentence.start, claim.sentence.end, settings.effect_weight)


def _is_certain(claim: CodingClaim, text: Text, facts: CodingFacts) -> bool:
    """True where a call was of just this kind; of a file, where it may have been moved or deleted again."""
    if not claim.path:
        return facts.has(claim.kind, text, is_sure=True)
    last = claim.path.rpartition("/")[2]
    rows = ((to_json(call.call.arguments).decode(), kinds) for call, kinds in facts.before(text))
    moved = any(last in given and (kinds.can_be("delete") or _MOVES(given)) for given, kinds in rows)
    return moved or not _MOVING.isdisjoint(claim.sentence.words)
