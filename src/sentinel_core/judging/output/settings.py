"""Settings of outputs."""

import attrs

__all__ = ["OutputSettings"]


@attrs.frozen(kw_only=True)
class OutputSettings:
    """``fail_on`` selects the verdicts that count; ``known`` are the fingerprints of the baseline, if there is one.

    ``updates_baseline`` if this run writes it, and so fails nothing. ``compares`` if a page shows two runs beside each other.
    """

    fail_on: str = "warn"
    pretty: bool = False
    has_baseline: bool = False
    updates_baseline: bool = False
    compares: bool = False
    known: frozenset[str] = frozenset()
