"""A finding's quote is a part of the message, whatever stands in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult
from sentinel_signal_hallucination import Settings, detect
from sentinel_signal_hallucination.english.sentences import plain, sentences

PIECES = st.sampled_from(
    ["I've **cancelled** ", "your order", " “A-1” ", "`x.py`", "\n- ", "İ", ". ", "Booked!", " has been *sent*", "$1,204.50 ", "RX-90210 ", "```\ncode\n```", "> quoted\n",
     "all tests pass", "The search results show ", "_", "\t", "é", "\u2028", "ﬁled", "I ran the tests. "],
)  # fmt: skip


@given(st.lists(PIECES, min_size=1, max_size=12).map("".join))
def test_a_quote_is_a_substring_of_its_message(text):
    messages = (
        Message(role="user", content="Please cancel my order and send the mail."),
        Message(role="assistant", tool_calls=(ToolCall(id="1", name="get_order"),)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="1", content='{"id": "RX-10001", "total": 12}'),)),
        Message(role="assistant", content=text),
    )
    for finding in detect(TraceIndex(ExecutionTrace(trace_id="t", messages=messages)), Settings()).findings:
        assert finding.quote is None or finding.quote in messages[finding.message_index].content


@given(st.text(max_size=200))
def test_a_plain_text_has_its_length_and_its_sentences_their_place(text):
    low = plain(text)
    assert len(low) == len(text)
    places = [(one.start, one.end) for one in sentences(low)]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I edited src/invoice/amounts.py and ran it. Then I left.",
            ["I edited src/invoice/amounts.py and ran it.", " Then I left."],
        ),
        ("I edited amounts.py so it works.", ["I edited amounts.py so it works."]),
        ("The .env file is set.", ["The .env file is set."]),
        ("I asked host/api.internal about it.", ["I asked host/api.internal about it."]),
        ("Order 12 is cancelled.The rest follows.", ["Order 12 is cancelled.", "The rest follows."]),
    ],
)
def test_a_sentence_does_not_end_at_the_dot_of_a_name(text, expected):
    assert [text[one.start : one.end] for one in sentences(plain(text))] == expected
