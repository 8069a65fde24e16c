"""What a run came to: the deeds of sub-agents and arguments of any depth count."""

from sentinel_core.evaluate.agreement import _changed_lines, outcome_key
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, TraceDetails


def wrote(arguments):
    call = ToolCall(id="c", name="update_order", arguments=arguments)
    return ExecutionTrace(trace_id="t", messages=(Message(role="assistant", tool_calls=(call,)),))


def test_the_deeds_of_a_sub_agent_are_the_run_s():
    child = wrote({"id": 1})
    parent = ExecutionTrace(
        trace_id="p", messages=(Message(role="assistant", content="Done."),), details=TraceDetails(children=(child,))
    )
    assert 'update_order {"id":1}' in outcome_key(TraceIndex(parent))


def test_what_lies_very_deep_counts_as_it_is():
    prose = " ".join(["word"] * 40)
    flat, deep = {"note": prose}, prose
    for _ in range(12):
        deep = [deep]
    assert prose not in outcome_key(TraceIndex(wrote(flat)))
    assert prose in outcome_key(TraceIndex(wrote({"note": deep})))


def test_a_patch_is_its_changed_lines_in_any_order_and_spacing():
    assert _changed_lines("--- a/x\n+++ b/x\n same\n-one\n+ two\n+two") == ["+two", "-one"]
