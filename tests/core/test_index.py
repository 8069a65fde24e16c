import hypothesis.strategies as st
from hypothesis import given

from sentinel_core import ExecutionTrace, Message, MessageDetails, ToolCall, ToolResult, TraceDetails, TraceIndex
from sentinel_core.evaluate.index import REJECTION
from sentinel_core.trace import from_json, to_json


def call(call_id: str, name: str = "tool", **arguments: object) -> Message:
    return Message(role="assistant", tool_calls=(ToolCall(id=call_id, name=name, arguments=arguments),))


def result(call_id: str, content: str = "done") -> Message:
    return Message(role="tool", tool_results=(ToolResult(tool_call_id=call_id, content=content),))


def index_of(*messages: Message) -> TraceIndex:
    return TraceIndex(ExecutionTrace(trace_id="t", messages=messages))


def test_parallel_calls_pair_by_id():
    both = Message(role="assistant", tool_calls=(ToolCall(id="a", name="x"), ToolCall(id="b", name="y")))
    index = index_of(both, result("b", "of y"), result("a", "of x"))
    assert [(one.call.name, one.result.content, one.result_message_index) for one in index.calls] == [
        ("x", "of x", 2),
        ("y", "of y", 1),
    ]
    assert [one.position for one in index.calls] == [0, 1]


def test_an_id_used_twice_pairs_in_turn():
    index = index_of(call("a", n=1), result("a", "first"), call("a", n=2), result("a", "second"))
    assert [one.result.content for one in index.calls] == ["first", "second"]
    index = index_of(call("a", n=1), call("a", n=2), result("a", "first"), result("a", "second"))
    assert [one.result.content for one in index.calls] == ["first", "second"]


def test_a_later_result_replaces_the_last_one():
    index = index_of(call("a"), result("a", "10 %"), result("a", "done"))
    assert index.calls[0].result.content == "done"
    assert index.orphans == []


def test_a_result_before_its_call_is_an_orphan():
    index = index_of(result("a"), call("a"))
    assert [(position, orphan.tool_call_id) for position, orphan in index.orphans] == [(0, "a")]
    assert index.calls[0].result is None


def test_empty_lists_are_nothing_odd():
    assert not index_of(Message(role="tool", tool_calls=[], tool_results=[])).is_odd
    assert index_of(Message(role="tool", tool_calls={})).is_odd
    assert index_of(Message(role="tool", tool_results=0)).is_odd


def test_texts_are_the_assistants_and_know_the_calls_before():
    index = index_of(
        Message(role="user", content="Question"),
        Message(role="assistant", content=" One\n  Two ", tool_calls=(ToolCall(id="a", name="x"),)),
        Message(role="assistant", content=""),
        Message(role="assistant", content="THREE"),
    )
    assert [(text.folded, text.calls_before, text.message_index) for text in index.texts] == [
        ("one two", 0, 1),
        ("three", 1, 3),
    ]
    assert index.texts[0].folded is index.texts[0].folded


def test_keys_are_equal_whatever_the_order():
    index = index_of(
        call("a", p=1, q=[2]), call("b", q=[2], p=1), call("c", p=1, q=[3]), call("d", "other", p=1, q=[2])
    )
    first, second, third, fourth = (one.key for one in index.calls)
    assert first == second
    assert len({first, third, fourth}) == 3


def test_copied_context_is_marked():
    copied = MessageDetails(is_copied_context=True)
    index = index_of(
        Message(role="assistant", content="one", tool_calls=(ToolCall(id="a", name="x"),)),
        Message(role="assistant", content="one", tool_calls=(ToolCall(id="b", name="x"),), details=copied),
        Message(role="assistant", content="two", details=MessageDetails(origin="line 3")),
    )
    assert [call.is_copied for call in index.calls] == [False, True]
    assert [text.is_copied for text in index.texts] == [False, True, False]


def test_children_are_indexed():
    child = ExecutionTrace(trace_id="child", messages=(call("a"),))
    index = TraceIndex(ExecutionTrace(trace_id="t", details=TraceDetails(children=(child,))))
    assert [len(one.calls) for one in index.children] == [1]


IDS = st.sampled_from(["a", "b", "c"])
MESSAGES = st.lists(st.one_of(IDS.map(call), IDS.map(result), st.just(Message(role="assistant", content="hm"))))


@given(MESSAGES)
def test_growing_is_the_same_as_building(messages):
    built = index_of(*messages)
    grown = TraceIndex(built.trace, messages=())
    for message in messages:
        grown.add(message)
    assert facts(grown) == facts(built)


@given(MESSAGES)
def test_every_result_goes_to_one_place(messages):
    index = index_of(*messages)
    known = {one.call.id for one in index.calls}
    results = [one for message in messages for one in message.tool_results]
    assert len(index.orphans) + sum(one.tool_call_id in known for one in results) >= len(results)
    for one in index.calls:
        assert one.result is None or one.result.tool_call_id == one.call.id
        assert one.result is None or one.result_message_index > one.message_index


def facts(index: TraceIndex) -> object:
    return (
        [(one.key, one.result, one.message_index, one.result_message_index) for one in index.calls],
        [(text.content, text.calls_before) for text in index.texts],
        index.orphans,
        index.messages,
    )


def test_an_id_given_out_again_after_its_answer_waits_for_its_own():
    index = index_of(call("same"), result("same", "one"), call("same"), result("same", "two"))
    assert [call.result.content for call in index.calls if call.result] == ["one", "two"]


def test_it_knows_who_asked_and_what_can_be_changed():
    hello = Message(role="user", content="hi", metadata={"a": 1})
    index = index_of(Message(role="system", content="Help."), hello, Message(role="user"), call("c", x=1))
    assert (index.asked, index.held) == ([1], [{}, {"a": 1}, {"x": 1}])


def test_checks_that_were_found_before_are_taken_over_where_the_result_is_the_same():
    tests = [call(name, "bash", command="pytest") for name in "abc"]
    told = index_of(tests[0], result("a", "1 failed"), tests[1], result("b", "2 failed"), tests[2])
    found = from_json(to_json([one.checks for one in told.calls]))
    assert [len(one) for one in found] == [1, 1, 1]
    found[0][0][2] = "as it was told"
    index = index_of(*told.messages, result("b", "2 passed"), result("c", "3 passed"))
    index.recall(found, len(told.messages))
    assert [one.check.ending for one in index.calls] == ["as it was told", "2 passed", "3 passed"]
    assert index.calls[0].checks == (told.calls[0].check._replace(ending="as it was told"),)


def test_calls_on_a_users_message_are_the_users():
    asked = Message(role="user", content="I did it.", tool_calls=(ToolCall(id="u", name="toggle"),))
    index = index_of(asked, result("u"), call("a"), result("a"))
    assert ([one.call.name for one in index.calls], list(index.tools), index.orphans) == (["tool"], ["tool"], [])


def test_what_was_not_read_and_from_where():
    def trace(*children, **metadata):
        details = TraceDetails(children=children) if children else None
        return ExecutionTrace(trace_id="t", metadata=metadata, details=details)

    def asked(trace):
        index = TraceIndex(trace)
        return index.is_partial, index.unread_from

    lost = trace(reading_gaps=["1 event"], reading_gaps_at=[5, 3])
    assert asked(trace()) == (False, None)
    assert asked(trace(reading_gaps=["1 line"])) == (True, None)
    assert asked(lost) == (True, 3)
    assert asked(trace(trace(), lost, reading_gaps_at=[2])) == (True, 0)
    assert asked(trace(reading_gaps=["x"], reading_gaps_at="3")) == (True, None)
    assert asked(trace(reading_gaps=["x"], reading_gaps_at=[True, "3", 4])) == (True, 4)


def test_a_rejection_withdraws_the_answer_before_it_and_is_no_users_word():
    reason = Message(role="user", content=f"{REJECTION}\n- You wrote: ...")
    asked, lie, truth = (Message(role=role, content=role) for role in ("user", "assistant", "assistant"))
    index = index_of(reason, asked, lie, reason, truth)
    assert (index.asked, [text.message_index for text in index.texts]) == ([1], [4])
    assert [message.content for message in index.messages] == [REJECTION, "user", None, REJECTION, "assistant"]
    assert index.trace.messages[2] == lie
