import attrs
import pytest

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, TraceDetails, TraceIndex
from sentinel_signal_loop import LoopSettings, detect, sentinel_signals
from sentinel_signal_loop.rules import ODDS
from sentinel_signal_loop.stretches import rising

SETTINGS = LoopSettings()
LONG = "I will look at the customer's record once more and then tell you what I find there."


def step(number, name="look", result="same", text=None, **arguments):
    """One call and, unless ``result`` is None, the message that answers it."""
    call = ToolCall(id=f"c{number}", name=name, arguments=arguments)
    asked = Message(role="assistant", content=text, tool_calls=(call,))
    if result is None:
        return [asked]
    return [asked, Message(role="tool", tool_results=(ToolResult(tool_call_id=f"c{number}", content=result),))]


def run(*parts, children=()):
    messages = tuple(message for part in parts for message in ([part] if isinstance(part, Message) else part))
    details = TraceDetails(children=tuple(child.trace for child in children)) if children else None
    return TraceIndex(ExecutionTrace(trace_id="t", messages=messages, details=details))


def calls(pattern, **options):
    """One step for each letter; the same letter is the same call with the same result."""
    return [step(number, name, f"the {name} result", **options) for number, name in enumerate(pattern)]


def user(text):
    return Message(role="user", content=text)


def say(text):
    return Message(role="assistant", content=text)


def score(*parts, **changes):
    return detect(run(*parts), attrs.evolve(SETTINGS, **changes)).score


def rules(*parts):
    return [(found.rule, found.severity) for found in detect(run(*parts), SETTINGS).findings]


def test_no_messages_cannot_be_measured():
    assert detect(run(), SETTINGS).score is None


def test_an_agent_that_did_nothing_cannot_be_measured():
    assert detect(run(user("Hello?"), user("Hello?")), SETTINGS).score is None
    assert detect(run(user("Hello?"), user("Hello?")), attrs.evolve(SETTINGS, message_limit=1)).score > 0


def test_no_repetition_scores_nothing():
    found = detect(run(*calls("abcdef")), SETTINGS)
    assert (found.score, found.findings, found.gaps) == (0.0, (), ())
    assert found.details == "6 calls and 0 texts, no loop."


def test_one_call_is_no_loop():
    found = detect(run(*calls("a"), say("Done.")), SETTINGS)
    assert (found.score, found.details) == (0.0, "1 call and 1 text, no loop.")


def test_eight_identical_calls_with_identical_results_fail():
    found = detect(run(*calls("aaaaaaaa")), SETTINGS)
    assert found.score == round(rising(7, 2.5), 6) >= 0.8
    [one] = found.findings
    assert (one.rule, one.branch, one.call_id, one.quote) == ("identical_calls", "many", "c7", "a {}")
    assert one.text == found.details == '"a" was called 8 times with the same arguments; nothing new came back.'


def test_a_call_that_one_reply_repeats_is_named():
    often = tuple(ToolCall(id=f"a{n}", name="look", arguments={"at": 1}) for n in range(50))
    twice = tuple(ToolCall(id=f"b{n}", name="read", arguments={}) for n in range(2))
    results = tuple(ToolResult(tool_call_id=call.id, content="seen", success=True) for call in (*often, *twice))
    asked = Message(role="assistant", tool_calls=(*often, *twice))
    found = detect(run(asked, Message(role="tool", tool_results=results)), SETTINGS)
    (finding,) = found.findings
    assert finding.rule == "identical_calls"
    assert finding.text.endswith(
        '50 times with the same result; 49 of these repetitions called "look" with the same arguments.'
    )
    assert finding.quote == 'look {"at":1}'


def test_two_identical_calls_score_little():
    assert score(*calls("aa")) == round(1 / 7.25, 6) < 0.2
    assert rules(*calls("aa")) == [("identical_calls", "note")]


@pytest.mark.parametrize(("repeats", "branch"), [(1, "few"), (2, "several"), (4, "several"), (5, "many")])
def test_the_branch_follows_the_score_and_its_odds_say_how_severe_it_is(repeats, branch):
    (one,) = detect(run(*calls("a" * (repeats + 1))), SETTINGS).findings
    assert (one.rule, one.branch) == ("identical_calls", branch)
    assert one.severity == ODDS.severity_of("identical_calls", branch)


def test_five_repeats_are_the_boundary_of_a_failure():
    assert score(*calls("a" * 6)) == 0.8
    assert score(*calls("a" * 5)) < 0.8


@pytest.mark.parametrize("round_", ["ab", "abc", "abcdefg"])
def test_a_cycle_of_any_period_is_found(round_):
    found = detect(run(*calls(round_ * 4)), SETTINGS)
    assert found.score == round(rising(3 * len(round_), 2.5), 6) >= 0.8
    assert [one.rule for one in found.findings] == ["cycle"]
    assert round_[0] in found.findings[0].text


def test_a_cycle_need_not_start_at_the_start():
    assert score(*calls("xyzababab")) == round(rising(4, 2.5), 6)


def test_parallel_calls_repeated_together_are_a_cycle():
    def both(number):
        made = tuple(ToolCall(id=f"{name}{number}", name=name) for name in "ab")
        yield Message(role="assistant", tool_calls=made)
        yield Message(role="tool", tool_results=tuple(ToolResult(tool_call_id=call.id, content="x") for call in made))

    found = detect(run(*map(both, range(4))), SETTINGS)
    assert [one.rule for one in found.findings] == ["cycle"]
    assert found.score == round(rising(6, 2.5), 6)


def test_the_same_call_twice_in_one_message_is_not_yet_a_loop():
    twins = tuple(ToolCall(id=key, name="look") for key in "ab")
    assert score(Message(role="assistant", tool_calls=twins)) <= SETTINGS.scattered_weight


def test_changing_results_are_polling():
    assert score(*(step(number, result=f"{number} of 20 done") for number in range(20))) == 0.0


def test_a_changed_success_flag_is_a_changed_result():
    def tried(number, success):
        yield Message(role="assistant", tool_calls=(ToolCall(id=f"c{number}", name="save"),))
        result = ToolResult(tool_call_id=f"c{number}", content="done", success=success)
        yield Message(role="tool", tool_results=(result,))

    assert score(tried(0, False), tried(1, True)) == 0.0


def test_waiting_that_paid_off_weighs_less_than_waiting_in_vain():
    waited = [step(number, "poll", "pending") for number in range(8)]
    assert score(*waited) >= 0.8
    assert score(*waited, step(8, "poll", "done")) == round(rising(7 * 0.25, 2.5), 6) < 0.4


def test_other_arguments_are_another_call():
    assert score(*(step(number, page=number) for number in range(9))) == 0.0


def test_the_order_of_arguments_does_not_matter():
    assert score(step(0, a=1, b=2), step(1, b=2, a=1)) > 0


def test_a_test_run_again_after_each_edit_is_progress():
    edits = [part for n in range(6) for part in (step(2 * n, "test", "2 failed"), step(2 * n + 1, "edit", f"edit {n}"))]
    found = detect(run(*edits), SETTINGS)
    assert 0 < found.score < 0.2
    assert [(one.rule, one.severity) for one in found.findings] == [("identical_calls", "note")]
    assert found.score == round(0.3 * 5 / 12, 6)


def test_a_user_who_asks_again_may_get_the_same_again():
    asked = [part for n in range(8) for part in (user(f"Question {n}"), step(n))]
    assert score(*asked) < 0.3
    assert score(*(part for n in range(8) for part in (user("go on"), step(n)))) >= 0.8


def test_unrecorded_results_count_half_and_leave_a_gap():
    found = detect(run(*(step(number, result=None) for number in range(8))), SETTINGS)
    assert found.score == round(rising(3.5, 2.5), 6)
    assert found.gaps == ("Some repeated calls have no recorded result, so their results cannot be compared.",)


def test_empty_results_count_half():
    assert score(*(step(number, result=" \n") for number in range(8))) == round(rising(3.5, 2.5), 6)


def test_news_starts_a_new_stretch():
    assert score(*calls("aaaaxaaaa")) == round(1 - (1 - rising(3.25, 2.5)) * (1 - 0.3 / 9), 6)


def test_repeated_texts_are_found():
    found = detect(run(*[say(LONG)] * 5), SETTINGS)
    assert found.score == 0.5 == round(rising(4, SETTINGS.half_at_texts), 6)
    [one] = found.findings
    assert (one.rule, one.message_index, one.quote) == ("repeated_messages", 4, LONG)
    assert "5 times" in one.text


@pytest.mark.parametrize(
    "copy",
    [
        LONG.upper(),
        LONG.replace(" ", "\n"),
        "So: " + LONG,
        LONG + " 2nd attempt",
        LONG.replace("record", "file"),
        LONG.replace("once more", "again"),
    ],
)
def test_near_identical_texts_are_found(copy):
    assert score(say(LONG), say(copy)) > 0


@pytest.mark.parametrize(
    "other",
    [
        "The weather in Lisbon is mild today, with a light wind from the west and no rain at all.",
        LONG[:40],
        LONG * 2,
        LONG[:32] + " but first I would like to know which of the two accounts you meant, please.",
    ],
)
def test_different_texts_are_not(other):
    assert score(say(LONG), say(other)) == 0.0


def test_a_copy_with_other_ends_is_found_by_its_middle():
    body = " ".join(
        f"The number of items from maker {word} seems normal" for word in ["alpha", "beta", "gamma", "delta"]
    )
    first = f"Here is the first summary of this morning {body} and that was all for this morning"
    second = f"Another look at the matter {body} nothing more to report for now"
    assert score(say(first), say(second), similarity=0.7) > 0


def test_texts_in_other_scripts_are_compared():
    russian = "Сейчас я ещё раз проверю заказ клиента и сообщу вам результат проверки."
    chinese = "我再检查一次客户的订单，然后把检查结果告诉您。请稍等片刻，谢谢您的耐心等待。"
    for text in (russian, chinese):
        assert score(say(text), say(text + "!"), say(text)) > 0
    assert score(say(russian), say(chinese)) == 0.0


def test_short_texts_are_boilerplate():
    exact, less = "x" * 40, "x" * 39
    assert score(say(exact), say(exact)) > 0
    assert score(say(less), say(less)) == 0.0
    assert score(*[say("OK.")] * 20) == 0.0


def test_empty_texts_are_no_repetition():
    assert score(*[say("")] * 20) is None


def test_a_text_said_with_new_calls_is_no_loop():
    assert score(*(step(number, page=number, result=f"page {number}", text=LONG) for number in range(6))) == 0.0


def test_a_text_said_to_a_user_who_asks_anew_is_no_loop():
    assert score(*(part for n in range(6) for part in (user(f"And {n}?"), say(LONG)))) == 0.0


def test_texts_repeated_between_news_count_with_the_earlier_ones():
    """The pair after the user's message is dry; its first text repeats one from before the news, and weighs a quarter."""
    assert score(say(LONG), user("And now?"), say(LONG), say(LONG)) == round(rising(1.25, 4.0), 6)
    assert score(say(LONG), user("And now?"), say(LONG)) == 0.0


def test_texts_of_different_pairs_are_no_repetition():
    other = "The weather in Lisbon is mild today, with a light wind from the west and no rain at all."
    assert score(say(LONG), say(other), user("Go on."), say(LONG), say(other[::-1])) == 0.0
    assert score(say(LONG), say(other), user("Go on."), say(LONG), say(LONG)) > 0.0


def test_long_texts_are_compared_by_both_ends():
    def report(middle, end):
        return "Here is the report that you asked for. " + middle * 200 + end * 60

    assert score(say(report("alpha ", "beta ")), say(report("alpha ", "beta "))) > 0
    assert score(say(report("alpha ", "beta ")), say(report("alpha ", "quick fox "))) == 0.0


def test_message_limit():
    short = [user("go")] * 100
    assert score(*short) is None
    found = detect(run(*short, user("go")), SETTINGS)
    assert found.score == round(0.5 * (1 - 100 / 101), 6)
    assert [(one.rule, one.severity, one.message_index) for one in found.findings] == [
        ("too_many_messages", "note", 100)
    ]
    assert score(*short * 100) < 0.5


def test_a_limit_on_messages_counts_only_where_it_is_set():
    def length(**changes):
        return detect(run(*[user("go")] * 300), attrs.evolve(SETTINGS, **changes))

    unset, set_ = length(), length(message_limit=100)
    assert unset.score == set_.score
    assert [(one.severity, one.text) for one in (*unset.findings, *set_.findings)] == [
        ("note", "The run has 300 messages; no limit is set."),
        ("warning", "The run has 300 messages; the limit is 100."),
    ]
    assert length(message_limit=299).findings[0].severity == "warning"


def test_calls_whose_arguments_were_not_recorded_are_no_repeats_for_sure():
    def edits(name, **arguments):
        messages = []
        for number in range(8):
            made = ToolCall(id=f"e{number}", name=name, arguments=arguments)
            messages.append(Message(role="assistant", tool_calls=(made,)))
            messages.append(
                Message(role="tool", tool_results=(ToolResult(tool_call_id=f"e{number}", content="Done."),))
            )
        return [(one.rule, one.branch) for one in detect(run(*messages), SETTINGS).findings]

    assert edits("edit_file") == [("identical_calls", "without_arguments")]
    assert edits("edit_file", path="a.py") == [("identical_calls", "many")]
    assert edits("get_status") == [("identical_calls", "many")]


def test_the_worst_rule_decides():
    found = detect(run(*[user("go")] * 300, *calls("aaa")), SETTINGS)
    assert found.score == round(rising(2, 2.5), 6)
    assert [one.rule for one in found.findings] == ["identical_calls", "too_many_messages"]


def test_the_worst_child_decides_and_is_named():
    quiet, busy = run(*calls("ab")), run(*calls("aaaaaaaa"))
    found = detect(run(*calls("aa"), children=(quiet, run(say("hi"), children=(busy,)))), SETTINGS)
    assert found.score == round(rising(7, 2.5), 6)
    assert [one.trace_path for one in found.findings] == [(1, 0), ()]


def test_an_empty_trace_with_a_child_is_measured():
    assert detect(run(children=(run(*calls("aa")),)), SETTINGS).score > 0


def test_findings_are_few():
    stretches = [part for name in "abcdefgh" for part in calls(name * 3)]
    assert len(detect(run(*stretches), SETTINGS).findings) == 5


def test_metadata_and_names_of_traces_are_not_read():
    index = run(*calls("aaa"))
    other = TraceIndex(attrs.evolve(index.trace, trace_id="other", metadata={"labels": {"success": False}}))
    assert detect(index, SETTINGS) == detect(other, SETTINGS)


@pytest.mark.parametrize(
    "changes",
    [
        {"half_at_calls": 0.0},
        {"after_news_weight": 1.1},
        {"similarity": -0.1},
        {"message_limit": 0},
        {"length_weight": 2.0},
    ],
)
def test_settings_refuse_what_makes_no_sense(changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        LoopSettings(**changes)


def test_settings_change_the_score():
    assert score(*calls("aaaaaaaa"), half_at_calls=7.0) == 0.5
    assert score(*(step(n, result=None) for n in range(3)), unrecorded_weight=0.0) == 0.0


def test_the_hook_offers_the_signal():
    [signal] = sentinel_signals()
    assert (signal.name, signal.detect, signal.settings) == ("loop", detect, LoopSettings)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": [1]}, {"b": [1], "a": 1}, True),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": "x\ny"}, {"a": "x\ny"}, True),
        ({"a": "1"}, {"a": 1}, False),
    ],
)
def test_calls_are_identical_where_their_arguments_are_the_same_json(one, other, same):
    index = run(step(0, **one), step(1, **other))
    assert bool(detect(index, SETTINGS).findings) is same is (index.calls[0].key == index.calls[1].key)


def test_the_same_arguments_for_another_tool_are_no_repeat():
    assert detect(run(step(0, "look", key="x"), step(1, "read", key="x")), SETTINGS).findings == ()
