"""The contract of every guardrail."""

import copy
import itertools

import attrs
import msgspec

from sentinel_core.guardrails.facts import Attempt, History, Ruling
from sentinel_core.offers import Guardrail
from sentinel_core.report import ReliabilityReport, ReportMetadata
from sentinel_core.testing._contracts_base import Contract, require, require_taken

__all__ = ["GuardrailContract"]

_ACTIONS = ("allow", "stop_attempt", "finalize")
_SCORES = (0.0, 0.5, 1.0, None)
_LONGEST_FAMILY = 12


def _family(length: int, alignment: float | None, drift: float | None) -> History:
    attempts = (
        Attempt(
            loop_id=f"task_r{number}" if number else "task",
            rerun_of="task" if number else None,
            alignment_score=alignment,
            drift_score=drift,
            summary_valid=number % 2 == 0,
            bias_tags=("haste",) if number % 3 == 0 else (),
        )
        for number in range(length)
    )
    return History(attempts=tuple(attempts))


_LIVE = ReliabilityReport(
    trace_id="task",
    verdict="FAIL",
    overall_score=1.0,
    signal_scores=(),
    reasoning="FAIL",
    metadata=ReportMetadata(total_messages=1, total_tool_calls=0, total_tokens=None),
)
_BETWEEN = tuple(
    _family(length, alignment, drift)
    for length, alignment, drift in itertools.product(range(1, _LONGEST_FAMILY), _SCORES, _SCORES)
)
_HISTORIES = (*_BETWEEN, *(attrs.evolve(_family(length, 0.5, 0.5), live=_LIVE) for length in range(_LONGEST_FAMILY)))


class GuardrailContract(Contract, given=("make", "settings")):
    """Subclass it and give the guardrail.

    It is called with families of every length, good, bad and unscored, between attempts and during one.
    """

    def make(self) -> Guardrail:
        """The guardrail as the plugin offers it."""
        raise NotImplementedError("make() must return the Guardrail to test")

    def settings(self) -> object:
        """The settings to check with; the defaults unless overridden."""
        guardrail = self.make()
        return guardrail.settings() if guardrail.settings is not None else None

    def check(self, history: History) -> Ruling:
        """A ruling, as the host gets one."""
        guardrail = self.make()
        return guardrail.check(history, self.settings()) if guardrail.settings is not None else guardrail.check(history)

    def test_host_takes_it(self) -> None:
        """The host accepts the offer when it loads the plugin."""
        require_taken(self.make(), "guardrails")

    def test_offer_says_what_it_is(self) -> None:
        """``sentinel plugins`` lists name and summary."""
        guardrail = self.make()
        require(guardrail.name and guardrail.summary.strip(), "name and summary must not be empty")

    def test_empty_history_has_a_ruling(self) -> None:
        """A guardrail is asked before the first attempt too."""
        ruling = self.check(History(attempts=()))
        require(isinstance(ruling, Ruling), f"check() must return a Ruling, not a {type(ruling).__name__}")

    def test_rulings_are_valid(self) -> None:
        """The action is known; a ruling that stops something says why, in a stable word and in a sentence."""
        for history in _HISTORIES:
            ruling = self.check(history)
            require(isinstance(ruling, Ruling), f"check() must return a Ruling, not a {type(ruling).__name__}")
            require(ruling.action in _ACTIONS, f"unknown action {ruling.action!r}")
            if ruling.action != "allow":
                require(ruling.reason and ruling.detail, f"{ruling.action} needs a reason and a detail: {ruling}")

    def test_facts_are_json(self) -> None:
        """They are stored with the decision, and are the same when they are read again."""
        for history in _HISTORIES:
            facts = dict(self.check(history).facts)
            try:
                again = msgspec.json.decode(msgspec.json.encode(facts))
            except (TypeError, ValueError) as error:
                raise AssertionError(f"facts must be JSON values: {error}") from None
            require(again == facts, f"facts must be a dict of JSON values, but these are not: {facts}")

    def test_same_history_same_ruling(self) -> None:
        """The guardrail remembers nothing from one check to the next."""
        first = [self.check(history) for history in _HISTORIES]
        again = [self.check(history) for history in reversed(_HISTORIES)]
        require(first == again[::-1], "the same history got two different rulings")

    def test_history_is_left_as_it_was(self) -> None:
        """A guardrail only reads the history."""
        for history in _HISTORIES:
            before = copy.deepcopy(history)
            self.check(history)
            require(history == before, "check() changed the history")
