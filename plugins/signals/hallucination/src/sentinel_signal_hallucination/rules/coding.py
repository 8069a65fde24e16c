"""What an agent that writes code says it did, of which no call is of the kind: an edit is no push, a commit no deployment."""

from collections.abc import Iterator
from functools import cache
from itertools import chain

from sentinel_core.evaluate.index import Call, Text
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.coding_claims import CodingClaim, coding_claims, paths_in
from sentinel_signal_hallucination.english.file_claims import file_claims
from sentinel_signal_hallucination.english.lexicon import bases, word_set
from sentinel_signal_hallucination.english.questions import asks_back, proposes
from sentinel_signal_hallucination.english.statements import low_of
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.coding import (
    NAMES,
    CodingFacts,
    is_asserted,
    may_be_done,
    orders_of,
    why_failed,
    works,
)
from sentinel_signal_hallucination.ledger.commands import named
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.rules.coverage_told import other_coverage
from sentinel_signal_hallucination.rules.denials import denied
from sentinel_signal_hallucination.rules.hand_checks import tried_by_hand
from sentinel_signal_hallucination.rules.other_files import denied_others
from sentinel_signal_hallucination.rules.weakened_tests import made_a_fix
from sentinel_signal_hallucination.tables import regex

__all__ = ["coding", "witnessed"]

_MOVES = regex(r"\bmv\b|[Mm]ove|[Rr]ename").search
_MOVING = word_set("moved renamed deleted removed split extracted replaced merged dropped")
_LONGEST, _SHORT = 20_000, 7
_COMMIT = regex(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_MADE = regex(r"(?m)^\[[\w/.()# -]{1,80} ([0-9a-f]{7,40})\] ")


def coding(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding of each kind in an answer; a change of no named file is judged only where it is not ``known`` for another.

    Where a part of the session is missing, only what failed in the turn itself counts.
    """
    index = turns.record.index
    is_partial = any(message.details and message.details.is_copied_context for message in index.messages)
    if not any(map(works, (*index.calls, *turns.record.calls_below))):
        return
    facts = CodingFacts(turns.record)
    for number in sorted(turns.spoken):
        turn = turns[number]
        for text in turn.texts[-1:]:
            yield from denied(text, turn, settings)
            yield from denied_others(text, turn, settings)
            yield from tried_by_hand(text, turn, settings)
            yield from other_coverage(text, turn, settings)
            yield from made_a_fix(text, turn, settings)
            is_known = is_partial or text.message_index in known
            found = list(_judge(text, turn, facts, settings, is_known=is_known, is_partial=is_partial))
            yield from found or (() if is_known else _files(text, facts, settings))


def witnessed(turns: Turns) -> frozenset[int]:
    """The messages with a claim that the working tree bears out."""
    seen = turns.record.index.witness
    if seen is None:
        return frozenset()
    texts = (text for text in turns.record.index.texts if not text.is_copied)
    claims = ((text, claim) for text in texts for claim in coding_claims(text.content[:_LONGEST]))
    return frozenset(text.message_index for text, claim in claims if seen.tells(claim.kind, claim.path))


def _judge(
    text: Text, turn: Turn, facts: CodingFacts, settings: Settings, *, is_known: bool, is_partial: bool
) -> Iterator[Evidence]:
    witness = facts.index.witness
    reported: set[str] = {"edit"} if is_known else set()
    low = low_of(text.content[:_LONGEST])
    is_proposed = proposes(low) if asks_back(low) else None
    for claim in coding_claims(text.content[:_LONGEST]):
        if is_proposed is not None and is_proposed(claim.sentence):
            continue
        branch = "edit_of_path" if claim.path else claim.kind
        if branch in reported or not is_asserted(claim, text, turn, facts):
            continue
        what = f"{NAMES[claim.kind]} of {claim.path}" if claim.path else NAMES[claim.kind]
        seen = None if witness is None else witness.tells(claim.kind, claim.path)
        is_weak = claim.is_weak and not facts.has_prepared(claim.kind, text)
        is_weak |= claim.word == "live"  # whatever made it so: only a deployment that failed speaks against it
        if not (is_partial or seen or is_weak or may_be_done(claim, text, facts)):
            reported.add(branch)
            message = f"The agent tells of {what}, but no call on record can have been it."
            yield _at(claim, text, "claim_without_call", branch, message, settings)
        elif seen is False and not (is_partial or claim.is_weak or _is_certain(claim, text, facts)):
            reported.add(branch)
            message = f"The agent tells of {what}, but the working tree shows none since the session began."
            yield _at(claim, text, "contradicted_claim", "working_tree", message, settings)
        elif (
            not seen
            and (call := facts.failed_try(claim.kind, claim.path, text)) is not None
            and (not is_partial or call in turn.calls)
            and not _is_admitted(claim, text)
        ):
            reported.add(branch)
            yield _at(claim, text, "contradicted_claim", "failed_try", _tried(claim, what, call), settings)
        elif claim.kind == "commit" and (other := _other_commit(claim, text, turn)) is not None:
            reported.add(branch)
            yield _at(claim, text, "wrong_value", "commit", other, settings)


def _files(text: Text, facts: CodingFacts, settings: Settings) -> Iterator[Evidence]:
    """The first file that is told of as changed, in a session with edits, although no call can have written it."""
    content = text.content[:_LONGEST]
    paths = paths_in(content)
    if not paths or not facts.has("edit", text, is_sure=True):
        return
    witness = facts.index.witness
    for claim in file_claims(content, paths, cache(lambda path: facts.cannot_have_written(path, text))):
        if witness is None or not witness.tells("edit", claim.path):
            message = f"The agent tells of {NAMES['edit']} of {claim.path}, but no call on record can have been it."
            start, end, weight = claim.start, claim.end, settings.effect_weight
            yield in_text(text, "claim_without_call", "file_as_changed", message, start, end, weight)
            return


def _other_commit(claim: CodingClaim, text: Text, turn: Turn) -> str | None:
    """Why the commit that a sentence names is not the one that was made: git printed others, and nothing since has this one."""
    named_here = _COMMIT.findall(text.content, claim.sentence.start, claim.sentence.end)
    since: list[str] = []
    made: list[str] = []
    for call in turn.calls:
        shown = "" if call.result is None else call.result.content
        since += [shown] if made or _MADE.search(shown) else []
        made += _MADE.findall(shown)
    if not named_here or not made or any(one[:_SHORT] in shown for one in named_here for shown in since):
        return None
    return f'The agent tells of commit "{named_here[0]}", but the commit that was made is "{made[-1]}".'


def _tried(claim: CodingClaim, what: str, call: Call) -> str:
    """What is said of a claim whose last try is the call, which failed as those before it."""
    why = why_failed(call, claim.kind)
    how = "failed" if why == "failed" else f'ended with "{why}"'
    return f"The agent tells of {what}, but the last {what.partition(' ')[2]}, {named(call, claim.kind)}, {how}."


def _is_admitted(claim: CodingClaim, text: Text) -> bool:
    """True where the text speaks of trouble with what is claimed."""
    named = {claim.word, *orders_of(claim)}
    return admits(
        low_of(text.content[:_LONGEST]),
        about=lambda words: any(map(named.__contains__, chain(words, *map(bases, words)))),
    )


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
