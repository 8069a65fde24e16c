"""Sums that a text states, worked out again: plain numbers, the four operations and brackets, nothing else."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

__all__ = ["wrong_sums"]

_NUMBER = r"[$€£]?\d[\d,]{0,15}(?:\.\d{1,12})?"
_SUM = re.compile(
    rf"(?<![\w.,:$€£)\]}}^_\\%+*/×÷=-])(\(?{_NUMBER}(?:\s?[-+*/×x÷]\s?\(?{_NUMBER}\)?){{1,12}}\)?)\s?=\s?(-?{_NUMBER})"
    r"(?![\w%^(\\/*+×÷-]|[.,:]\d|\s{0,3}[-+*/×÷^(%])"
)
# Every sum has one of these, few texts do, and a search that begins with a letter of its own skips the rest at once.
_STATED = re.compile(r"=(?:(?<=[\d)]=)|(?<=[\d)]\s=))\s?-?[$€£]?\d").search
_TOKEN = re.compile(rf"{_NUMBER}|[-+*/×x÷()]")
_NOT_BEFORE = re.compile(
    r"(?:[-+*/×÷^=(\[{,\\]|\b(?:mod|of|sqrt|log|ln|sin|cos|tan|times|plus|minus|over|base))\s*\Z"
).search
_BEFORE = 12
_PER_CENT = Fraction(1, 100)
_OPERATIONS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "×": operator.mul,
    "x": operator.mul,
    "/": operator.truediv,
    "÷": operator.truediv,
}


def wrong_sums(text: str) -> Iterator[str]:
    """Each stated sum of plain numbers that is wrong, as it is written.

    Where something is divided or has decimals, rounding to the digits shown, and 1%, are allowed.
    """
    if _STATED(text) is None:
        return
    for found in _SUM.finditer(text):
        if _NOT_BEFORE(text[max(0, found.start() - _BEFORE) : found.start()]) is None:
            true = _worked_out(found[1])
            if true is not None and abs(true - _value(found[2])) > _slack(found[1], found[2], true):
                yield found[0]


def _slack(expression: str, stated: str, true: Fraction) -> Fraction:
    if not any(sign in expression for sign in "./÷"):
        return Fraction(0)
    digits = len(stated.partition(".")[2])
    return max(Fraction(1, 10**digits), abs(true) * _PER_CENT)


def _value(number: str) -> Fraction:
    return Fraction(number.replace(",", "").translate(_NO_CURRENCY))


_NO_CURRENCY = str.maketrans("", "", "$€£")


def _worked_out(expression: str) -> Fraction | None:
    """The value, or None where brackets do not close or something is divided by nothing."""
    tokens = _TOKEN.findall(expression)[::-1]
    try:
        value = _terms(tokens)
    except (IndexError, ValueError, ZeroDivisionError):
        return None
    return None if tokens else value


def _terms(tokens: list[str]) -> Fraction:
    value = _factors(tokens)
    while tokens and tokens[-1] in "+-":
        value = _OPERATIONS[tokens.pop()](value, _factors(tokens))
    return value


def _factors(tokens: list[str]) -> Fraction:
    value = _atom(tokens)
    while tokens and tokens[-1] in "*×x/÷":
        value = _OPERATIONS[tokens.pop()](value, _atom(tokens))
    return value


def _atom(tokens: list[str]) -> Fraction:
    first = tokens.pop()
    if first != "(":
        return _value(first)
    value = _terms(tokens)
    if tokens.pop() != ")":
        raise ValueError(first)
    return value
