"""What outputs need to know besides the records."""

import attrs

__all__ = ["OutputSettings"]


@attrs.frozen(kw_only=True)
class OutputSettings:
    """``fail_on`` says which verdicts count; ``known`` are the fingerprints of the baseline, where there is one."""

    fail_on: str = "warn"
    pretty: bool = False
    has_baseline: bool = False
    known: frozenset[str] = frozenset()
