"""``sentinel receipt``: the claims of a session beside its record and the working tree, as text, Markdown and JSON, and as a check."""

import json
import os
import re
import shutil
import subprocess

import pytest
from claude_sessions import ClaudeSession
from commanding import runner_inside

from sentinel_command_hook import sentinel_commands
from sentinel_command_hook.remarks import unbacked_remark
from sentinel_core.evaluate.facts.witness import Witness
from sentinel_core.report import LedgerEntry
from sentinel_core.testing import CommandContract
from sentinel_core.trace import to_json

FOLDER, OLD = (f"01a20676-0000-7000-8000-00000000000{number}.jsonl" for number in (8, 9))
HOSTILE = "I added `[x](http://evil.example)` <script>alert(1)</script> | ::error:: \x1b[31mred\u202e."


class TestReceipt(CommandContract):
    def make(self):
        return sentinel_commands()[1]

    def module(self):
        return "sentinel_command_hook"


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    return runner_inside(tmp_path, monkeypatch, capfd)


@pytest.fixture
def honest():
    session = ClaudeSession()
    session.user("Fix the total of the cart, run the tests and commit.")
    session.edit().run("pytest -q", "3 passed in 0.12s").run("git commit -am fix", "[main 3f2a91c] fix")
    return session.says("I updated src/cart.py. All 3 tests pass. I committed it.")


@pytest.fixture
def lying(failing):
    return failing.says("I updated src/cart.py and it is fixed. All tests pass now.")


def test_backed_claims_have_a_line_for_each_kind(run, tmp_path, honest):
    done = run("receipt", honest.write(tmp_path))
    first, *rows = done.stdout.splitlines()
    assert done.returncode == 0
    assert first == f"{honest.session_id}: 3 claims: 3 backed"
    assert {row[0] for row in rows} == {"✓"}
    assert any('“I committed it.” (message 7): "git commit -am fix" worked' in row for row in rows)


def test_an_accusation_comes_first(run, tmp_path, lying):
    done = run("receipt", lying.write(tmp_path))
    assert done.stdout.splitlines()[1].startswith("✗ “All tests pass now.”")
    assert done.returncode == 0


@pytest.mark.parametrize(("options", "code"), [((), 2), (("--fail-on", "fail"), 2), (("--fail-on", "never"), 0)])
def test_the_check_ends_as_evaluate_does(run, tmp_path, lying, options, code):
    done = run("receipt", lying.write(tmp_path), "--check", *options)
    assert done.returncode == code
    assert ("the record speaks against 1 claim" in done.stderr) is (code != 0)


def test_the_check_of_an_honest_session_passes(run, tmp_path, honest):
    assert run("receipt", honest.write(tmp_path), "--check").returncode == 0


def test_nothing_of_a_hostile_session_is_live(run, tmp_path, honest):
    path = honest.user("More.").edit().says(HOSTILE).write(tmp_path)
    shown = run("receipt", path).stdout
    table = run("receipt", path, "--format", "markdown").stdout
    assert "\x1b" not in shown + table
    assert "\u202e" not in shown + table
    assert "&lt;script&gt;" in table
    assert "](http" not in table
    assert {row.replace("\\|", "").count("|") for row in table.splitlines()[2:]} == {4}


def test_json_counts_the_answers_and_lists_the_rows(run, tmp_path, lying):
    told = json.loads(run("receipt", lying.write(tmp_path), "--format", "json").stdout)
    assert told["counts"]["contradicted"] == 1
    assert told["rows"][0]["rule"] == "hallucination.contradicted_checks"
    assert sum(told["counts"].values()) == sum(row["more"] + 1 for row in told["rows"])


def test_the_working_tree_stands_beside_the_record(run, tmp_path, honest):
    witness = tmp_path / "seen.json"
    witness.write_bytes(to_json(Witness({"src/cart.py": "changed"}, ["ab" * 20]).document()))
    path = honest.write(tmp_path)
    shown = run("receipt", path, "--witness", witness, "--format", "markdown").stdout
    assert "| claim | record | working tree |" in shown
    assert "src/cart.py changed since the session began" in shown.replace("\\", "")
    assert "working tree" not in run("receipt", path).stdout  # the session worked in another folder


def test_the_newest_session_of_this_folder_is_taken(run, tmp_path, honest, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    for line in honest.lines:
        line["cwd"] = str(tmp_path)
    honest.write(tmp_path / "claude/projects/shop")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/cart.py").write_text("a + b\n")
    shown = run("receipt", "--latest", "claude-code").stdout
    assert "3 claims: 3 backed" in shown
    assert "working tree: src/cart.py changed since the session began" in shown
    assert "working tree: " not in run("receipt", "--latest", "claude-code", "--no-witness").stdout


@pytest.mark.parametrize(("options", "code"), [((), 3), (("--check",), 0)])
def test_a_folder_without_a_session_has_nothing_to_check(run, tmp_path, honest, monkeypatch, options, code):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    honest.write(tmp_path / "claude/projects/shop")
    done = run("receipt", "--latest", "claude-code", *options)
    assert done.returncode == code
    assert (
        f'--latest "claude-code": no session worked in "{tmp_path}": 1 session worked elsewhere (it is "' in done.stderr
    )
    assert done.stderr.endswith("or give the path of a session\n")
    assert ("nothing was checked: " in done.stderr) == (code == 0)


def test_sessions_that_are_passed_over_are_counted_and_the_newest_is_named(run, tmp_path, honest, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    where = tmp_path / "claude/projects"
    done = run("receipt", "--latest", "claude-code")
    assert f': claude-code has no session in "{where}"; run this in the folder' in done.stderr
    (where / "odd" / FOLDER).mkdir(parents=True)
    done = run("receipt", "--latest", "claude-code")
    assert f'1 session could not be read, such as "{where}/odd/{FOLDER}"; run this' in done.stderr
    path = honest.write(where / "shop")
    shutil.copy(path, where / "shop" / OLD)
    os.utime(where / "shop" / OLD, (1, 1))
    done = run("receipt", "--latest", "claude-code")
    assert f'2 sessions worked elsewhere (the newest is "{path}", claude-code), and 1 session could not' in done.stderr


def test_where_no_tool_has_a_session_all_are_named(run, tmp_path):
    done = run("receipt", "--latest", "any", HOME=str(tmp_path), CLAUDE_CONFIG_DIR="", CODEX_HOME="", COPILOT_HOME="")
    assert re.search(r"no session of aider, claude-code, .* is on this machine \(\"sentinel doctor\"", done.stderr)


def test_it_is_written_to_a_file(run, tmp_path, honest):
    done = run("receipt", honest.write(tmp_path), "--format", "markdown", "-o", tmp_path / "receipt.md")
    assert done.stdout == ""
    assert (tmp_path / "receipt.md").read_text().startswith("**Sentinel receipt**")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "give a session's file, or --latest TOOL"),
        (("a.jsonl", "--latest", "codex"), "give a session's file, or --latest TOOL"),
        (("--latest", "vim"), "choose one of"),
        (("none.jsonl",), "none.jsonl"),
    ],
)
def test_wrong_uses_say_what_to_do(run, arguments, says):
    done = run("receipt", *arguments)
    assert done.returncode == 3
    assert says in done.stderr


def entry(answer="not_checkable", **more):
    told = {"claim": "I pushed it.", "message_index": 3, "kind": "push", "record": "a push is not on record"}
    return LedgerEntry(answer=answer, **told | more)


def test_the_hook_tells_of_claims_that_nothing_backs():
    (line,) = unbacked_remark([entry(), entry(claim="I installed it.", kind="install")], "codex").values()
    assert line == (
        "Sentinel: not backed: “I pushed it.” and 1 more claim (a push is not on record); "
        '"sentinel receipt --latest codex" shows all'
    )


@pytest.mark.parametrize(
    "one",
    [
        entry("backed"),
        entry("absent", rule="claim_without_call"),
        entry(call_id="c1"),
        entry(kind="value"),
        entry(trace_path=(0,)),
    ],
)
def test_the_hook_is_silent_on_what_is_backed_accused_or_may_be_done(one):
    assert unbacked_remark([one], "codex") == {}
