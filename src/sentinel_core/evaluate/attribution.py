"""The step that broke: where a run that failed first went wrong, as far as its record tells.

One rule: the first step for which a finding is an error; else the first step that acts, which is the first call that was carried out, or
the first reply of the sub-agent to which the first call was delegated; else the agent's second word. Cleverer rules did not hold on
runs that they had not seen.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sentinel_core.report import Attribution, Finding

if TYPE_CHECKING:
    from sentinel_core.evaluate.index import Call, TraceIndex

__all__ = ["attribute"]

_ENDS = ("ending.", "effort.")
_NAMES = ("speaker", "author", "agent", "name")


def attribute(index: "TraceIndex", findings: Iterable[Finding]) -> Attribution | None:
    """The step that broke; None where the agent did nothing. How a run ended (``ending``) is not where it broke."""
    errors = (one for one in findings if one.severity == "error" and one.message_index is not None)
    hard = min((one for one in errors if not one.rule.startswith(_ENDS)), key=_place, default=None)
    if hard is not None:
        for position in hard.trace_path:
            index = index.children[position]
        return _at(index, hard.message_index or 0, hard.rule)
    call = next((one for one in index.calls if one.result is not None), None)
    if call is None:
        return _first_word(index)
    child = _delegate(index, call)
    reply = None if child is None else _first_word(child)
    return _at(index, call.message_index, "first call that was carried out") if reply is None else reply


def _place(finding: Finding) -> tuple[tuple[int, ...], int]:
    return tuple(finding.trace_path), finding.message_index or 0


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
    metadata = index.messages[place].metadata or {}
    told = [metadata[name] for name in _NAMES if isinstance(metadata.get(name), str)]
    details = index.trace.details
    own = index.trace.trace_id if details is not None and details.parent_call_id is not None else None
    return Attribution(message_index=place, agent=told[0] if told else own, basis=basis)
