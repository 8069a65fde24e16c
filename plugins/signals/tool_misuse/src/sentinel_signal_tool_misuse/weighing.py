"""How bad calls add up: what was repaired later weighs little, what the run ends on weighs much."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sentinel_signal_tool_misuse import ToolMisuseSettings
    from sentinel_signal_tool_misuse.checks import Checked

__all__ = ["error_rate", "kept_shares", "score"]

_NO_ERRORS = ("no_match",)


def kept_shares(checked: "Checked", settings: "ToolMisuseSettings") -> dict[int, float]:
    """For each bad call the part of its weight that it keeps, from what worked after it."""
    shares: dict[int, float] = {}
    is_later = False
    for position in range(len(checked.calls) - 1, -1, -1):
        if position in checked.faults:
            shares[position] = _share(checked, position, settings, is_later=is_later)
        is_later = is_later or bool(checked.worked[position])
    return shares


def _share(checked: "Checked", position: int, settings: "ToolMisuseSettings", *, is_later: bool) -> float:
    measured = checked.faults[position].measured
    if measured is not None:  # that it worked mends nothing
        return settings.repaired_weight if measured == "note" else 1.0
    if position in checked.repaired or position in checked.wanted:
        return settings.repaired_weight
    return settings.moved_on_weight if is_later else 1.0


def error_rate(checked: "Checked") -> float:
    """RS-1's: the share of the calls that failed, or whose arguments are missing, empty or suspicious; each counts once, and once is 1."""
    return sum(fault.rule not in _NO_ERRORS for fault in checked.faults.values()) / len(checked.calls)


def score(checked: "Checked", shares: dict[int, float], settings: "ToolMisuseSettings") -> float:
    """How many calls are bad times how large a part that is, joined with what the run ends on.

    With ``b`` the sum of the kept weights and ``n`` calls: ``amount = b * b / n``, ``rate = amount / (amount + half_at)``
    and ``score = 1 - (1 - rate) * (1 - ending_weight) ** e``, where ``e`` sums the kept weights of the bad calls after the
    last one that worked.
    """
    bad = sum([shares[position] * fault.weight for position, fault in checked.faults.items()])
    amount = bad * bad / len(checked.calls)
    rate = amount / (amount + settings.half_at)
    return 1 - (1 - rate) * math.pow(1 - settings.ending_weight, _ending(checked, shares))


def _ending(checked: "Checked", shares: dict[int, float]) -> float:
    weight = 0.0
    for position in range(len(checked.calls) - 1, -1, -1):
        if checked.worked[position]:
            break
        if checked.worked[position] is False and position in checked.faults:
            weight += checked.faults[position].weight * shares[position]
    return weight
