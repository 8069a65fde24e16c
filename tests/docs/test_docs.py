"""What the docs show works as they show it."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from claude_sessions import ClaudeSession
from forked_commands import run_forked
from headings import anchors
from tables import each_row

from sentinel_core.traces.codec import decode_trace

pytestmark = pytest.mark.unmeasured

REPOSITORY = Path(__file__).parents[2]
SENTINEL = Path(sys.executable).parent / "sentinel"


def blocks(document: str, language: str) -> list[str]:
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def sentinel(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_forked(*arguments, cwd=cwd, timeout=120)


def test_readme_python_block(tmp_path):
    (code,) = blocks("README.md", "python")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("✗ FAIL ")
    assert "I've cancelled order 17." in done.stdout


def test_the_trace_that_is_shown_is_one():
    (text,) = blocks("docs/formats.md", "json")
    trace = decode_trace(text.encode(), strict=True)
    assert (trace.trace_id, len(trace.messages)) == ("unique", 2)


def test_the_report_that_is_shown():
    shown, *_ = blocks("docs/evaluate.md", "text")
    done = sentinel("evaluate", "examples/traces/fabricated.json", cwd=REPOSITORY)
    assert (done.returncode, done.stdout) == (2, shown)


@each_row("name", sorted(path.name for path in (REPOSITORY / "examples/traces").iterdir()))
def test_the_gate_fails_on_the_lies_that_the_readme_counts(name):
    passing = (
        "figure-that-adds-up",
        "honest",
        "honest-coding-session",
        "result-that-never-came",
        "tests-before-the-last-edit",
    )
    done = sentinel("evaluate", f"examples/traces/{name}", cwd=REPOSITORY)
    assert (done.returncode == 0) == (name.partition(".")[0] in passing)


def test_the_hooks_page_shows_its_entry_and_its_words(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sentinel").symlink_to(SENTINEL)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert sentinel("hook", "install", "claude-code", cwd=tmp_path).returncode == 0
    assert blocks("docs/hook.md", "json") == [(tmp_path / ".claude" / "settings.json").read_text()]
    (rules,) = blocks("docs/hook.md", "toml")
    (tmp_path / "sentinel.toml").write_text(rules)
    session = ClaudeSession().user("Fix it.").run("pytest -q", "1 failed, 2 passed in 0.12s", code=1)
    told = json.dumps(session.event(tmp_path, "All tests pass now."))
    command = [str(SENTINEL), "hook", "run", "claude-code"]
    done = subprocess.run(command, input=told, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(done.stdout)["reason"] + "\n"] == blocks("docs/hook.md", "text")


def test_the_hook_can_be_tried_as_its_page_shows(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{SENTINEL.parent}{os.pathsep}{os.environ['PATH']}")
    (shown,) = (block for block in blocks("docs/hook.md", "console") if "> session.jsonl" in block)
    script = "".join(line.removeprefix("$ ") for line in shown.splitlines(keepends=True))

    def tried():
        done = subprocess.run(
            ["sh"], input=script, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    first, again = tried(), tried()
    assert (first["decision"], [first["reason"] + "\n"]) == ("block", blocks("docs/hook.md", "text"))
    assert again["systemMessage"].startswith("Sentinel: still not true: ")
    assert "decision" not in again
    command = "$ sentinel receipt session.jsonl\n"
    (receipt,) = (block for block in blocks("docs/hook.md", "console") if block.startswith(command))
    done = sentinel("receipt", "session.jsonl", cwd=tmp_path)
    assert (done.returncode, command + done.stdout) == (0, receipt)


def test_links_lead_somewhere():
    for document in (
        *REPOSITORY.glob("*.md"),
        *REPOSITORY.glob("docs/*.md"),
        *REPOSITORY.glob("plugins/*/*/README.md"),
        REPOSITORY / "agent/README.md",
    ):
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_links_lead_to_headings():
    checked = 0
    for document in (*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md")):
        text = document.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\((?!https?://)([^)#]*)#([^)]+)\)", text):
            place = document.parent / target if target else document
            assert anchor in anchors(place), f"{document.name} links to {target}#{anchor}"
            checked += 1
    assert checked > 5


def test_configuration_example_is_accepted(tmp_path):
    settings, _, _ = blocks("docs/configuration.md", "toml")
    (tmp_path / "sentinel.toml").write_text(settings, encoding="utf-8")
    done = sentinel("config", "show", "--json", cwd=tmp_path)
    rows = {row["key"]: (row["value"], row["origin"]) for row in json.loads(done.stdout)}
    assert rows["fail_on"] == ("fail", "sentinel.toml")
    assert rows["weights.loop"] == (0.3, "sentinel.toml")
    assert rows["tools.get_release_summary.releases"] == ("https://releases.example.org", "sentinel.toml")
    done = sentinel("evaluate", str(REPOSITORY / "examples/traces/honest.json"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_setting_that_is_shown_with_set_is_one(tmp_path):
    documents = [
        REPOSITORY / "README.md",
        *REPOSITORY.glob("docs/*.md"),
        *REPOSITORY.glob("plugins/*/*/README.md"),
        REPOSITORY / "agent/README.md",
    ]
    text = "\n".join(one.read_text(encoding="utf-8") for one in documents)
    shown = {shlex.split(one)[0] for one in re.findall(r"--set ((?:'[^']*'|[^\s`'])+)", text)}
    settings = sorted(one.replace("=NAME", "=some").replace("=N", "=512") for one in shown if ".FIELD=" not in one)
    assert len(settings) > 8
    plugin = blocks("docs/write-a-plugin.md", "python")[0]
    (tmp_path / "apology.py").write_text(plugin, encoding="utf-8")
    (tmp_path / "mine.py").write_text(plugin.replace('name="apology"', 'name="mine"'), encoding="utf-8")
    files = ("--plugins", "./apology.py,./mine.py")
    done = sentinel(
        "config", "show", "--json", *files, *(part for one in settings for part in ("--set", one)), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    taken = [row["key"] for row in json.loads(done.stdout) if row["origin"] == "--set"]
    assert len(taken) == len(settings)


def test_rules_example_is_accepted(tmp_path):
    _, _, rules = blocks("docs/configuration.md", "toml")
    (tmp_path / "sentinel.toml").write_text(rules, encoding="utf-8")
    told = json.loads(sentinel("rules", "--json", cwd=tmp_path).stdout)
    assert {row["rule"]: row["level"] for row in told if row["level"]} == {
        "loop.cycle": "warning",
        "tool_misuse.no_match": "off",
    }


def test_profile_example_is_accepted(tmp_path):
    _, profile, _ = blocks("docs/configuration.md", "toml")
    (tmp_path / "strict.toml").write_text(profile, encoding="utf-8")
    trace = REPOSITORY / "examples/traces/honest.json"
    done = sentinel("evaluate", str(trace), "--profile", "strict.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["profile"]["weights"]["hallucination"] == 0.5


def test_contract_example_passes(tmp_path):
    plugin, _, contract = blocks("docs/write-a-plugin.md", "python")
    (tmp_path / "sentinel_signal_apology.py").write_text(plugin, encoding="utf-8")
    (tmp_path / "test_apology.py").write_text(contract, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-pno:langsmith_plugin", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": str(SENTINEL.parent)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"\b\d+ passed in", done.stdout)


def test_adapter_example_works_as_its_test_says():
    adapter, test = blocks("docs/write-an-adapter.md", "python")
    assert len(adapter.splitlines()) <= 40
    names = {}
    exec(adapter + test, names)
    names["test_the_guard_of_the_loop"]()


def test_the_map_names_what_is_there():
    text = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
    core = REPOSITORY / "src/sentinel_core"
    for path in core.iterdir():
        if path.suffix == ".py" or (path.is_dir() and not path.name.startswith("__")):
            name = path.stem if path.is_file() else f"{path.name}/"
            assert re.search(rf"(?<!\w){re.escape(name)}", text), f"{name} is not on the map"


def test_the_map_names_files_that_are_there():
    for document in ("docs/architecture.md", "docs/decisions.md"):
        text = (REPOSITORY / document).read_text(encoding="utf-8")
        paths = re.findall(r"[\w/]+/\w+\.py", text)
        assert paths
        core = REPOSITORY / "src/sentinel_core"
        assert [one for one in paths if not (any(core.rglob(one)) or (REPOSITORY / one).exists())] == []
