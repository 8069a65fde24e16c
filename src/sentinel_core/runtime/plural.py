"""A number and what it counts, as people write it."""

__all__ = ["counted", "thousandths"]


def counted(number: int, one: str, many: str | None = None) -> str:
    """``1 trace``, ``2 traces``; ``many`` where an "s" does not make it."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def thousandths(score: float) -> int:
    """A score as it is told to people: rounded here alone, so that each place tells the same one."""
    return round(score * 1000)
