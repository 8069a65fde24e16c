"""The live guard: signals and guardrails watch an attempt while it runs.

The index grows with each message, and ``evaluate`` judges it like a finished trace: the report on the first n messages is the
report that a trace of these messages gets.
"""

from collections.abc import Sequence

import attrs

from sentinel_core.evaluate.evaluator import Panel, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.guardrails.bound import BoundGuardrail, ask_all
from sentinel_core.guardrails.facts import FAILED, History, Ruling
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace, Message, TokenUsage

__all__ = ["EACH_UP_TO", "LiveGuard"]

EACH_UP_TO = 1_000
"""Up to this many messages, every message is followed by an evaluation; beyond, one in every n/500 messages."""

_PARTS = 500


class LiveGuard:
    """Watches one attempt.

    ``header`` is its trace without messages: id, metadata, available tools. ``history`` holds the family's finished attempts.
    Pass every message to ``check`` as it happens; a ruling in return means stop.
    """

    def __init__(
        self,
        header: ExecutionTrace,
        panel: Panel,
        guardrails: Sequence[BoundGuardrail],
        history: History | None = None,
    ) -> None:
        self._index = TraceIndex(attrs.evolve(header, messages=()))
        self._panel = panel
        self._guardrails = tuple(guardrails)
        self._history = History(attempts=()) if history is None else history
        self._judged = 0
        self.report: ReliabilityReport | None = None
        self.ruled_by = ""
        self.failed: dict[str, Ruling] = {}

    def check(self, message: Message, *, token_usage: TokenUsage | None = None) -> Ruling | None:
        """The first ruling, in order of the guardrails' names, that stops the attempt; None if there is none.

        ``ruled_by`` is then that guardrail's name. A guardrail that fails stops nothing: its first failure is kept in
        ``failed``. ``token_usage`` is the attempt's usage so far, if known.
        """
        self._index.extend((message,))
        if token_usage is not None:
            self._index.trace = attrs.evolve(self._index.trace, token_usage=token_usage)
        if not self._is_due():
            return None
        history = attrs.evolve(self._history, live=self.judge())
        rulings = ask_all(self._guardrails, history)
        self.failed = {name: ruling for name, ruling in rulings.items() if ruling.reason == FAILED} | self.failed
        self.ruled_by, ruling = next(
            ((name, rulings[name]) for name in sorted(rulings) if _stops(rulings[name])), ("", None)
        )
        return ruling

    def judge(self) -> ReliabilityReport:
        """The report on all messages so far, also kept as ``report``."""
        self._judged = len(self._index.messages)
        self.report = evaluate(self._index, self._panel)
        return self.report

    def _is_due(self) -> bool:
        count = len(self._index.messages)
        return count <= EACH_UP_TO or (count - self._judged) * _PARTS >= count


def _stops(ruling: Ruling) -> bool:
    return ruling.action != "allow" and ruling.reason != FAILED
