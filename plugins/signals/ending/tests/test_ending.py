import itertools
from pathlib import Path

import pytest
from tables import each_row

from sentinel_core import ExecutionTrace, Message, MessageDetails, ToolCall, ToolResult, TraceDetails, TraceIndex
from sentinel_signal_ending import detect, sentinel_signals
from sentinel_signal_ending.rules import RULES

ASKED = Message(role="user", content="Fix the crash in parse().")
OLD = "diff --git a/parse.py b/parse.py\nindex 5..9 100644\n--- a/parse.py\n+++ b/parse.py\n@@ -1 +1 @@\n-x\n+y\n"
NEW = "diff --git a/try.py b/try.py\nnew file mode 100644\n--- /dev/null\n+++ b/try.py\n@@ -0,0 +1 @@\n+x\n"


def said(text):
    return Message(role="assistant", content=text)


def called(name, result=None, *, words="", success=None, key="c", **arguments):
    """A call in a message of its own, and the message with its result where it has one."""
    made = Message(role="assistant", content=words, tool_calls=(ToolCall(id=key, name=name, arguments=arguments),))
    if result is None:
        return [made]
    back = ToolResult(tool_call_id=key, content=result, success=success)
    return [made, Message(role="tool", tool_results=(back,))]


def ended(*messages, asked=ASKED, outcome=None):
    details = None if outcome is None else TraceDetails(outcome=outcome)
    return detect(TraceIndex(ExecutionTrace(trace_id="t", messages=(asked, *messages), details=details)))


def rules(*messages, **more):
    return [finding.rule for finding in ended(*messages, **more).findings]


def test_an_answer_in_words_is_a_good_end():
    fine = ended(*called("search", "3 hits"), said("There are 3."))
    assert (fine.score, fine.findings, fine.details) == (0.0, (), "Nothing is wrong with how the run ended.")


def test_an_agent_that_did_nothing_is_not_measured():
    assert ended().score is None
    assert ended(said("")).score is None


@each_row(
    "notice",
    [
        "Exit due to context window",
        "Agent stopped due to iteration limit or time limit.",
        "[exception] Total context tokens exceeded.",
        "Error: maximum iterations reached",
        "Claude AI usage limit reached|1750000000",
        "Prompt is too long",
        "API Error: 529 overloaded",
        "Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4o'}}",
        "openai.BadRequestError: this model's maximum context length is 8192 tokens",
        "Traceback (most recent call last):\n  File x",
        "Recursion limit of 25 reached without hitting a stop condition.",
    ],
)
@each_row("role", ["assistant", "system"])
def test_a_notice_as_the_last_word_breaks_the_run_off(notice, role):
    broken = ended(said("I look."), Message(role=role, content=notice))
    assert [finding.rule for finding in broken.findings] == ["broken_off"]
    assert (broken.score, broken.findings[0].message_index) == (1.0, 2)
    assert broken.findings[0].quote == notice


@pytest.mark.parametrize(
    "answer",
    [
        "The error was that the maximum was exceeded; it is fixed.",
        "I could not finish: the API's rate limit was exceeded.",
        "Reaching the limit of 10 needs 3 steps.",
        "The server stopped responding, so I restarted it.",
        "Max turns out to be the name of the user.",
    ],
)
def test_an_agents_own_sentence_is_no_notice(answer):
    assert ended(said(answer)).score == 0.0


def test_a_notice_that_work_follows_ends_nothing():
    assert ended(said("Exit due to context window"), said("Summary of what was done so far: all of it.")).score == 0.0


def test_a_notice_with_its_own_call_is_the_last_word():
    assert "broken_off" in rules(*called("execute", "Exited", words="Exit due to context window"))


@pytest.mark.parametrize("outcome", ["max_turns", "error", "cost_limit", "Timeout"])
def test_a_recorded_limit_or_failure_breaks_the_run_off(outcome):
    broken = ended(said("I look."), outcome=outcome)
    assert broken.score == 1.0
    assert outcome in broken.findings[0].text


@pytest.mark.parametrize("outcome", ["completed", "interrupted", "refused", "cancelled", "pending"])
def test_other_outcomes_say_nothing(outcome):
    assert ended(said("Done."), outcome=outcome).score == 0.0


def test_an_answer_at_the_limit_is_less_sure():
    found = ended(*called("submit", "ok", words="EXCEEDED MAX TURNS: submit", answer="4"))
    assert (found.score, [finding.rule for finding in found.findings]) == (0.8, ["handed_in_at_the_limit"])


@pytest.mark.parametrize(
    "tail",
    [
        '{"name": "get_weather", "arguments": {"city":"Osaka"}}\n</tool_call>',
        "<function=search>",
        'So:\n{"name": "search", "parameters": {}}',
    ],
)
def test_a_call_written_as_text_breaks_the_run_off(tail):
    found = ended(said(f"I look.\n{tail}"))
    assert (found.score, found.findings[0].rule) == (1.0, "broken_off")
    assert found.findings[0].quote in tail


@pytest.mark.parametrize("answer", ["", "  ", "None", "{}", "n/a", '""'])
def test_an_empty_answer(answer):
    found = ended(*called("finish", answer=answer))
    assert (found.score, found.findings[0].rule, found.findings[0].call_id) == (1.0, "empty_artifact", "c")


@pytest.mark.parametrize("answer", ["0", "no", "none of them", "[1]"])
def test_a_short_answer_is_not_empty(answer):
    assert ended(*called("finish", answer=answer)).score == 0.0


def test_a_call_that_takes_nothing_may_have_handed_in_anything():
    assert ended(*called("submit", "")).score == 0.0
    assert ended(*called("submit", OLD, command="")).score == 0.0


def test_an_empty_patch():
    assert rules(*called("submit", "", command="")) == ["empty_artifact"]


def test_a_patch_of_new_files_where_a_fix_was_asked():
    assert rules(*called("submit", NEW)) == ["only_new_files"]
    assert rules(*called("submit", NEW + OLD)) == []
    assert rules(*called("submit", NEW), asked=Message(role="user", content="Add a script that prints x.")) == []


def test_the_request_is_what_was_asked_last_before_the_first_call():
    demonstration = [ASKED, said("First a demonstration.")]
    task = Message(role="user", content="Write a script.")
    assert rules(*demonstration, task, *called("submit", NEW)) == []


def test_an_error_that_nothing_follows():
    found = ended(*called("run", "Error: no such file", key="a"))
    assert [finding.rule for finding in found.findings] == ["came_to_nothing", "error_last"]
    assert {(one.message_index, one.quote) for one in found.findings} == {(2, "Error: no such file")}
    found = ended(*called("book_seat", "Error: no such seat", key="a"))
    assert (found.score, [finding.rule for finding in found.findings]) == (0.8, ["error_last"])


def test_calls_without_a_result_do_not_mend_an_error():
    assert "error_last" in rules(*called("run", "Error: no such file", key="a"), *called("run", key="b"))
    assert rules(*called("run", "Error: no such file", key="a"), *called("run", "ok", key="b"), said("Done.")) == []


def test_a_failure_before_the_answer_is_handed_in():
    assert rules(*called("run", "boom", success=False), *called("submit", "taken", key="b", answer="4")) == [
        "handed_in_after_failure"
    ]
    assert rules(*called("run", "4", success=True), *called("submit", "taken", key="b", answer="4")) == []


@pytest.mark.parametrize(
    ("code", "score", "rule"), [(" ", 0.6, "handed_in_after_refusal"), ("x = 1", 0.8, "handed_in_after_failure")]
)
def test_a_blank_call_that_was_refused_tried_little(code, score, rule):
    refused = called("run", "wrong format", success=False, key="b", code=code)
    found = ended(*refused, *called("submit", "taken", key="c", answer="4"))
    assert (found.score, found.findings[0].rule) == (score, rule)


def test_to_hand_over_after_a_failure_is_right():
    assert rules(*called("book", "no seats", success=False), *called("transfer_to_human", "ok", key="b", why="x")) == []


def test_a_failure_before_an_answer_in_words():
    found = ended(*called("run", "boom", success=False), said("It is 4."))
    assert (found.score, found.findings[0].rule, found.findings[0].severity) == (
        0.6,
        "answered_after_failure",
        "warning",
    )
    honest = ended(*called("read_file", "boom", success=False), said("I could not read b.txt."))
    assert (honest.score, honest.findings[0].rule, honest.findings[0].severity) == (
        0.3,
        "failure_told",
        "note",
    )
    assert rules(*called("run", "boom", success=False, words="It is 4."), said("")) == ["no_answer"]


def test_a_failure_is_told_with_the_words_of_the_call_or_before_the_user_spoke_again():
    booked = called("book", "fully occupied until 404", success=False)
    assert rules(*booked, said("Occupied, sorry.")) == ["failure_told"]
    assert rules(*booked, said("That gave a 404.")) == ["failure_told"]
    assert rules(*booked, said("All set!")) == ["answered_after_failure"]
    busy = called("get_weather", "HTTP 503 Service Unavailable. Please try again later.", success=False)
    assert rules(*busy, said("Please find it below, our service took care: sunny later.")) == ["answered_after_failure"]
    asked = Message(role="user", content="Then leave it.")
    found = ended(*booked, said("It was refused."), asked, said("Left as it is."))
    assert (found.score, found.findings[0].rule, found.findings[0].severity) == (0.6, "failure_told", "note")
    assert rules(*called("book", "fully occupied " * 30, success=False), said("Occupied.")) == [
        "answered_after_failure"
    ]


def test_a_result_that_nobody_read():
    found = ended(*called("search_orders", "3 orders"))
    assert (found.score, found.findings[0].rule, found.findings[0].quote) == (0.8, "unread_result", None)
    assert rules(*called("mcp__web__getPage", "a page")) == ["unread_result"]


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        (called("search", "Error: timed out", key="a"), "the call failed."),
        (called("search", "No results found.", key="a"), "nothing was found."),
        (
            [*called("search", "3 hits", key="a"), *called("search", "3 hits", key="b")],
            "an identical earlier call had returned the same result.",
        ),
    ],
)
def test_a_run_that_ends_with_nothing_and_no_word(calls, why):
    found = ended(*calls)
    assert (found.score, found.findings[0].rule, found.findings[0].severity) == (0.95, "came_to_nothing", "error")
    assert found.findings[0].text == f'The run ends with the result of "search", which the agent did not read: {why}'
    stopped = [ended(*calls, outcome="interrupted"), ended(*calls, Message(role="user", content="Stop."))]
    assert {one.score for one in stopped} == {0.8}
    assert "came_to_nothing" not in [finding.rule for one in stopped for finding in one.findings]


@pytest.mark.parametrize("tool", ["ask_agent", "delegate_task", "run_workflow", "think"])
def test_what_another_agent_answered_may_be_the_answer(tool):
    assert ended(*called(tool, "All is well.")).score == 0.0


@pytest.mark.parametrize("tool", ["book_flight", "send_email", "transfer_to_human", "submit", "Finish", "x"])
def test_what_acts_or_hands_in_may_end_a_run(tool):
    assert ended(*called(tool, "done", to="bob")).score == 0.0


def test_an_empty_last_message():
    assert rules(*called("run", "4"), said(" ")) == ["no_answer"]
    thought = Message(role="assistant", content="", details=MessageDetails(reasoning="It is 4."))
    assert rules(*called("run", "4"), thought) == []


def test_a_name_that_the_request_shows_is_missing():
    asked = Message(role="user", content="Write it.\nassert find_max([1, 2]) == 2")
    assert rules(*called("submit", code="def find_maximum(a): ..."), asked=asked) == ["missing_name"]
    assert rules(*called("submit", code="def find_max(a): ..."), asked=asked) == []
    assert rules(*called("submit", answer="2"), asked=asked) == []
    assert rules(*called("submit", patch=f"{OLD}+class Other:"), asked=asked) == []


def test_a_wrong_sum_in_the_last_text():
    found = ended(said("In all 465 + 269 + 120 = $2328."))
    assert (found.score, found.findings[0].rule) == (0.6, "wrong_arithmetic")
    assert found.findings[0].quote == "465 + 269 + 120 = $2328"


def test_the_worst_comes_first_and_gives_the_score():
    found = ended(*called("search", "Error: timed out"), outcome="timeout")
    assert [finding.rule for finding in found.findings] == ["broken_off", "came_to_nothing", "error_last"]
    assert (found.score, found.details) == (1.0, found.findings[0].text)


def test_every_rule_is_declared_and_every_declared_rule_is_tested():
    tests = (Path(__file__), Path(__file__).with_name("test_orders.py"))
    source = "".join(path.read_text(encoding="utf-8") for path in tests)
    assert [rule.id for rule in RULES if f'"{rule.id}"' not in source] == []
    [signal] = sentinel_signals()
    assert (signal.name, signal.rules) == ("ending", RULES)
    assert all(rule.title and rule.help and rule.severity in ("error", "warning", "note") for rule in RULES)


def test_one_id_many_times_pairs_in_order():
    runs = itertools.chain.from_iterable(called("run", text, key="a") for text in ("Error: no such file", "ok"))
    assert rules(*runs, said("Done.")) == []


def test_what_a_fragment_or_a_completed_run_ends_with_is_no_bad_end():
    fragment = ExecutionTrace(trace_id="t", messages=tuple(called("search", "3 hits")))
    assert detect(TraceIndex(fragment)).score == 0.0
    assert ended(*called("search", "3 hits"), outcome="completed").score == 0.0
    assert ended(*called("run", " ")).score == 0.0


def test_a_trace_whose_sub_agents_alone_spoke_is_not_measured():
    child = ExecutionTrace(trace_id="c", messages=(said("Done."),))
    alone = ExecutionTrace(trace_id="t", details=TraceDetails(children=(child,)))
    assert detect(TraceIndex(alone)).score is None


def test_a_call_that_hands_in_nothing_but_empty_containers_shows_nothing():
    assert ended(*called("finish", outputs={}), said("Done.")).score == 0.0


def test_what_the_reader_could_not_read_may_be_the_last_word():
    messages = (ASKED, *called("read_file", "42"), said(""))
    gaps = {"reading_gaps": ["model calls without recorded messages: 1"]}
    for metadata, expected in (({}, ["no_answer"]), (gaps, [])):
        trace = ExecutionTrace(trace_id="t", messages=messages, metadata=metadata)
        assert [finding.rule for finding in detect(TraceIndex(trace)).findings] == expected


def test_of_what_was_not_read_nothing_is_missed():
    def found(*messages, **metadata):
        trace = ExecutionTrace(trace_id="t", messages=(ASKED, *messages), metadata=metadata)
        return [finding.rule for finding in detect(TraceIndex(trace)).findings]

    gaps = ["1 part of the unknown kind"]
    failed = (*called("run", "Error: no such file", success=False), said("It is fixed."))
    assert found(*failed) == ["answered_after_failure"]
    assert found(*failed, reading_gaps=gaps) == ["answered_after_failure"]
    assert found(*failed, reading_gaps=gaps, reading_gaps_at=[2]) == []
    silent = (*called("run", "ok"), Message(role="assistant"))
    assert (found(*silent), found(*silent, reading_gaps=gaps)) == (["no_answer"], [])
