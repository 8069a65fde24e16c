"""For tests that try to break things by chance: how many cases, and seeds that are told and can be given again."""

import os
import random
from collections.abc import Iterator

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
FIRST = int(os.environ.get("SENTINEL_SEED", "0"))


def seeds(short: int, full: int) -> list[int]:
    """So many, from ``SENTINEL_SEED`` on; a failing test is named by its own."""
    return list(range(FIRST, FIRST + (full if SOAK else short)))


def chance_of(*names: object) -> random.Random:
    """The same for the same names."""
    return random.Random(" ".join(map(str, names)))


def numbers(chance: random.Random, count: int, step: float = 0.01) -> Iterator[float]:
    """Scores from 0 to 1, as they are written by hand."""
    whole = round(1 / step)
    return (chance.randint(0, whole) / whole for _ in range(count))
