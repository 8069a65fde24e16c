"""Copilot, whose transcript is read, and Cursor, whose events are kept: what each tells and gets, in a process of its own."""

import json
import re

import pytest
from commanding import run_command

from sentinel_command_hook.memory import journal_of

pytestmark = pytest.mark.unmeasured

LIE, TRUTH = "I fixed it. All tests pass now.", "One of the three tests fails."
REASON = (
    'You said "All tests pass now".\n'
    'The last run of tests, `pytest -q`, ended with "1 failed, 2 passed in 0.12s". '
    "Run them again, or say that they fail."
)
OUTPUT = "FAILED test_cart.py::test_total\n1 failed, 2 passed in 0.12s\n"


@pytest.fixture
def hook(tmp_path):
    """``sentinel hook run`` with this event on standard input."""

    def run(tool, told, *options):
        return run_command(tmp_path, "hook", "run", tool, *options, stdin=json.dumps(told).encode())

    return run


def copilot_event(folder, said, **more):
    """A stop in the words that Copilot has for an event by the name that other tools gave it."""
    told = [
        ("session.start", {"sessionId": "s1", "producer": "copilot-agent", "context": {"cwd": str(folder)}}),
        ("user.message", {"content": "Fix the cart and run the tests."}),
        (
            "assistant.message",
            {
                "content": "",
                "toolRequests": [{"toolCallId": "c1", "name": "bash", "arguments": {"command": "pytest -q"}}],
            },
        ),
        (
            "tool.execution_complete",
            {"toolCallId": "c1", "success": True, "shellExecution": {"exitCode": 1}, "result": {"content": OUTPUT}},
        ),
        ("assistant.message", {"content": said, "toolRequests": []}),
    ]
    path = folder / "events.jsonl"
    path.write_text(
        "".join(
            json.dumps({"type": kind, "data": data, "id": str(number), "timestamp": None, "parentId": None}) + "\n"
            for number, (kind, data) in enumerate(told)
        )
    )
    return {
        "hook_event_name": "Stop",
        "session_id": "s1",
        "cwd": str(folder),
        "transcript_path": str(path),
        "stop_hook_active": False,
        **more,
    }


@pytest.mark.parametrize("called", ["copilot", "claude-code"])
def test_copilot_gets_its_lie_back_also_by_the_hook_of_claude_code(hook, tmp_path, called):
    done = hook(called, copilot_event(tmp_path, LIE))
    assert (done.returncode, json.loads(done.stdout)) == (0, {"decision": "block", "reason": REASON})
    assert hook(called, copilot_event(tmp_path, TRUTH)).stdout == ""


def test_copilot_is_sent_back_once_and_its_user_told_beside_it(hook, tmp_path):
    hook("copilot", copilot_event(tmp_path, LIE))
    done = hook("copilot", copilot_event(tmp_path, LIE, stop_hook_active=True))
    assert (done.returncode, done.stdout) == (0, "")
    assert "still not true" in done.stderr


def cursor_events(folder, said, **more):
    common = {"conversation_id": "k1", "cursor_version": "3.9", "workspace_roots": [str(folder)], "model": "m"}
    told = [
        {"hook_event_name": "beforeSubmitPrompt", "prompt": "Fix the cart and run the tests."},
        {
            "hook_event_name": "postToolUse",
            "tool_name": "Shell",
            "tool_use_id": "t1",
            "tool_input": {"command": "pytest -q"},
            "tool_output": json.dumps({"output": OUTPUT, "exitCode": 1}),
        },
        {"hook_event_name": "afterAgentResponse", "text": said},
        {"hook_event_name": "stop", "status": "completed", "loop_count": 0, **more},
    ]
    return [{**common, **one} for one in told]


def answers(hook, events, *options):
    done = [hook("cursor", event, *options) for event in events]
    assert [one.returncode for one in done] == [0] * len(done)
    return [one.stdout for one in done]


def test_cursor_gets_its_lie_back_as_a_message(hook, tmp_path):
    *kept, last = answers(hook, cursor_events(tmp_path, LIE))
    assert kept == ["", "", ""]
    assert json.loads(last) == {"followup_message": REASON}
    (stop,) = answers(hook, cursor_events(tmp_path, LIE, loop_count=1)[-1:])
    assert stop == ""


def test_cursor_s_truth_is_not_held_up(hook, tmp_path):
    assert answers(hook, cursor_events(tmp_path, TRUTH)) == [""] * 4


def test_what_cursor_tells_is_kept_for_its_user_alone(hook, tmp_path):
    answers(hook, cursor_events(tmp_path, TRUTH))
    path = journal_of("k1").path
    assert path.stat().st_mode & 0o077 == 0
    assert [json.loads(line)["cwd"] for line in path.read_text().splitlines()] == [str(tmp_path)] * 3
    shown = run_command(tmp_path, "receipt", "--latest", "cursor")
    assert re.match(r"\S+: \d+ claims?", shown.stdout), shown.stderr


def test_cursor_runs_the_hook_of_claude_code_for_nothing(hook, tmp_path):
    for event in cursor_events(tmp_path, LIE):
        done = hook("claude-code", event)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("options", [(), ("--fail-closed",)])
def test_without_a_conversation_nothing_is_judged(hook, options):
    done = hook("cursor", {"hook_event_name": "stop", "cursor_version": "3.9"}, *options)
    assert done.returncode == 0
    assert '"conversation_id" is missing' in done.stderr
    assert ("followup_message" in done.stdout) == bool(options)
