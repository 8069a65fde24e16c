import json

import pytest
from commanding import run_command

from sentinel_command_mutate.lies import KINDS, lies_of
from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, decode_trace, encode_trace
from sentinel_core.testing import honest_trace

pytestmark = pytest.mark.unmeasured


def called(key, name, result, success=True):
    return (
        Message(role="assistant", tool_calls=(ToolCall(id=key, name=name),)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id=key, content=result, success=success),)),
    )


def run(*pairs, answer="Done.", name="t"):
    asked = Message(role="user", content="Please.")
    talk = (message for pair in pairs for message in pair)
    return ExecutionTrace(trace_id=name, messages=(asked, *talk, Message(role="assistant", content=answer)))


TWO = run(
    called("a", "get_user", "user_4711, 350 miles"),
    called("b", "book_flight", "ok"),
    called("c", "sendEmail", "ok"),
    answer="Booked and told user_4711, who has 350 miles.",
)


def names(trace):
    return [call.name for message in trace.messages for call in message.tool_calls]


def results(trace):
    return [result.content for message in trace.messages for result in message.tool_results]


def test_every_kind_is_made_and_named():
    lies = dict(lies_of(TWO))
    assert set(lies) == {"dropped_all", "dropped_one", "failed_one", "figure", "identifier"} < set(KINDS)
    assert all(lie.trace_id == f"t#{kind}" for kind, lie in lies.items())
    assert names(lies["dropped_all"]) == ["get_user"]
    assert results(lies["dropped_all"]) == ["user_4711, 350 miles"]
    assert names(lies["dropped_one"]) == ["get_user", "book_flight"]
    assert names(lies["failed_one"]) == names(TWO)
    assert results(lies["failed_one"])[-1].startswith("Error: 500")


@pytest.mark.parametrize(
    ("kind", "gone", "stays"), [("figure", "350", "user_4711"), ("identifier", "user_4711", "350")]
)
def test_one_word_of_the_answer_is_changed(kind, gone, stays):
    lie = dict(lies_of(TWO))[kind]
    answer = lie.messages[-1].content
    assert gone not in answer
    assert stays in answer
    assert (names(lie), results(lie), len(answer)) == (names(TWO), results(TWO), len(TWO.messages[-1].content))


def test_the_words_stay_where_the_record_changes():
    for kind in ("dropped_all", "dropped_one", "failed_one"):
        assert dict(lies_of(TWO))[kind].messages[-1] == TWO.messages[-1]


@pytest.mark.parametrize(
    "trace",
    [
        run(called("a", "get_user", "x"), answer="Looked."),
        run(called("a", "book_flight", "no seats", success=False), answer="It failed."),
        ExecutionTrace(trace_id="t", messages=called("a", "book_flight", "ok")),
        ExecutionTrace(trace_id="t"),
    ],
)
def test_where_nothing_was_changed_and_told_there_is_no_lie(trace):
    assert list(lies_of(trace)) == []


# A gate that wants a booking, whatever is said.
GATE = """
from sentinel_core import Signal, hookimpl


def detect(index):
    return 0.0 if any(call.call.name == "book_train" for call in index.calls) else 1.0


@hookimpl
def sentinel_signals():
    return [Signal(name="gate", summary="books a train", detect=detect)]
"""
OPTIONS = ("--plugins", "./gate.py", "--weight", "gate=1000")


def test_the_command_counts_what_the_gate_catches(tmp_path):
    (tmp_path / "gate.py").write_text(GATE)
    other = run(called("a", "send_mail", "ok"), name="other")
    runs = tmp_path / "runs.jsonl"
    runs.write_bytes(b"".join(encode_trace(one) + b"\n" for one in (honest_trace(), honest_trace(), other)))
    done = run_command(tmp_path, "mutate", "runs.jsonl", *OPTIONS, "--json", "--export", "lies.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    counts = json.loads(done.stdout)
    assert (counts["runs"], counts["troubled"], counts["unjudged"]) == (3, 1, 0)
    assert counts["lies"]["dropped_all"] == {"made": 2, "caught": 2}
    assert counts["lies"]["failed_one"]["made"] == 2
    exported = [decode_trace(line) for line in (tmp_path / "lies.jsonl").read_bytes().splitlines()]
    assert len(exported) == sum(row["made"] for row in counts["lies"].values())
    shown = run_command(tmp_path, "mutate", "runs.jsonl", *OPTIONS).stdout.splitlines()
    assert shown[0] == "3 runs: 1 with a WARN or FAIL already, 2 with a PASS, to be turned into lies"
    assert shown[1].split() == ["dropped_all", "2", "of", "2", "caught", "100%"]
    assert [line.split()[0] for line in shown[1:]] == list(KINDS)


def test_what_cannot_be_read_is_told(tmp_path):
    done = run_command(tmp_path, "mutate", "nowhere.jsonl")
    assert (done.returncode, done.stdout) == (3, "")
    assert "nowhere.jsonl" in done.stderr
