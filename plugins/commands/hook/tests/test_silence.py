"""A stop at which nothing is said ends before the engine: only where the whole would not have said a word, either."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from claude_sessions import ClaudeSession

from sentinel_command_hook.event import event_of
from sentinel_command_hook.memory import memory_of
from sentinel_command_hook.run import answer_to
from sentinel_command_hook.running import run
from sentinel_command_hook.silence import has_nothing_to_judge
from sentinel_command_hook.tools import TOOLS

TOOL = TOOLS["claude-code"]
ASKED = "Which of the two files do you mean?"
HEAVY = {
    "attr",
    "click",
    "json",
    "pluggy",
    "sentinel_core.evaluate.facts.commands",
    "sentinel_core.evaluate.index",
    "sentinel_signal_hallucination.judging",
}


def session(*, command="pytest -q", result="3 passed in 0.12s"):
    made = ClaudeSession()
    made.user("Fix the total of the cart.")
    return made.edit().run(command, result)


def is_silent(made, folder, said=ASKED, tool=TOOL):
    data = json.dumps(made.event(folder, said)).encode()
    found = has_nothing_to_judge(event_of(data, tool), tool)
    if found:
        assert answer_to(data, tool).encoded(tool) == b""
    return found


@pytest.mark.parametrize("said", [ASKED, "Let me know which one you mean, please.", "Hello! How can I help you today?"])
def test_a_question_is_silent(tmp_path, said):
    assert is_silent(session(), tmp_path, said)


@pytest.mark.parametrize(
    "said",
    [
        "All tests pass now.",
        "I fixed the cart.",
        "It works.",
        "The parser is a state machine.",
        "Should I go on? The cart is done.",
        "There are 3 of them; which one?",
        "Is `cart.py` the one?",
        "See cart/total.py, please.",
        None,
    ],
)
def test_what_may_be_a_claim_is_not(tmp_path, said):
    assert not is_silent(session(), tmp_path, said)


@pytest.mark.parametrize(
    "command",
    ["git commit -m 'Fix the cart, all tests pass'", "gh pr create --body 'All tests pass'", "glab mr create --fill"],
)
def test_a_turn_that_writes_a_description_is_read(tmp_path, command):
    assert not is_silent(session(command=command), tmp_path)


def test_a_turn_that_writes_a_text_is_read(tmp_path):
    made = session()
    made.call("Write", {"file_path": "pr.md", "content": "All tests pass."}, "ok")
    assert not is_silent(made, tmp_path)


def test_a_session_that_ends_in_half_a_line_is_read(tmp_path):
    made = session()
    event = made.event(tmp_path, ASKED)
    with Path(event["transcript_path"]).open("a", encoding="utf-8") as file:
        file.write('{"type": "assistant"')
    assert not has_nothing_to_judge(event_of(json.dumps(event).encode(), TOOL), TOOL)


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        '{"type": "user", "uuid": "z", "message": {"role": "user"}}',
        '{"type": "news", "message": {"role": "assistant", "content": "x"}}',
        '{"type": "assistant", "uuid": "z", "parentUuid": null, "message": {"content": [{"type": "riddle"}]}}',
        '{"type": "assistant", "uuid": "z", "parentUuid": null, "message": {"content": "a tree of its own"}}',
        '{"type": "assistant", "uuid": "z", "isSidechain": true, "message": {"content": "a sub-agent"}}',
        '{"type": "user", "uuid": "z", "toolUseResult": {"agentId": "a1"}, "message": {"content": "x"}}',
    ],
)
def test_a_line_that_is_not_plain_is_read(tmp_path, line):
    event = session().event(tmp_path, ASKED)
    with Path(event["transcript_path"]).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    assert not has_nothing_to_judge(event_of(json.dumps(event).encode(), TOOL), TOOL)


def test_sub_agents_in_files_of_their_own_are_read(tmp_path):
    event = session().event(tmp_path, ASKED)
    name = event["transcript_path"].removesuffix(".jsonl")
    (tmp_path / name / "subagents").mkdir(parents=True)
    assert not has_nothing_to_judge(event_of(json.dumps(event).encode(), TOOL), TOOL)


def test_settings_are_read(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "cart"\n', encoding="utf-8")
    assert is_silent(session(), tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.sentinel]\n", encoding="utf-8")
    assert not is_silent(session(), tmp_path)
    (tmp_path / "pyproject.toml").unlink()
    monkeypatch.setenv("SENTINEL_TIMEOUT", "no number")
    assert not has_nothing_to_judge(event_of(json.dumps(session().event(tmp_path, ASKED)).encode(), TOOL), TOOL)


def test_other_tools_are_read(tmp_path):
    assert not is_silent(session(), tmp_path, tool=TOOLS["codex"])


@pytest.mark.parametrize("arguments", [[], ["nobody"], ["claude-code", "--timeout", "3"], ["claude-code", "--help"]])
def test_other_arguments_are_left_to_click(arguments):
    assert run(arguments) is None


@pytest.mark.process
@pytest.mark.unmeasured  # what measures imports json
def test_a_silent_stop_imports_no_engine(tmp_path):
    event = session().event(tmp_path, ASKED)
    memory = memory_of(event_of(json.dumps(event).encode(), TOOL).transcript)
    memory.tell(memory.told(), ["a finding"], 2)
    script = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        "sys.argv = ['sentinel', 'hook', 'run', 'claude-code']; from sentinel_core.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=json.dumps(event), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    loaded = set(done.stderr.split())
    assert "sentinel_command_hook.silence" in loaded
    assert loaded & HEAVY == set()
    assert memory.told() == memory.told()._replace(keys=frozenset(("a finding",)), row=0)
