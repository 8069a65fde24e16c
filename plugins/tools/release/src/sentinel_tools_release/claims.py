"""What a JUnit report claims to hold, against what it lists."""

from collections.abc import Mapping

import attrs

__all__ = ["Claims"]

_KINDS = ("tests", "failures")
_MOST = 10**9
_PYTEST = ("pytest", "pytest tests")  # it counts subtests among a suite's tests, and lists none


@attrs.define
class _Count:
    """Of one kind, in one suite with those in it: claimed, listed, and how much of what they claim is not listed."""

    claimed: int
    listed: int = 0
    missing: int = 0


class Claims:
    """Told of every suite, test and failure as a report is read.

    A suite that lists more than it claims is no news: writers count differently.
    """

    def __init__(self) -> None:
        self._total = {kind: _Count(0) for kind in _KINDS}
        self._open: list[tuple[bool, dict[str, _Count]]] = []

    def larger(self) -> dict[str, int]:
        """How many ``tests`` and ``failures`` (errors included) are claimed in all, each where more than are listed."""
        return {kind: count.listed + count.missing for kind, count in self._total.items() if count.missing}

    def begin_suite(self, attributes: Mapping[str, str]) -> None:
        """A suite opens, in the one that is open, with what it claims."""
        by_pytest = attributes.get("name") in _PYTEST or bool(self._open and self._open[-1][0])
        self._open.append((by_pytest, {kind: _Count(claimed) for kind, claimed in _claimed(attributes).items()}))

    def listed(self, kind: str) -> None:
        """The innermost suite lists one of ``tests`` or ``failures``."""
        self._open[-1][1][kind].listed += 1

    def end_suite(self) -> None:
        """The innermost suite ends."""
        by_pytest, counts = self._open.pop()
        for kind, count in counts.items():
            if by_pytest and kind == "tests":
                count.listed = max(count.listed, count.claimed)
            around = (self._open[-1][1] if self._open else self._total)[kind]
            around.listed += count.listed
            around.missing += max(count.missing, count.claimed - count.listed)


def _claimed(attributes: Mapping[str, str]) -> dict[str, int]:
    tests, failures, errors = (_count(attributes.get(name, "")) for name in ("tests", "failures", "errors"))
    # Some writers count each failure under both names.
    return {"tests": tests, "failures": failures if failures == errors else failures + errors}


def _count(text: str) -> int:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return 0
    return int(min(number, _MOST)) if number > 0 else 0  # neither for NaN
