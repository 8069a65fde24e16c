"""The ledger: each statement of the agent beside the fact that answers it. Facts only; what is false is said by the findings."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from sentinel_core._fast import evolve
from sentinel_core.evaluate.facts.edits import reach_of
from sentinel_core.evaluate.facts.values import Value, values_in
from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.tools import name_words, singular
from sentinel_core.report import Finding, LedgerEntry
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.english.check_claims import CheckClaim, check_claims
from sentinel_signal_hallucination.english.coding_claims import EDITS, IS_PATH, KINDS, CodingClaim, coding_claims
from sentinel_signal_hallucination.english.languages import is_foreign
from sentinel_signal_hallucination.english.lexicon import COMPLETE, bases
from sentinel_signal_hallucination.english.questions import asks_back, proposes
from sentinel_signal_hallucination.english.sentences import Sentence, sentences, span_around
from sentinel_signal_hallucination.english.statements import Statement, low_of, statements
from sentinel_signal_hallucination.ledger.actions import Action, Record
from sentinel_signal_hallucination.ledger.coding import Answer, CodingFacts, is_asserted, works
from sentinel_signal_hallucination.ledger.coverage import coverage_figures, gives_coverage
from sentinel_signal_hallucination.ledger.exemptions import EXEMPTIONS, Case, is_reported, is_written
from sentinel_signal_hallucination.ledger.recorded import Recorded, plain_word
from sentinel_signal_hallucination.ledger.sources import Sources, prose_of
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.tables import once, regex

if TYPE_CHECKING:
    from sentinel_signal_hallucination.ledger.derivation import Derived

__all__ = ["entries"]

_MOST, _MOST_VALUES, _MOST_LISTED, _LONGEST = 300, 12, 3, 20_000
# What names a thing in a sentence as the record has it: code in ticks, a quoted name, a path, a number, an address.
_NAME = regex(r"`([^`\n]{2,80})`|\"([^\"\n]{3,80})\"|([\w./@#-]*[/@.\d][\w./@-]*\w)")
_BY_VALUE, _BY_KIND, _BY_VERB, _BY_OBJECT, _ENOUGH = 3, 2, 2, 1, 2
_ABSENT = frozenset(
    ("claim_without_call", "partial_claim", "left_one", "checks_not_run", "result_without_call", "identifier", "figure")
)
_UNCLEAR = frozenset(("no_tools", "edited_since"))
_KINDS = {
    **dict.fromkeys(("checks_not_run", "contradicted_checks", "stale_checks"), "check"),
    **dict.fromkeys(("identifier", "figure", "wrong_value", "result_without_call"), "value"),
}
_OTHER = frozenset(("imitated_call", "imitated_output", "call_without_result", "orphan_result"))
# What numbers a point of a list, and a place in a file: no values of the record.
_NUMBERED = regex(r"^\W{0,6}\d{1,3}[.):\]]|\b[Ll]ines? \d+(?:(?:[-–, ]|and|to)+\d+)*")
_MEASURED = frozenset(("number", "date", "time"))  # who writes code coins names, paths and numbers of versions
# A place in a file before the verb: a change that somebody else made, and that was read.
_OF_A_DIFF = regex(r"\W*(?:\(\d+\)|[Ll]ines? \d)")
_DOCUMENTS = frozenset(("readme", "changelog", "license", "dockerfile", "makefile"))
_OF_CHECKS = frozenset(("suite", "tests", "specs", "linter"))
_NEXT, _OPENING = frozenset(("let", "let's", "i'll", "we'll")), 4
_DIGITS, _CORE = regex(r"\d+"), 3  # digits that separators never part
_OF_FILES, _OWN = frozenset(("edit", "delete")), frozenset(("own", "brief"))
_TRIED = frozenset(("command", "failed_try"))
_CHECKS = {"tests": "tests", "build": "build", "types": "type check", "lint": "linter"}


def entries(index: TraceIndex, findings: Sequence[Finding], path: tuple[int, ...] = ()) -> Iterator[LedgerEntry]:
    """One entry for each sentence that claims something, in order, and those of sub-agents; at most 300 an agent."""
    for entry in islice(_entries(Turns(Record(index)), findings, path), _MOST):
        yield evolve(entry, trace_path=path) if path else entry
    for position, child in enumerate(index.children):
        yield from entries(child, findings, (*path, position))


def _entries(turns: Turns, findings: Sequence[Finding], path: tuple[int, ...]) -> Iterator[LedgerEntry]:
    accused: dict[int, list[Finding]] = {}
    for finding in findings:
        if (
            tuple(finding.trace_path) == path
            and finding.quote
            and finding.message_index is not None
            and finding.rule not in _OTHER
        ):
            accused.setdefault(finding.message_index, []).append(finding)
    recorded = Recorded(turns.record.index)
    calls = (*turns.record.index.calls, *turns.record.calls_below)
    facts = CodingFacts(turns.record) if any(map(works, calls)) else None
    for text in turns.record.index.texts:
        if not text.is_copied and len(text.content) <= _LONGEST:
            yield from _Claims(text, turns, recorded, facts, accused.get(text.message_index, [])).entries()


class _Claims:
    """The claims of one text."""

    def __init__(
        self, text: Text, turns: Turns, recorded: Recorded, facts: CodingFacts | None, findings: list[Finding]
    ) -> None:
        self.text, self.record, self.recorded, self.findings = text, turns.record, recorded, findings
        self.facts = facts
        self.turn: Turn = turns[turns.number(text.message_index)]
        self.low = low_of(text.content)

    def entries(self) -> Iterator[LedgerEntry]:
        """In the order of the sentences."""
        content = self.text.content
        if is_foreign(content):
            yield from self._in_other_language()
            return
        checks: dict[int, list[CheckClaim]] = {}
        for claim in check_claims(content):
            checks.setdefault(claim.sentence.start, []).append(claim)
        is_proposed: Callable[[Sentence], bool] = proposes(self.low) if asks_back(self.low) else lambda _: False
        for part in sentences(self.low):
            quote = span_around(content, part.start, part.end)
            if part.asks or not quote or self._is_heading(content.find(quote, part.start)):
                continue
            done = [claim for claim in self._done if part.start <= claim.sentence.start < part.end]
            found = [one for one in self.findings if self._is_about(one, quote)]
            if found:
                yield from self._of_findings(found, quote, done)
            elif not is_proposed(part):
                own = [] if self._announces(part) else _of_kinds(checks.get(part.start, []))
                yield from (self._check(claim, quote) for claim in own)
                yield from self._coded(done, quote)
                acted = None if own or done else self._changed(part, quote)
                valued = self._uncovered(quote) if own or done or acted else self._values(quote)
                yield from filter(None, (acted, valued))

    def _in_other_language(self) -> Iterator[LedgerEntry]:
        """The values of each sentence, and one entry for all claims, which nobody reads."""
        unread = (
            "" if any(part.start == 0 for part in sentences(self.low)) else self.text.content.strip().split("\n")[0]
        )
        for part in sentences(self.low):
            quote = span_around(self.text.content, part.start, part.end)
            finding = next((one for one in self.findings if self._is_about(one, quote)), None)
            entry = self._accused(finding, quote, "", ()) if finding is not None else self._values(quote)
            if entry is not None:
                yield entry
            else:
                unread = unread or quote
        if unread:
            yield self._entry(unread, "action", "not_checkable", "language: only English claims are read")

    def _of_findings(
        self, findings: Sequence[Finding], quote: str, done: Sequence[CodingClaim]
    ) -> Iterator[LedgerEntry]:
        """One entry for each kind of what the sentence claims: what a finding says of it, else what answers it."""
        rows = dict[str, LedgerEntry]()
        for finding in findings:
            kind = self._kind_of(finding, done)
            if not rows or kind or finding.rule in _KINDS:  # of no kind of its own, it says the same again
                own = [claim for claim in done if claim.kind == kind]
                entry = self._accused(finding, quote, kind, own or done)
                rows.setdefault(entry.kind, entry)
        yield from rows.values()
        if rows.keys() & {"check", *(claim.kind for claim in done)}:
            yield from self._coded([claim for claim in done if claim.kind not in rows], quote)

    def _kind_of(self, finding: Finding, done: Sequence[CodingClaim]) -> str:
        """Which of the kinds that a sentence claims a finding is of; empty where of none."""
        own = {"edit_of_path": "edit"}.get(finding.branch or "", finding.branch)
        for claim in done:
            if claim.kind == own or (finding.branch in _TRIED and self._names_try(finding, claim)):
                return claim.kind
        return ""

    def _names_try(self, finding: Finding, claim: CodingClaim) -> bool:
        """True where the finding names the call that was to do what is claimed, and failed."""
        assert self.facts is not None
        answer, fact, _ = self.facts.answer(claim.kind, [claim.path] if claim.path else [], self.text)
        return answer != "backed" and fact.endswith(" failed") and fact.removesuffix(" failed") in finding.text

    def _accused(self, finding: Finding, quote: str, kind: str, done: Sequence[CodingClaim]) -> LedgerEntry:
        """What a finding says of the sentence."""
        answer: Answer = "absent" if finding.rule in _ABSENT else "contradicted"
        if finding.branch in _UNCLEAR:
            answer = "not_checkable"
        return LedgerEntry(
            claim=quote, message_index=self.text.message_index, kind=kind or _KINDS.get(finding.rule, "action"), answer=answer, record=finding.text,
            working_tree=self._seen(done), rule=finding.rule,
        )  # fmt: skip

    def _is_heading(self, at: int) -> bool:
        """True for a place in a heading, which claims nothing by itself."""
        return self.text.content.startswith("#", self.text.content.rfind("\n", 0, at) + 1)

    def _announces(self, part: Sentence) -> bool:
        """True for "Now build and test:" before calls."""
        follows = self.record.index.calls[self.text.calls_before : self.text.calls_before + 1]
        is_next = any(call.message_index <= self.text.message_index + 1 for call in follows)
        return is_next and ":" in self.text.content[part.end - 1 : part.end + 1]

    @once
    def _done(self) -> list[CodingClaim]:
        """What an agent that writes code says it did, without changes of no named file."""
        if self.facts is None:
            return []
        claims = coding_claims(self.text.content)
        rows = (one._replace(path=one.path or self._deleted(one)) for one in claims if not one.is_weak)
        rows = (claim for claim in rows if claim.path or claim.kind not in _OF_FILES)
        return [claim for claim in rows if is_asserted(claim, self.text, self.turn, self.facts)]

    def _deleted(self, claim: CodingClaim) -> str:
        """The file that a deletion names; empty where it names none."""
        named = IS_PATH(self.text.content, claim.sentence.start, claim.sentence.end) if claim.kind == "delete" else None
        return "" if named is None else named[0]

    def _changed(self, part: Sentence, quote: str) -> LedgerEntry | None:
        """An action; in a session that writes code only the agent's own, and a change of no named file is any edit."""
        if self.facts is None:
            return self._action(part, quote)
        one = next((one for one in statements(part) if one.voice in _OWN), None)
        if one is None or not one.objects or one.verb in COMPLETE or _OF_A_DIFF.match(quote) or _plans(part):
            return None
        if one.verb in EDITS or one.verb in KINDS["delete"].verbs:
            unnamed = next((word for word in part.words if word in _DOCUMENTS and not self._has_edited(word)), None)
            if unnamed is not None:
                return self._entry(quote, "edit", "not_checkable", f"no edit of the {unnamed} is on record")
            return self._entry(quote, "edit", *self.facts.answer("edit", (), self.text, quote))
        if not _OF_CHECKS.isdisjoint(part.words):
            return None  # no edit backs what is said of checks
        entry = self._action(part, quote)
        return None if entry is None or (entry.answer == "backed" and entry.call_id is None) else entry

    def _has_edited(self, name: str) -> bool:
        """True where a call before the text can have written a file of such a name."""
        assert self.facts is not None
        calls = (reach_of(call.call.name, call.call.arguments) for call, _ in self.facts.before(self.text))
        return any(reach.is_wide or name in reach.text.lower() for reach in calls)

    def _coded(self, claims: Sequence[CodingClaim], quote: str) -> Iterator[LedgerEntry]:
        """One entry for each kind."""
        for kind in dict.fromkeys(claim.kind for claim in claims):
            own = [claim for claim in claims if claim.kind == kind]
            assert self.facts is not None
            answer, fact, call = self.facts.answer(kind, [claim.path for claim in own if claim.path], self.text, quote)
            witness = self.record.index.witness
            if witness is not None and all(witness.tells(kind, claim.path) for claim in own):
                answer = "backed"
            entry = self._entry(quote, kind, answer, fact, call)
            yield evolve(entry, working_tree=self._seen(own))

    def _seen(self, claims: Sequence[CodingClaim]) -> str | None:
        """What the working tree shows of the claims."""
        witness = self.record.index.witness
        if witness is None:
            return None
        shown = [witness.shows(claim.kind, claim.path) for claim in claims]
        return "; ".join(dict.fromkeys(filter(None, shown))) or None

    def _entry(self, quote: str, kind: str, answer: Answer, fact: str, call: Call | None = None) -> LedgerEntry:
        calls = self.record.index.calls
        is_own = call is not None and call.position < len(calls) and calls[call.position] is call
        place = (
            call.message_index if call is not None and is_own else None
        )  # a sub-agent's messages have numbers of their own
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
            return self._entry(quote, "check", "backed", f"{what} passed{ending}{self._weakened(call)}", call)
        outcome = "failed" if check.passed is False else "ran, but its output does not tell the result"
        return self._entry(quote, "check", "not_checkable", f"{what} {outcome}{ending}", call)

    def _weakened(self, passed: Call) -> str:
        """What was taken from the tests before they passed."""
        rows = [one for one in self.record.weakenings if one.passed.position <= passed.position]
        ways = (f"{one.words} (message {one.changed.message_index})" for one in rows)
        return f"; after a failed run {'; '.join(ways)}" if rows else ""

    def _action(self, part: Sentence, quote: str) -> LedgerEntry | None:
        """The call that fits best: by its values, then its kind, then its verb."""
        claimed = next(filter(self._is_claim, statements(part)), None)
        if claimed is None:
            return None
        names = _names(quote)
        scored: list[tuple[int, int, Action]] = []
        for action in self._before:
            points = _fit(action, claimed, names)
            if points >= _ENOUGH:
                scored.append((points, action.call.position, action))
        if scored:
            _, _, best = max(scored, key=lambda row: row[:2])
            if best.failed:
                return self._entry(quote, "action", "not_checkable", f"{best.named} failed", best.call)
            return self._entry(quote, "action", "backed", f"{best.named} worked", best.call)
        if is_reported(claimed, self.text, self.record, kindly=True):
            return self._entry(quote, "action", "backed", "a result tells of it")
        unclear = next((one for one in reversed(self._before) if one.facts.runs_anything), None)
        if unclear is not None:
            fact = f"no call of its kind; {unclear.named} may have done it"
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
        if (uncovered := self._uncovered(quote)) is not None:
            return uncovered
        values = self._written(quote) if self.record.index.calls[: self.text.calls_before] else []
        missing = self._missing(quote)
        if not values or (missing and self.facts is not None):
            return None
        if missing:
            listed = ", ".join(f'"{word}"' for word in missing[:_MOST_LISTED])
            return self._entry(quote, "value", "not_checkable", f"{listed} is in no result; it may be derived")
        known = sorted({place for value, word in values if (place := self._place(value, word)) is not None})
        if not known:
            return self._entry(quote, "value", "backed", "follows from values on record")
        listed = ", ".join(map(str, known[-_MOST_LISTED:]))
        return self._entry(quote, "value", "backed", f"on record in message{'s' if len(known) > 1 else ''} {listed}")

    def _uncovered(self, quote: str) -> LedgerEntry | None:
        """What the sentence says of coverage, where no result gives that figure as coverage's: other percentages are not it."""
        calls = self.record.index.calls[: self.text.calls_before]
        figures = coverage_figures(quote) if calls else []
        wrong = [one for one in figures if not any(gives_coverage(call, one) for call in calls)]
        if not wrong:
            return None
        listed = ", ".join(f"{one}%" for one in wrong[:_MOST_LISTED])
        return self._entry(quote, "value", "not_checkable", f"no result names coverage with {listed}")

    def _written(self, quote: str) -> list[tuple[Value, str]]:
        prose = _NUMBERED.sub(lambda match: " " * len(match[0]), prose_of(quote))
        values = values_in(prose) if self.facts is None else [one for one in values_in(prose) if one.kind in _MEASURED]
        return [(value, prose[value.start : value.end]) for value in values[:_MOST_VALUES]]

    def _missing(self, quote: str) -> list[str]:
        """The values that are on no record and do not follow from it."""
        return [
            word
            for value, word in self._written(quote)
            if self._place(value, word) is None
            and not (value.kind == "number" and self._derived.gives(word, quote, quote.find(word)))
        ]

    @once
    def _derived(self) -> "Derived":
        return Sources(self.record.index, self.text.message_index).derived

    def _place(self, value: Value, written: str) -> int | None:
        """The last message before the text that holds a value, in any spelling."""
        forms = frozenset((plain_word(written), *(f"{value.kind} {form}" for form in value.forms)))
        digits = _DIGITS.findall(written) if value.kind in ("number", "identifier") else []
        return self.recorded.last(forms, max(digits, key=len, default="")[-_CORE:], self.text.message_index)


def _plans(part: Sentence) -> bool:
    """True for a sentence that begins with what comes next: "Now let me check ...", "I'll look at ..."."""
    return not _NEXT.isdisjoint(part.words[:_OPENING])


def _of_kinds(claims: list[CheckClaim]) -> list[CheckClaim]:
    """The claims of one sentence; one of whatever was checked only where no kind is named."""
    return [claim for claim in claims if claim.kind] or claims


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
