"""Sentinel signal: tool use that is claimed, imitated or left unanswered."""

from collections.abc import Iterable
from typing import get_args

from sentinel_core.hookspecs import hookimpl
from sentinel_core.offers import Rule, Signal
from sentinel_core.report import Severity
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.detect import detect

__all__ = ["Settings", "detect", "sentinel_signals"]


_ROWS = """
claim_without_call | error | Says that it was done, and no call did it | A sentence says that something was done, and no call before it could have done it. Look for the call that is missing.
contradicted_claim | error | Says that it was done, and the call failed | A sentence says that something was done, and every call that could have done it failed. Make the agent read its results.
partial_claim | warning | One of several deeds has no call | Calls did something else for the same user, and none did this. Compare the objects of the calls with what is said.
result_without_call | error | Tells a result that never came | The agent says what a tool gave, and no call before it gave anything, or all of them failed.
identifier | error | An identifier that stands nowhere | The final answer, or a report that the agent writes, has an identifier that no result, user or instruction holds.
figure | warning | A figure that stands nowhere | The final answer has a figure that nothing in the record holds and that follows from nothing in it.
contradicted_checks | error | Says that checks pass, and the last run failed | Tests, a build, a type check or a linter are said to pass, and the last run before it failed.
checks_not_run | warning | Says that checks pass, and none ran | Tests, a build, a type check or a linter are said to pass, and no call could have run them.
stale_checks | note | Checks passed before the last edit | The checks passed, then the agent edited, and did not run them again.
imitated_call | warning | A tool call written as text | The agent wrote a tool call into its message instead of making it.
imitated_output | warning | Tool output written by the agent | The agent wrote what looks like the output of a tool.
call_without_result | warning | A call without a result | A call has no result, although the run went on.
orphan_result | warning | A result without a call | A result answers a call that was never made.
"""
_SEVERITIES: dict[str, Severity] = {name: name for name in get_args(Severity)}


def _rule(row: str) -> Rule:
    name, severity, title, told = (cell.strip() for cell in row.split("|"))
    return Rule(id=name, severity=_SEVERITIES[severity], title=title, help=told, since="0.1.0")


RULES = tuple(map(_rule, _ROWS.strip().splitlines()))
"""All that this signal can find."""


@hookimpl
def sentinel_signals() -> Iterable[Signal]:
    """The signal ``hallucination``."""
    return [
        Signal(
            name="hallucination",
            summary="tool use that is claimed, imitated or left unanswered",
            detect=detect,
            settings=Settings,
            rules=RULES,
        )
    ]
