"""The same call that fails again and again, with a counter or a clock in its result."""

import time

from tables import each_row

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, TraceIndex
from sentinel_signal_loop import LoopSettings, detect
from sentinel_signal_loop.stretches import rising

SYNTAX_ERROR = "Cell In[{0}], line 1\n    print('a'\n         ^\nSyntaxError: '(' was never closed"


def detected(*results, success=None):
    """One call, made again for each result."""
    messages = []
    for number, content in enumerate(results):
        messages.append(Message(role="assistant", tool_calls=(ToolCall(id=f"c{number}", name="run"),)))
        result = ToolResult(tool_call_id=f"c{number}", content=content, success=success)
        messages.append(Message(role="tool", tool_results=(result,)))
    return detect(TraceIndex(ExecutionTrace(trace_id="t", messages=tuple(messages))), LoopSettings())


def counted(template, times=8):
    return [template.format(number) for number in range(5, 5 + times)]


@each_row(
    "template",
    [
        SYNTAX_ERROR,
        "04:40:{0:02d} run: Error: the device is busy",
        "ERROR: request {0} was refused",
        "error: no space left, {0} blocks are missing",
        "Traceback (most recent call last):\n  line {0}\nStopIteration",
        "Error: 503 Service Unavailable ({0})",
        "Error: none of the {0} hosts answered",
        '{{"error": "not ready", "at": {0}}}',
        '{{"error":"404 Not Found","at":{0}}}',
        '{{"error": {{"code": 429, "id": {0}}}}}',
        "started {0}\n" + "x\n" * 2000 + "KeyError: 'name'",
    ],
)
def test_failures_that_differ_in_a_number_are_the_same(template):
    found = detected(*counted(template))
    assert found.score == round(rising(7, 2.5), 6) >= 0.8
    assert [one.rule for one in found.findings] == ["identical_calls"]


@each_row(
    "template",
    [
        "{0} of 20 done",
        "{0} of 20 done, no errors",
        "step {0}, mean error: 0.{0}",
        "step {0}, error: -{0}",
        "Error: 4{0}.5 ms\n",
        "page {0} of a horror film, with terror: true",
        "errors: {0}, state: running",
        "{0} %\nerror: none",
        '{{"done": {0}, "error": null}}',
        '{{"done": {0}, "error": ""}}',
        '{{"done": {0}, "error": "none"}}',
        '{{"done": {0}, "error": {{}}}}',
        "{0} of 20 done\n" + "x\n" * 500 + "Error: told in the middle" + "\nx" * 500,
    ],
)
def test_progress_that_shows_in_a_number_is_polling(template):
    assert detected(*counted(template)).score == 0.0


def test_only_numbers_may_differ():
    assert detected(*(f"Error: the {name} host is away" for name in ("first", "second", "third"))).score == 0.0


def test_the_flag_of_the_source_goes_before_the_text():
    assert detected(*counted(SYNTAX_ERROR), success=True).score == 0.0
    assert detected(*counted(SYNTAX_ERROR), success=False).score >= 0.8


def test_waiting_that_another_failure_ends_was_in_vain():
    failing = counted(SYNTAX_ERROR)
    alone = detected(*failing).score
    assert detected(*failing, "NameError: name 'a' is not defined").score == alone
    assert detected(*failing, "a").score == round(rising(7 * 0.25, 2.5), 6) < alone
    assert detected(*["pending"] * 8, "Error: the job was refused").score == round(rising(7 * 0.25, 2.5), 6)


def test_results_that_were_lost_are_no_failures():
    asked = [Message(role="assistant", tool_calls=(ToolCall(id=f"c{number}", name="run"),)) for number in range(4)]
    answer = Message(role="tool", tool_results=(ToolResult(tool_call_id="c3", content="Error: busy"),))
    index = TraceIndex(ExecutionTrace(trace_id="t", messages=(*asked, answer)))
    assert detect(index, LoopSettings(unrecorded_weight=0.0)).score == 0.0


def test_hostile_results_take_no_time():
    started = time.perf_counter()
    for piece in ("Error: ", 'error" : ', 'error": "', "Error: -+-", "horror ", "Traceback (most recent call ", "1"):
        detected(*(str(number) + piece * 20_000 for number in range(20)))
    assert time.perf_counter() - started < 5
