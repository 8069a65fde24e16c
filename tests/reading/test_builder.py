from sentinel_core import MessageDetails, TokenUsage, ToolCall, TraceIndex
from sentinel_core.traces.readers import Piece, TraceBuilder, pieces_of
from sentinel_core.traces.readers.chat import Result


def call(name, call_id=""):
    return Piece(role="assistant", calls=(ToolCall(id=call_id, name=name),))


def result(content, call_id=None, name=None):
    return Piece(role="tool", results=(Result(content=content, call_id=call_id, name=name),))


def built(*pieces):
    builder = TraceBuilder("t", "test")
    for piece in pieces:
        builder.add(piece)
    return builder.build()


def paired(trace):
    index = TraceIndex(trace)
    return [(one.call.name, one.result and one.result.content) for one in index.calls], len(index.orphans)


def test_ids_are_made_where_there_are_none():
    trace = built(call("a"), call("b"), result("of a"), result("of b"))
    assert [one.tool_calls[0].id for one in trace.messages[:2]] == ["call-1", "call-2"]
    assert paired(trace) == ([("a", "of a"), ("b", "of b")], 0)


def test_results_without_ids_go_by_name_first():
    trace = built(call("a"), call("b"), result("of b", name="b"), result("of a", name="a"))
    assert paired(trace) == ([("a", "of a"), ("b", "of b")], 0)


def test_a_result_that_nobody_asked_for_is_an_orphan():
    assert paired(built(result("out of nowhere"))) == ([], 1)
    assert paired(built(call("a", "1"), result("x", "1"), result("again"))) == ([("a", "x")], 1)


def test_usage_counts_once_for_one_message_id():
    builder = TraceBuilder("t", "test")
    for tokens in (5, 9):
        usage = TokenUsage(prompt_tokens=100, completion_tokens=tokens)
        builder.add(Piece(role="assistant", text="x"), details=MessageDetails(id="m1", usage=usage))
    builder.add(
        Piece(role="assistant", text="old"),
        details=MessageDetails(id="m0", usage=TokenUsage(prompt_tokens=7), is_copied_context=True),
    )
    trace = builder.build()
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (100, 9)
    assert trace.messages[1].details.usage is None


def test_what_the_source_knows_is_kept():
    builder = TraceBuilder("t", "test")
    builder.add(
        Piece(role="assistant", text="x", reasoning="hm"),
        timestamp="2026-01-01T00:00:00Z",
        details=MessageDetails(origin="line 3", model="m"),
    )
    trace = builder.build(outcome="completed", metadata={"reading_gaps": ["1 line is not JSON: 2"]})
    (message,) = trace.messages
    assert (message.details.origin, message.details.reasoning, message.timestamp) == (
        "line 3",
        "hm",
        "2026-01-01T00:00:00Z",
    )
    assert (trace.schema, trace.details.source, trace.details.outcome) == (2, "test", "completed")
    assert trace.token_usage is None


def test_what_is_lost_is_counted_where_it_was():
    builder = TraceBuilder("t", "x")
    builder.add(Piece(role="user", text="Hi.", lost=('part of the unknown kind "a"',)))
    builder.lose("event of an unknown kind")
    builder.lose("event of an unknown kind")
    builder.add(Piece(role="assistant", text="Ho.", lost=("call in an unknown place",)))
    builder.add(Piece(role="assistant", calls=(ToolCall(id="c", name=""),)))
    assert builder.build(metadata={"reading_gaps": ["1 line"]}).metadata == {
        "reading_gaps": [
            "1 line",
            '1 part of the unknown kind "a"',
            "2 events of an unknown kind",
            "1 call in an unknown place",
            "1 call without a name",
        ],
        "reading_gaps_at": [1, 2],
    }


def test_of_many_unknown_kinds_the_first_ten_are_named():
    builder = TraceBuilder("t", "x")
    for number in range(12):
        builder.lose(f"event of kind {number}", by_agent=False)
    gaps = builder.build().metadata
    assert gaps == {"reading_gaps": [*(f"1 event of kind {number}" for number in range(10)), "and 2 more kinds"]}


def test_a_result_that_lists_calls_in_no_known_shape_is_a_result():
    builder = TraceBuilder("t", "x")
    raw = {"role": "tool", "content": "128 m", "tool_call_id": "c1", "tool_calls": "success"}
    for piece in pieces_of(raw):
        builder.add(piece)
    trace = builder.build()
    assert [result.content for message in trace.messages for result in message.tool_results] == ["128 m"]
    assert trace.metadata["reading_gaps"] == ["1 list of calls in no known shape"]
