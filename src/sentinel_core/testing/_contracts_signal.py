"""The contract of every signal."""

import contextlib
import io
import locale
import warnings
from collections.abc import Iterator
from pathlib import Path

from sentinel_core.evaluate.evaluator import evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.panel import panel_of, undeclared_rules
from sentinel_core.offers import Signal
from sentinel_core.report import ReliabilityReport
from sentinel_core.testing._contracts_base import Contract, require, require_taken
from sentinel_core.testing.samples import SAMPLES
from sentinel_core.trace import ExecutionTrace, to_json

__all__ = ["SignalContract"]


class SignalContract(Contract, given=("make", "risky", "clean")):
    """Subclass it, and give the signal, a trace that it must flag, and one that it must not.

    Every sample of ``sentinel_core.testing.SAMPLES`` is judged as well: empty, hostile, long, with sub-agents.
    """

    def make(self) -> Signal:
        """The signal as the plugin offers it."""
        raise NotImplementedError("make() must return the Signal to test")

    def risky(self) -> ExecutionTrace:
        """A trace that the signal must score above 0."""
        raise NotImplementedError("risky() must return a trace that the signal flags")

    def clean(self) -> ExecutionTrace:
        """A trace that the signal must score 0, without a finding."""
        raise NotImplementedError("clean() must return a trace that the signal does not flag")

    def judge(self, trace: ExecutionTrace) -> ReliabilityReport:
        """The report of this signal alone, as the host makes it."""
        return evaluate(TraceIndex(trace), panel_of(self.make()))

    def _traces(self) -> Iterator[ExecutionTrace]:
        yield from (*SAMPLES, self.risky(), self.clean())

    def test_host_takes_it(self) -> None:
        """The host accepts the offer when it loads the plugin."""
        require_taken(self.make(), "signals")

    def test_name_and_summary(self) -> None:
        """The name is lower case, for files and flags; the summary says something."""
        signal = self.make()
        require(
            signal.name.isidentifier() and signal.name.islower(), f"{signal.name!r} must be a lower-case identifier"
        )
        require(signal.summary.strip(), "the summary must not be empty")

    def test_settings_have_defaults(self) -> None:
        """The signal works without configuration."""
        settings = self.make().settings
        require(settings is None or settings() == settings(), "the settings class must work without arguments")

    def test_never_fails(self) -> None:
        """No trace makes it raise, return an invalid answer, point to something that does not exist, or change the trace."""
        for trace in self._traces():
            report = self.judge(trace)
            require(not report.failures, f"on {trace.trace_id[:40]!r} it {[f.error for f in report.failures]}")

    def test_only_answers(self) -> None:
        """It prints nothing, and leaves the working directory and the locale as they are."""
        folder, language, said = Path.cwd(), locale.setlocale(locale.LC_ALL), io.StringIO()
        for trace in self._traces():
            with contextlib.redirect_stdout(said), contextlib.chdir(folder):
                self.judge(trace)
                require(Path.cwd() == folder, "it changed the working directory; a signal only reads")
            require(locale.setlocale(locale.LC_ALL) == language, "it changed the locale; a signal only reads")
            require(not said.getvalue(), f"it printed {said.getvalue()[:40]!r}; a signal only reads")

    def test_same_answer_twice(self) -> None:
        """It keeps no state between traces."""
        first = [to_json(self.judge(trace)) for trace in self._traces()]
        second = [to_json(self.judge(trace)) for trace in reversed(list(self._traces()))]
        require(first == second[::-1], "the same trace must get the same answer, whatever was judged before")

    def test_risky_trace_is_flagged(self) -> None:
        """A score above 0, explained by at least one finding."""
        report = self.judge(self.risky())
        require(report.overall_score, "the risky trace must score above 0")
        require(report.findings, "a score must be explained by a finding")

    def test_clean_trace_is_not_flagged(self) -> None:
        """Score 0 and no finding."""
        report = self.judge(self.clean())
        require(report.overall_score == 0, f"the clean trace must score 0, not {report.overall_score}")
        require(not report.findings, f"the clean trace must have no finding, not {report.findings}")

    def test_rules_are_declared(self) -> None:
        """Every finding's rule is among the signal's ``rules``. This is only a warning, so that older signals without rules pass."""
        missing = undeclared_rules(self.make(), self._traces())
        if missing:
            warnings.warn(
                f"{self.make().name!r} reports findings of rules that it does not declare: {', '.join(missing)}",
                stacklevel=1,
            )

    def test_labels_are_not_read(self) -> None:
        """Metadata may contain the label (whether the run failed); a signal that reads it measures nothing."""
        import attrs

        for trace in self._traces():
            labelled = attrs.evolve(trace, metadata={"labels": {"success": False}, "success": False, "score": 0})
            require(
                self.judge(labelled).signal_scores == self.judge(attrs.evolve(trace, metadata={})).signal_scores,
                "the trace's metadata must not change the answer",
            )
