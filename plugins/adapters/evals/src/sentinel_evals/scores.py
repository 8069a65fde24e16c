"""A run as a score: what the modules for the tools share."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import attrs

from sentinel_core import Finding, Profile, ReliabilityReport, judge
from sentinel_core.errors import VerdictError
from sentinel_core.host.judge import read_trace
from sentinel_core.runtime.printable import clipped, printable

__all__ = ["Judging", "Score", "score"]

_VALUES: Mapping[str, float] = {"PASS": 1.0, "WARN": 0.5, "FAIL": 0.0}
_LONGEST = 300


class Judging(TypedDict, total=False):
    """What ``sentinel_core.judge`` accepts besides the run."""

    profile: str | Profile | None
    expect: Sequence[str]
    allow: Sequence[str]


@attrs.frozen(kw_only=True)
class Score:
    """A verdict as evaluation tools show it.

    ``value`` is 1.0 for PASS, 0.5 for WARN and 0.0 for FAIL; ``verdict`` is that word. ``reason`` has the verdict's reason
    and a line for each error and warning, without control characters or secrets; ``rules`` names their rules.
    """

    value: float
    verdict: str
    reason: str
    rules: tuple[str, ...]
    report: ReliabilityReport

    @property
    def passed(self) -> bool:
        """True only for a PASS."""
        return self.verdict == "PASS"


def score(run: Any, *, reader: str | None = None, **judging: Unpack[Judging]) -> Score:
    """Judge a run: anything that ``sentinel_core.judge`` accepts. ``reader`` names its format if it is known.

    Raises what ``judge`` raises, and ``VerdictError`` if there is no verdict: such a run has no score.
    """
    report = judge(read_trace(run, reader=reader), ledger=False, **judging)
    if report.verdict is None:
        raise VerdictError(f"Sentinel has no verdict on this run: {printable(report.reasoning)}")
    serious = [finding for finding in report.findings if finding.severity != "note"]
    told = printable(report.reasoning.removeprefix(f"{report.verdict}: "))
    lines = [told[:1].upper() + told[1:], *(_line(finding, told) for finding in serious)]
    return Score(
        value=_VALUES[report.verdict],
        verdict=report.verdict,
        reason="\n".join(lines),
        rules=tuple(dict.fromkeys(finding.rule for finding in serious)),
        report=report,
    )


def _line(finding: Finding, told: str) -> str:
    """The rule, what is wrong unless the verdict's reason has told it, and the evidence."""
    text = printable(finding.text)
    wrong = "" if text.rstrip(".") in told else f": {clipped(text, _LONGEST)}"
    quote = f' "{clipped(printable(finding.quote), _LONGEST)}"' if finding.quote else ""
    return f"- {finding.rule}{wrong}{quote}"
