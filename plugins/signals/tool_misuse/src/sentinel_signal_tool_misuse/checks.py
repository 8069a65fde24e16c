"""What is wrong with each call, looked at by itself.

An argument is suspicious that no honest call has: the whole disk deleted, a way out of the folder to the system's files, SQL
smuggled into a value.
"""

import functools
import re
from typing import TYPE_CHECKING

from sentinel_signal_tool_misuse.arguments import Usual, empty_names, is_doubtful, placeholder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sentinel_core import Call, Outcome
    from sentinel_signal_tool_misuse import ToolMisuseSettings
    from sentinel_signal_tool_misuse.arguments import Offered

__all__ = ["SUSPICIOUS", "Checked", "Fault", "check_all"]

SUSPICIOUS = "suspicious_argument"

_FAILED_BY = {
    "no_match": ("no_match", "found nothing"),
    "unknown_tool": ("unknown_tool", "was rejected: there is no such tool"),
}
"""Rule and words of an outcome's reason; any other failure is ``failed_call``."""

_LONGEST = 1_000
_SHOWN = 60

# One of these is in each suspicious argument: nearly every trace is let go by them alone.
_MARKS = ("rm -", "../..", "..\\..", "';", "');", "' or", "' OR")

# A command of its own, not a word in quotes that somebody looks for.
_DELETE = (
    r"(?:\A|[;&|\n(])\s{0,9}(?:sudo\s{1,9})?rm\s{1,9}(?=(?:-\S{1,30}\s{1,9}){0,4}-\S{0,30}r)"
    r"(?:-\S{1,30}\s{1,9}){1,5}(?:/|/\*|~/?|\$HOME/?)(?=\s|[;&|)]|\Z)"
)
_WAY_OUT = r"(?:\.\.[/\\]{1,2}){2,30}(?:etc|proc|root|boot|windows|winnt)[/\\]"
# Only after a quote that closes a value: a statement by itself is what a database is asked.
_SQL = (
    r"'\)?\s{0,9};\s{0,9}(?:(?:drop|truncate|alter)\s{1,9}(?:table|database|schema)|delete\s{1,9}from)\b"
    r"|'\s{1,9}or\s{1,9}'?1'?\s{0,9}=\s{0,9}'?1"
)
_PATTERNS = (
    ("would delete the whole disk or home", _DELETE),
    ("contains a path leading out of its folder to system files", _WAY_OUT),
    ("injects SQL through its value", _SQL),
)


class Fault:
    """What is wrong with a call: a rule's id, how bad it is by itself, and the end of a sentence that starts with the tool."""

    __slots__ = ("reason", "rule", "weight")

    def __init__(self, rule: str, weight: float, reason: str) -> None:
        self.rule = rule
        self.weight = weight
        self.reason = reason


class Checked:
    """The calls of one trace: whether each worked (None: no result is recorded), and by position what is wrong with it.

    ``worked`` is filled in only where something may be wrong; ``wanted`` has the failures that the agent wanted to see,
    ``repaired`` those whose purpose a later call achieved, ``settled`` the failed ones that matter little: a later call of the kind succeeded, or the agent tells the failure. Only the heaviest fault of a call is kept, and of equal ones the first, so that one call counts once.
    """

    __slots__ = ("calls", "faults", "repaired", "settled", "wanted", "worked")

    def __init__(self, calls: "Sequence[Call]") -> None:
        self.calls = calls
        self.worked: list[bool | None] = []
        self.faults: dict[int, Fault] = {}
        self.repaired: set[int] = set()
        self.settled: set[int] = set()
        self.wanted: set[int] = set()


def check_all(calls: "Sequence[Call]", offered: "Offered | None", settings: "ToolMisuseSettings") -> Checked:
    """Look at every call; ``offered`` is None where the trace does not list the available tools."""
    checked = Checked(calls)
    outcomes = [call.outcome for call in calls]
    arguments = [call.call.arguments for call in calls]
    usual = Usual(calls) if is_doubtful(arguments) or _may_be_suspicious(arguments) else None
    if (
        usual is None
        and offered is None
        and all(
            reason != "no_match" if state == "worked" else state == "unknown" and call.call.details is None
            for call, (state, reason, _) in zip(calls, outcomes, strict=True)
        )
    ):
        return checked
    checked.worked = worked = [_worked(outcome) for outcome in outcomes]
    for position, outcome in enumerate(outcomes):
        if outcome.reason == "not_run" or (worked[position] and usual is None and offered is None):
            continue
        call, worst = calls[position], None
        faults = []
        if usual is not None and (would := _suspicious(call.call.arguments.values())) is not None:
            faults = [Fault(SUSPICIOUS, settings.suspicious_weight, f"was given an argument that {would}")]
        faults += _outcome_faults(call, outcome, settings)
        if usual is not None:
            faults += _argument_faults(call, usual, offered, settings)
        if offered is not None:
            faults += _offer_faults(call, offered, settings)
        for fault in faults:
            worst = fault if worst is None or fault.weight > worst.weight else worst
        if worst is not None and worst.weight > 0:
            checked.faults[position] = worst
    return checked


def _worked(outcome: "Outcome") -> bool | None:
    """An empty lookup neither failed nor brought the agent on: it counts as a call that did not work."""
    return None if outcome.state == "unknown" else outcome.state == "worked" and outcome.reason != "no_match"


def _outcome_faults(call: "Call", outcome: "Outcome", settings: "ToolMisuseSettings") -> list[Fault]:
    faults, worked = [], _worked(outcome)
    if worked is False:
        rule, reason = _FAILED_BY.get(outcome.reason, ("failed_call", "failed"))
        weights = {"no_match": settings.no_match_weight, "unknown_tool": settings.unknown_tool_weight}
        faults.append(Fault(rule, weights.get(rule, settings.failed_weight), reason))
    details = call.call.details
    if details is not None and details.raw_arguments is not None and not worked:
        faults.append(Fault("arguments_not_json", settings.not_json_weight, "was given arguments that are not JSON"))
    return faults


def _argument_faults(
    call: "Call", usual: Usual, offered: "Offered | None", settings: "ToolMisuseSettings"
) -> list[Fault]:
    asked, faults = call.call, []
    found = placeholder(asked.arguments)
    if found is not None:
        reason = f'was given the placeholder "{found}"'
        faults.append(Fault("placeholder_argument", settings.placeholder_weight, reason))
    for name in empty_names(asked.arguments):
        if name in usual.given(asked.name):
            reason = f'was given nothing for "{name}"; other calls pass a value'
            faults.append(Fault("empty_argument", settings.empty_weight, reason))
    if not faults and offered is not None and offered.is_empty(asked):
        reason = "was given empty values for all required arguments"
        faults.append(Fault("empty_argument", settings.empty_weight, reason))
    return faults


def _offer_faults(call: "Call", offered: "Offered", settings: "ToolMisuseSettings") -> list[Fault]:
    faults = []
    # What answers with success exists, whatever the list of tools says; the name of a call without one was not read.
    if call.call.name and call.call.name not in offered and not (call.result is not None and call.result.success):
        faults.append(Fault("unknown_tool", settings.unknown_tool_weight, "is not an available tool"))
    refusal = offered.refusal(call.call)
    if refusal is not None:
        rule, reason = refusal
        reason = f"was given arguments that its schema rejects: {reason}"
        faults.append(Fault(rule, settings.schema_weight, reason))
    return faults


def _may_be_suspicious(arguments: "Iterable[dict[str, object]]") -> bool:
    """False where no call of the trace can have a suspicious argument: told for all together, which costs little."""
    together = "\n".join([value for given in arguments for value in given.values() if isinstance(value, str)])
    if "rm -" not in together and ".." not in together and "'" not in together:
        return False
    return any(mark in together for mark in _MARKS)


@functools.cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((what, re.compile(pattern, re.IGNORECASE)) for what, pattern in _PATTERNS)


def _suspicious(values: "Iterable[object]") -> str | None:
    """What the first suspicious text among a call's arguments would do, with its words; texts above 1,000 characters are contents."""
    for value in values:
        if isinstance(value, str) and len(value) <= _LONGEST and any(mark in value for mark in _MARKS):
            for what, pattern in _compiled():
                found = pattern.search(value)
                if found is not None:
                    return f"{what}: {found[0].strip()[:_SHOWN]!r}"
    return None
