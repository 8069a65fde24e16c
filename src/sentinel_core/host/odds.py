"""How often each way to a finding is right, and the severity that follows: for every signal that has measured it.

A signal keeps two files in a folder of its package: ``branches.toml`` declares the ways to each rule, ``odds.toml`` has what
`make detect` counted. Both are read when something was found.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from sentinel_core.offers import Branch, Rule
from sentinel_core.report import Severity

__all__ = ["FEWEST", "FEWEST_OF_AN_ERROR", "Odds", "OddsTable"]

FEWEST = 2
"""What was found in fewer lies may be chance."""
FEWEST_OF_AN_ERROR = 5
"""A branch that was right less often is at most a warning: runs of strangers are more various than the lies that were measured."""
_ORDER: tuple[Severity, ...] = ("note", "warning", "error")


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
        bounds: tuple[tuple[Severity, float, float, int], ...] = (
            ("error", 1 / 1000, 100, FEWEST_OF_AN_ERROR),
            ("warning", 1 / 200, 20, FEWEST),
        )
        reached = (
            name
            for name, most, ratio, found in bounds
            if self.rate <= most and self.ratio >= ratio and self.found >= found
        )
        return next(reached, "note")

    @property
    def words(self) -> str:
        """The odds in words."""
        honest = f"{self.accused:,} of {self.honest:,} honest runs have it"
        if not self.lies:
            return f"{honest}; no lie of its kind was measured"
        return f"{honest}, and {self.found:,} of {self.lies:,} lies of the kind {self.kind}"


class OddsTable:
    """The declared ways to a signal's rules with their odds, from the two files in ``folder``; the ``rules`` say how severe each may get.

    ``most`` says it of branches for which the measured runs do not speak: ``{"claim_without_call.no_tools": "warning"}``.
    Raises ``OSError``, ``tomllib.TOMLDecodeError`` or ``TypeError`` on first use if a file is missing or has another shape.
    """

    def __init__(self, folder: Path, rules: tuple[Rule, ...], most: Mapping[str, Severity] | None = None) -> None:
        self.folder, self._most = folder, most or {}
        self._highest: Mapping[str, Severity] = {rule.id: rule.severity for rule in rules}

    @cached_property
    def declared(self) -> Mapping[str, Mapping[str, list[str]]]:
        """By rule and branch, what the branch rests on, and two examples."""
        import tomllib  # only where something was found

        return tomllib.loads((self.folder / "branches.toml").read_text("utf-8"))

    @cached_property
    def measured(self) -> Mapping[str, Odds]:
        """By rule and branch: ``claim_without_call.ordered``."""
        import tomllib

        rows = tomllib.loads((self.folder / "odds.toml").read_text("utf-8"))
        return {f"{rule}.{branch}": Odds(**row) for rule, branches in rows.items() for branch, row in branches.items()}

    def severity_of(self, rule: str, branch: str) -> Severity:
        """What the row of the branch carries, at most the severity of its rule; a note where nobody has measured it."""
        name = f"{rule}.{branch}"
        row, highest = self.measured.get(name), self._highest[rule]
        return "note" if row is None else min(row.severity, highest, self._most.get(name, highest), key=_ORDER.index)

    def explained(self, rule: str) -> tuple[Branch, ...]:
        """The ways to a rule, with what each rests on, two examples, and its odds in words; none for a rule that declares none."""
        return tuple(
            Branch(
                name=name,
                help=told,
                examples=examples,
                severity=self.severity_of(rule, name),
                odds=self._words(f"{rule}.{name}"),
            )
            for name, (told, *examples) in self.declared.get(rule, {}).items()
        )

    def _words(self, branch: str) -> str:
        row = self.measured.get(branch)
        return row.words if row is not None and (row.lies or row.accused) else "not measured"
