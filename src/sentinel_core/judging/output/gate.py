"""What the run means for its job, in words: whether it passed, and why."""

from collections import Counter

import attrs

from sentinel_core.judging.output.baseline import counted_findings
from sentinel_core.judging.output.findings import decoded
from sentinel_core.judging.output.record import Record
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.runtime.printable import counted

__all__ = ["Gate"]


@attrs.define
class Gate:
    """Counts what counts, as the exit code does."""

    settings: OutputSettings
    verdicts: Counter[str] = attrs.field(factory=Counter)

    def add(self, record: Record) -> None:
        """One more record."""
        verdict = decoded(record.report)["verdict"] if record.is_judged else None
        if verdict in ("FAIL", "WARN") and self.settings.has_baseline:
            is_new = any(not found.is_known for found in counted_findings(record, self.settings.known))
            verdict = verdict if is_new else "known"
        self.verdicts[verdict or "unjudged"] += 1

    @property
    def failures(self) -> list[str]:
        """Why the job fails; empty if it passes."""
        if not self.verdicts:
            return ["nothing was judged"]
        unjudged = self.verdicts["unjudged"]
        reasons = [f"{counted(unjudged, 'trace')} could not be judged"] if unjudged else []
        if self.settings.updates_baseline:
            return reasons
        levels = {"never": (), "fail": ("FAIL",), "warn": ("FAIL", "WARN")}[self.settings.fail_on]
        with_new = " with new findings" if self.settings.has_baseline else ""
        return reasons + [f"{self.verdicts[one]:,} {one}{with_new}" for one in levels if self.verdicts[one]]

    def sentence(self) -> str:
        """One sentence: why the job fails or passes."""
        if failures := self.failures:
            return f"The gate failed: {', '.join(failures)} (--fail-on {self.settings.fail_on})."
        if self.settings.updates_baseline:
            return "The gate passed: the baseline was written, and the findings in it no longer count."
        free = [f"{self.verdicts[one]:,} {one}" for one in ("FAIL", "WARN") if self.verdicts[one]]
        known = (
            [f"{counted(self.verdicts['known'], 'trace')} with known findings only"] if self.verdicts["known"] else []
        )
        if not free + known:
            return "The gate passed."
        return f"The gate passed: {', '.join(free + known)} did not count (--fail-on {self.settings.fail_on})."
