import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import each_row

from sentinel_core import (
    CallDetails,
    ExecutionTrace,
    Message,
    ToolCall,
    ToolResult,
    ToolSchema,
    TraceDetails,
    TraceIndex,
)
from sentinel_signal_tool_misuse import ToolMisuseSettings, detect, sentinel_signals
from sentinel_signal_tool_misuse.arguments import PLACEHOLDERS, empty_names, is_doubtful, placeholder

SETTINGS = ToolMisuseSettings()
GOOD, BAD, NONE = "ready", "Error: closed", None
SEARCH = ToolSchema(
    name="search",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["query"],
    },
)


def call(result=GOOD, name="search", success=None, raw=None, **arguments):
    """A call's name, arguments, result text (None: not recorded) and flag."""
    return name, arguments, result, success, raw


def run(*calls, tools=None, children=()):
    messages = []
    for number, (name, arguments, result, success, raw) in enumerate(calls):
        details = CallDetails(raw_arguments=raw) if raw is not None else None
        made = ToolCall(id=f"c{number}", name=name, arguments=arguments, details=details)
        messages.append(Message(role="assistant", tool_calls=(made,)))
        if result is not None:
            answer = ToolResult(tool_call_id=f"c{number}", content=result, success=success)
            messages.append(Message(role="tool", tool_results=(answer,)))
    details = TraceDetails(available_tools=tools, children=tuple(child.trace for child in children))
    return TraceIndex(ExecutionTrace(trace_id="t", messages=tuple(messages), details=details))


def found(*calls, tools=None, **changes):
    return detect(run(*calls, tools=tools), attrs.evolve(SETTINGS, **changes))


def score(*calls, **changes):
    return found(*calls, **changes).score


def expected(bad, calls, ending=0.0):
    """The README's formula, written out."""
    amount = bad * bad / calls
    return round(1 - (1 - amount / (amount + 1)) * 0.5**ending, 6)


def rules(*calls, tools=None):
    return [(one.rule, one.severity) for one in found(*calls, tools=tools).findings]


def test_no_messages_cannot_be_measured():
    assert found().score is None


def test_no_calls_are_no_misuse():
    index = TraceIndex(ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="Hello."),)))
    assert detect(index, SETTINGS).score == 0.0


def test_an_agent_that_did_nothing_cannot_be_measured():
    asked = ExecutionTrace(trace_id="t", messages=(Message(role="user", content="Hello?"),))
    assert detect(TraceIndex(asked), SETTINGS).score is None
    spoke = attrs.evolve(asked, messages=(*asked.messages, Message(role="assistant", content="Hello.")))
    above = attrs.evolve(asked, details=TraceDetails(children=(spoke,)))
    assert detect(TraceIndex(above), SETTINGS).score == 0.0


def test_one_call():
    assert found(call(GOOD)).details == "1 call, nothing wrong."
    assert found(call(BAD)).details == "The only call failed."


def test_good_calls_score_nothing():
    nothing = found(call(), call(), call(NONE, name="finish"))
    assert (nothing.score, nothing.findings, nothing.details) == (0.0, (), "3 calls, nothing wrong.")
    assert "schemas" in nothing.gaps[0]


def test_a_call_without_parameters_is_fine():
    assert score(call(name="list_airports"), call(name="list_airports")) == 0.0


def test_a_failed_call_quotes_its_result():
    broken = found(call(BAD), call(GOOD))
    [one] = broken.findings
    assert (one.rule, one.message_index, one.call_id, one.quote) == ("failed_call", 0, "c0", BAD)
    assert one.text == '"search" failed.'
    assert broken.details == "1 of 2 calls failed; the agent recovered."


def test_an_error_that_the_run_ends_on_weighs_much():
    assert score(*[call()] * 9, call(BAD)) == expected(1, 10, ending=1) >= 0.5
    assert score(*[call()] * 8, call(BAD), call(BAD)) == expected(2, 10, ending=2) > 0.75
    assert score(call(BAD)) == expected(1, 1, ending=1) == 0.75


def test_a_repaired_error_weighs_little():
    assert score(*[call()] * 8, call(BAD), call()) == expected(0.1, 10) < 0.01


def test_an_error_that_the_agent_left_behind_weighs_something():
    assert score(*[call()] * 8, call(BAD), call(name="other")) == expected(0.5, 10)
    assert 0.01 < expected(0.5, 10) < 0.1
    details = found(call(BAD), call(name="other"), call(name="other")).details
    assert details == "1 of 3 calls failed; other calls worked afterwards."


def test_a_terminal_call_without_a_result_repairs_nothing():
    assert score(*[call()] * 8, call(BAD), call(NONE, name="submit")) == expected(1, 10, ending=1)


def test_many_repaired_errors_add_up():
    assert score(*[part for _ in range(10) for part in (call(BAD), call())]) == expected(1, 20)


def test_everything_failing_is_certain():
    assert score(*[call(BAD)] * 20) > 0.95


@pytest.mark.parametrize(
    ("shown", "severity"),
    [((call(BAD),), "warning"), ((call(BAD), call(name="other")), "warning"), ((call(BAD), call()), "note")],
)
def test_severity_follows_the_kept_weight(shown, severity):
    assert rules(*shown) == [("failed_call", severity)]


def test_an_explicit_flag_decides():
    assert rules(call("fine", success=False)) == [("failed_call", "warning")]
    assert rules(call(BAD, success=True)) == []


def test_an_empty_lookup_weighs_less_than_a_failure():
    assert rules(call("No results")) == [("no_match", "warning")]
    assert score(*[call()] * 9, call("No results")) == expected(0.3, 10, ending=0.3)


def test_a_tool_that_the_environment_does_not_know():
    assert rules(call("Unknown tool: serch", name="serch")) == [("unknown_tool", "error")]


def test_a_tool_that_was_not_on_offer():
    assert rules(call(name="serch"), tools=(SEARCH,)) == [("unknown_tool", "error")]
    assert rules(call(name="serch", success=True), tools=(SEARCH,)) == []
    assert rules(call(query="x"), tools=(SEARCH,)) == []


@pytest.mark.parametrize(
    ("arguments", "expected_rules"),
    [
        ({"query": "x"}, []),
        ({}, ["missing_argument"]),
        ({"limit": 3}, ["missing_argument"]),
        ({"query": 3}, ["invalid_argument"]),
        ({"query": "x", "limit": "three"}, ["invalid_argument"]),
    ],
)
def test_arguments_against_the_schema(arguments, expected_rules):
    assert [rule for rule, _ in rules(call(**arguments), tools=(SEARCH,))] == expected_rules


def test_a_refused_argument_is_quoted():
    [one] = found(call(query=3), tools=(SEARCH,)).findings
    assert one.quote == '{"query":3}'
    assert '3 is not of type "string"' in one.text


def test_a_schema_that_is_none_leaves_a_gap():
    odd = ToolSchema(name="search", parameters={"type": "thing"})
    [gap] = found(call(query="x"), tools=(odd,)).gaps
    assert '"search"' in gap


def test_a_reference_in_a_schema_is_never_fetched():
    remote = ToolSchema(name="search", parameters={"$ref": "http://127.0.0.1:9/schema.json"})
    detection = found(call(query="x"), tools=(remote,))
    assert detection.score == 0.0
    assert len(detection.gaps) == 1


def test_a_tool_without_a_schema_takes_anything():
    assert rules(call(query=3), tools=(ToolSchema(name="search"),)) == []


def test_arguments_that_were_not_json():
    assert rules(call(BAD, raw="{query: x")) == [("failed_call", "warning")]
    assert rules(call(NONE, raw="{query: x")) == [("arguments_not_json", "error")]
    assert rules(call(GOOD, raw="free text is what this tool takes")) == []


PLACEHOLDER_EXAMPLES = [
    "...",
    "…",
    "xxx",
    "TODO",
    "<your_api_key>",
    "<user_id>",
    "[Insert name here]",
    "{{order_id}}",
    "your_api_key",
    "insert_name_here",
    "/path/to/file.txt",
]


@each_row("text", PLACEHOLDER_EXAMPLES)
def test_placeholders_are_found(text):
    assert rules(call(key=text)) == [("placeholder_argument", "warning")]
    assert placeholder({"deep": {"list": [1, text]}}) == text


@each_row("change", [str.upper, str.lower, str.title, "{}  ".format])
@each_row("text", PLACEHOLDER_EXAMPLES)
def test_case_and_trailing_space_do_not_hide_a_placeholder(text, change):
    assert placeholder({"key": change(text)}) == change(text)


def test_todo_is_a_state_of_a_task():
    tasks = [{"title": "Read", "status": "done"}, {"title": "Write", "status": "todo"}]
    assert rules(call(name="task_tracker", command="plan", task_list=tasks)) == []
    assert placeholder({"column": "todo", "title": "TODO"}) == "TODO"


def test_of_several_placeholders_the_outermost_is_named():
    assert placeholder({"deep": ["TODO"], "flat": "..."}) == "..."
    assert is_doubtful([{"key": "real"}, {"key": "TODO"}])
    assert not is_doubtful([{"key": "real", "list": [{"key": ["here"]}, 1]}, {"key": 7}])


@each_row("holder", [["TODO"], [1, "TODO"], [{}, "TODO"], {"a": "b", "c": "TODO"}, [[1], 'a"b', "TODO", {}]])
@each_row("before", ["x", 'a "quoted" one\\', "x" * 5000])
def test_a_placeholder_is_noticed_wherever_it_stands(holder, before):
    assert is_doubtful([{"key": before, "holder": holder}])


_TEXTS = st.sampled_from(["", "real", "re", "TODO", "todo ", "...", "<your-key>", "path/to/it", "pa", "x" * 65, "…"])
_VALUES = st.recursive(
    _TEXTS | st.none() | st.booleans() | st.integers(0, 1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), _VALUES, max_size=3), max_size=3))
def test_the_look_at_all_calls_lets_nothing_pass_that_the_look_at_each_finds(arguments):
    if any(placeholder(one) is not None or empty_names(one) for one in arguments):
        assert is_doubtful(arguments)


def test_each_row_of_the_table_has_an_example():
    import re

    for row in PLACEHOLDERS:
        assert any(re.fullmatch(row, text.lower()) for text in PLACEHOLDER_EXAMPLES), row


@each_row(
    "text",
    [
        "example.com",
        "jane@example.com",
        "string",
        "n/a",
        "..",
        "../data",
        "xx",
        "<b>",
        "<div>your text</div>",
        "Yours",
        "todo list for Monday",
        "your order has been shipped",
        "TODO " + "x" * 70,
        "...".ljust(65, "."),
        "print('your_key')",
        "{}",
    ],
)
def test_real_values_are_no_placeholders(text):
    assert placeholder({"key": text}) is None


def test_placeholders_below_the_fourth_level_are_not_looked_for():
    assert placeholder({"a": [[["TODO"]]]}) == "TODO"
    assert placeholder({"a": [[[[["TODO"]]]]]}) is None


@pytest.mark.parametrize("empty", ["", None, [], {}])
def test_an_argument_left_empty_where_others_are_not(empty):
    assert rules(call(query="x"), call(query=empty)) == [("empty_argument", "warning")]


def test_an_empty_argument_that_nobody_fills_is_the_custom():
    assert rules(call(filter=""), call(filter="")) == []
    assert rules(call(filter="x", name="other"), call(filter="")) == []


@pytest.mark.parametrize("value", [0, False, 0.0])
def test_zero_and_false_are_values(value):
    assert rules(call(query="x"), call(query=value)) == []


def test_one_call_counts_once():
    assert rules(call(BAD, key="TODO")) == [("failed_call", "warning")]


def test_a_weight_of_zero_switches_a_rule_off():
    assert found(call("No results"), no_match_weight=0.0).findings == ()


def test_findings_are_few_and_the_worst_come_first():
    many = found(*[call(BAD)] * 30, call(), call(BAD, name="other"))
    assert len(many.findings) == 20
    assert many.findings[0].call_id == "c31"
    assert many.findings[1].call_id == "c0"


def test_the_worst_child_decides_and_is_named():
    inner = run(call(BAD), call(BAD))
    outer = run(call(), children=(run(call()), run(call(), children=(inner,))))
    detection = detect(outer, SETTINGS)
    assert detection.score == expected(2, 2, ending=2)
    assert {one.trace_path for one in detection.findings} == {(1, 0)}
    assert "2 of 2 calls" in detection.details
    assert len(detection.gaps) == 1


def test_a_child_of_an_empty_trace_is_measured():
    assert detect(run(children=(run(call()),)), SETTINGS).score == 0.0


def test_metadata_and_names_of_traces_are_not_read():
    index = run(call(BAD))
    other = TraceIndex(attrs.evolve(index.trace, trace_id="other", metadata={"labels": {"success": False}}))
    assert detect(index, SETTINGS) == detect(other, SETTINGS)


@pytest.mark.parametrize("changes", [{"repaired_weight": 1.1}, {"half_at": 0.0}, {"ending_weight": -0.1}])
def test_settings_refuse_what_makes_no_sense(changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        ToolMisuseSettings(**changes)


def test_the_hook_offers_the_signal():
    [signal] = sentinel_signals()
    assert (signal.name, signal.detect, signal.settings) == ("tool_misuse", detect, ToolMisuseSettings)


@pytest.mark.parametrize("raw", [None, '{"query": "TO'])
@pytest.mark.parametrize("tools", [None, (SEARCH,)])
def test_what_the_host_did_not_run_is_no_misuse(raw, tools):
    details = CallDetails(raw_arguments=raw) if raw is not None else None
    asked = ToolCall(id="b", name="delete", arguments={"query": "TODO"}, details=details)
    refused = ToolResult(tool_call_id="b", content="not run: the limit is 1", success=False, metadata={"not_run": True})

    def detected(result):
        messages = (
            Message(role="assistant", tool_calls=(ToolCall(id="a", name="search", arguments={"query": "x"}),)),
            Message(role="tool", tool_results=(ToolResult(tool_call_id="a", content=GOOD, success=True),)),
            Message(role="assistant", tool_calls=(asked,)),
            Message(role="tool", tool_results=(result,)),
        )
        details = TraceDetails(available_tools=tools)
        return detect(TraceIndex(ExecutionTrace(trace_id="t", messages=messages, details=details)), SETTINGS)

    assert (detected(refused).score, detected(refused).findings) == (0.0, ())
    for metadata in (None, {"not_run": False}, {"error": "ToolNotFoundError"}):
        assert detected(attrs.evolve(refused, metadata=metadata)).score > 0


def test_a_call_that_was_not_run_repairs_nothing():
    refused = ToolResult(tool_call_id="b", content="not run: late", success=False, metadata={"not_run": True})
    failed = Message(role="tool", tool_results=(ToolResult(tool_call_id="a", content=BAD, success=False),))
    calls = [Message(role="assistant", tool_calls=(ToolCall(id=name, name="search"),)) for name in "ab"]
    messages = (calls[0], failed, calls[1], Message(role="tool", tool_results=(refused,)))
    detection = detect(TraceIndex(ExecutionTrace(trace_id="t", messages=messages)), SETTINGS)
    assert detection.score == expected(1, 2, ending=1)
