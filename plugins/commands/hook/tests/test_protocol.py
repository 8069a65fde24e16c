"""The exact bytes that each tool sends and gets, in a process of its own; whatever is wrong, the agent is not held up."""

import json
import os
import subprocess
import threading
from pathlib import Path

import pytest
from commanding import COMMAND, run_command, terminal_of

from sentinel_command_hook.panel import reader_of, signal
from sentinel_command_hook.transcript import Transcript
from sentinel_command_hook.verdict import judge_last_words
from sentinel_core import TraceIndex

pytestmark = pytest.mark.unmeasured

LIE = "I fixed it. All tests pass now."
REASON = (
    'You said "All tests pass now".\n'
    'The last run of tests, `pytest -q`, ended with "1 failed, 2 passed in 0.12s". '
    "Run them again, or say that they fail."
)
CODEX_LINES = (
    ("session_meta", {"id": "01a20676-0000-7000-8000-000000000000", "timestamp": "T", "cwd": "/home/me/shop"}),
    ("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it."}]}),
    (
        "response_item",
        {"type": "function_call", "name": "exec_command", "call_id": "c1", "arguments": '{"cmd": "pytest -q"}'},
    ),
    (
        "response_item",
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": "Wall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n1 failed, 2 passed in 0.12s\n",
        },
    ),
)
GEMINI_LINES = (
    {"sessionId": "5e551011-0000-4000-8000-000000000000", "startTime": "2026-11-01T10:00:00.000Z", "kind": "main"},
    {"id": "1", "type": "user", "content": [{"text": "Fix it."}]},
    {
        "id": "2",
        "type": "gemini",
        "content": "",
        "toolCalls": [
            {
                "id": "c1",
                "name": "run_shell_command",
                "args": {"command": "pytest -q"},
                "status": "success",
                "result": [
                    {
                        "functionResponse": {
                            "id": "c1",
                            "response": {"output": "1 failed, 2 passed in 0.12s\nExit Code: 1"},
                        }
                    }
                ],
            }
        ],
    },
)


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def hook(tmp_path):
    """``sentinel hook run`` with these bytes on standard input."""

    def run(tool, told, *options, **environ):
        data = told if isinstance(told, bytes) else json.dumps(told).encode()
        return run_command(tmp_path, "hook", "run", tool, *options, stdin=data, **environ)

    return run


def claude_event(failing, folder, said=LIE, *, is_late=False, **more):
    """Of a session whose file holds the last message already; but where that is to come late, what the hook waits for."""
    if not is_late:
        failing.says(said)
    return failing.event(folder / "projects", said, **more)


def codex_event(folder, said=LIE, *, is_late=False, **more):
    path = folder / "rollout-2026-11-01T10-00-00-01a20676-0000-7000-8000-000000000000.jsonl"
    last = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said}]}
    told = (*CODEX_LINES, *(() if is_late else (("response_item", last),)))
    path.write_text(lines(*({"timestamp": "T", "type": kind, "payload": payload} for kind, payload in told)))
    return {
        "session_id": "01a20676-0000-7000-8000-000000000000",
        "turn_id": "t1",
        "transcript_path": str(path),
        "cwd": "/home/me/shop",
        "hook_event_name": "Stop",
        "model": "gpt-5.1-codex",
        "permission_mode": "default",
        "stop_hook_active": False,
        "last_assistant_message": said,
        **more,
    }


def gemini_event(folder, said=LIE, *, is_late=False, **more):
    path = folder / "session-2026-11-01T10-00-5e551011.jsonl"
    path.write_text(lines(*GEMINI_LINES, *(() if is_late else ({"id": "3", "type": "gemini", "content": said},))))
    return {
        "session_id": "5e551011-0000-4000-8000-000000000000",
        "transcript_path": str(path),
        "cwd": "/home/me/shop",
        "hook_event_name": "AfterAgent",
        "timestamp": "2026-11-01T10:00:09.000Z",
        "prompt": "Fix it.",
        "prompt_response": said,
        "stop_hook_active": False,
        **more,
    }


@pytest.fixture(params=["claude-code", "codex", "gemini-cli"])
def event_of(request, tmp_path, failing):
    """The tool, its word for sending the agent back, and its event."""

    def make(said=LIE, **more):
        if request.param == "claude-code":
            return claude_event(failing, tmp_path, said, **more)
        return (codex_event if request.param == "codex" else gemini_event)(tmp_path, said, **more)

    return request.param, "deny" if request.param == "gemini-cli" else "block", make


def test_a_lie_is_answered_in_the_tools_own_words(event_of, hook):
    """The transcript does not hold the last message: it comes from the event."""
    tool, decision, make = event_of
    done = hook(tool, make(is_late=True))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == json.dumps({"decision": decision, "reason": REASON}, separators=(",", ":")) + "\n"


def test_the_truth_is_answered_with_silence(event_of, hook):
    tool, _, make = event_of
    done = hook(tool, make("One of the three tests still fails."))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_one_finding_is_sent_back_once(event_of, hook):
    tool, _, make = event_of
    assert "reason" in hook(tool, make()).stdout
    again = hook(tool, make("It is fixed. All tests are passing.", stop_hook_active=True))
    assert again.returncode == 0
    assert list(json.loads(again.stdout)) == ["systemMessage"]
    assert json.loads(again.stdout)["systemMessage"].startswith(
        "Sentinel: still not true: The agent says that the tests"
    )
    assert hook(tool, make(stop_hook_active=True), "--quiet").stdout == ""


def test_what_is_newly_wrong_is_sent_back_though_a_hook_is_active(failing, hook, tmp_path):
    assert "reason" in hook("claude-code", claude_event(failing, tmp_path)).stdout
    failing.feedback(REASON).edit().run("pytest -q", "2 failed, 1 passed in 0.20s", code=1)
    answer = json.loads(hook("claude-code", claude_event(failing, tmp_path, stop_hook_active=True)).stdout)
    assert answer["decision"] == "block"
    assert "2 failed, 1 passed" in answer["reason"]


def test_it_lets_go_after_three_in_a_row(failing, hook, tmp_path):
    sent_back = []
    for number in range(2, 7):
        failing.run("pytest -q", f"{number} failed in 0.20s", code=1)
        done = hook("claude-code", claude_event(failing, tmp_path, stop_hook_active=bool(sent_back)))
        sent_back.append("decision" in json.loads(done.stdout))
    assert sent_back == [True, True, True, False, False]
    hook("claude-code", claude_event(failing, tmp_path, "One fails."))  # the user spoke again
    failing.run("pytest -q", "9 failed in 0.20s", code=1)
    assert "decision" in hook("claude-code", claude_event(failing, tmp_path, stop_hook_active=True)).stdout


def test_a_note_is_for_the_user(hook, tmp_path, failing):
    failing.run("pytest -q", "3 passed in 0.12s").edit()
    answer = json.loads(hook("claude-code", claude_event(failing, tmp_path)).stdout)
    assert list(answer) == ["systemMessage"]
    assert "(stale_checks)" in answer["systemMessage"]


def test_a_doubt_about_one_figure_is_for_nobody(hook, tmp_path, failing):
    said = "The bug was an off-by-one, at line 233 of `cart.py`."
    failing.call("Read", {"file_path": "/home/me/shop/src/cart.py"}, "518 def total(a, b):\n519     return a - b")
    session = reader_of("claude-code").read(Transcript(path=tmp_path, data=failing.text().encode()))
    verdict = judge_last_words(TraceIndex(next(iter(session))), said, signal().detect)
    assert [finding.rule for finding in verdict.findings] == ["figure"]
    done = hook("claude-code", claude_event(failing, tmp_path, said))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_lines_that_come_late_are_waited_for(hook, tmp_path, failing, monkeypatch):
    """Without them, the last run that the transcript holds failed."""
    told = claude_event(failing, tmp_path, is_late=True)
    timer = threading.Timer(0.8, failing.run("pytest -q", "3 passed in 0.12s").says(LIE).write, [tmp_path / "projects"])
    timer.start()
    done = hook("claude-code", told)
    timer.join()
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("closed", [(), ("--fail-closed",)], ids=["open", "closed"])
@pytest.mark.parametrize(
    ("told", "says"),
    [
        (b"", "is not JSON"),
        (b"\xff\x00garbage", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b'{"transcript_path": null}', 'the event does not say where the transcript is: "transcript_path"'),
        (b'{"transcript_path": "/nowhere/session.jsonl"}', '"/nowhere/session.jsonl" does not exist'),
        (b'{"transcript_path": "/dev/zero"}', '"/dev/zero": is not a regular file'),
        (b'{"transcript_path": "."}', '".": is not a regular file but a folder'),
        (
            b'{"transcript_path": "gone.jsonl"}',
            '/gone.jsonl" does not exist: the event names it; check that claude-code',
        ),
        (b'{"session_id": "s"}', "is missing or is not a path; claude-code sends it"),
    ],
)
def test_what_cannot_be_judged_holds_nobody_up(hook, told, says, closed):
    done = hook("claude-code", told, *closed)
    assert (done.returncode, done.stdout == "") == (2 if closed else 0, bool(closed or not told))
    assert closed or not told or says in unchecked(done)
    first, *more = done.stderr.splitlines()
    assert first.startswith("sentinel: error: hook: the session was not judged: ")
    assert says in first
    assert len(more) == len(closed)


def test_a_file_without_a_message_is_no_session(event_of, hook):
    tool, _, make = event_of
    event = make()
    Path(event["transcript_path"]).write_text('{"sessionId": "s", "projectHash": "h"}\n')
    why = "no line is a message of a session" if tool == "claude-code" else "contains no session"
    told = unchecked(hook(tool, event))
    assert why in told
    assert f'"{event["transcript_path"]}": ' in told


def unchecked(done):
    """What the user is told of a session that was not judged."""
    (key, text), *more = json.loads(done.stdout).items()
    assert (key, more) == ("systemMessage", [])
    assert text.startswith("Sentinel could not check this session: ")
    assert text.endswith('; run "sentinel doctor" for details')
    return text


def test_the_user_is_told_once_a_session_that_it_is_not_checked(event_of, hook, tmp_path):
    tool, _, make = event_of
    (tmp_path / "sentinel.toml").write_text('[rules]\n"hallucination.contradicted_check" = "off"\n')
    first, again = hook(tool, make(), "--quiet"), hook(tool, make(), "--quiet")
    assert "contradicted_check" in unchecked(first)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", first.stderr)
    (tmp_path / "sentinel.toml").unlink()
    assert json.loads(hook(tool, make()).stdout)["reason"] == REASON


def test_a_signal_that_breaks_holds_nobody_up(hook, tmp_path, failing):
    (tmp_path / "sitecustomize.py").write_text(
        "import sentinel_signal_hallucination.judging as module\n"
        "class Odd(Exception):\n"
        "    def __str__(self): raise ValueError\n"
        "def broken(index, settings): print('noise'); raise Odd\n"
        "import sentinel_signal_hallucination\n"
        "sentinel_signal_hallucination.judging = module.detect = broken\n"
    )
    done = hook("claude-code", claude_event(failing, tmp_path), PYTHONPATH=str(tmp_path))
    assert done.returncode == 0
    assert "an internal error in Sentinel (Odd)" in unchecked(done)
    assert "the session was not judged: sitecustomize.Odd" in done.stderr
    assert "(sitecustomize.py:4)" in done.stderr


def test_even_closed_it_holds_up_only_once(hook):
    done = hook("claude-code", b'{"stop_hook_active": true, "transcript_path": "/nowhere"}', "--fail-closed")
    assert done.returncode == 0
    assert '"/nowhere" does not exist' in unchecked(done)


def test_a_pipe_is_not_read(hook, tmp_path):
    os.mkfifo(tmp_path / "session.jsonl")
    done = hook("claude-code", {"transcript_path": str(tmp_path / "session.jsonl")})
    assert done.returncode == 0
    assert "is not a regular file" in unchecked(done)
    assert "is not a regular file" in done.stderr


def test_a_terminal_is_told_who_calls_this(tmp_path):
    reader, writer = terminal_of(80)
    command = [COMMAND, "hook", "run", "codex"]
    done = subprocess.run(command, stdin=writer, capture_output=True, check=False, timeout=60, cwd=tmp_path)
    os.close(reader)
    os.close(writer)
    assert done.returncode == 0
    assert b'this command reads a coding agent\'s event from it: see "sentinel hook install"' in done.stderr


def test_an_event_without_end_is_refused(hook):
    done = hook("codex", b" " * ((64 << 20) + 1))
    assert (done.returncode, done.stdout) == (0, "")
    assert "the event on standard input is larger than 64 MB" in done.stderr


def test_a_file_of_another_kind_is_told(hook, tmp_path):
    (tmp_path / "notes.jsonl").write_text('{"a": 1}\nno json\n')
    done = hook("claude-code", {"transcript_path": str(tmp_path / "notes.jsonl")})
    assert (done.returncode, bool(unchecked(done))) == (0, True)
    assert "the session was not judged" in done.stderr


def test_sentinel_without_its_plugins_holds_nobody_up(hook, tmp_path, failing):
    """As in an installation that has the command and nothing else."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sentinel_core.host.entry_points as points\n"
        "everything = points.entry_points\n"
        "points.entry_points = lambda prefix: tuple(one for one in everything(prefix) if one.group == 'sentinel.commands')\n"
    )
    done = hook("claude-code", claude_event(failing, tmp_path), PYTHONPATH=str(tmp_path))
    assert (done.returncode, bool(unchecked(done))) == (0, True)
    assert 'the signal hallucination is not installed: pip install "reliability-sentinel[standard]"' in done.stderr


def test_a_broken_configuration_holds_nobody_up(hook, tmp_path, failing):
    (tmp_path / "sentinel.toml").write_text("[rules]\nnonsense = 1\n")
    done = hook("claude-code", claude_event(failing, tmp_path))
    assert (done.returncode, bool(unchecked(done))) == (0, True)
    assert "nonsense" in done.stderr


def test_a_rule_that_is_switched_off_sends_nobody_back(hook, tmp_path, failing):
    (tmp_path / "sentinel.toml").write_text(
        '[rules]\n"hallucination.contradicted_checks" = "off"\n"cost.over_budget" = "off"\n'
    )
    done = hook("claude-code", claude_event(failing, tmp_path))
    told = "Sentinel: the rule hallucination.contradicted_checks is switched off in sentinel.toml"
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, {"systemMessage": told}, "")


def test_a_checkouts_plugins_are_not_loaded(hook, tmp_path, failing):
    (tmp_path / "bad.py").write_text("raise SystemExit(9)")
    (tmp_path / "sentinel.toml").write_text('plugins = ["./bad.py"]\n')
    assert "reason" in hook("claude-code", claude_event(failing, tmp_path)).stdout


def test_a_cache_that_cannot_be_written_holds_nobody_up(hook, tmp_path, failing):
    """What cannot be remembered must not send the agent back: it would do so again and again."""
    (tmp_path / "file").write_text("")
    done = hook("claude-code", claude_event(failing, tmp_path), XDG_CACHE_HOME=str(tmp_path / "file"))
    assert (done.returncode, bool(unchecked(done))) == (0, True)
    assert "the session was not judged" in done.stderr


def test_hostile_words_reach_nobody_raw(hook, tmp_path, failing):
    failing.run("pytest -q", "\x1b]0;owned\x07 9 failed\x1b[2J, ##[error]x\u202e in 1s", code=1)
    done = hook("claude-code", claude_event(failing, tmp_path))
    reason = json.loads(done.stdout)["reason"]
    assert all(32 <= ord(character) < 127 or character == "\n" for character in done.stdout + reason)
    assert reason.count("\n") == 1


def test_a_sub_agent_is_judged_by_its_own_record(hook, tmp_path, failing):
    session = failing.run("pytest -q", "3 passed in 0.12s")
    inner = session.sub_agent("a1b2c3", "Run pytest.", "Ran.")
    inner.run("pytest -q", "1 failed, 2 passed in 0.12s", code=1)
    told = claude_event(session, tmp_path, hook_event_name="SubagentStop")
    own = told["transcript_path"].removesuffix(".jsonl") + "/subagents/agent-a1b2c3.jsonl"
    assert json.loads(hook("claude-code", {**told, "agent_transcript_path": own}).stdout)["reason"] == REASON


def test_what_never_ends_is_given_up(tmp_path):
    """Standard input that nobody closes."""
    reader, writer = os.pipe()
    done = subprocess.run(
        [COMMAND, "hook", "run", "codex", "--timeout", "0.5"],
        stdin=reader,
        capture_output=True,
        check=False,
        timeout=60,
    )
    os.close(reader)
    os.close(writer)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"did not end within 0.5 s" in done.stderr
