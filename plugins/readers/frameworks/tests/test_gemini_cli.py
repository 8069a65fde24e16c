import json

import attrs
import pytest

from sentinel_core import ReadError
from sentinel_core.testing import BytesSource
from sentinel_core.trace import CallDetails
from sentinel_readers_frameworks import gemini_cli

HEADER = {"sessionId": "s", "projectHash": "h", "kind": "main"}


def user(number=1, content="hi"):
    return {"id": f"u{number}", "type": "user", "content": content}


def model(number=1, content="ho", *calls, **fields):
    return {"id": f"g{number}", "type": "gemini", "content": content, "toolCalls": list(calls), **fields}


def call(**fields):
    return {"id": "c", "name": "f", "args": {"a": 1}, "status": "success", **fields}


def response(answer):
    return [{"functionResponse": {"id": "c", "name": "f", "response": answer}}]


def test_a_clean_run_is_read_whole(read, data, told, tokens, origins):
    """The same message written again, the last wins; cached tokens are part of the input; notices are no messages."""
    (trace,) = read("gemini-cli", data("gemini-cli-clean.jsonl"))
    assert trace.trace_id == "gem-1"
    assert told(trace) == [
        ("user", "How many lines has notes.txt?", [], []),
        ("assistant", "I will read it.", [("read_file-1", "read_file", {"path": "notes.txt"})], []),
        ("tool", None, [], [("read_file-1", "a\nb\nc", True)]),
        ("assistant", "It has 3 lines.", [], []),
    ]
    assert tokens(trace) == (222, 21, 243, 140, 5)
    assert origins(trace) == ["line 2", "line 5", "line 5", "line 7"]
    read_it = trace.messages[1]
    assert (read_it.details.reasoning, read_it.details.model) == (
        "Reading: The file must be read first.",
        "gemini-2.5-pro",
    )
    assert read_it.tool_calls[0].timestamp == "2026-02-03T04:05:09.000Z"
    assert trace.details.outcome is None


def test_one_old_document(read, data, told, tokens, origins):
    """Parallel calls, one failed, one cancelled by a person, and a person's stop at the end."""
    (trace,) = read("gemini-cli", data("gemini-cli-rough.json"))
    calls = [
        ("t1", "shell", {"command": "make test"}),
        ("t2", "read_file", {"path": "log"}),
        ("t3", "shell", {"command": "rm log"}),
    ]
    assert told(trace)[1:3] == [
        ("assistant", None, calls, []),
        ("tool", None, [], [("t1", "make: no rule", False), ("t2", "empty", True)]),
    ]
    assert trace.messages[1].tool_calls[2].details == CallDetails(result_expected=False)
    assert tokens(trace)[:3] == (130, 35, 165)
    assert origins(trace) == [f"$.messages[{at}]" for at in (0, 1, 1, 2)]
    assert trace.details.outcome == "interrupted"


def test_a_cut_last_line_is_counted(read, data):
    cut = data("gemini-cli-clean.jsonl")[:-40]
    (trace,) = read("gemini-cli", cut)
    assert len(trace.messages) == 3
    assert trace.metadata == {"reading_gaps": ["1 line is not JSON: 7"]}


@pytest.mark.parametrize(
    ("fields", "content", "success"),
    [
        ({"result": response({"output": "x"})}, "x", True),
        ({"result": response({"error": "e"}), "status": "error"}, "e", False),
        ({"result": response({"error": "e"}), "status": None}, "e", False),
        ({"result": [{"text": "t"}]}, "t", True),
        ({"result": "plain"}, "plain", True),
        ({"result": None, "resultDisplay": "shown"}, "shown", True),
        ({"result": response({"output": "half"}), "status": "cancelled"}, "half", None),
    ],
)
def test_what_a_tool_returned(read, told, fields, content, success):
    (trace,) = read("gemini-cli", [HEADER, user(), model(1, "", call(**fields)), model(2)])
    assert told(trace)[2][3] == [("c", content, success)]


@pytest.mark.parametrize("status", ["cancelled", "executing", "awaiting_approval", None])
def test_a_tool_that_never_ran_has_no_result_to_wait_for(read, status):
    (trace,) = read("gemini-cli", [HEADER, model(1, "", call(status=status)), model(2)])
    assert [message.role for message in trace.messages] == ["assistant", "assistant"]
    assert trace.messages[0].tool_calls[0].details == CallDetails(result_expected=False)


def test_going_back_drops_what_came_after(read, told):
    lines = [HEADER, user(1, "a"), model(1, "b"), user(2, "c"), model(2, "d"), {"$rewindTo": "u2"}, user(3, "e")]
    (trace,) = read("gemini-cli", lines)
    assert [row[1] for row in told(trace)] == ["a", "b", "e"]
    (trace,) = read("gemini-cli", [*lines, {"$rewindTo": "unknown"}, user(4, "f")])
    assert [row[1] for row in told(trace)] == ["f"]


def test_messages_set_at_once_replace_the_others(read, told, origins):
    lines = [HEADER, user(1, "long"), {"$set": {"messages": [user(9, "short")], "sessionId": "t"}}, user(2, "next")]
    (trace,) = read("gemini-cli", lines)
    assert trace.trace_id == "t"
    assert [row[1] for row in told(trace)] == ["short", "next"]
    assert origins(trace) == ["line 3 $.$set.messages[0]", "line 4"]


def test_calls_and_results_that_history_repeats_stand_once(read, told):
    asked = model(
        1, [{"functionCall": {"id": "c", "name": "f", "args": {"a": 1}}}], call(result=response({"output": "x"}))
    )
    (trace,) = read("gemini-cli", [HEADER, user(), asked, user(2, response({"output": "x"})), model(2)])
    assert told(trace)[1:] == [
        ("assistant", None, [("c", "f", {"a": 1})], []),
        ("tool", None, [], [("c", "x", True)]),
        ("assistant", "ho", [], []),
    ]


@pytest.mark.parametrize(("kind", "outcome"), [("error", "error"), ("info", None), ("warning", None)])
def test_a_closing_notice(read, kind, outcome):
    (trace,) = read("gemini-cli", [HEADER, user(), {"id": "n", "type": kind, "content": "Quota"}])
    assert trace.details.outcome == outcome
    (trace,) = read("gemini-cli", [HEADER, user(), {"id": "n", "type": kind, "content": "Quota"}, model()])
    assert trace.details.outcome is None


@attrs.frozen(kw_only=True)
class WithSiblings(BytesSource):
    others: tuple[bytes, ...] = ()

    def siblings(self, pattern):
        assert pattern == "*/*.jsonl"
        return [BytesSource(data=data, name=f"{number}.jsonl") for number, data in enumerate(self.others)]


def lines(*values):
    return "\n".join(map(json.dumps, values)).encode()


def test_sub_agents_lie_in_folders_beside(told):
    main = lines(HEADER, user(), model(1, "", call(agentId="sub-1", result="ok")), model(2))
    inner = lines({"sessionId": "sub-1", "projectHash": "h", "kind": "subagent"}, user(1, "dig"), model(1, "dug"))
    stranger = lines({"sessionId": "sub-2", "projectHash": "h", "kind": "subagent"}, user())
    (trace,) = gemini_cli.read(WithSiblings(data=main, others=(b"no json", stranger, inner)))
    (child,) = trace.details.children
    assert (child.trace_id, child.details.parent_call_id) == ("sub-1", "c")
    assert [row[1] for row in told(child)] == ["dig", "dug"]


def test_what_is_no_chat(read):
    (error,) = read("gemini-cli", [7])
    assert error == ReadError(message="is not a Gemini CLI chat: no header and no message")
    (trace,) = read("gemini-cli", [HEADER, {"odd": 1}, 7, user()])
    assert trace.metadata == {"reading_gaps": ["2 lines of an unknown kind"]}
