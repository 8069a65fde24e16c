"""How often each built-in rule fired on labelled runs: the figures of the detection card, as ``make detect`` writes them."""

import functools
from importlib.resources import files

import attrs
import msgspec

__all__ = ["FiringRate", "firing_rate"]

_BUILT_IN = "reliability-sentinel-"


@attrs.frozen(kw_only=True)
class FiringRate:
    """On how many ``failed`` and ``good`` runs a rule fired, ``of_failed`` and ``of_good`` in all."""

    failed: int
    good: int
    of_failed: int
    of_good: int

    def __str__(self) -> str:
        if not self.failed + self.good:
            return f"none of the {self.of_failed + self.of_good:,} labelled runs, which contain few cases to which the rule could apply"
        failed, good = self.failed or "none", self.good or "none"
        return f"{failed} of the {self.of_failed:,} labelled runs that failed and {good} of the {self.of_good:,} that succeeded"


class _Set(msgspec.Struct):
    failed: int
    good: int


class _Rules(msgspec.Struct):
    fired: dict[str, tuple[int, int]]


class _Figures(msgspec.Struct):
    sets: dict[str, _Set]
    rules: _Rules


@functools.cache
def _measured() -> dict[str, FiringRate]:
    data = files(__package__).joinpath("detection.json").read_bytes()
    figures = msgspec.json.decode(data, type=_Figures)
    of_failed = sum(one.failed for one in figures.sets.values())
    of_good = sum(one.good for one in figures.sets.values())
    return {
        rule: FiringRate(failed=failed, good=good, of_failed=of_failed, of_good=of_good)
        for rule, (failed, good) in figures.rules.fired.items()
    }


def firing_rate(rule: str, distribution: str | None) -> FiringRate | None:
    """The rate of a rule ``SIGNAL.RULE``; None where it was not measured, as with every rule of somebody else's signal."""
    return _measured().get(rule) if distribution is not None and distribution.startswith(_BUILT_IN) else None
