"""Counts work, so that a test of cost needs no clock."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["work_of"]


def work_of(function: Callable[[], object]) -> int:
    """How many calls of Python and C functions ``function`` makes: the same on every machine, however busy.

    If the cost grows with the square of the input, so does the count. Work inside a single call, such as a regular
    expression that backtracks, is not counted.
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
