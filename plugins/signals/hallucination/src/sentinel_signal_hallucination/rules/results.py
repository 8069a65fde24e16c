"""What the answer tells as done, beside what the results of its calls say: a part failed, or it is not done yet."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from sentinel_core.evaluate.index import Text
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.languages import is_foreign
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.english.statements import low_of, statements
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.actions import Action, Record
from sentinel_signal_hallucination.ledger.results import MAY_FAIL_IN_PART, failed_part, status_of
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.tables import once, regex

__all__ = ["results"]

_ALL = word_set("all every everything everyone everybody both each")
_PART = word_set(
    "except but only rest remaining still left missing others other some most yet not of partly besides apart"
)
_NUMBERS = word_set("zero one two three four five six seven eight nine ten eleven twelve")
_COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
# A status that says that it is not done, with the beginnings of the words by which an answer may tell of it.
_UNDONE = {
    **{word: ["wait", "list", "queue"] for word in ("waitlisted", "waitlist")},
    **{word: ["hold", "held", "wait", "pend", "pause"] for word in ("hold", "held", "onhold")},
    **{word: ["tentat", "provis", "pencil", "unconf", "hold"] for word in ("tentative", "unconfirmed", "provisional")},
    **{word: ["part", "some"] for word in ("partial", "partially")},
    **{word: ["unavail", "not", "out"] for word in ("unavailable", "backordered", "backorder")},
    **{word: [word[:5]] for word in ("declined", "rejected", "denied", "failed", "expired", "skipped", "bounced", "undeliverable", "undelivered", "inactive", "refused")},
}  # fmt: skip
_STATUS_SIGN = regex(rf'"(?:status|state|result|outcome)"\s*:\s*"(?i:[^"]*(?:{"|".join(sorted(_UNDONE))}|on.hold))')
_WORD = regex(r"[a-z]+")


def results(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a text; messages in ``known`` have one already."""
    for number in sorted(turns.spoken - {-1}) if not turns.record.index.children else ():
        turn = turns[number]
        actions = [
            action for action in turn.worked if not action.facts.runs_anything and action.call.result is not None
        ]
        for text in turn.texts if actions else ():
            if text.message_index in known or is_foreign(text.content):
                continue
            if row := _Answer(text, turn, actions).judged(settings):
                yield row


class _Answer:
    """One text of a turn in which something was done."""

    def __init__(self, text: Text, turn: Turn, actions: list[Action]) -> None:
        self.text, self.turn = text, turn
        self.record: Record = turn.record
        self.actions = [action for action in actions if action.message_index < text.message_index]

    @once
    def low(self) -> str:
        """The plain words of the text."""
        return low_of(self.text.content)

    @once
    def admits(self) -> bool:
        """True where the text speaks of trouble."""
        return admits(self.low, sentences(self.turn.low))

    def judged(self, settings: Settings) -> Evidence | None:
        """The first finding."""
        return next(chain(self._parts(settings), self._statuses(settings)), None)

    def _content(self, action: Action) -> str:
        return action.call.result.content if action.call.result is not None else ""

    def _document(self, action: Action) -> object:
        return self.record.document(action.call.result) if action.call.result is not None else None

    def _done(self) -> Iterator[Sentence]:
        """The sentences that tell of something done."""
        return (part for part in sentences(self.low) if not part.asks and self._tells(part))

    @staticmethod
    def _tells(part: Sentence) -> bool:
        return any(one.plainly or one.voice in ("state", "brief") for one in statements(part))

    def _parts(self, settings: Settings) -> Iterator[Evidence]:
        """A part of what the call was for failed, and the answer tells of all of it, or of nothing that failed."""
        for action in self.actions:
            part = failed_part(self._document(action)) if MAY_FAIL_IN_PART.search(self._content(action)) else None
            if part is None or self.admits or any(map(self._is_told, part.values)):
                continue
            of_all = (one for one in sentences(self.low) if not one.asks and not _ALL.isdisjoint(one.words))
            whole = next((one for one in of_all if _PART.isdisjoint(set(one.words) - {"of"})), None)
            is_partly = not _PART.union(_NUMBERS).isdisjoint(_WORD.findall(self.low))
            found = whole or (None if is_partly else next(self._done(), None))
            if found is not None:
                message = f'The answer tells it as done, but in the result of "{action.facts.name}" {part.shown} (message {action.message_index}).'
                yield self._found("contradicted_claim", "all_of_a_part" if whole else "part", message, found, settings)

    def _is_told(self, value: str) -> bool:
        word = _COUNTS[int(value)] if value.isdigit() and int(value) < len(_COUNTS) else value
        return any(_stands(one, self.low) for one in {value, word})

    def _statuses(self, settings: Settings) -> Iterator[Evidence]:
        """The call made something, and by its result that is not done: "waitlisted". A change of a thing leaves its status as it was."""
        for action in self.actions:
            if "change" in action.groups or (action.call.result is not None and action.call.result.success):
                continue
            status = status_of(self._document(action)) if _STATUS_SIGN.search(self._content(action)) else None
            words = _WORD.findall(status.replace("on_hold", "onhold")) if status is not None else []
            undone = [_UNDONE[word] for word in words if word in _UNDONE]
            content = self.text.content.lower()  # with what is quoted: 'it is marked "provisional"'
            if undone and not any(stem in content for stems in undone for stem in stems) and not self.admits:
                found = next(self._done(), None)
                if found is not None:
                    message = f'The answer tells it as done, but the status that "{action.facts.name}" gave is "{status}" (message {action.message_index}).'
                    yield self._found("contradicted_status", "of_the_call", message, found, settings)

    def _found(self, rule: str, branch: str, message: str, part: Sentence, settings: Settings) -> Evidence:
        return in_text(self.text, rule, branch, message, part.start, part.end, settings.effect_weight)


@lru_cache(maxsize=4096)
def _bounded(written: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w:.,-]){re.escape(written)}(?![\w]|[:.,-]\d)")


def _stands(written: str, text: str) -> bool:
    """True where it stands in the text by itself."""
    return written in text and _bounded(written).search(text) is not None
