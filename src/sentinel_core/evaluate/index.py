"""One pass over a trace, shared by every signal: calls paired with results, assistant texts, orphaned results."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from sentinel_core._fast import changing, record
from sentinel_core.evaluate.outcome import UNRECORDED, Outcome, judge_result
from sentinel_core.evaluate.tools import ToolFacts, tools_of
from sentinel_core.trace import GAPS, GAPS_AT, ExecutionTrace, Message, ToolCall, ToolResult, canonical, reading_remarks

if TYPE_CHECKING:
    from sentinel_core.evaluate.checks import Check
    from sentinel_core.evaluate.facts.witness import Witness

__all__ = ["REJECTION", "Call", "Text", "TraceIndex"]

REJECTION = "Your answer was not accepted, because the record of this run does not support it:"
"""So begins what a guard sends back to an agent."""
_SILENT = ("tool", "system")
_NONE = ()


@record
@changing(eq=False)
class Call:
    """A tool call with its result, once there is one.

    ``key`` is equal for calls to the same tool with the same arguments, whatever the order of the keys.
    ``is_copied`` marks a call in context repeated after compaction: it was made, but not made again.
    """

    call: ToolCall
    message_index: int
    position: int
    is_copied: bool = False
    result: ToolResult | None = None
    result_message_index: int | None = None
    _key: tuple[str, bytes] | None = None
    _outcome: Outcome | None = None
    _checks: "tuple[Check, ...] | None" = None

    @property
    def outcome(self) -> Outcome:
        """Whether the call failed, why, and the words or the flag that show it: the same answer for every signal."""
        if self._outcome is None:
            if self.result is None:
                return UNRECORDED  # not kept: the result may still come
            self._outcome = judge_result(self.result)
        return self._outcome

    @property
    def checks(self) -> "tuple[Check, ...]":
        """The tests, builds, type checks and linters that the call ran, each with its result; usually none."""
        if self._checks is None:
            from sentinel_core.evaluate.checks import checks_of  # most commands never ask

            found = checks_of(self)
            if self.result is None:
                return found  # not kept: the result may still come
            self._checks = found
        return self._checks

    @property
    def check(self) -> "Check | None":
        """The most informative of ``checks``: the first that failed, otherwise the last; None if the call ran none."""
        return next((check for check in self.checks if check.passed is False), self.checks[-1] if self.checks else None)

    @property
    def key(self) -> tuple[str, bytes]:
        """Tool name and canonical arguments."""
        if self._key is None:
            self._key = (self.call.name, canonical(self.call.arguments))
        return self._key


@record
@changing(eq=False)
class Text:
    """An assistant's text. ``folded`` is case-folded, with each run of white space replaced by one space.

    ``calls_before`` is the number of calls in all earlier messages; this message's own calls come after the text.
    ``is_copied`` as for a call.
    """

    content: str
    message_index: int
    calls_before: int
    is_copied: bool = False
    _folded: str | None = None

    @property
    def folded(self) -> str:
        """The text for comparisons that ignore case and white space."""
        if self._folded is None:
            self._folded = " ".join(self.content.casefold().split())
        return self._folded


class TraceIndex:
    """What signals read. It is built once per trace and grows message by message: live and batch evaluation see the same.

    A result belongs to the oldest unanswered call with its id; if every call with that id is answered, the newer result
    replaces the last one (progress, then the final result). A result whose id no earlier call has is an orphan.
    ``messages`` and ``children`` replace the trace's own for an agent that is still running. An answer that a guard sent back
    is withdrawn: ``messages`` has neither its words nor the reason, ``trace.messages`` both. ``asked`` has the
    positions of the users' messages that are not empty; ``held`` has every dictionary in the trace: arguments and
    metadata. ``is_odd`` is True if a value may not be valid for its type, which never happens in a decoded trace:
    signals would not notice. ``witness`` is what was seen of the working tree, where somebody looked.
    """

    __slots__ = ("_by_id", "_tools", "_waiting", "asked", "calls", "children", "held", "is_odd", "messages", "orphans",
    "texts", "trace", "witness")  # fmt: skip

    def __init__(
        self,
        trace: ExecutionTrace,
        *,
        messages: Iterable[Message] | None = None,
        children: "Iterable[TraceIndex] | None" = None,
    ) -> None:
        self.trace = trace
        self.messages: list[Message] = []
        self.calls: list[Call] = []
        self.orphans: list[tuple[int, ToolResult]] = []
        self.texts: list[Text] = []
        self.asked: list[int] = []
        self.held: list[dict[str, Any]] = []
        self.is_odd = type(trace.trace_id) is not str
        self._tools: tuple[int, dict[str, ToolFacts]] | None = None
        self._by_id: dict[str, Call] = {}  # the latest of each id
        # Of ids that were given out more than once: the unanswered calls, oldest first.
        self._waiting: dict[str, deque[Call]] = {}
        self.witness: Witness | None = None
        self._hold(trace.metadata)
        self.extend(trace.messages if messages is None else messages)
        if children is None:
            children = () if trace.details is None else map(TraceIndex, trace.details.children)
        self.children: Sequence[TraceIndex] = tuple(children)
        if self.children and any(child.is_odd for child in self.children):
            self.is_odd = True

    @property
    def is_silent(self) -> bool:
        """True if neither the agent nor a sub-agent said anything or called a tool: there is nothing to judge."""
        return not (self.texts or self.calls) and all(child.is_silent for child in self.children)

    @property
    def is_partial(self) -> bool:
        """True if the reader could not read all of the trace and its sub-agents: what seems to be absent may be in the rest."""
        trace = self.trace
        has_remarks = GAPS in trace.metadata or (trace.details is not None and trace.details.children)
        return bool(has_remarks and reading_remarks(trace, GAPS))

    @property
    def unread_from(self) -> int | None:
        """The first message in or before which the agent may have made calls that could not be read; None if there is none.

        A sub-agent may have worked at any time, so that for its parent it is the first.
        """
        places = self.trace.metadata.get(GAPS_AT)
        known = [place for place in places if type(place) is int] if isinstance(places, list) else []
        if any(child.unread_from is not None for child in self.children):
            known.append(0)
        return min(known, default=None)

    @property
    def tools(self) -> dict[str, ToolFacts]:
        """What each tool that was available or called can do, by its name."""
        if self._tools is None or self._tools[0] != len(self.calls):
            details = self.trace.details
            offered = () if details is None or details.available_tools is None else details.available_tools
            self._tools = len(self.calls), tools_of(offered, {call.call.name: None for call in self.calls})
        return self._tools[1]

    def add(self, message: Message) -> None:
        """Append one message, and fill in the results that it contains for earlier calls."""
        self.extend((message,))

    def recall(self, checks: "Iterable[Iterable[Iterable[Any]]]", messages: int) -> None:
        """Reuse the checks that an earlier index found in the first ``messages``; later ones are found on request.

        Each check is given as the fields of a ``Check``, as in JSON. A call that has since got another result is
        checked again.
        """
        from sentinel_core.evaluate.checks import Check

        for call, told in zip(self.calls, checks, strict=False):
            if call.result_message_index is not None and call.result_message_index < messages:
                call._checks = tuple(  # noqa: SLF001 - the index fills in its calls
                    Check(kind, passed, ending, command, tuple(covers))
                    for kind, passed, ending, command, covers in told
                )

    def extend(self, messages: Iterable[Message]) -> None:
        """Append messages, in order."""
        start = len(self.messages)
        self.messages.extend(messages)
        calls, texts, none = self.calls, self.texts, _NONE
        for position, message in enumerate(self.messages[start:] if start else self.messages, start):
            content = message.content
            if type(content) is not str and content is not None:
                self.is_odd = True
            if content:
                role = message.role
                if role == "assistant":
                    texts.append(Text(content, position, len(calls), _is_copied(message)))
                elif role == "user":
                    (self._reject if content.startswith(REJECTION) else self.asked.append)(position)
                elif role not in _SILENT:
                    self.is_odd = True
            if message.metadata is not None:
                self._hold(message.metadata)
            if message.tool_calls is not none:
                self._call(message, position)
            if message.tool_results is not none:
                self._pair(message, position)

    def _reject(self, position: int) -> None:
        """Take a guard's rejection, which quotes the answer, for no word of the user's."""
        self._withdraw(position, attrs.evolve(self.messages[position], role="system", content=REJECTION))

    def _withdraw(self, position: int, rejection: Message) -> None:
        """Take the words of the answer before a guard's rejection out of the record: nobody got them. Its calls were made."""
        self.messages[position] = rejection
        if self.texts and self.texts[-1].message_index == position - 1:
            self.texts.pop()
            self.messages[position - 1] = attrs.evolve(self.messages[position - 1], content=None)

    def _hold(self, dictionary: dict[str, Any]) -> None:
        self.held.append(dictionary)
        if type(dictionary) is not dict:
            self.is_odd = True

    def _call(self, message: Message, position: int) -> None:
        calls, by_id, held = self.calls, self._by_id, self.held
        if not message.tool_calls:
            self._note_if_no_list(message.tool_calls)
            return
        is_copied, is_own = _is_copied(message), message.role != "user"  # the user may have called a tool, too
        for tool_call in message.tool_calls:
            call = Call(tool_call, position, len(calls), is_copied)
            if is_own:
                calls.append(call)
            arguments = tool_call.arguments
            held.append(arguments)
            if type(arguments) is not dict:
                self.is_odd = True
            if tool_call.id in by_id:
                self._given_again(tool_call.id, call)
            by_id[tool_call.id] = call

    def _note_if_no_list(self, empty: object) -> None:
        if type(empty) is not list:
            self.is_odd = True

    def _given_again(self, name: str, call: Call) -> None:
        if name not in self._waiting:
            first = self._by_id[name]
            self._waiting[name] = deque([first] if first.result is None else ())
        self._waiting[name].append(call)

    def _pair(self, message: Message, position: int) -> None:
        if not message.tool_results:
            self._note_if_no_list(message.tool_results)
            return
        for result in message.tool_results:
            if result.metadata is not None:
                self._hold(result.metadata)
            success = result.success
            if type(result.content) is not str or not (success is None or success is True or success is False):
                self.is_odd = True
            elif result.content.startswith(REJECTION):
                result = attrs.evolve(result, content=REJECTION, success=False)  # noqa: PLW2901 - it quotes the answer
                self._withdraw(position, attrs.evolve(message, tool_results=(result,)))
            owner = self._by_id.get(result.tool_call_id)
            if owner is None:
                self.orphans.append((position, result))
                continue
            if self._waiting and (waiting := self._waiting.get(result.tool_call_id)):
                owner = waiting.popleft()
            if owner.result is not None:
                owner._outcome = owner._checks = None  # noqa: SLF001 - they were told from the result that is replaced
            owner.result = result
            owner.result_message_index = position


def _is_copied(message: Message) -> bool:
    return message.details is not None and message.details.is_copied_context
