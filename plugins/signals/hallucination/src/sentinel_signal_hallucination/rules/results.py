"""What the answer tells as done, beside what the results of its calls say: a part failed, it is not done yet, or it was done to another thing."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from sentinel_core.evaluate.index import Text
from sentinel_core.evaluate.tools import name_words, singular
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.languages import is_foreign
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.english.questions import asks_back
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.english.statements import low_of, statements
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.actions import Action, Record
from sentinel_signal_hallucination.ledger.carried import Carried
from sentinel_signal_hallucination.ledger.results import MAY_FAIL_IN_PART, Row, failed_part, status_of
from sentinel_signal_hallucination.ledger.turns import Turn
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
_ALL_OF = regex(
    rf"\b(?:all (?:of )?(?:the |your |my |our |these |those )?(?P<n>{'|'.join(_COUNTS[2:])}|[2-9]|1\d)|both)(?: of)?(?: the| your| my)? (?:[a-z-]+ )?(?P<noun>[a-z]{{3,}}s)\b"
)


def results(carried: Carried, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a text; messages in ``known`` have one already."""
    turns = carried.turns
    for number in sorted(turns.spoken - {-1}) if not turns.record.index.children else ():
        turn = turns[number]
        actions = [
            action for action in turn.worked if not action.facts.runs_anything and action.call.result is not None
        ]
        for text in turn.texts if actions else ():
            if text.message_index in known or is_foreign(text.content):
                continue
            if row := _Answer(text, turn, actions, carried).judged(settings):
                yield row


class _Answer:
    """One text of a turn in which something was done."""

    def __init__(self, text: Text, turn: Turn, actions: list[Action], carried: Carried) -> None:
        self.text, self.turn, self.carried = text, turn, carried
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
        return next(
            chain(self._parts(settings), self._statuses(settings), self._others(settings), self._counts(settings)), None
        )

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
            if undone and not any(stem in self.low for stems in undone for stem in stems) and not self.admits:
                found = next(self._done(), None) or next((one for one in sentences(self.low) if not one.asks), None)
                if found is not None:
                    message = f'The answer tells it as done, but the status that "{action.facts.name}" gave is "{status}" (message {action.message_index}).'
                    yield self._found("contradicted_status", "of_the_call", message, found, settings)

    def _others(self, settings: Settings) -> Iterator[Evidence]:
        """It was done to one thing of a list, and the answer tells the name of another."""
        for action in self.actions if self.record.rows else ():
            for leaf, value in _scalars(action.call.call.arguments):
                place, own, rows = self.record.rows.get((leaf, value), _NO_ROW)
                for other in rows if own is not None and place < action.message_index else ():
                    if (
                        own is not None
                        and other is not own
                        and (part := self._tells_of(other, own, leaf, value)) is not None
                    ):
                        name = ", ".join(_differing(other, own, leaf))
                        message = f'The answer tells of "{name}", but the call to "{action.facts.name}" was for {leaf} "{value}" (message {action.message_index}).'
                        yield self._found("wrong_value", "name", message, part, settings)

    def _counts(self, settings: Settings) -> Iterator[Evidence]:
        """More things are told to be done, by their number, than calls could have done: "all three readings" after two."""
        for part in self._done() if _ALL_OF.search(self.low) else ():
            for match in _ALL_OF.finditer(self.low, part.start, part.end):
                count = _COUNTS.index(match["n"]) if match["n"] in _COUNTS else int(match["n"] or 2)
                noun = singular(match["noun"])
                calls = [action for action in self.record.actions if self._is_of(action, noun)]
                worked = [action for action in calls if not action.failed]
                has_list = any(
                    isinstance(value, (list, dict)) for action in calls for value in action.call.call.arguments.values()
                )
                if worked and len(worked) < count and not has_list and not self.admits:
                    message = (
                        f'The answer tells of {count} as done, but "{worked[0].facts.name}" worked {len(worked)} times.'
                    )
                    yield self._found("left_one", "count", message, part, settings)

    def _is_of(self, action: Action, noun: str) -> bool:
        names = frozenset(map(singular, name_words(action.facts.name))) - action.facts.verbs
        return noun in names and action.message_index < self.text.message_index

    def _tells_of(self, other: Row, own: Row, key: str, value: str) -> Sentence | None:
        """The sentence that tells of the other thing as done, where no call was for that and no word names the right one."""
        names = _differing(other, own, key)
        if not any(map(self.low.__contains__, names)) or _stands(value, self.low) or self.admits or asks_back(self.low):
            return None
        given = self.carried.given_by(self.text.message_index).lower()
        identity = other.fields.get(key, "")
        if not identity or _stands(identity, given):
            return None
        rights = _differing(own, other, key)
        for name in names:
            if not _stands(name, given) and not any(_stands(right, self.low) for right in rights):
                parts = (one for one in sentences(self.low) if not one.asks and (one.is_item or self._tells(one)))
                found = next((one for one in parts if _stands(name, self.low[one.start : one.end])), None)
                if found is not None:
                    return found
        return None

    def _found(self, rule: str, branch: str, message: str, part: Sentence, settings: Settings) -> Evidence:
        return in_text(self.text, rule, branch, message, part.start, part.end, settings.effect_weight)


def _scalars(arguments: dict[str, object]) -> Iterator[tuple[str, str]]:
    for key, value in arguments.items():
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, (str, int)) and not isinstance(item, bool):
                yield key, str(item).lower()


_NO_ROW: tuple[int, Row | None, list[Row]] = (0, None, [])
_NO_NAMES = frozenset(("status", "state", "type", "kind", "category"))
_SHORTEST = 3


def _differing(row: Row, other: Row, key: str) -> list[str]:
    """The names in a row that the other has another of."""
    return [
        value
        for name, value in row.fields.items()
        if name != key
        and name not in _NO_NAMES
        and len(value) >= _SHORTEST
        and value[0].isalpha()
        and other.fields.get(name, value) != value
    ]


@lru_cache(maxsize=4096)
def _bounded(written: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w:.,-]){re.escape(written)}(?![\w]|[:.,-]\d)")


def _stands(written: str, text: str) -> bool:
    """True where it stands in the text by itself."""
    return written in text and _bounded(written).search(text) is not None
