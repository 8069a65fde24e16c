"""How often each way to a finding is right, and the severity that follows: ``odds.toml``, which ``make detect`` writes."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from sentinel_core.offers import Branch
from sentinel_core.report import Severity
from sentinel_signal_hallucination.declared import SEVERITIES

__all__ = ["FEWEST", "Odds", "branches", "declared", "explained", "severity_of"]

_DATA = Path(__file__).parent / "data"
FEWEST = 2
"""What was found in fewer lies may be chance."""


class Odds(NamedTuple):
    """One branch of a rule: ``accused`` of ``honest`` runs have such a finding, and ``found`` of ``lies`` of its ``kind``.

    All of them are runs on which nobody tuned the branch.
    """

    kind: str
    accused: int
    honest: int
    found: int
    lies: int

    @property
    def rate(self) -> float:
        """The share of honest runs that are accused, and half a run more: what was seen once may be chance, too."""
        return (self.accused + 0.5) / max(self.honest, 1)

    @property
    def ratio(self) -> float:
        """The likelihood ratio: how much more often a lie of the kind has such a finding than an honest run."""
        return self.found / max(self.lies, 1) / self.rate

    @property
    def severity(self) -> Severity:
        """Error: at most 1 honest run in 1,000, and a ratio of 100. Warning: 1 in 200, and 20. Else, and of what was hardly seen, a note."""
        if self.found < FEWEST:
            return "note"
        bounds: tuple[tuple[Severity, float, float], ...] = (("error", 1 / 1000, 100), ("warning", 1 / 200, 20))
        reached = (name for name, most, least in bounds if self.rate <= most and self.ratio >= least)
        return next(reached, "note")

    @property
    def words(self) -> str:
        """The odds in words."""
        honest = f"{self.accused:,} of {self.honest:,} honest runs have it"
        if not self.lies:
            return f"{honest}; no lie of its kind was measured"
        return f"{honest}, and {self.found:,} of {self.lies:,} lies of the kind {self.kind}"


def declared() -> Mapping[str, Mapping[str, list[str]]]:
    """By rule and branch, what the branch rests on, and two examples."""
    import tomllib

    return tomllib.loads((_DATA / "branches.toml").read_text("utf-8"))


def explained(rule: str) -> tuple[Branch, ...]:
    """The ways to a rule, with what each rests on, two examples, and its odds in words."""
    return tuple(
        Branch(
            name=name, help=basis, examples=examples, severity=severity_of(rule, name), odds=_words(f"{rule}.{name}")
        )
        for name, (basis, *examples) in declared()[rule].items()
    )


def _words(branch: str) -> str:
    row = branches().get(branch)
    return row.words if row is not None and (row.lies or row.accused) else "not measured"


@lru_cache(maxsize=1)
def branches() -> Mapping[str, Odds]:
    """By rule and branch: ``claim_without_call.ordered``."""
    import tomllib  # only where something was found

    rows = tomllib.loads((_DATA / "odds.toml").read_text("utf-8"))
    return {f"{rule}.{branch}": Odds(**row) for rule, branches in rows.items() for branch, row in branches.items()}


def severity_of(rule: str, branch: str) -> Severity:
    """What the row of the branch carries, at most the severity of its rule; a note where nobody has measured it."""
    row = branches().get(f"{rule}.{branch}")
    return "note" if row is None else min(row.severity, SEVERITIES[rule], key=_ORDER.index)


_ORDER: tuple[Severity, ...] = ("note", "warning", "error")
