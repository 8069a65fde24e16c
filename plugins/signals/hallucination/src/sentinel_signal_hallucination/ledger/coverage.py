"""What a sentence says of coverage, and whether a result gives that figure as coverage's: other percentages back no such claim."""

from sentinel_core.evaluate.index import Call
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.tables import regex

__all__ = ["coverage_figures", "gives_coverage", "measures_coverage"]

_PERCENT = r"(\d{1,3}(?:\.\d+)?) ?(?:%|percent\b|per cent\b)"
# "coverage rose from 88% to 94%", but not "coverage is good and the error rate is 2%".
_BETWEEN = r"(?:(?!and the\b|but\b|while\b)[^.;,%\d]){0,60}?"
_AFTER = regex(rf"\bcoverage\b{_BETWEEN}{_PERCENT}(?: (?:to|and) {_PERCENT})?")
_BEFORE = regex(rf"{_PERCENT} (?:[a-z]+ ){{0,2}}coverage\b(?! ?(?:goal|target|threshold|gate|minimum))")
# What names coverage in the output of its tools: "TOTAL 200 12 94%" stands below "Stmts Miss Cover", others have "% Stmts".
_NAMED = regex(r"(?<![a-z])(?:cover(?:age|ed)?|cov)(?![a-z])|% (?:stmts|lines|branch|funcs)")
_PROGRESS, _NUMBER = regex(r"\[ *\d{1,3}%\]"), regex(r"(?<![\w.])\d{1,3}(?:\.\d{1,10})?(?!\d|[\w.]{0,20}\d)")
_SAME = 0.005


def coverage_figures(quote: str) -> list[str]:
    """The percentages that a sentence says are coverage, as they are written; empty where it says none."""
    low = quote.lower()
    found = [match.groups() for form in (_AFTER, _BEFORE) for match in form.finditer(low)]
    return list(dict.fromkeys(figure for groups in found for figure in groups if figure))


def gives_coverage(call: Call, figure: str) -> bool:
    """True where the call's result names coverage and then has the figure, as a percentage or as a fraction.

    The figure may also stand before the name in its line, and a result that is nothing but a figure is of what the call asked for.
    """
    content = "" if call.result is None else _PROGRESS.sub("", call.result.content.lower())
    named = _NAMED.search(content)
    if named is not None:
        return _has(content[content.rfind("\n", 0, named.start()) + 1 :], figure)
    asked = f"{call.call.name} {to_json(call.call.arguments).decode()}".lower().replace("_", " ")
    is_asked = _NAMED.search(asked) is not None
    return is_asked and len(content) < _SHORT and _has(content, figure)


def measures_coverage(call: Call) -> bool:
    """True where a run of checks printed percentages of coverage."""
    content = "" if call.result is None or not call.checks else call.result.content.lower()
    named = _NAMED.search(content)
    return named is not None and _NUMBER.search(content, named.end()) is not None


_SHORT = 60


def _has(text: str, figure: str) -> bool:
    wanted = float(figure)
    numbers = map(float, _NUMBER.findall(text))
    return any(abs(number - wanted) < _SAME or abs(100 * number - wanted) < _SAME for number in numbers)
