"""The page of supported tools names every reader of a framework, every module of the adapters, and nothing that is not there."""

import json
import re
import tomllib
from pathlib import Path

from forked_commands import run_forked

from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/supported.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]*)\|", PAGE, re.MULTILINE)
NAMES = {
    "strands": "Strands Agents",
    "adk": "Google ADK",
    "llama_index": "LlamaIndex",
    "inspect_ai": "Inspect",
    "pydantic_evals": "Pydantic Evals",
}


def readers():
    plugins, _ = load(select(Selection(), ("trace_readers",))[0])
    return {plugin.offer.name: plugin.source.distribution for plugin in plugins}


def test_every_reader_that_is_named_is_one_and_each_of_a_framework_is_named():
    named = set(re.findall(r"`([a-z-]+)`", " ".join(reader for _, reader in ROWS)))
    known = readers()
    assert named <= known.keys()
    assert {name for name, where in known.items() if where == "reliability-sentinel-readers-frameworks"} <= named


def test_every_module_of_the_adapters_has_a_row_and_a_test():
    listed = {tool.lower() for tools, _ in ROWS for tool in tools.split(", ")}
    for package in ("guards", "evals"):
        folder = ROOT / "plugins/adapters" / package
        tested = {path.stem.removeprefix("with_") for path in folder.glob("tests/with_*.py")} | {"promptfoo"}
        modules = {path.stem for path in folder.glob("src/*/*.py")} - {"__init__", "delivery", "scores", "spans"}
        assert modules
        assert modules <= tested
        assert {NAMES.get(one, one).lower() for one in modules} <= listed


def test_the_messages_of_a_graph_are_written_as_the_page_shows(tmp_path, monkeypatch):
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import tool

    def get_order(number: int) -> str:
        """An order."""

    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("traces").mkdir()
    state = {"messages": [HumanMessage("Hi."), AIMessage("Hello!")]}
    exec(code, {"json": json, "Path": Path, "state": state, "tools": [tool(get_order)]})
    done = run_forked("convert", "traces/x.json", cwd=tmp_path, timeout=120)
    trace = json.loads(done.stdout)
    assert trace["details"]["source"] == "langchain", done.stderr
    assert [message["content"] for message in trace["messages"]] == ["Hi.", "Hello!"]
    assert [one["name"] for one in trace["details"]["available_tools"]] == ["get_order"]


def test_a_clone_is_installed_from_its_own_folders_alone():
    """Nothing of Sentinel's own is asked of an index, but for extras, which install more of the same."""
    for page in ("README.md", "docs/configuration.md"):
        (line,) = re.findall(r"pip install (\. [./* a-z]+[/*a-z])", (ROOT / page).read_text(encoding="utf-8"))
        folders = [folder for part in line.split() for folder in ([ROOT] if part == "." else ROOT.glob(part))]
        projects = [tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"] for folder in folders]
        needed = {re.split(r"[^a-z0-9-]", one)[0] for project in projects for one in project.get("dependencies", [])}
        own = {one for one in needed if one.startswith("reliability-sentinel")}
        assert own
        assert own <= {project["name"] for project in projects}
