"""One step of arithmetic from a result to an answer: another unit, a total, a share of a price. Asked before a finding only."""

from collections.abc import Iterable, Iterator
from itertools import combinations, islice

from sentinel_signal_hallucination.facts import Label, same
from sentinel_signal_hallucination.rows import AMOUNTS, QUANTITIES, Rate, Row, Rows, share
from sentinel_signal_hallucination.statement import Statement
from sentinel_signal_hallucination.tables import regex, words
from sentinel_signal_hallucination.units import Quantity, Unit

__all__ = ["Steps"]

_BEFORE_CHARS = 80
_AFTER_CHARS = 40
# Where more rates or whole amounts are known, one of them would fit nearly any number.
_MOST_RATES = 5
_MOST_PAIRED = 10
_MOST_COLUMNS = 20
_SHORTEST = 3
_EXACT = 1e-9
_WORD = regex(r"[a-z]+")
_PERCENT = regex(r"(\d{1,3}(?:\.\d{1,4})?)\*{0,2}\s?(?:%|percent\b|per cent\b)")
_PART = regex(r"(?:%|percent|per cent) of ")
_TIMES = regex(r"\b(\d{1,3}) ([a-z]{1,12})(?: ([a-z]{1,12}))?")
_JOINED = regex(r"\b(with|plus|including|incl|less|minus) (?:the |your |any )?([a-z]+)")
_TAKING = words("less minus")
_TOTAL = words(
    "total totals totaling totalling sum sums summed altogether combined together overall aggregate subtotal"
)
_MEAN = words("mean avg averages averaged averaging")
_LEAST = words("min minimum lowest least smallest cheapest shortest fewest lightest coldest")
_MOST = words("max maximum highest most largest biggest greatest longest peak hottest heaviest")
_LESS = words(
    "discount discounts discounted off less reduction reduced saving savings deducted deduction minus decrease decreased"
)
_MORE = words(
    "tax taxes taxed vat gst tip gratuity surcharge markup interest commission fee fees plus increase increased raised"
)
_CHANGE = words(
    "change changes changed increase increases increased decrease decreases decreased growth grew rise rises rose risen"
    " fall falls fell fallen drop drops dropped up down higher lower gain gained loss"
)
# Two numbers are compared where their keys share a word, or where one of them says when.
_WHEN = words(
    "old new previous prev before after current now past earlier last original start end baseline first final"
)


class _Question:
    """Whether ``known``, which results give under ``name``, leads to a statement, by the words near it."""

    __slots__ = ("is_count", "known", "name", "near", "prose", "said", "statement")

    def __init__(self, statement: Statement, name: Label, known: float, prose: str, bounds: tuple[int, int]) -> None:
        begin = max(bounds[0], statement.start - _BEFORE_CHARS)
        finish = min(bounds[1], statement.end + _AFTER_CHARS)
        self.statement = statement
        self.name = name
        self.known = known
        self.prose = prose
        self.near = prose[begin:finish].lower()
        self.said = frozenset(_WORD.findall(self.near))
        # The label may follow: "6 tests failed".
        self.is_count = name[0] in _WORD.findall(prose[statement.end : finish].lower())[:2]

    def says(self, table: frozenset[str]) -> bool:
        """True where a word of the table stands near the number."""
        return not self.said.isdisjoint(table)

    @property
    def things(self) -> list[str]:
        """The words of keys that the statement may be about: its label's, then those near it, singular and plural."""
        near = [word for word in _WORD.findall(self.near) if len(word) >= _SHORTEST]
        forms = (form for word in near for form in (word, f"{word}s", word.removesuffix("s")))
        return list(dict.fromkeys((self.name[-1], *forms)))

    def is_any(self, numbers: Iterable[float]) -> bool:
        """True where the statement is one of the numbers, rounded."""
        return any(same(self.statement.value, self.statement.digits, number, percent=False) for number in numbers)

    def is_converted(self, rows: list[Row]) -> bool:
        """True where the statement is the known number in another unit."""
        statement = self.statement
        quantity = Quantity(self.prose, statement.end, statement.value, statement.digits)
        return quantity.is_converted(self.known, set[Unit]().union(*(row.units for row in rows)))


class Steps:
    """What follows in one step from the results. ``texts`` is all that users, the system and tools said; ``told`` its numbers."""

    def __init__(self, documents: Iterable[str], texts: Iterable[str], told: set[float]) -> None:
        self._rows = Rows(documents)
        self._told = told
        self._rates = self._rows.rates.union(
            Rate(float(match[1]) / 100) for text in texts for match in _PERCENT.finditer(text)
        )

    def lead_to(self, statement: Statement, name: Label, known: float, prose: str, bounds: tuple[int, int]) -> bool:
        """True where one step leads from ``known``, or what stands beside it, to the statement, and its sentence says so."""
        question = _Question(statement, name, known, prose, bounds)
        rows = self._rows.by_label.get(name, [])
        if statement.sign:
            return question.is_any(100 * part for part in self._shares(question, rows))
        return (
            question.is_converted(rows)
            or question.is_any(self._aggregates(question))
            or question.is_any(self._multiples(question, rows))
            or question.is_any(self._rated(question, rows))
        )

    def _aggregates(self, question: _Question) -> Iterator[float]:
        """Totals, means and extremes of the columns that the sentence is about, as far as it has a word for them."""
        total = question.is_count or question.says(_TOTAL)
        for column in islice(self._rows.columns(question.things), _MOST_COLUMNS):
            if total:
                yield from column.totals
            if question.says(_MEAN):
                yield column.totals[0] / len(column.values)
            if "median" in question.said:
                yield _median(column.values)
            if question.says(_LEAST):
                yield min(column.values)
            if question.says(_MOST):
                yield max(column.values)

    def _multiples(self, question: _Question, rows: list[Row]) -> Iterator[float]:
        """The known number times a quantity beside it, or one in the sentence ("for 3 nights") that somebody told."""
        if question.says(_TOTAL):
            yield from (question.known * row.quantity() for row in rows)
            for match in _TIMES.finditer(question.near):
                if not QUANTITIES.isdisjoint(match.groups()) and float(match[1]) in self._told:
                    yield question.known * float(match[1])

    def _rated(self, question: _Question, rows: list[Row]) -> Iterator[float]:
        """Amounts with a rate added or taken off, and the amount that a rate comes to."""
        less, more = question.says(_LESS), question.says(_MORE)
        for rate in self._rates_of(question) if less or more else ():
            if less:
                yield question.known * (1 - rate.share)
            elif not rate.taken_off:
                yield question.known * (1 + rate.share)
        if _PART.search(question.near):
            yield from (question.known * rate.share for rate in self._rates_of(question))
        if not AMOUNTS.isdisjoint(question.name):
            yield from (part * number for part in _parts(question) for row in rows for number in row.numbers.values())

    def _rates_of(self, question: _Question) -> list[Rate]:
        """The rates that somebody told: where the sentence says how many per cent, only those."""
        written = [float(match[1]) / 100 for match in _PERCENT.finditer(question.near)]
        if written:
            return [rate for rate in self._rates if any(abs(rate.share - one) < _EXACT for one in written)]
        return list(self._rates) if len(self._rates) <= _MOST_RATES else []

    def _shares(self, question: _Question, rows: list[Row]) -> Iterator[float]:
        """What share of a whole it is, and by what share it changed."""
        wholes = self._rows.wholes.union(*(row.lengths for row in rows))
        wholes.update(
            column.totals[0] for column in self._rows.columns(question.name[-1:]) if column.key == question.name
        )
        if len(wholes) <= _MOST_RATES:
            yield from (question.known / whole for whole in wholes if whole >= question.known > 0)
        if question.says(_CHANGE):
            for row in rows:
                yield from _changes(question.name, row)


def _median(values: list[float]) -> float:
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _parts(question: _Question) -> Iterator[float]:
    """What part of an amount a rate comes to, and what the amount is with it: "the price with tax is 216"."""
    part = share(question.name, question.known)
    joined = [match[1] for match in _JOINED.finditer(question.near) if match[2] == question.name[0]]
    if not joined:
        yield part
    elif "discount" in question.name or not _TAKING.isdisjoint(joined):
        yield 1 - part
    else:
        yield 1 + part


def _changes(name: Label, row: Row) -> Iterator[float]:
    """By what share the labelled number differs from its like beside it; where the label is a change, any from its like."""
    is_change = not _CHANGE.isdisjoint(name)
    for (key, one), (other_key, other) in combinations(islice(row.numbers.items(), _MOST_PAIRED), 2):
        if (is_change or name in (key, other_key)) and _is_alike(key, other_key):
            yield from (abs(one - other) / abs(base) for base in (one, other) if base)


def _is_alike(key: Label, other: Label) -> bool:
    return not set(key).isdisjoint(other) or not _WHEN.isdisjoint((*key, *other))
