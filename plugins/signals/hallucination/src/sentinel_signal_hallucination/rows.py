"""The numbers of results as rows and columns: what is added up, compared or taxed stands in one of them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sentinel_signal_hallucination.facts import Label, decoded, key_label
from sentinel_signal_hallucination.tables import words
from sentinel_signal_hallucination.units import Unit, units_named

__all__ = ["AMOUNTS", "QUANTITIES", "Column", "Rate", "Row", "Rows", "share"]

_DEEPEST = 20
_MOST_NUMBERS = 10_000
_MOST_VALUES = 40  # of a row
_MOST_ROWS = 5  # of a label
_LARGEST = 1e300
_UNIT_CHARS = 20
_UNIT_KEYS = words("unit units uom")
QUANTITIES = words(
    "quantity qty count units items pieces copies tickets seats passengers guests people adults nights days hours weeks months"
)
# What is told as a rate, and as the amount that it comes to.
AMOUNTS = words("discount tax vat gst tip gratuity commission interest surcharge markup fee")
_PERCENTS = words("percent percentage pct")
_RATES = AMOUNTS | _PERCENTS | words("rate")
_WHOLES = words("total count all overall")


def _number(item: object) -> float | None:
    """A number that adds up without harm. True and false are none."""
    return float(item) if type(item) in (int, float) and abs(item) < _LARGEST else None  # type: ignore[arg-type]


class Rate(NamedTuple):
    """A share that is added to an amount or taken off; where ``taken_off``, only that."""

    share: float
    taken_off: bool = False


def share(key: Label, number: float) -> float:
    """What share a rate of that key is: 10 of "discount" and 0.1 are the same."""
    return number / 100 if number >= 1 or not _PERCENTS.isdisjoint(key) else number


class Row:
    """One object: its numbers, the lengths of its lists, and the units that it names."""

    __slots__ = ("lengths", "numbers", "units")

    def __init__(self, value: dict[str, object]) -> None:
        self.numbers: dict[Label, float] = {}
        self.lengths: list[float] = []
        self.units: set[Unit] = set()
        for key, item in value.items():
            number = _number(item)
            if number is not None and len(self.numbers) < _MOST_VALUES:
                self.numbers[key_label(key)] = number
            elif isinstance(item, list):
                self.lengths.append(float(len(item)))
            elif isinstance(item, str) and len(item) <= _UNIT_CHARS and not _UNIT_KEYS.isdisjoint(key_label(key)):
                self.units |= units_named(item)

    def quantity(self) -> float:
        """How many of it there are: "quantity", "nights"; one where it does not say."""
        return next((number for key, number in self.numbers.items() if key and key[-1] in QUANTITIES), 1.0)


class Column:
    """Two numbers or more under one ``key``. ``totals`` are their sum, and the sum of each times its quantity."""

    __slots__ = ("key", "totals", "values")

    def __init__(self, key: Label, values: list[float], totals: tuple[float, ...]) -> None:
        self.key = key
        self.values = values
        self.totals = totals


class Rows:
    """Rows by the labels of their numbers, all columns, the shares that are rates, and numbers that count a whole.

    Costs time linear in the results. Beyond 10,000 numbers nothing is read and there are no columns: sums would be of parts.
    """

    def __init__(self, documents: Iterable[str]) -> None:
        self.by_label: dict[Label, list[Row]] = {}
        self._columns: dict[str, list[Column]] = {}
        self.rates: set[Rate] = set()
        self.wholes: set[float] = set()
        self._left = _MOST_NUMBERS
        # Results are the rows of a list, too: the prices that two calls gave have a total.
        self._walk(list(decoded(documents)), (), 0)
        if self._left < 0:
            self._columns = {}

    def columns(self, said: Iterable[str]) -> Iterator[Column]:
        """The columns whose key has one of the words."""
        seen: set[int] = set()
        for word in said:
            for column in self._columns.get(word, ()):
                if id(column) not in seen:
                    seen.add(id(column))
                    yield column

    def _add(self, column: Column) -> None:
        for word in set(column.key):
            self._columns.setdefault(word, []).append(column)

    def _walk(self, value: list[object] | dict[str, object], name: Label, depth: int) -> None:
        items: list[tuple[Label, object]]
        if isinstance(value, dict):
            items = [(key_label(key), item) for key, item in value.items()]
        else:
            items = [(name, item) for item in value]
        rows = [(Row(item) if isinstance(item, dict) else None) for _, item in items]
        self._learn([row for row in rows if row is not None])
        numbers = [number for _, item in items if (number := _number(item)) is not None]
        self._left -= len(numbers)
        if len(items) == len(numbers) > 1:
            self._add(Column(name, numbers, (sum(numbers),)))
        for inner, item in items:
            if isinstance(item, dict | list) and depth < _DEEPEST and self._left >= 0:
                self._walk(item, inner, depth + 1)

    def _learn(self, rows: list[Row]) -> None:
        columns: dict[Label, list[tuple[float, float]]] = {}
        for row in rows:
            quantity = row.quantity()
            for key, number in row.numbers.items():
                columns.setdefault(key, []).append((number, number * quantity))
                known = self.by_label.setdefault(key, [])
                if len(known) < _MOST_ROWS:
                    known.append(row)
                if not _RATES.isdisjoint(key):
                    self.rates.add(Rate(share(key, number), taken_off="discount" in key))
                if not _WHOLES.isdisjoint(key):
                    self.wholes.add(number)
        for key, pairs in columns.items():
            if len(pairs) > 1:
                values, weighted = zip(*pairs, strict=True)
                self._add(Column(key, list(values), (sum(values), sum(weighted))))
