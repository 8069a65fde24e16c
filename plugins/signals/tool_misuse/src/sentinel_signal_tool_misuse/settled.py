"""What became of faulty calls: a later call did what the call was for, or one of its kind succeeded, or the agent says that something failed."""

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING

from sentinel_core.evaluate.answer import tells_failure
from sentinel_signal_tool_misuse.purpose import Achieved

if TYPE_CHECKING:
    from sentinel_core import Call, TraceIndex
    from sentinel_signal_tool_misuse.checks import Checked

__all__ = ["mark_settled"]

_OF_SCHEMA = frozenset(("missing_argument", "invalid_argument", "unknown_argument"))
_message = attrgetter("message_index")


def mark_settled(index: "TraceIndex", checked: "Checked") -> None:
    """Fill in ``repaired`` and ``settled``: a failed call is settled if a later call of its kind succeeded, or if the agent tells the failure.

    A call against its schema is settled where it worked.
    """
    later = Achieved(index.tools)
    for position in range(len(checked.calls) - 1, min(checked.faults) - 1, -1):
        call, worked = checked.calls[position], checked.worked[position]
        if position in checked.faults:
            is_repaired = later.repairs(call)
            if is_repaired:
                checked.repaired.add(position)
            if worked is False and (is_repaired or later.resembles(call) or _is_told(index, call)):
                checked.settled.add(position)
        if worked:
            later.add(call)
            if position in checked.faults and checked.faults[position].rule in _OF_SCHEMA:
                checked.settled.add(position)  # the tool took what its schema rejects


def _is_told(index: "TraceIndex", call: "Call") -> bool:
    """True where the agent's first text after the result, or its last one before the user speaks again, tells the failure.

    Where the reader could not read all and no text follows, nobody can say that the agent was silent.
    """
    place = call.result_message_index or call.message_index
    first = bisect_right(index.texts, place, key=_message)
    if first == len(index.texts):
        return index.is_partial
    asked = bisect_right(index.asked, place)
    end = index.asked[asked] if asked < len(index.asked) else len(index.messages)
    last = bisect_left(index.texts, end, key=_message) - 1
    return any(
        tells_failure(call, index.texts[one].content) for one in {first, last} if first <= one < len(index.texts)
    )
