"""The page of supported tools names every reader of a framework, every module of the adapters, and nothing that is not there."""

import re
from pathlib import Path

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
        modules = {path.stem for path in folder.glob("src/*/*.py")} - {"__init__", "scores", "spans"}
        assert modules
        assert modules <= tested
        assert {NAMES.get(one, one).lower() for one in modules} <= listed
