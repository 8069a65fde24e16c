"""What an agent that writes code says it did, of which no call is of the kind: an edit is no push, a commit no deployment."""

from collections.abc import Iterator

from sentinel_core.evaluate.facts.commands import Kinds, kinds_of, kinds_of_call
from sentinel_core.evaluate.index import Call, Text
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.coding_claims import EDITS, IS_PATH, KINDS, CodingClaim, coding_claims
from sentinel_signal_hallucination.english.lexicon import bases, word_set
from sentinel_signal_hallucination.english.questions import asks_back
from sentinel_signal_hallucination.english.statements import low_of
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.actions import Record
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.tables import regex

__all__ = ["coding", "witnessed"]

_NAMES = {
    "commit": "a commit", "push": "a push", "pull_request": "a pull request", "deploy": "a deployment", "publish": "a publication", "install": "an installation",
    "migrate": "a migration", "restart": "a restart", "delete": "a deletion", "edit": "an edit",
}  # fmt: skip
_OWN, _STATES = frozenset(("own", "brief")), frozenset(("perfect", "state"))
_CHANGES = frozenset(("edit", "format", "install", "migrate", "commit", "delete"))
# What names one commit or pull request.
_VALUES = {
    "commit": regex(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b"),
    "pull_request": regex(r"https?://[^\s)>`]+|(?<=#)\d+\b"),
}
_TYPED = regex(r"(?m)<bash-input>([^\n<]*)|^(?:\$ |!)([^\n]*)")
_MOVES = regex(r"\bmv\b|[Mm]ove|[Rr]ename").search
_MOVING = word_set("moved renamed deleted removed split extracted replaced merged dropped")
_WORD = regex(r"[a-z][a-z-]+")
_LONGEST = 20_000


def coding(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding of each kind in an answer; messages in ``known`` have one already."""
    index = turns.record.index
    is_partial = any(message.details and message.details.is_copied_context for message in index.messages)
    if is_partial or not any(map(_works, (*index.calls, *turns.record.calls_below))):
        return
    facts = _Facts(turns.record)
    for number in sorted(turns.spoken):
        turn = turns[number]
        for text in turn.texts[-1:]:
            if text.message_index not in known and not asks_back(low_of(text.content[:_LONGEST])):
                yield from _judge(text, turn, facts, settings)


def witnessed(turns: Turns) -> frozenset[int]:
    """The messages with a claim that the working tree bears out."""
    seen = turns.record.index.witness
    if seen is None:
        return frozenset()
    texts = (text for text in turns.record.index.texts if not text.is_copied)
    claims = ((text, claim) for text in texts for claim in coding_claims(text.content[:_LONGEST]))
    return frozenset(text.message_index for text, claim in claims if seen.tells(claim.kind, claim.path))


class _Facts:
    """From which call on something can have been done; the calls of sub-agents count from the begin."""

    def __init__(self, record: Record) -> None:
        self.index, self._writers = record.index, record.writers
        own = [(call.position, call) for call in record.index.calls]
        below = [(-1, call) for call in record.calls_below]
        self.rows = [(at, call, kinds_of_call(call.call.name, call.call.arguments)) for at, call in (*below, *own)]
        self._first = dict[tuple[str, bool], int]()
        self._by_user = dict[str, int]()
        for at, _, kinds in self.rows:
            for kind in kinds.sure:
                self._first.setdefault((kind, True), at)
            for kind in kinds.sure | kinds.may:
                self._first.setdefault((kind, False), at)

    def has(self, kind: str, text: Text, *, is_sure: bool = False) -> bool:
        """True where a call before the text can have been of the kind, or was one."""
        return self._first.get((kind, is_sure), text.calls_before) < text.calls_before

    def has_written(self, path: str, text: Text) -> bool:
        """True where a call before the text can have written the file."""
        first = self._writers.first(path)
        return first is not None and first < text.calls_before

    def user_did(self, kind: str) -> int:
        """The first message in which the user did such a thing, or says that it is done; where none is, their number."""
        if kind not in self._by_user:
            asked = ((at, (self.index.messages[at].content or "")[:_LONGEST]) for at in self.index.asked)
            rows = (at for at, content in asked if _user_did(kind, content))
            self._by_user[kind] = next(rows, len(self.index.messages))
        return self._by_user[kind]

    def before(self, text: Text) -> Iterator[tuple[Call, Kinds]]:
        """The calls before the text."""
        return ((call, kinds) for at, call, kinds in self.rows if at < text.calls_before)


def _works(call: Call) -> bool:
    """True for a command, and for a tool that edits or reads a file: what is done with these is on record."""
    arguments = call.call.arguments
    if isinstance(arguments.get("command", arguments.get("cmd")), str):
        return True
    return any(isinstance(value, str) and IS_PATH(value) for value in arguments.values())


def _judge(text: Text, turn: Turn, facts: _Facts, settings: Settings) -> Iterator[Evidence]:
    witness = facts.index.witness
    reported = set[str]()
    for claim in coding_claims(text.content[:_LONGEST]):
        branch = "edit_of_path" if claim.path else claim.kind
        if branch in reported or not _is_asserted(claim, text, turn):
            continue
        what = f"{_NAMES[claim.kind]} of {claim.path}" if claim.path else _NAMES[claim.kind]
        seen = None if witness is None else witness.tells(claim.kind, claim.path)
        if not (seen or _may_be_done(claim, text, facts)):
            reported.add(branch)
            message = f"The agent tells of {what}, but no call on record can have been one."
            yield _at(claim, text, "claim_without_call", branch, message, settings)
        elif seen is False and not _is_certain(claim, text, facts):
            reported.add(branch)
            message = f"The agent tells of {what}, but the working tree shows none since the session began."
            yield _at(claim, text, "contradicted_claim", "working_tree", message, settings)


def _at(claim: CodingClaim, text: Text, rule: str, branch: str, message: str, settings: Settings) -> Evidence:
    return in_text(text, rule, branch, message, claim.sentence.start, claim.sentence.end, settings.effect_weight)


def _is_certain(claim: CodingClaim, text: Text, facts: _Facts) -> bool:
    """True where a call was of just this kind; of a file, where it may have been moved or deleted again."""
    if not claim.path:
        return facts.has(claim.kind, text, is_sure=True)
    last = claim.path.rpartition("/")[2]
    rows = ((to_json(call.call.arguments).decode(), kinds) for call, kinds in facts.before(text))
    moved = any(last in given and (kinds.can_be("delete") or _MOVES(given)) for given, kinds in rows)
    return moved or not _MOVING.isdisjoint(claim.sentence.words)


def _is_asserted(claim: CodingClaim, text: Text, turn: Turn) -> bool:
    """True where the agent says that it did it, or that a thing is done which the user ordered."""
    ordered = not _orders(claim).isdisjoint(turn.asked_words | turn.ever_named)
    if claim.kind == "edit" and not claim.path:
        return claim.voice in _OWN and ordered and "```" not in text.content and not turn.wants_text
    return claim.voice in _OWN or (claim.voice in _STATES and ordered)


def _orders(claim: CodingClaim) -> frozenset[str]:
    return EDITS if claim.kind == "edit" else KINDS[claim.kind].orders


def _may_be_done(claim: CodingClaim, text: Text, facts: _Facts) -> bool:
    """True where a call, or the user, may have done it, or a result tells of the same commit or address."""
    if claim.path:
        return facts.has_written(claim.path, text)
    if claim.kind == "edit":
        return any(facts.has(kind, text) for kind in _CHANGES)
    if facts.has(claim.kind, text):
        return True
    index, sentence = facts.index, text.content[claim.sentence.start : claim.sentence.end].lower()
    if facts.user_did(claim.kind) < text.message_index:
        return True
    asked = [(index.messages[at].content or "")[:_LONGEST] for at in index.asked if at < text.message_index]
    named = _VALUES.get(claim.kind)
    values = [match[0] for match in named.finditer(sentence)] if named is not None else []
    results = (call.result.content for call, _ in facts.before(text) if call.result is not None)
    return any(value in shown.lower() for shown in (*asked, *results) for value in values) if values else False


def _user_did(kind: str, content: str) -> bool:
    """True where the user typed such a command, or says that it is done."""
    typed = ("".join(match) for match in _TYPED.findall(content))
    if any(kinds_of(command.strip()).can_be(kind) for command in typed):
        return True
    done = (word for word in _WORD.findall(content.lower()) if word not in KINDS[kind].verbs)
    return any(not KINDS[kind].verbs.isdisjoint(bases(word)) for word in done)
