"""Quantities in another unit: whether a number that an answer gives in miles, °F or gigabytes is a number of a result."""

from sentinel_signal_hallucination.tables import regex

__all__ = ["Quantity", "Unit", "units_named"]

Unit = tuple[str, float]

# Of each dimension: how much of its base each unit is, and the words for it. Inches, pounds and gallons are those of NIST.
_UNITS: dict[str, tuple[tuple[float, str], ...]] = {
    "length": (
        (1e-3, "mm millimeter millimetre"),
        (1e-2, "cm centimeter centimetre"),
        (0.0254, "inch inches"),
        (0.3048, "ft foot feet"),
        (0.9144, "yd yard"),
        (1.0, "m meter metre"),
        (1e3, "km kilometer kilometre"),
        (1609.344, "mi mile"),
    ),
    "mass": (
        (1e-3, "g gram gramme"),
        (0.028349523125, "oz ounce"),
        (0.45359237, "lb pound"),
        (1.0, "kg kilo kilogram"),
        (1e3, "tonne"),
    ),
    "time": (
        (1e-3, "ms msec millisecond"),
        (1.0, "s sec second"),
        (60.0, "min minute"),
        (3600.0, "h hr hour"),
        (86400.0, "d day"),
        (604800.0, "week"),
    ),
    "speed": ((1.0, "m/s mps"), (1 / 3.6, "km/h kmh kph"), (0.44704, "mph")),
    "volume": ((1e-3, "ml milliliter millilitre"), (1.0, "l liter litre"), (3.785411784, "gal gallon")),
    # How many steps of 1000 or 1024 it is above the byte.
    "size": (
        (0.0, "b byte"),
        (1.0, "kb kib kilobyte"),
        (2.0, "mb mib megabyte"),
        (3.0, "gb gib gigabyte"),
        (4.0, "tb tib terabyte"),
    ),
    # The row of _DEGREES.
    "temperature": ((0.0, "c celsius centigrade"), (1.0, "f fahrenheit"), (2.0, "k kelvin")),
}
_BY_WORD: dict[str, Unit] = {
    word: (dimension, size) for dimension, rows in _UNITS.items() for size, names in rows for word in names.split()
}
# Two hours are no rounded form of 90 minutes.
_ROUGHEST = 0.1
_SIZES = {dimension: frozenset(size for size, _ in rows) for dimension, rows in _UNITS.items()}
# What a result means that names no unit, where that is plain: a size is in bytes.
_UNNAMED = {"size": frozenset((0.0,))}
_STEPS = (1000.0, 1024.0)
# Dimensions whose units are no multiples of each other in this table.
_UNSCALED = frozenset(("size", "temperature"))
# By how much a degree of Celsius is multiplied, and what is then added.
_DEGREES = ((1.0, 0.0), (1.8, 32.0), (1.0, 273.15))
_AFTER = regex(r"[\s*]{0,4}(?:degrees? |°\s?)?([A-Za-z]{1,12}(?:/[a-z])?)(?![\w/])")
_SMALLER = regex(r"(?:,| and)? {0,2}\*{0,2}(\d{1,4}(?:\.\d{1,3})?)(?![\d,])")
_WORD = regex(r"[A-Za-z]+(?:/[a-z])?")


def _unit(word: str) -> Unit | None:
    lower = word.lower()
    return _BY_WORD.get(lower) or _BY_WORD.get(lower.removesuffix("s"))


def units_named(text: str) -> set[Unit]:
    """The units that a short text ("km", "degrees Celsius") names."""
    return {unit for word in _WORD.findall(text) if (unit := _unit(word)) is not None}


class Quantity:
    """A number with its unit, as the prose gives them: ``value`` has ``digits`` decimal digits. ``unit`` is None for none."""

    __slots__ = ("digits", "unit", "value")

    def __init__(self, prose: str, end: int, value: float, digits: int) -> None:
        self.value = value
        self.digits = digits
        after = _AFTER.match(prose, end)
        self.unit = _unit(after[1]) if after is not None else None
        if after is not None and self.unit is not None:
            self._add_smaller(prose, after.end(), self.unit)

    def _add_smaller(self, prose: str, end: int, unit: Unit) -> None:
        """Make "2 hours and 30 minutes" 150 minutes."""
        more = _SMALLER.match(prose, end)
        after = more and _AFTER.match(prose, more.end())
        smaller = _unit(after[1]) if after else None
        dimension, size = unit
        if more and smaller and smaller[0] == dimension and 0 < smaller[1] < size and dimension not in _UNSCALED:
            self.value = self.value * size / smaller[1] + float(more[1])
            self.digits = len(more[1].partition(".")[2])
            self.unit = smaller

    def is_converted(self, known: float, named: set[Unit]) -> bool:
        """True where it may be ``known`` of another unit, rounded. Where units of its dimension are named, of one of those."""
        if self.unit is None:
            return False
        dimension, size = self.unit
        sources = {unit[1] for unit in named if unit[0] == dimension} or _UNNAMED.get(dimension, _SIZES[dimension])
        half = 0.5 * 10.0**-self.digits + 1e-9
        return any(
            abs(self.value - number) <= (half if dimension == "temperature" else min(half, abs(number) * _ROUGHEST))
            for source in sources
            if source != size
            for number in _converted(known, dimension, source, size)
        )


def _converted(known: float, dimension: str, source: float, target: float) -> tuple[float, ...]:
    if dimension == "size":
        return tuple([known * step ** (source - target) for step in _STEPS])
    if dimension == "temperature":
        (slope, offset), (wanted, added) = _DEGREES[int(source)], _DEGREES[int(target)]
        return ((known - offset) / slope * wanted + added,)
    return (known * source / target,)
