"""Failed calls that are settled: a later call did what the failed one was for, or the agent says that something failed."""

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING

from sentinel_core.evaluate.answer import admits_failure

if TYPE_CHECKING:
    from sentinel_core import Call, TraceIndex
    from sentinel_signal_tool_misuse.checks import Checked

__all__ = ["settled_failures"]

_SHORTEST_PATH = 4

_message = attrgetter("message_index")


def settled_failures(index: "TraceIndex", checked: "Checked") -> set[int]:
    """The positions of the failed calls that the agent repaired or told."""
    settled, later = set[int](), _Worked(index)
    for position in range(len(checked.calls) - 1, -1, -1):
        call, worked = checked.calls[position], checked.worked[position]
        if worked:
            later.add(call)
        elif worked is False and position in checked.faults and (later.repairs(call) or _is_told(index, call)):
            settled.add(position)
    return settled


class _Worked:
    """The calls that worked after some point of the run."""

    def __init__(self, index: "TraceIndex") -> None:
        self._tools = index.tools
        self._names: set[str] = set()
        self._acts: list[str] = []
        self._looks = self._runs = False

    def add(self, call: "Call") -> None:
        """One more, before those that were added."""
        name = call.call.name
        if name not in self._names:
            facts = self._tools[name]
            self._looks |= facts.effect == "reads" or facts.runs_anything
            self._runs |= facts.runs_anything
        self._names.add(name)
        if self._tools[name].effect != "reads":
            self._acts.append("\n".join(_texts(call)))

    def repairs(self, call: "Call") -> bool:
        """True where one of them did what the failed call was for.

        That is a call to the same tool, another look after a look, another command after a command, a change to the file
        that could not be changed, and after a call that was given nothing, anything.
        """
        name, texts = call.call.name, _texts(call)
        facts = self._tools[name]
        if name in self._names or (self._names and not any(text.strip() for text in texts) and _is_blank(call)):
            return True
        if facts.effect == "reads" or facts.runs_anything:
            return self._looks if facts.effect == "reads" else self._runs
        paths = [
            text for text in texts if len(text) >= _SHORTEST_PATH and "/" in text and not any(map(str.isspace, text))
        ]
        return any(path in done for path in paths for done in self._acts)


def _texts(call: "Call") -> list[str]:
    return [value for value in call.call.arguments.values() if isinstance(value, str)]


def _is_blank(call: "Call") -> bool:
    given = call.call.arguments
    return bool(given) and not any(value.strip() if isinstance(value, str) else value for value in given.values())


def _is_told(index: "TraceIndex", call: "Call") -> bool:
    """True where the agent's first text after the result, or its last one before the user speaks again, admits a failure.

    Where the reader could not read all and no text follows, nobody can say that the agent was silent.
    """
    place = call.result_message_index or call.message_index
    first = bisect_right(index.texts, place, key=_message)
    if first == len(index.texts):
        return index.is_partial
    asked = bisect_right(index.asked, place)
    end = index.asked[asked] if asked < len(index.asked) else len(index.messages)
    last = bisect_left(index.texts, end, key=_message) - 1
    return any(admits_failure(index.texts[one].content) for one in {first, last} if first <= one < len(index.texts))
