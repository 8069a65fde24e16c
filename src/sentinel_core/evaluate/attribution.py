"""The step that broke: where a run that failed first went wrong, as far as its record tells.

One rule: the first step for which a finding is an error, or whose call failed and was neither repaired nor told; else the first step
that acts, which is the first call that was carried out, or the first reply of the agent to which it was delegated: a sub-agent, or an
agent of the same conversation that has the name of the called tool or was addressed by name; else the agent's second word. Cleverer
rules did not hold on runs that they had not seen.
"""

from bisect import bisect
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sentinel_core.report import Attribution, Finding

if TYPE_CHECKING:
    from sentinel_core.evaluate.index import Call, TraceIndex
    from sentinel_core.trace import Message

__all__ = ["attribute"]

_ENDS = ("ending.", "effort.")
_FAILED = "tool_misuse.failed_call"
_NAMES = ("speaker", "author", "agent", "name")


def attribute(index: "TraceIndex", findings: Iterable[Finding]) -> Attribution | None:
    """The step that broke; None where the agent did nothing. How a run ended (``ending``) is not where it broke."""
    errors = (one for one in findings if one.message_index is not None and _is_grave(one))
    hard = min((one for one in errors if not one.rule.startswith(_ENDS)), key=_place, default=None)
    if hard is not None:
        for position in hard.trace_path:
            index = index.children[position]
        return _at(index, hard.message_index or 0, hard.rule)
    call = next((one for one in index.calls if one.result is not None), None)
    answered = _named_reply(index, call)
    if answered is not None:
        return _at(index, answered, "first reply of the called agent")
    if call is None:
        return _first_word(index)
    child = _delegate(index, call)
    reply = None if child is None else _first_word(child)
    return _at(index, call.message_index, "first call that was carried out") if reply is None else reply


def _is_grave(finding: Finding) -> bool:
    return finding.severity == "error" or (finding.severity == "warning" and finding.rule == _FAILED)


def _place(finding: Finding) -> tuple[tuple[int, ...], int]:
    return tuple(finding.trace_path), finding.message_index or 0


def _named_reply(index: "TraceIndex", last: "Call | None") -> int | None:
    """The first message of an agent that was called or addressed by its name; calls after ``last`` do not count."""
    spoken: dict[tuple[str, bool], list[int]] = {}
    for at, message in enumerate(index.messages):
        if name := _folded(_speaker(message)):
            spoken.setdefault((name, message.role == "tool"), []).append(at)
    for place, name, has_results in _addressed(index, last) if spoken else ():
        found = (spoken.get((name, is_result), []) for is_result in (False, True)[: 1 + has_results])
        after = [places[bisect(places, place)] for places in found if places and places[-1] > place]
        if after:
            return min(after)
    return None


def _addressed(index: "TraceIndex", last: "Call | None") -> "list[tuple[int, str, bool]]":
    """Places and names of those that were called or addressed, in order, and whether a result with the name would be theirs."""
    calls = index.calls if last is None else index.calls[: last.position + 1]
    messages = index.messages if last is None else index.messages[: last.message_index + 1]
    named = [(call.message_index, _folded(call.call.name), _is_agent(index, call)) for call in calls]
    told = [(place, _folded(_recipient(message)), True) for place, message in enumerate(messages)]
    return sorted(named + told)


def _is_agent(index: "TraceIndex", call: "Call") -> bool:
    """False where a result with the tool's name may be that of an ordinary tool: some formats put the tool's name there."""
    return bool(_speaker(index.messages[call.message_index])) and index.tools[call.call.name].effect == "unknown"


def _speaker(message: "Message") -> str:
    told = message.metadata or {}
    return message.name or next((told[name] for name in _NAMES if isinstance(told.get(name), str)), "")


def _recipient(message: "Message") -> str:
    told = (message.metadata or {}).get("recipient")
    return told if isinstance(told, str) else ""


def _folded(name: str) -> str:
    """One spelling of ``WebSurfer`` and ``web_surfer``."""
    return "".join(filter(str.isalnum, name.casefold()))


def _delegate(index: "TraceIndex", call: "Call") -> "TraceIndex | None":
    """The sub-agent that the call started."""
    for child in index.children:
        details = child.trace.details
        if details is not None and details.parent_call_id == call.call.id:
            return child
    return None


def _first_word(index: "TraceIndex") -> Attribution | None:
    """The agent's first text that is not the opening message, else whatever it said or called first."""
    said = [text.message_index for text in index.texts]
    if not said and not index.calls:
        return None
    place = next((one for one in said if one > 0), None)
    if place is None:
        place = said[0] if said else index.calls[0].message_index
    return _at(
        index,
        place,
        "first reply of the sub-agent"
        if index.trace.details is not None and index.trace.details.parent_call_id
        else "first reply",
    )


def _at(index: "TraceIndex", place: int, basis: str) -> Attribution:
    details = index.trace.details
    own = index.trace.trace_id if details is not None and details.parent_call_id is not None else None
    return Attribution(message_index=place, agent=_speaker(index.messages[place]) or own, basis=basis)
