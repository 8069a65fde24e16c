"""Counts work, so that a test of cost needs no clock."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["work_of"]


def work_of(function: Callable[[], object]) -> int:
    """How many calls of Python and C functions ``function`` makes: the same on every machine, however busy.

    Cost that grows with the square of the input shows as a count that does. What a single call does inside, such as a
    regular expression that backtracks, does not show.
    """
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls
