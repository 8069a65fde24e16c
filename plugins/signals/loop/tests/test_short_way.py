"""What counts alone tell of texts is what a close look at the news tells."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

import sentinel_signal_loop
from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, TraceIndex
from sentinel_signal_loop import LoopSettings, detect

SAID = (
    "I will look at the record of the customer once more.",
    "Now I know what is wrong with the order that you sent me.",
)


def _calling(text, number):
    return Message(role="assistant", content=text, tool_calls=(ToolCall(id=str(number), name=f"look{number}"),))


def _trace(steps):
    messages = []
    for number, (kind, which) in enumerate(steps):
        if kind == "user":
            messages.append(Message(role="user", content=f"Question {which}?"))
        elif kind == "say":
            messages.append(Message(role="assistant", content=SAID[which % 2]))
        else:
            messages.append(_calling(SAID[which % 2] if kind == "both" else None, number))
            messages.append(Message(role="tool", tool_results=(ToolResult(tool_call_id=str(number), content="done"),)))
    return ExecutionTrace(trace_id="t", messages=tuple(messages))


@given(st.lists(st.tuples(st.sampled_from(("user", "say", "say", "call", "both")), st.integers(0, 9)), max_size=12))
def test_counts_tell_what_the_news_tell(steps):
    trace, settings = _trace(steps), LoopSettings()
    with patch.object(sentinel_signal_loop, "_unheard", return_value=None):
        slowly = detect(TraceIndex(trace), settings)
    assert detect(TraceIndex(trace), settings) == slowly


def test_a_call_between_two_equal_texts_parts_them():
    said = Message(role="assistant", content=SAID[0])
    call = _calling(None, 1)
    apart = TraceIndex(ExecutionTrace(trace_id="t", messages=(said, call, said)))
    together = TraceIndex(ExecutionTrace(trace_id="t", messages=(call, said, said)))
    assert detect(apart, LoopSettings()).findings == ()
    assert [found.rule for found in detect(together, LoopSettings()).findings] == ["repeated_messages"]
