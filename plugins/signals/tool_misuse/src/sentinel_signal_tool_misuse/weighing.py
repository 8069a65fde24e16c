"""How bad calls add up: what was repaired later weighs little, what the run ends on weighs much."""

import math
from typing import TYPE_CHECKING

from sentinel_signal_tool_misuse.checks import SUSPICIOUS

if TYPE_CHECKING:
    from sentinel_signal_tool_misuse import ToolMisuseSettings
    from sentinel_signal_tool_misuse.checks import Checked

__all__ = ["kept_shares", "score"]


def kept_shares(checked: "Checked", settings: "ToolMisuseSettings") -> dict[int, float]:
    """For each bad call the part of its weight that it keeps, from what worked after it."""
    shares: dict[int, float] = {}
    is_later = False
    for position in range(len(checked.calls) - 1, -1, -1):
        if position in checked.faults and checked.faults[position].rule == SUSPICIOUS:
            shares[position] = 1.0  # that it worked mends nothing
        elif position in checked.faults:
            same, other = settings.repaired_weight, settings.moved_on_weight
            repaired = position in checked.repaired or position in checked.wanted
            shares[position] = same if repaired else other if is_later else 1.0
        is_later = is_later or bool(checked.worked[position])
    return shares


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
