"""The server as its users start it, asked by the client of the SDK over standard input and output."""

import asyncio
import os
from pathlib import Path

import pytest
from commanding import COMMAND, run_command
from mcp import Client, StdioServerParameters

pytestmark = [pytest.mark.process, pytest.mark.unmeasured]

SESSION = (Path(__file__).parents[4] / "examples" / "traces" / "coding-session.jsonl").read_text(encoding="utf-8")
OURS = "5f1c0d7e-7f0a-4b7e-9f39-2d3f7c4e1a11"
THEIRS = "6a2d1e8f-8a1b-4c8f-8a4a-3e4f8d5f2b22"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A home with two sessions, the newer one of another folder; a link that leaves; and a file that nobody may read."""
    base = tmp_path_factory.mktemp("mcp")
    work, kept = base / "work", base / "home" / ".claude" / "projects" / "work"
    (work / ".sentinel").mkdir(parents=True)
    (work / ".sentinel" / "runs").symlink_to(base)  # as a checkout may bring it
    kept.mkdir(parents=True)
    for name, folder, changed in ((OURS, work, 1_000_000_000), (THEIRS, base / "other", 2_000_000_000)):
        session = kept / f"{name}.jsonl"
        session.write_text(SESSION.replace("/home/anna/shop", str(folder)), encoding="utf-8")
        os.utime(session, (changed, changed))
    (kept / "broken.jsonl").write_text("no trace\n", encoding="utf-8")
    (kept / "half.json").write_text(
        '{"trace_id": "whole", "messages": [{"role": "assistant", "content": "Hello."}]}\n{\n'
    )
    (kept / "empty.jsonl").write_text("", encoding="utf-8")
    (base / "outside.jsonl").write_text(SESSION, encoding="utf-8")
    (kept / "link.jsonl").symlink_to(base / "outside.jsonl")
    (kept / "inner.jsonl").symlink_to(kept / f"{OURS}.jsonl")
    return base


def asked(place, *calls, arguments=(), mode="auto"):
    """What the server says of itself, and its answer to each call."""
    measuring = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}

    async def talk():
        server = StdioServerParameters(
            command=str(COMMAND),
            args=["mcp", *arguments],
            cwd=place / "work",
            env={"HOME": str(place / "home"), **measuring},
        )
        async with Client(server, mode=mode) as client:
            tools = await client.list_tools()
            return tools.tools, [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(talk())


def path_of(place, name):
    return str(place / "home" / ".claude" / "projects" / "work" / name)


CALLS = {
    "latest": ("judge_session", {}),
    "of codex": ("judge_session", {"tool": "codex"}),
    "of nobody": ("judge_session", {"tool": "emacs"}),
    "by path": ("judge_session", {"path": f"{THEIRS}.jsonl"}),
    "inner link": ("judge_session", {"path": "inner.jsonl"}),
    "link": ("judge_session", {"path": "link.jsonl"}),
    "up": ("judge_session", {"path": "../../../../outside.jsonl"}),
    "nothing": ("judge_session", {"path": "gone.jsonl"}),
    "folder": ("judge_session", {"path": ""}),
    "broken": ("judge_session", {"path": "broken.jsonl"}),
    "half": ("judge_session", {"path": "half.json"}),
    "empty": ("judge_session", {"path": "empty.jsonl"}),
    "null": ("judge_session", {"path": "a\0b"}),
    "elsewhere": ("judge_session", {"path": "/etc/passwd"}),
    "option": ("explain_rule", {"rule": "--all"}),
    "rule": ("explain_rule", {"rule": "contradicted_checks"}),
    "runs": ("list_runs", {}),
    "one run": ("list_runs", {"limit": 1, "tool": "claude-code"}),
}


@pytest.fixture(scope="module")
def answers(place):
    calls = [
        (name, {"path": path_of(place, given["path"])} if "path" in given and given["path"][:1] != "/" else given)
        for name, given in CALLS.values()
    ]
    tools, told = asked(place, *calls)
    return {"tools": tools, **dict(zip(CALLS, told, strict=True))}


def test_the_tools_say_what_they_take_and_that_they_only_read(answers):
    tools = {tool.name: tool for tool in answers["tools"]}
    assert set(tools) == {"judge_session", "explain_rule", "list_runs"}
    assert all(tool.description and tool.annotations.read_only_hint for tool in tools.values())
    assert set(tools["judge_session"].input_schema["properties"]) == {"path", "tool"}
    assert tools["explain_rule"].input_schema["required"] == ["rule"]


def test_the_latest_session_is_that_of_the_folder_at_hand(answers, place):
    told = answers["latest"]
    assert not told.is_error
    assert told.structured_content["session"] == path_of(place, f"{OURS}.jsonl")
    (report,) = told.structured_content["reports"]
    assert report["verdict"] == "FAIL"
    worst = report["findings"][0]
    assert (worst["rule"], worst["severity"]) == ("hallucination.contradicted_checks", "error")
    assert worst["quote"] == "All tests pass now."
    assert '"1 failed, 2 passed in 0.31s"' in worst["text"]
    assert report["left_out"] == 0


@pytest.mark.parametrize(("name", "session"), [("by path", THEIRS), ("inner link", OURS)])
def test_a_path_is_judged_by_where_it_leads(answers, place, name, session):
    assert answers[name].structured_content["session"] == path_of(place, f"{session}.jsonl")
    assert answers[name].structured_content["reports"][0]["verdict"] == "FAIL"


@pytest.mark.parametrize("name", ["link", "up", "null", "elsewhere"])
def test_what_is_outside_is_refused_whatever_is_there(answers, name):
    told = answers[name]
    assert told.is_error
    assert "is not in the folders that may be read" in told.content[0].text


def test_other_errors_say_what_to_do(answers):
    names = ("nothing", "folder", "of codex", "of nobody", "option", "empty", "broken")
    said = {name: answers[name].content[0].text for name in names}
    assert all(answers[name].is_error for name in said)
    assert "is not a file: call list_runs for the files that can be judged" in said["nothing"]
    assert "is not a file" in said["folder"]
    assert "there is no session of codex in the folders that may be read" in said["of codex"]
    assert "the known tools are aider, claude-code, codex, copilot, cursor, gemini-cli, specstory" in said["of nobody"]
    assert 'there is no rule "--all"' in said["option"]
    assert "broken.jsonl" in said["broken"]
    assert "empty.jsonl" in said["empty"]


def test_of_a_file_that_is_read_in_part_each_record_is_told(answers):
    whole, broken = answers["half"].structured_content["reports"]
    assert (whole["trace_id"], whole["verdict"]) == ("whole", "PASS")
    assert (broken["verdict"], broken["why"][:8]) == (None, "line 2: ")


def test_a_rule_is_explained(answers):
    assert answers["rule"].content[0].text.startswith("hallucination.contradicted_checks (error, since ")


def test_sessions_are_listed_newest_first(answers, place):
    rows = answers["runs"].structured_content["sessions"]
    assert [row["path"] for row in rows] == [path_of(place, f"{name}.jsonl") for name in (THEIRS, OURS)]
    assert rows[1]["changed"] == "2001-09-09T01:46:40+00:00"
    assert (rows[0]["tool"], rows[0]["bytes"]) == ("claude-code", (Path(rows[0]["path"])).stat().st_size)
    assert answers["one run"].structured_content["left_out"] == 1


def test_given_folders_are_read_instead_and_a_client_of_an_older_protocol_is_answered(place):
    (place / "traces").mkdir()
    (place / "traces" / "run.jsonl").write_text(SESSION, encoding="utf-8")
    (place / "traces" / "link.jsonl").symlink_to(place / "outside.jsonl")
    calls = ("list_runs", {}), ("judge_session", {"path": path_of(place, f"{OURS}.jsonl")}), ("judge_session", {})
    _, (runs, refused, judged) = asked(place, *calls, arguments=("--folder", str(place / "traces")), mode="legacy")
    assert [row["path"] for row in runs.structured_content["sessions"]] == [str(place / "traces" / "run.jsonl")]
    assert refused.is_error
    assert judged.structured_content["session"] == str(place / "traces" / "run.jsonl")


def test_runs_of_this_folder_are_listed_and_the_latest_of_all_is_taken_where_none_names_the_folder(tmp_path):
    runs = tmp_path / "work" / ".sentinel" / "runs"
    runs.mkdir(parents=True)
    for name, changed in (("old", 1_000_000_000), ("new", 2_000_000_000)):
        (runs / f"{name}.trace.json").write_text(f'{{"trace_id": "{name}", "messages": []}}', encoding="utf-8")
        os.utime(runs / f"{name}.trace.json", (changed, changed))
    _, (listed, judged) = asked(tmp_path, ("list_runs", {"tool": "native"}), ("judge_session", {}))
    assert [Path(row["path"]).name for row in listed.structured_content["sessions"]] == [
        "new.trace.json",
        "old.trace.json",
    ]
    assert judged.structured_content["session"].endswith("new.trace.json")


def test_a_folder_that_is_none_is_refused(tmp_path):
    done = run_command(tmp_path, "mcp", "--folder", "gone")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == 'sentinel: error: --folder "gone" is not a folder\n'
