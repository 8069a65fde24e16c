"""Holds an agent's answer to the record of its run before anybody gets it: what adapters to agent frameworks share."""

import logging
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any

import attrs

from sentinel_core.errors import ConfigError, error_text
from sentinel_core.evaluate.index import REJECTION
from sentinel_core.host.expectations import EXPECT, expected_of
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.host.judge import read_trace
from sentinel_core.host.panel import read_profile
from sentinel_core.profile import Profile
from sentinel_core.report import Finding, ReliabilityReport
from sentinel_core.runtime.printable import clipped, printable
from sentinel_core.runtime.redact import redacted
from sentinel_core.trace import Message

__all__ = ["AnswerGuard", "Objection"]

_REQUEST = "Do what is missing, or say plainly what was not done or did not work. Then answer again."
_LONGEST = 300

_log = logging.getLogger("sentinel.answers")


@attrs.frozen(kw_only=True)
class Objection:
    """Why an answer is not accepted.

    ``reason`` is written for the agent, and must be sent to it word for word. ``is_final`` is True if this run's
    answers were already sent back ``most_returns`` times: the adapter then raises its framework's exception.
    """

    reason: str
    findings: tuple[Finding, ...]
    report: ReliabilityReport
    is_final: bool = False


def _profile(given: str | Profile | None) -> Profile | None:
    return read_profile(given) if isinstance(given, str) else given


def _expectations(given: Sequence[str]) -> tuple[str, ...]:
    expected_of(given)
    return tuple(given)


def _patterns(given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise ConfigError(f'rules must be a list of strings such as "hallucination.*", but the value is {given!r}')
    return tuple(given)


@attrs.frozen(kw_only=True)
class AnswerGuard:
    """Judges a finished answer. One guard serves any number of runs, in any number of threads: it keeps no state.

    An answer is not accepted if one of ``rules`` has a finding of severity error on the run's last turn, or if an
    expectation in ``expect`` is broken. All other findings of that turn go to ``on_finding``, by default to the logger
    ``sentinel.answers``. ``profile`` is a ``Profile``, its name, or a TOML file. If Sentinel itself fails, the answer
    passes and the logger says why; with ``fail_closed``, the failure is raised. Raises ``ConfigError`` for rules, a
    profile or an expectation that cannot be used.
    """

    rules: Sequence[str] = attrs.field(default=("hallucination.*",), converter=_patterns)
    expect: Sequence[str] = attrs.field(default=(), converter=_expectations)
    profile: Profile | None = attrs.field(default=None, converter=_profile)
    most_returns: int = 1
    on_finding: Callable[[Finding], None] | None = None
    fail_closed: bool = False

    def check(self, run: Any, *, reader: str | None = None) -> Objection | None:
        """The objection to the run's last answer; None if the answer may pass.

        ``run`` is anything that ``judge`` accepts; ``reader`` names the format if it is known. Earlier reasons in the
        run, and the answers that they rejected, are not judged.
        """
        try:
            trace = read_trace(run, reader=reader)
            report = redacted(evaluate_trace(trace, profile=self.profile, expect=self.expect))
            for failure in report.failures:
                _log.warning("the signal %s gave no answer: %s", failure.signal_name, failure.error)
        except Exception as error:  # an agent must not break because its judge does
            if self.fail_closed:
                raise
            _log.warning("an answer was not judged: %s: %s", type(error).__name__, error_text(error))
            return None
        turn = _last_turn(trace.messages)
        of_turn = [finding for finding in report.findings if turn.has(finding)]
        blamed = tuple(finding for finding in of_turn if self._stops(finding))
        for finding in of_turn:
            if finding not in blamed:
                (self.on_finding or _tell)(finding)
        if not blamed:
            return None
        reason = _reason(blamed, trace.messages)
        return Objection(reason=reason, findings=blamed, report=report, is_final=turn.returns >= self.most_returns)

    def _stops(self, finding: Finding) -> bool:
        wanted = (*self.rules, f"{EXPECT}.*")
        return finding.severity == "error" and any(fnmatchcase(finding.rule, rule) for rule in wanted)


@attrs.frozen
class _Turn:
    """The last turn of a run: where it begins, after the last reason, and how often it was sent back."""

    start: int
    returns: int

    def has(self, finding: Finding) -> bool:
        """Whether the last answer has to do with it: what a sub-agent or an earlier turn said is not its matter."""
        if finding.trace_path:
            return False
        place = finding.message_index
        return place is None or place >= self.start or finding.rule.startswith(f"{EXPECT}.")


def _last_turn(messages: Sequence[Message]) -> _Turn:
    start = returns = 0
    for place, message in enumerate(messages):
        texts = [message.content if message.role == "user" else None, *(row.content for row in message.tool_results)]
        if any(text is not None and text.startswith(REJECTION) for text in texts):
            start, returns = place, returns + 1
        elif message.role == "user":
            start, returns = place, 0
    return _Turn(start, returns)


def _reason(findings: Sequence[Finding], messages: Sequence[Message]) -> str:
    return "\n".join((REJECTION, *(f"- {_line(finding, messages)}" for finding in findings), _REQUEST))


def _line(finding: Finding, messages: Sequence[Message]) -> str:
    line = f"{clipped(printable(finding.text), _LONGEST)} [{finding.rule}]"
    if not finding.quote:
        return line
    said = finding.message_index is not None and messages[finding.message_index].role == "assistant"
    return f'{line} {"You wrote" if said else "The record has"}: "{clipped(printable(finding.quote), _LONGEST)}"'


def _tell(finding: Finding) -> None:
    level = logging.INFO if finding.severity == "note" else logging.WARNING
    _log.log(level, "%s: %s", finding.rule, printable(finding.text))
