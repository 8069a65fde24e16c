"""The ledger: each statement of the agent beside the fact that answers it. Facts only; what is false is said by the findings."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal

from sentinel_core._fast import evolve
from sentinel_core.evaluate.facts.values import Value, values_in
from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.tools import name_words, singular
from sentinel_core.report import Finding, LedgerEntry
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.english.check_claims import CheckClaim, check_claims
from sentinel_signal_hallucination.english.lexicon import bases
from sentinel_signal_hallucination.english.questions import asks_back, proposes
from sentinel_signal_hallucination.english.sentences import Sentence, sentences, span_around
from sentinel_signal_hallucination.english.statements import Statement, low_of, statements
from sentinel_signal_hallucination.ledger.actions import Action, Record
from sentinel_signal_hallucination.ledger.exemptions import EXEMPTIONS, Case, is_reported, is_written
from sentinel_signal_hallucination.ledger.sources import Sources, prose_of
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.tables import once, regex

if TYPE_CHECKING:
    from sentinel_signal_hallucination.ledger.derivation import Derived

__all__ = ["entries"]

Answer = Literal["backed", "contradicted", "absent", "not_checkable"]

_MOST, _MOST_VALUES, _MOST_LISTED, _LONGEST = 300, 12, 3, 20_000
# What names a thing in a sentence as the record has it: code in ticks, a quoted name, a path, a number, an address.
_NAME = regex(r"`([^`\n]{2,80})`|\"([^\"\n]{3,80})\"|([\w./@#-]*[/@.\d][\w./@-]*\w)")
_BY_VALUE, _BY_KIND, _BY_VERB, _BY_OBJECT, _ENOUGH = 3, 2, 2, 1, 2
_SEPARATORS, _TOKEN = regex(r"[-_# ,$€£]"), regex(r"[^\s\"'(){}\[\]:;=<>]{2,60}")
_ABSENT = frozenset(
    ("claim_without_call", "partial_claim", "left_one", "checks_not_run", "result_without_call", "identifier", "figure")
)
_UNCLEAR = frozenset(("unclear", "no_tools", "edited_since"))
_KINDS = {
    **dict.fromkeys(("checks_not_run", "contradicted_checks", "stale_checks"), "check"),
    **dict.fromkeys(("identifier", "figure", "wrong_value", "result_without_call"), "value"),
}
_OTHER = frozenset(("imitated_call", "imitated_output", "call_without_result", "orphan_result"))
_CHECKS = {"tests": "tests", "build": "build", "types": "type check", "lint": "linter"}


def entries(index: TraceIndex, findings: Sequence[Finding], path: tuple[int, ...] = ()) -> Iterator[LedgerEntry]:
    """One entry for each sentence that claims something, in order, and those of sub-agents; at most 300 an agent."""
    for entry in islice(_entries(Turns(Record(index)), findings, path), _MOST):
        yield evolve(entry, trace_path=path) if path else entry
    for position, child in enumerate(index.children):
        yield from entries(child, findings, (*path, position))


def _entries(turns: Turns, findings: Sequence[Finding], path: tuple[int, ...]) -> Iterator[LedgerEntry]:
    accused = dict[int, list[Finding]]()
    for finding in findings:
        if (
            tuple(finding.trace_path) == path
            and finding.quote
            and finding.message_index is not None
            and finding.rule not in _OTHER
        ):
            accused.setdefault(finding.message_index, []).append(finding)
    recorded = _Recorded(turns.record.index)
    for text in turns.record.index.texts:
        if not text.is_copied and len(text.content) <= _LONGEST:
            yield from _Claims(text, turns, recorded, accused.get(text.message_index, [])).entries()


class _Claims:
    """The claims of one text."""

    def __init__(self, text: Text, turns: Turns, recorded: "_Recorded", findings: list[Finding]) -> None:
        self.text, self.record, self.recorded, self.findings = text, turns.record, recorded, findings
        self.turn: Turn = turns[turns.number(text.message_index)]
        self.low = low_of(text.content)

    def entries(self) -> Iterator[LedgerEntry]:
        """In the order of the sentences."""
        content = self.text.content
        checks = {claim.sentence.start: claim for claim in check_claims(content)}
        is_proposed: Callable[[Sentence], bool] = proposes(self.low) if asks_back(self.low) else lambda _: False
        for part in sentences(self.low):
            quote = span_around(content, part.start, part.end)
            if part.asks or not quote:
                continue
            finding = next((one for one in self.findings if self._is_about(one, quote)), None)
            if finding is not None:
                yield _accused(finding, quote, self.text)
            elif not is_proposed(part):
                claim = checks.get(part.start)
                entry = self._check(claim, quote) if claim is not None else self._action(part, quote)
                entry = entry or self._values(quote)
                if entry is not None:
                    yield entry

    def _entry(
        self, quote: str, kind: str, answer: Answer, fact: str, call: Call | None = None, at: int | None = None
    ) -> LedgerEntry:
        place = at if call is None else call.message_index
        return LedgerEntry(
            claim=quote, message_index=self.text.message_index, kind=kind, answer=answer, record=fact,
            record_index=place, call_id=None if call is None else call.call.id,
        )  # fmt: skip

    def _is_about(self, finding: Finding, quote: str) -> bool:
        """True for a finding that quotes the sentence; of one about a value, only where the sentence has values of no record."""
        written = finding.quote or ""
        if not (quote in written or written in quote):
            return False
        return written in quote or _KINDS.get(finding.rule) != "value" or bool(self._missing(quote))

    def _check(self, claim: CheckClaim, quote: str) -> LedgerEntry:
        """The last run of such a check before the sentence."""
        calls = self.record.index.calls[: self.text.calls_before]
        runs = [(call, check) for call in calls for check in call.checks if claim.kind in ("", check.kind)]
        if not runs:
            return self._entry(quote, "check", "not_checkable", "no call on record ran such a check")
        call, check = runs[-1]
        what = f'{_CHECKS[check.kind]}: "{check.command}"'
        ending = f' ("{check.ending}")' if check.ending else ""
        if check.passed:
            return self._entry(quote, "check", "backed", f"{what} passed{ending}", call)
        outcome = "failed" if check.passed is False else "left no result that can be read"
        return self._entry(quote, "check", "not_checkable", f"{what} {outcome}{ending}", call)

    def _action(self, part: Sentence, quote: str) -> LedgerEntry | None:
        """The call that fits best: by its values, then its kind, then its verb."""
        claimed = next(filter(self._is_claim, statements(part)), None)
        if claimed is None:
            return None
        names, scored = _names(quote), list[tuple[int, int, Action]]()
        for action in self._before:
            points = _fit(action, claimed, names)
            if points >= _ENOUGH:
                scored.append((points, action.call.position, action))
        if scored:
            _, _, best = max(scored, key=lambda row: row[:2])
            worked = f'the call to "{best.facts.name}"'
            if best.failed:
                return self._entry(quote, "action", "not_checkable", f"{worked} failed", best.call)
            return self._entry(quote, "action", "backed", f"{worked} worked", best.call)
        if is_reported(claimed, self.text, self.record, kindly=True):
            return self._entry(quote, "action", "backed", "a result tells of it")
        unclear = next((one for one in reversed(self._before) if one.facts.runs_anything), None)
        if unclear is not None:
            fact = f'no call of its kind; "{unclear.facts.name}" may have done it'
            return self._entry(quote, "action", "not_checkable", fact, unclear.call)
        return self._entry(quote, "action", "not_checkable", "no call of its kind is on record")

    def _is_claim(self, one: Statement) -> bool:
        if not (one.is_action and one.is_effect) or (one.voice == "past" and not one.objects):
            return False
        case = Case(one, self.low, self.turn)
        return not any(exempts(case) for exempts in EXEMPTIONS) and not is_written(case)

    @once
    def _before(self) -> list[Action]:
        """What was done before the text, by the agent or a sub-agent."""
        own = [action for action in self.record.actions if action.message_index < self.text.message_index]
        return [*self.record.below, *own]

    def _values(self, quote: str) -> LedgerEntry | None:
        """Where the values of a sentence stand: in a result, a call's arguments, or a user's words."""
        values = self._written(quote) if self.record.index.calls[: self.text.calls_before] else []
        if not values:
            return None
        missing = self._missing(quote)
        if missing:
            listed = ", ".join(f'"{word}"' for word in missing[:_MOST_LISTED])
            return self._entry(quote, "value", "not_checkable", f"{listed} is in no result; it may be derived")
        known = sorted({place for value, word in values if (place := self._place(value, word)) is not None})
        if not known:
            return self._entry(quote, "value", "backed", "follows from values on record")
        listed = ", ".join(map(str, known[-_MOST_LISTED:]))
        return self._entry(quote, "value", "backed", f"on record in message{'s' if len(known) > 1 else ''} {listed}")

    def _written(self, quote: str) -> list[tuple[Value, str]]:
        prose = prose_of(quote)
        return [(value, prose[value.start : value.end]) for value in values_in(prose)[:_MOST_VALUES]]

    def _missing(self, quote: str) -> list[str]:
        """The values that are on no record and do not follow from it."""
        return [
            word
            for value, word in self._written(quote)
            if self._place(value, word) is None
            and not (value.kind == "number" and self._derived.gives(word, quote, quote.find(word), ()))
        ]

    @once
    def _derived(self) -> "Derived":
        return Sources(self.record.index, self.text.message_index).derived

    def _place(self, value: Value, written: str) -> int | None:
        """The last message before the text that holds a value, in any spelling."""
        until = self.text.message_index
        found = (
            self.recorded.last(form, until)
            for form in (_plain(written), *(f"{value.kind} {form}" for form in value.forms))
        )
        return max((at for at in found if at is not None), default=None)


class _Recorded:
    """Where the values of results, arguments and users' words stand, by their normal forms."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index

    def last(self, form: str, until: int) -> int | None:
        """The last message before ``until`` that holds the form."""
        places = self._places.get(form, [])
        at = bisect_left(places, until)
        return places[at - 1] if at else None

    @once
    def _places(self) -> dict[str, list[int]]:
        found = dict[str, list[int]]()
        for at, message in enumerate(self._index.messages):
            parts = [result.content for result in message.tool_results]
            parts += [to_json(call.arguments).decode() for call in message.tool_calls]
            parts += [message.content or ""] if message.role != "assistant" else []
            for part in parts:
                forms = set(map(_plain, _TOKEN.findall(part)))
                forms.update(f"{value.kind} {form}" for value in values_in(part) for form in value.forms)
                for form in forms:
                    found.setdefault(form, []).append(at)
        return found


def _plain(written: str) -> str:
    """A word without what separates its parts: ``$1,166.90`` is ``1166.9``."""
    word = _SEPARATORS.sub("", written.lower()).rstrip(".")
    return word.rstrip("0").rstrip(".") if "." in word and word.replace(".", "").isdigit() else word


def _names(quote: str) -> list[str]:
    """The names in a sentence of which a call may have the same."""
    return [next(filter(None, match.groups())).lower() for match in _NAME.finditer(quote)]


def _fit(action: Action, claimed: Statement, names: Iterable[str]) -> int:
    """How well a call fits a claim."""
    given = to_json(action.call.call.arguments).decode().lower()
    verbs = {claimed.verb, *bases(claimed.sentence.words[claimed.at])}
    objects = frozenset(map(singular, name_words(action.facts.name))) | action.facts.objects
    points = _BY_VALUE * any(name in given for name in names)
    points += _BY_KIND * (claimed.group in action.groups)
    points += _BY_VERB * (not verbs.isdisjoint(name_words(action.facts.name)))
    return points + _BY_OBJECT * (not claimed.objects.isdisjoint(objects))


def _accused(finding: Finding, quote: str, text: Text) -> LedgerEntry:
    """What a finding says of the sentence."""
    answer: Answer = "absent" if finding.rule in _ABSENT else "contradicted"
    if finding.branch in _UNCLEAR:
        answer = "not_checkable"
    kind = _KINDS.get(finding.rule, "action")
    return LedgerEntry(
        claim=quote, message_index=text.message_index, kind=kind, answer=answer, record=finding.text, rule=finding.rule
    )
