import pytest

from sentinel_command_hook.wording import note, reason
from sentinel_core import ExecutionTrace, Finding, Message, ToolCall, ToolResult, TraceIndex

EMPTY = TraceIndex(ExecutionTrace(trace_id="t", messages=()))


def finding(rule, quote="I did it.", text="Nothing shows it."):
    return Finding(rule=rule, severity="error", text=text, message_index=9, quote=quote)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("claim_without_call", "No call in this session could have done it. Do it, or say that it is not done."),
        ("contradicted_claim", "Every call that could have done it failed. Do it again, or say that it failed."),
        (
            "identifier",
            "It appears in no result and nowhere else in this session. Look it up, or leave it out.",
        ),
        ("result_without_call", "No call in this session returned that. Make the call, or take the claim back."),
        ("a_rule_to_come", "Nothing shows it. Make it true, or take the claim back."),
    ],
)
def test_a_finding_is_two_lines(rule, says):
    assert reason(finding(rule), EMPTY) == f'You said "I did it".\n{says}'


def test_what_failed_is_named_and_to_be_done_again():
    text = 'The agent tells of a push, but the last push, "git push", ended with "rejected".'
    found = Finding(
        rule="contradicted_claim", branch="command", severity="error", text=text, message_index=9, quote="I pushed."
    )
    says = 'The last push, "git push", ended with "rejected". Do it again, or say that it failed.'
    assert reason(found, EMPTY) == f'You said "I pushed".\n{says}'


def test_a_finding_without_words_of_the_agent():
    assert reason(finding("identifier", quote=None), EMPTY).startswith(
        "The record does not support your last message.\n"
    )


@pytest.mark.parametrize(
    ("command", "result", "kind"),
    [
        ("npx tsc --noEmit", "a.ts(4,7): error TS2322: no", "The last type check, `tsc --noEmit`, "),
        ("cargo build", "error: could not compile `shop`", "The last build, `cargo build`, "),
        ("ruff check", "Found 3 errors.", "The last run of the linter, `ruff check`, "),
    ],
)
def test_the_run_and_its_words_are_named(command, result, kind):
    calls = (ToolCall(id="a", name="Bash", arguments={"command": command}),)
    results = (ToolResult(tool_call_id="a", content=result, success=False),)
    messages = (Message(role="assistant", tool_calls=calls), Message(role="tool", tool_results=results))
    index = TraceIndex(ExecutionTrace(trace_id="t", messages=messages))
    told = f'but the last run before it ended with "{index.calls[0].check.ending}".'
    evidence = reason(finding("contradicted_checks", text=told), index).partition("\n")[2]
    assert evidence.startswith(kind)
    assert index.calls[0].check.ending.strip(".") in evidence
    assert evidence.endswith("or say that it fails.")


def test_hostile_words_are_escaped_and_secrets_left_out():
    hostile = finding("identifier", quote="I did\x1b[2J it\u202e\nwith ghp_0123456789abcdefghijABCDEFGHIJ012345 " * 20)
    told = reason(hostile, EMPTY)
    assert told.count("\n") == 1
    assert told.isascii() or "…" in told
    assert all(bad not in told for bad in ("\x1b", "\u202e", "ghp_0123456789"))
    assert len(told) < 500
    assert note(finding("figure", text="\x1b]0;x\x07"), "") == "Sentinel: \\x1b]0;x\\x07 (figure)"
