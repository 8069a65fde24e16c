"""Failed calls that the agent repaired or told are notes; the score stays as it is."""

from tables import each_row

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, ToolSchema, TraceDetails, TraceIndex
from sentinel_core.trace import GAPS
from sentinel_signal_tool_misuse import ToolMisuseSettings, detect

FAILURE = "Error: the server is closed"


def called(name, *, worked=True, key="k", **arguments):
    result = ToolResult(tool_call_id=key, content="ready" if worked else FAILURE, success=worked)
    return (
        Message(role="assistant", tool_calls=(ToolCall(id=key, name=name, arguments=arguments),)),
        Message(role="tool", tool_results=(result,)),
    )


def failed(name, **arguments):
    return called(name, worked=False, key="bad", **arguments)


def say(text):
    return Message(role="assistant", content=text)


def user(text="And then?"):
    return Message(role="user", content=text)


def severity(*messages):
    [found] = [one for one in detection(*messages).findings if one.call_id == "bad"]
    return found.severity


def detection(*messages, **details):
    trace = ExecutionTrace(trace_id="t", messages=messages, details=TraceDetails(**details))
    return detect(TraceIndex(trace), ToolMisuseSettings())


ADMITTED = "I could not cancel the order: the server is closed."
DONE = "Your order has been cancelled."


@each_row(
    ("after", "expected"),
    [
        ([], "warning"),
        ([say(DONE)], "warning"),
        ([say(ADMITTED)], "note"),
        ([say("I look further."), *called("get_order"), say(ADMITTED)], "note"),
        ([say(DONE), user(), say(ADMITTED)], "warning"),
        ([user(), say(ADMITTED)], "note"),
        ([say(ADMITTED), user(), say(DONE)], "note"),
        ([say("I look."), say(ADMITTED), say("I look again.")], "warning"),
        ([say("There was no error, all is done.")], "warning"),
        ([say("I fixed the failing test.")], "warning"),
        ([say("I fixed the problem, but the order isn't cancelled.")], "note"),
        ([say("The cancellation was refused.")], "note"),
        ([say("b.txt is missing.")], "note"),
        ([say("It is closed just now, so nothing is changed.")], "note"),  # as the call answered
    ],
)
def test_a_failure_that_the_agent_tells_is_a_note(after, expected):
    assert severity(user("Cancel it."), *failed("cancel_order", id="7"), *after) == expected


def test_a_text_before_the_failure_tells_nothing_of_it():
    assert severity(say(ADMITTED), *failed("cancel_order", id="7")) == "warning"


def test_where_texts_may_be_missing_nobody_says_that_it_was_not_told():
    def settled(*messages):
        trace = ExecutionTrace(trace_id="t", messages=messages, metadata={GAPS: ["1 reply is recorded without text"]})
        return detect(TraceIndex(trace), ToolMisuseSettings()).findings[0].severity

    assert settled(*failed("cancel_order")) == "note"
    assert settled(*failed("cancel_order"), say(DONE)) == "warning"


def test_a_call_without_a_result_in_the_record_is_told_after_the_call():
    unanswered = Message(role="assistant", tool_calls=(ToolCall(id="bad", name="cancel_order"),))
    assert detection(unanswered, say(ADMITTED)).findings == ()


@each_row(
    ("call", "later", "expected"),
    [
        (failed("cancel_order", id="7"), called("cancel_order", id="8"), "note"),
        (failed("cancel_order", id="7"), called("refund_order", id="7"), "warning"),
        (failed("cancel_order", id="7"), called("cancel_order", worked=False, id="7"), "warning"),
        (failed("read_file", path="a.py"), called("grep", query="x"), "note"),
        (failed("read_file", path="a.py"), called("bash", command="cat a.py"), "note"),
        (failed("read_file", path="a.py"), called("write_file", path="b.py"), "warning"),
        (failed("bash", command="make"), called("python", code="1"), "note"),
        (failed("bash", command="make"), called("read_file", path="a.py"), "warning"),
        (failed("edit_file", path="src/a.py"), called("write_file", path="src/a.py"), "note"),
        (failed("edit_file", path="src/a.py"), called("bash", command="sed -i s/a/b/ src/a.py"), "note"),
        (failed("edit_file", path="src/a.py"), called("write_file", path="src/b.py"), "warning"),
        (failed("edit_file", path="src/a.py"), called("read_file", path="src/a.py"), "warning"),
        (failed("edit_file", path="a b/c"), called("write_file", path="a b/c"), "warning"),
        (failed("act", content=" "), called("open_door"), "note"),
        (failed("act", content=3), called("open_door"), "warning"),
        (failed("act"), called("open_door"), "warning"),
    ],
)
def test_a_failure_that_a_later_call_repairs_is_a_note(call, later, expected):
    assert severity(*call, *later) == expected
    assert severity(*called("read_file"), *later, *call) == "warning"


def test_the_score_does_not_change():
    silent, told = detection(*failed("cancel_order")), detection(*failed("cancel_order"), say(ADMITTED))
    assert silent.score == told.score == 0.75


def test_an_unknown_tool_that_was_told_is_a_note_and_a_suspicious_argument_is_not():
    messages = (*failed("read_file", path="../../etc/passwd"), say(ADMITTED))
    assert severity(*messages) == "warning"
    unknown = Message(role="tool", tool_results=(ToolResult(tool_call_id="bad", content="Unknown tool: act"),))
    assert severity(failed("act")[0], unknown, say(ADMITTED)) == "note"
    assert severity(failed("act")[0], unknown) == "error"


RECOVERED, WENT_ON = "the agent recovered.", "other calls worked afterwards."


@each_row(
    ("call", "later", "told"),
    [
        (failed("cancel_order", id="A7"), called("cancel_order", id="A7"), RECOVERED),
        (failed("cancel_order", id="A7"), called("cancel_order", id="A8"), WENT_ON),
        (failed("cancel_order", id="A7"), called("refund_order", id="A7"), WENT_ON),
        (failed("find_flights", origin="SFO", goal="JFK", day="31 June"), called("find_flights", origin="SFO", goal="JFK", day="30 June"), RECOVERED),
        (failed("read_file", path="a.py"), called("read_file", path="src/a.py"), RECOVERED),
        (failed("read_file", path="a.py"), called("read_file", path="b.py"), WENT_ON),
        (failed("read_file", path="a.py"), called("bash", command="cat ./a.py"), RECOVERED),
        (failed("bash", command="pytest tests"), called("bash", command="cd x && pytest -q tests"), RECOVERED),
        (failed("bash", command="git push"), called("bash", command="git status"), WENT_ON),
        (failed("bash", command="make"), called("bash", command="ls"), WENT_ON),
        (failed("edit_file", path="src/a.py", old="x"), called("bash", command="sed -i s/x/y/ src/a.py"), RECOVERED),
        (failed("python", code="import a\nrun(data)\nprint(result)"), called("python", code="import b\nrun(data)\nprint(result)"), RECOVERED),
        (failed("list_rooms"), called("list_rooms"), RECOVERED),
        (failed("set_limits", limits=[{"of": "a", "to": 3}], on=True), called("set_limits", limits=[{"of": "a", "to": 4}], on=False), RECOVERED),
    ],
)  # fmt: skip
def test_an_agent_recovered_only_where_the_purpose_was_achieved(call, later, told):
    assert detection(*call, *later).details == f"1 of 2 calls failed; {told}"


def test_only_the_nearest_of_many_later_calls_repair():
    later = [part for number in range(300) for part in called("read_file", key=f"k{number}", path=f"{number}.py")]
    again = called("read_file", key="again", path="a.py")
    assert detection(*failed("read_file", path="a.py"), *again, *later).details.endswith(RECOVERED)
    assert detection(*failed("read_file", path="a.py"), *later, *again).details.endswith(WENT_ON)


def test_a_schema_that_the_tool_does_not_keep_to_is_a_note():
    schema = {"type": "object", "properties": {"game": {"type": "string"}}, "required": ["game", "season"]}
    offered = (ToolSchema(name="boxscore", description="d", parameters=schema),)

    def found(*messages):
        return [one.severity for one in detection(user("Score?"), *messages, available_tools=offered).findings]

    assert found(*called("boxscore", game=401)) == ["note"]
    assert found(*failed("boxscore", game=401)) == ["warning"]
