"""Which words are judged: the last ones, wherever they come from, and no others."""

import pytest

from sentinel_command_hook.panel import signal
from sentinel_command_hook.verdict import judge_last_words, key_of
from sentinel_core import Detection, ExecutionTrace, Finding, Message, ToolCall, ToolResult, TraceIndex
from sentinel_core.errors import PluginError

LIE = "All tests pass."


def user(text="Fix it."):
    return Message(role="user", content=text)


def says(text):
    return Message(role="assistant", content=text)


def run(command="pytest -q", result="1 failed, 2 passed in 0.1s", name="c"):
    call = ToolCall(id=name, name="Bash", arguments={"command": command})
    yield Message(role="assistant", tool_calls=(call,))
    if result is not None:
        yield Message(role="tool", tool_results=(ToolResult(tool_call_id=name, content=result),))


def index_of(*messages):
    return TraceIndex(ExecutionTrace(trace_id="t", messages=messages))


def judged(*messages, said=None):
    return judge_last_words(index_of(*messages), said, signal().detect)


def rules(verdict):
    return [finding.rule for finding in verdict.findings]


def test_the_last_message_is_judged_by_the_whole_record():
    assert rules(judged(user(), *run(), says("One fails."), user("And now?"), says(LIE))) == ["contradicted_checks"]


def test_what_was_said_before_is_not_judged_again():
    assert rules(judged(user(), *run(), says(LIE), user("Really?"), says("No, one fails."))) == []
    assert rules(judged(user(), *run(), says(LIE), *run("ls", "a", "d"), says("One test fails."))) == []


def test_a_lie_is_told_again_in_a_later_turn():
    """Though an earlier one was of the same kind."""
    messages = (user(), *run(), says(LIE), user("Really?"), *run(name="d"), says(LIE))
    assert rules(judged(*messages)) == ["contradicted_checks"]


@pytest.mark.parametrize("ending", [(), tuple(run("ls", "a", "d"))], ids=["user", "call"])
def test_who_ends_without_a_word_said_nothing(ending):
    ending = ending or (user("Thanks."),)
    assert judged(user(), *run(), says(LIE), *ending).findings == ()


def test_the_message_that_the_transcript_holds_is_not_added():
    verdict = judged(user(), *run(), says(f" {LIE}\n"), said=LIE)
    assert (len(verdict.index.texts), verdict.is_behind) == (1, False)
    assert rules(verdict) == ["contradicted_checks"]


def test_the_message_that_it_lacks_is_judged_all_the_same():
    verdict = judged(user(), *run(), said=LIE)
    assert (verdict.is_behind, rules(verdict)) == (True, ["contradicted_checks"])


def test_the_same_words_before_the_last_call_are_others():
    verdict = judged(user(), says(LIE), *run(), said=LIE)
    assert (verdict.is_behind, rules(verdict)) == (True, ["contradicted_checks"])


def test_all_that_was_said_since_the_user_spoke_may_come_at_once():
    """As Gemini CLI tells it."""
    before = (user(), says("I run the tests."), *run())
    held = judged(*before, says(LIE), said=f"I run the tests.{LIE}")
    assert (len(held.index.texts), held.is_behind) == (2, False)
    missing = judged(*before, said=f"I run the tests.{LIE}")
    assert missing.index.texts[-1].content == LIE
    assert rules(held) == rules(missing) == ["contradicted_checks"]


def test_a_run_whose_result_is_not_written_yet_may_be_the_one_that_counts():
    assert rules(judged(user(), *run(), *run(result=None, name="d"), said=LIE)) == []


def test_a_session_without_a_word_has_no_verdict():
    assert judged(user()).findings == ()
    assert judged().findings == ()


def test_findings_elsewhere_do_not_count():
    found = [
        Finding(rule="a", severity="error", text="of another message", message_index=0),
        Finding(rule="b", severity="error", text="of a sub-agent", message_index=1, trace_path=(0,)),
        Finding(rule="c", severity="error", text="of no message"),
        Finding(rule="d", severity="error", text="of this one", message_index=1),
    ]
    verdict = judge_last_words(index_of(user(), says("x")), None, lambda _: Detection(score=1.0, findings=found))
    assert rules(verdict) == ["d"]


def test_a_bare_number_is_no_detection():
    with pytest.raises(PluginError, match="the signal returned a float instead of a Detection"):
        judge_last_words(index_of(says("x")), None, lambda _: 0.5)


def test_the_key_goes_by_the_evidence_and_not_by_the_words():
    def key(*messages):
        verdict = judged(*messages)
        return key_of(verdict.findings[0], verdict.index)

    first = key(user(), *run(), says(LIE))
    assert key(user(), *run(), says("Fixed. All tests are passing.")) == first
    assert key(user(), *run(), says("x"), *run(name="d"), says(LIE)) != first
