"""Calls and output that the agent writes as text."""

import pytest
from tables import each_row

CALLS = [
    '<invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke>',
    "<function_calls>\n",
    '<tool_call>{"city": "Oslo"}</tool_call>',
    "Let me look.\n</tool_call>",
    "<function=get_weather>Oslo</function>",
    "[tool_call: get_weather(Oslo)]",
    '{"name": "get_weather", "arguments": {"city": "Oslo"}}',
    'Now: {"name": "get_weather", "parameters": {"city": "Oslo"}}',
]
OUTPUTS = [
    "<tool_response>12 degrees</tool_response>",
    "<tool_result>12 degrees</tool_result>",
    "<function_results>12 degrees</function_results>",
    "[tool_result: 12 degrees]",
    "```tool_output\n12 degrees\n```",
    "Thought: look\nAction: get_weather[Oslo]\nObservation: 12 degrees",
    'Action: get_weather\nAction Input: {"city": "Oslo"}\nObservation: 12 degrees',
    "<execute>print(1)</execute>\n\nObservation: 1",
    "<code>print(1)</code>\nOutput: 1",
]


def rules(answer):
    return [finding.rule for finding in answer.findings]


@pytest.mark.parametrize(
    ("text", "is_echo"),
    [
        ('{"name": "get_weather", "arguments": {"city": "Oslo"}}', True),
        ('```json\n{"name": "get_weather", "parameters": {"city": "Oslo"}}\n```', True),
        ('{"name": "get_weather", "arguments": {"city": "Rome"}}', False),
        ('{"name": "get_weather", "arguments": {"city": "Oslo"}', False),
    ],
)
def test_the_text_of_a_call_that_was_made_is_an_echo(script, text, is_echo):
    answer = script.judge(script.user("Weather?"), script.call("get_weather", "12", city="Oslo"), script.say(text))
    assert (script.ways(answer) == set()) is is_echo
    assert not any("made no call" in finding.text for finding in answer.findings)
    failed = script.call("get_weather", "no such city", success=False, city="Oslo")
    assert script.ways(script.judge(script.user("Weather?"), failed, script.say(text))) != set()


@pytest.mark.usefixtures("all_warn")
@pytest.mark.parametrize("text", CALLS)
def test_a_call_as_text(script, text):
    more = {"available_tools": (script.tool("get_time"), script.tool("get_weather"))}
    answer = script.judge(script.user("Weather?"), script.call("get_time", "12"), script.say(text), **more)
    assert (script.ways(answer), answer.score) == ({"imitated_call.as_text"}, 0.6)
    assert answer.findings[0].quote in text


@pytest.mark.parametrize("text", [text for text in CALLS if "get_weather" in text and text[0] != "["])
def test_a_call_as_text_of_a_tool_that_ran_is_told_apart(script, text):
    answer = script.judge(script.user("Weather?"), script.call("get_weather", "12"), script.say(text))
    assert script.ways(answer) == {"imitated_call.after_it_ran"}


@pytest.mark.usefixtures("all_warn")
@pytest.mark.parametrize("text", OUTPUTS)
def test_output_as_text(script, text):
    answer = script.judge(script.user("Weather?"), script.call("get_weather", "nothing"), script.say(text))
    assert (script.ways(answer), answer.score) == ({"imitated_output.as_text"}, 0.6)


@each_row("text", CALLS)
def test_text_that_is_how_the_agent_calls(script, text):
    own = script.judge(script.user("Weather?"), script.call("get_weather", "12", says=text), script.say("12."))
    assert own.findings == ()


@each_row("text", CALLS + OUTPUTS)
def test_markup_that_the_user_brought_up(script, text):
    answer = script.judge(script.user(f"What is this? {text}"), script.call("get_weather", "12"), script.say(text))
    assert answer.findings == ()


@each_row("text", CALLS + OUTPUTS)
def test_a_trace_without_tools_is_a_gap(script, text):
    answer = script.judge(script.user("Weather?"), script.say(text))
    assert (answer.score, answer.findings, len(answer.gaps)) == (0.0, (), 1)


@pytest.mark.parametrize(
    "text",
    [
        'Use this schema: {"name": "make_coffee", "arguments": {"size": 3}} in your code.',
        "Observation: the sky is blue.",
        "Output: 12",
        "```python\nprint(12)\n```\nOutput:\n12",
        "My observation is that the action failed.",
        "In short: the action was good. Observation: none.",
        "The <tool_box> is open.",
    ],
)
def test_plain_text(script, text):
    answer = script.judge(script.user("Weather?"), script.call("get_weather", "12"), script.say(text))
    assert answer.findings == ()


def test_output_that_came_true_is_no_finding(script):
    text = "<execute>print(1)</execute>\nObservation: 1"
    answer = script.judge(script.user("Go."), script.call("python", "1\n", says=text))
    assert answer.findings == ()


@pytest.mark.parametrize(("real", "found"), [("1 of 4 chances", 1), ("  1  \nok", 0), ("21", 1), ("x\n1", 0), ("", 1)])
def test_a_line_that_came_true_is_a_whole_one(script, real, found):
    text = "<execute>print(1)</execute>\nObservation: 1"
    answer = script.judge(script.user("Go."), script.call("python", real, says=text))
    assert rules(answer) == ["imitated_output"] * found


@pytest.mark.parametrize(("real", "found"), [("x" * 500, 0), ("x" * 150, 1)])
def test_a_long_line_is_compared_by_its_beginning(script, real, found):
    text = f"<execute>run()</execute>\nObservation: {'x' * 500}"
    answer = script.judge(script.user("Go."), script.call("python", real, says=text))
    assert rules(answer) == ["imitated_output"] * found


@pytest.mark.usefixtures("all_warn")
def test_output_that_the_record_refutes(script):
    text = "<execute>print(1)</execute>\nObservation: 2"
    answer = script.judge(script.user("Go."), script.call("python", "1\n", says=text))
    assert (script.ways(answer), answer.score) == ({"imitated_output.as_text"}, 0.6)


@pytest.mark.usefixtures("all_warn")
def test_output_that_nobody_can_check_weighs_nothing(script):
    text = "<execute>print(1)</execute>\nObservation: 2"
    answer = script.judge(script.user("Go."), script.call("python", "1\n"), script.call("python", None, says=text))
    assert (script.ways(answer), answer.score) == ({"imitated_output.beside_unrecorded"}, 0.0)


def test_several_spellings_are_one_finding(script):
    answer = script.judge(script.user("Go."), script.call("get_weather", "12"), script.say("\n".join(CALLS)))
    assert rules(answer) == ["imitated_call"]
