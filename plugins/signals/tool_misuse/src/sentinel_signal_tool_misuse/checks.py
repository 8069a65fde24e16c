"""What is wrong with each call, looked at by itself."""

from typing import TYPE_CHECKING

from sentinel_signal_tool_misuse.arguments import Usual, empty_names, is_doubtful, placeholder
from sentinel_signal_tool_misuse.declared import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from sentinel_core import Call, Outcome
    from sentinel_core.report import Severity
    from sentinel_signal_tool_misuse import ToolMisuseSettings
    from sentinel_signal_tool_misuse.arguments import Offered

__all__ = ["Checked", "Fault", "check_all"]

SUSPICIOUS = "suspicious_argument"

# One of these is in each suspicious argument: nearly every trace is let go by them alone.
_MARKS = (
    "rm -", "../..", "..\\..", "';", "');", "' or", "drop ", "truncate ", "push", "curl", "wget", "commit -", "no-verify", "hook", "husky",
)  # fmt: skip

_FAILED_BY = {
    "no_match": ("no_match", "found nothing"),
    "unknown_tool": ("unknown_tool", "was rejected: there is no such tool"),
}
"""Rule and words of an outcome's reason; any other failure is ``failed_call``."""


class Fault:
    """What is wrong with a call: a rule's id, how bad it is by itself, and the end of a sentence that starts with the tool.

    ``branch`` names the way to a rule whose odds were measured; these decide how severe it is, not the weight.
    """

    __slots__ = ("branch", "reason", "rule", "weight")

    def __init__(self, rule: str, weight: float, reason: str, branch: str | None = None) -> None:
        self.branch = branch
        self.rule = rule
        self.weight = weight
        self.reason = reason

    @property
    def measured(self) -> "Severity | None":
        """What the odds of its branch carry; None for a fault without branches."""
        if self.branch is None:
            return None
        from sentinel_signal_tool_misuse.suspicious import ODDS  # few runs need it

        return ODDS.severity_of(self.rule, self.branch)


_MAY_BE_EMPTY = frozenset(
    ("new_string", "new_str", "newString", "new_text", "replace", "replacement")
)  # to take text out


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
    is_doubted = _may_be_suspicious(arguments)
    usual = Usual(calls) if is_doubted or is_doubtful(arguments) else None
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
        if is_doubted:
            faults += _suspicious_faults(call, settings)
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
        if name in usual.given(asked.name) and name not in _MAY_BE_EMPTY:
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


def _suspicious_faults(call: "Call", settings: "ToolMisuseSettings") -> list[Fault]:
    from sentinel_signal_tool_misuse.suspicious import suspicion  # its patterns take longer than all of this

    found = suspicion(call.call)
    if found is None:
        return []
    reason = f"was given an argument that {found.words}"
    return [Fault(SUSPICIOUS, settings.suspicious_weight, reason, found.branch)]


def _may_be_suspicious(arguments: "Iterable[Mapping[str, Any]]") -> bool:
    """False where no call of the trace can have a suspicious argument: told for all together, which costs little."""
    texts = [
        value if isinstance(value, str) else " ".join(word for word in value if isinstance(word, str))
        for given in arguments
        for value in given.values()
        if isinstance(value, (str, list))
    ]
    together = "\n".join([text for text in texts if len(text) <= LONGEST]).lower()
    return any(mark in together for mark in _MARKS)
