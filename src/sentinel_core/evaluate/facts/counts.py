"""How many tests a run had, as it printed them, and whether it was told to run a part of them only."""

import re
from collections.abc import Sequence
from itertools import combinations

__all__ = ["can_be_sum", "counts_in", "is_selected"]

_TAIL, _MOST = 20_000, 10
_COUNT = re.compile(
    r"(?i)\b(\d{1,7})(?: \w+){0,2}? (?:passed|passing|pass|ok|total|tests?|examples?|runs|specs?|selected|collected|items|succeeded)\b"
    r"|\b(?:tests run|tests|pass(?:ed)?|total|passes|ran|executed|collected)(?:[:=]\s{0,8}| )(\d{1,7})\b|\bout of (\d{1,7})\b|\((\d{1,7})(?: tests?)?\)"
)
_SELECTED = re.compile(
    r" (?:-k|-t|--grep|-run|--filter|--testNamePattern|--tests|-Dtest|--only|-g|--last-failed|--lf)(?:[ =]|\Z)|::|[\w/.-]+\.(?:py|[jt]sx?|rb|go|php|java)(?::\d+)?\b"
)
_LEFT = re.compile(r"\b[1-9]\d* (?:deselected|filtered out)\b")


def counts_in(text: str) -> tuple[int, ...]:
    """The counts of tests at the end of what a run printed, in order and without zeros; none where it printed none."""
    counts = (int(next(filter(None, groups))) for groups in _COUNT.findall(text[-_TAIL:]))
    return tuple(count for count in counts if count)


def can_be_sum(count: int, parts: Sequence[int]) -> bool:
    """True where some of the parts make up the count; also where there are too many to tell."""
    if len(parts) > _MOST:
        return True
    return any(sum(some) == count for size in range(1, len(parts) + 1) for some in combinations(parts, size))


def is_selected(command: str, shown: str) -> bool:
    """True for a run that was told to run a part of the tests; a marker ("-m unit") may name a suite, which is whole."""
    return _SELECTED.search(f" {command}") is not None or _LEFT.search(shown[-_TAIL:]) is not None
