from tables import each_row

from sentinel_core import ExecutionTrace, TraceDetails
from sentinel_core.trace import GAPS, reading_remarks
from sentinel_core.traces.readers import TraceBuilder, pieces_of
from sentinel_core.traces.readers.roles import ROLES, role_gaps


def built(*messages, **metadata):
    builder = TraceBuilder("t", "test")
    for message in messages:
        for piece in pieces_of(message):
            builder.add(piece)
    return builder.build(metadata=metadata)


@each_row("role", sorted(ROLES))
def test_known_roles_leave_no_gap(role):
    assert "reading_gaps" not in built({"role": role.upper(), "content": "x"}).metadata


def test_an_unknown_role_is_read_as_the_default_and_told():
    robot = {"role": "robot", "content": "I filed it."}
    trace = built(robot, robot, {"role": "assistant", "content": "x"}, reading_gaps=["1 line is not JSON: 2"])
    assert [message.role for message in trace.messages] == ["user", "user", "assistant"]
    assert trace.metadata["reading_gaps"] == ["1 line is not JSON: 2", '2 messages with the unknown role "robot"']


def test_another_key_may_tell_the_role():
    assert "reading_gaps" not in built({"role": "expert", "type": "ai", "content": "x"}).metadata
    assert (
        "reading_gaps"
        not in built({"content": "x"}, {"role": "", "content": "x"}, {"role": 5, "content": "x"}).metadata
    )


def test_many_unknown_roles_are_counted_and_long_ones_cut():
    assert role_gaps({"a": 1}) == ['1 message with the unknown role "a"']
    assert role_gaps(dict.fromkeys("abcdefg", 1))[4:] == [
        '1 message with the unknown role "e"',
        "and 2 more unknown roles",
    ]
    long = built({"role": "x" * 99, "content": "x"})
    assert long.metadata["reading_gaps"] == [f'1 message with the unknown role "{"x" * 40}"']


def test_sub_agents_are_looked_at():
    child = built({"role": "robot", "content": "x"})
    parent = ExecutionTrace(trace_id="p", messages=(), details=TraceDetails(children=(child,)))
    assert reading_remarks(parent, GAPS) == ['sub-agent "t": 1 message with the unknown role "robot"']
    hostile = ExecutionTrace(trace_id="p", messages=(), metadata={"reading_gaps": "hostile"})
    assert reading_remarks(hostile, GAPS) == []
