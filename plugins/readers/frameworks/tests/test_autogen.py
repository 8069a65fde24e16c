import pytest

from sentinel_core import ReadError
from sentinel_core.traces.codec import encode_trace

FENCE = "```"
CODE = f"Let us see.\n{FENCE}python\nprint(1)\n{FENCE}"


def said(name, content, role="user", **fields):
    return {"name": name, "role": role, "content": content, **fields}


def event(source, content, kind="TextMessage", **fields):
    return {"source": source, "content": content, "type": kind, "models_usage": None, **fields}


def test_a_clean_run_is_read_whole(read, data, told, tokens, origins):
    (trace,) = read("autogen", data("autogen-clean.json"))
    assert told(trace) == [
        ("user", "Is the bridge open?", [], []),
        ("assistant", None, [("call_b", "bridge_state", {"bridge": "east"})], []),
        ("tool", None, [], [("call_b", "open", True)]),
        ("assistant", "The east bridge is open.", [], []),
    ]
    assert tokens(trace)[:3] == (75, 15, 90)
    assert origins(trace) == [f"$.messages[{at}]" for at in (0, 1, 2, 4)]
    assert (trace.trace_id, trace.details.outcome) == ("file", "completed")
    assert trace.messages[0].timestamp == "2026-04-05T06:07:08Z"
    assert trace.messages[3].metadata == {"speaker": "keeper"}


def test_labelled_history_and_chat_result(read, data, told, tokens, origins):
    labelled, chat, error = read("autogen", data("autogen-rough.jsonl"))
    assert labelled.trace_id == "q-42"
    assert [row[0] for row in told(labelled)] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert told(labelled)[1][2] == [("call-1", "execute_code", {"code": "print(6 * 8)"})]
    assert [row[3] for row in told(labelled)[2::2]] == [[("call-1", "48", True)], [("call-2", "SyntaxError", False)]]
    assert origins(labelled)[0] == "line 1 $.history[0]"
    assert told(chat) == [
        ("user", "Move boxes 1 and 2.", [], []),
        ("assistant", None, [("k1", "move", {"box": 1}), ("k2", "move", {"box": 2})], []),
        ("tool", None, [], [("k1", "moved", None), ("k2", "Error: too heavy", None)]),
        ("assistant", "Box 1 is moved; box 2 is too heavy.", [], []),
    ]
    assert tokens(chat)[:3] == (90, 30, 120)
    assert (type(error), error.line) == (ReadError, 3)


def test_labels_are_never_read(read, data):
    labelled = read("autogen", data("autogen-rough.jsonl"))[0]
    written = encode_trace(labelled).decode()
    for label in ("SECRET-LABEL", "mistake", "ground_truth", "is_correct", "is_corrected", '"level"'):
        assert label not in written


def test_a_question_that_nobody_says_stands_first(read, told):
    history = [said("Expert", "Thinking.", "assistant")]
    (trace,) = read("autogen", [{"question": "Why?", "history": history, "mistake_step": "0"}])
    assert told(trace)[0] == ("user", "Why?", [], [])
    (trace,) = read("autogen", [{"question": "Why?", "history": [said("human", "Why?"), *history]}])
    assert [row[1] for row in told(trace)] == ["Why?", "Thinking."]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Computer_terminal", "user"),
        ("user_proxy", "user"),
        ("UserProxyAgent", "user"),
        ("code-executor", "user"),
        ("human", "user"),
        ("chat_manager", "user"),
        ("Excel_Expert", "assistant"),
        ("UserResearcher", "assistant"),
    ],
)
def test_who_speaks(read, told, name, role):
    (trace,) = read("autogen", [{"history": [said(name, "x")]}])
    assert told(trace)[0][0] == role
    (trace,) = read("autogen", [{"history": [{"role": name, "content": "x"}]}])
    assert told(trace)[0][0] == role


def test_thoughts_are_reasoning(read, told):
    history = [
        {"role": "Orchestrator (thought)", "content": "hm"},
        {"role": "Orchestrator (-> Surfer)", "content": "go"},
    ]
    (trace,) = read("autogen", [{"history": history}])
    assert [(message.content, message.details.reasoning) for message in trace.messages] == [(None, "hm"), ("go", None)]
    (trace,) = read("autogen", [[event("a", "hm", "ThoughtEvent"), event("a", "go")]])
    assert [message.details.reasoning for message in trace.messages] == ["hm", None]


def test_speaker_and_recipient_of_a_magentic_one_log(read):
    roles = (
        "human",
        "Orchestrator (thought)",
        "Orchestrator (-> Surfer)",
        "Surfer",
        "Orchestrator (termination condition)",
    )
    (trace,) = read("autogen", [{"history": [{"role": role, "content": "x"} for role in roles]}])
    assert [message.metadata for message in trace.messages] == [
        {"speaker": "human"},
        {"speaker": "Orchestrator"},
        {"speaker": "Orchestrator", "recipient": "Surfer"},
        {"speaker": "Surfer"},
        {"speaker": "Orchestrator (termination condition)"},
    ]


def test_code_that_was_not_run_is_no_call(read, told):
    history = [said("Expert", CODE), said("Computer_terminal", "There is no code to execute."), said("Expert", "ok")]
    (trace,) = read("autogen", [{"history": history}])
    assert [row[2] for row in told(trace)] == [[], [], []]


def test_output_without_code_before_it_is_said_by_the_terminal(read, told):
    history = [
        said("Expert", "no code"),
        said("Computer_terminal", "exitcode: 0 (execution succeeded)\nCode output: 1"),
    ]
    (trace,) = read("autogen", [{"history": history}])
    assert [row[0] for row in told(trace)] == ["assistant", "user"]


def test_code_events(read, told):
    generated = event("coder", CODE, "CodeGenerationEvent", code_blocks=[{"code": "print(1)", "language": "python"}])
    executed = {
        "source": "coder",
        "type": "CodeExecutionEvent",
        "content": "1",
        "result": {"exit_code": 0, "output": "1"},
    }
    (trace,) = read("autogen", [[generated, executed]])
    assert told(trace)[0][2] == [("call-1", "execute_code", {"code": "print(1)"})]
    assert told(trace)[1][3] == [("call-1", "1", True)]


def test_results_tell_errors(read, told):
    call = event("a", [{"id": "c", "name": "f", "arguments": "{}"}], "ToolCallRequestEvent")
    result = event("a", [{"call_id": "c", "name": "f", "content": "no", "is_error": True}], "ToolCallExecutionEvent")
    (trace,) = read("autogen", [call, result])
    assert told(trace)[1][3] == [("c", "no", False)]


def test_old_function_calls(read, told):
    asked = said("helper", None, "assistant", function_call={"name": "f", "arguments": '{"a": 1}'})
    answered = {"role": "function", "name": "f", "content": "ok"}
    (trace,) = read(
        "autogen", [{"chat_history": [said("boss", "do", "assistant"), asked, answered], "human_input": []}]
    )
    assert [row[0] for row in told(trace)] == ["user", "assistant", "tool"]
    assert told(trace)[1][2] == [("call-1", "f", {"a": 1})]
    assert told(trace)[2][3] == [("call-1", "ok", None)]


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("Maximum number of messages 10 reached", "max_turns"),
        ("External termination requested", "interrupted"),
        ("Timeout of 5 seconds reached", "timeout"),
        ("Text 'TERMINATE' mentioned", "completed"),
        (None, None),
    ],
)
def test_the_end_of_a_run_gives_the_outcome(read, reason, outcome):
    (trace,) = read("autogen", [{"messages": [event("a", "x")], "stop_reason": reason}])
    assert trace.details.outcome == outcome


def test_each_layout_of_the_format_is_read(read):
    chat = {"history": [said("a", "x")]}
    assert [trace.trace_id for trace in read("autogen", [chat, {**chat, "question_ID": "q"}])] == ["file:1", "q"]
    assert [trace.trace_id for trace in read("autogen", [[chat, chat]])] == ["file[0]", "file[1]"]
    assert [trace.trace_id for trace in read("autogen", [[event("a", "x"), event("b", "y")]])] == ["file"]
    assert read("autogen", [{"x": 1}]) == [ReadError(message="contains no chat history at $", line=1)]
    (trace,) = read("autogen", [{"history": [said("a", "x"), 3]}])
    assert trace.metadata == {"reading_gaps": ["1 entry that is not a message"]}
