"""What the hook tells besides findings, and how what it saw of the working tree changes its answer."""

import json

import pytest
from claude_sessions import ClaudeSession

from sentinel_command_hook.run import answer_to
from sentinel_command_hook.tools import TOOLS
from sentinel_core.evaluate.facts.witness import Witness
from sentinel_core.trace import to_json

TOOL = TOOLS["claude-code"]
PUSHED = "I fixed the cart and pushed it to origin."


@pytest.fixture
def fixed():
    """A session in which the cart was fixed and its tests ran."""
    session = ClaudeSession()
    session.user("Fix the total of the cart, then commit and push.")
    return session.edit().run("pytest -q", "3 passed in 0.12s")


def answered(session, folder, said, **options):
    return answer_to(json.dumps(session.event(folder, said, cwd=str(folder))).encode(), TOOL, **options)


def seen(folder, **told):
    path = folder / "seen.json"
    path.write_bytes(to_json(Witness({}, **told).document()))
    return path


def test_a_push_without_a_call_sends_the_agent_back_once(fixed, tmp_path):
    first = answered(fixed, tmp_path, PUSHED)
    assert f'You said "{PUSHED[:-1]}".' in first.reason
    assert answered(fixed, tmp_path, "Fixed the cart and pushed.").reason is None


def test_what_the_working_tree_shows_backs_a_claim(fixed, tmp_path):
    backed = answered(fixed, tmp_path, PUSHED, witness=seen(tmp_path, pushes=("origin/main",)))
    assert (backed.reason, backed.notes) == (None, ())
    assert answered(fixed, tmp_path, PUSHED, looks=False).reason is not None


def test_what_it_shows_speaks_against_a_script_that_may_have_done_it(fixed, tmp_path):
    fixed.run("./finish.sh", "ok")
    told = {"witness": seen(tmp_path, pushes=(), is_pushed=False)}
    (line,) = answered(fixed, tmp_path, PUSHED, **told).notes
    assert "the working tree shows none since the session began" in line
    assert answered(fixed, tmp_path, PUSHED, looks=False) == answered(fixed, tmp_path, PUSHED, looks=False)
    fixed.run("git push origin main", "main -> main")
    assert answered(fixed, tmp_path, PUSHED, **told).notes == ()


def test_a_file_that_is_not_there_speaks_against_a_script(fixed, tmp_path):
    (tmp_path / "docs").mkdir()
    fixed.run("./generate.sh docs", "ok")
    (line,) = answered(fixed, tmp_path, "I created `docs/a.md`.").notes
    assert "an edit of docs/a.md" in line
    fixed.run("git mv docs/a.md docs/b.md", "")
    assert answered(fixed, tmp_path, "I created docs/a.md.").notes == ()


def test_what_was_seen_is_kept_and_gives_the_same_answer(fixed, tmp_path):
    (tmp_path / "docs").mkdir()
    said = "I pushed it to origin and changed docs/a.md."
    first = answered(fixed, tmp_path, said)
    (kept,) = (tmp_path / "cache/reliability-sentinel/hook").glob("*.witness")
    assert json.loads(kept.read_bytes())["paths"] == {"docs/a.md": "absent"}
    for path in (tmp_path / "cache/reliability-sentinel/hook").glob("*.told"):
        path.unlink()
    assert answered(fixed, tmp_path, said, witness=kept) == first


def test_a_description_of_the_last_turn_is_judged(tmp_path):
    session = ClaudeSession()
    session.user("Fix it and open a PR.")
    session.edit().run("pytest -q", "1 failed, 2 passed in 0.12s", code=1)
    session.run("gh pr create --title Fix --body 'Handles commas. All tests pass.'", "https://github.com/a/b/pull/4")
    assert "All tests pass" in answered(session, tmp_path, "The pull request is open.").reason
    session.user("Thanks. What is its number?")
    assert answered(session, tmp_path, "It is 4.").reason is None


def test_a_rule_that_is_off_is_told_once(fixed, tmp_path, monkeypatch):
    (tmp_path / "sentinel.toml").write_text('[rules]\n"hallucination.identifier" = "off"\n')
    (line,) = answered(fixed, tmp_path, "The cart is right now.").notes
    assert line == "Sentinel: the rule hallucination.identifier is switched off in sentinel.toml"
    assert answered(fixed, tmp_path, "The cart is right now.").notes == ()
    fixed.call("Write", {"file_path": str(tmp_path / "sentinel.toml"), "content": "x"}, "ok")
    (line,) = answered(fixed, tmp_path, "The cart is right now.").notes
    assert line.endswith("; this session wrote to sentinel.toml")
    assert answered(fixed, tmp_path, PUSHED, quiet=True).notes == ()


def test_what_was_not_read_is_told_once(fixed, tmp_path):
    path = fixed.write(tmp_path)
    event = fixed.event(tmp_path, "The cart is right now.")
    with path.open("a") as file:
        file.write('{"type": "assist')
    data = json.dumps(event).encode()
    assert answer_to(data, TOOL).notes == ("Sentinel: the last line of the transcript is incomplete and was not read",)
    assert answer_to(data, TOOL).notes == ()


def test_lines_that_are_no_json_are_told(fixed, tmp_path):
    event = fixed.event(tmp_path, "The cart is right now.")
    path = tmp_path / f"{fixed.session_id}.jsonl"
    path.write_text(path.read_text() + "no json\n")
    (line,) = answer_to(json.dumps(event).encode(), TOOL).notes
    assert line.startswith("Sentinel: not everything in the transcript could be read: ")


GERMAN = "Ich habe die Summe des Warenkorbs korrigiert und die Datei README.md aktualisiert."


def test_a_claim_that_nothing_backs_is_told_once(fixed, tmp_path):
    told = {"looks": False}
    lines = answered(fixed, tmp_path, GERMAN, **told).notes
    assert any(f"not backed: “{GERMAN}” (language: only English claims are read)" in line for line in lines)
    assert answered(fixed, tmp_path, GERMAN, **told).notes == ()


def test_the_quiet_hook_tells_of_none(fixed, tmp_path):
    assert answered(fixed, tmp_path, GERMAN, looks=False, quiet=True).notes == ()
