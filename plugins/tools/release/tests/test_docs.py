"""What the pages on the release tools say is so."""

import json
import re
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from sentinel_tools_release import sentinel_tools

pytestmark = pytest.mark.unmeasured

PROJECT = Path(__file__).parents[4]
README = PROJECT / "plugins/tools/release/README.md"
PAGE = PROJECT / "docs/release-tools.md"


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_example_prints_what_it_says():
    (code,) = blocks(README, "python")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines() == re.findall(r"  # (.*)", code)


def test_settings_on_the_page_are_accepted(tmp_path):
    (tmp_path / "sentinel.toml").write_text("\n".join(blocks(PAGE, "toml")), encoding="utf-8")
    done = subprocess.run(
        [str(Path(sys.executable).parent / "sentinel"), "config", "show", "--json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    origins = {row["key"]: row["origin"] for row in json.loads(done.stdout)}
    assert origins["tools.file_risk_report.honors_keys"] == "sentinel.toml"
    assert origins["tools.get_release_summary.repo"] == "sentinel.toml"


def test_every_flag_on_the_page_is_known():
    commands = [line for block in blocks(PAGE, "console") for line in block.splitlines() if "sentinel run" in line]
    helped = subprocess.run(
        [str(Path(sys.executable).parent / "sentinel"), "run", "--help"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    flags = set(re.findall(r" (--[a-z-]+)", "\n".join(commands)))
    assert flags >= {"--repo", "--junit", "--metrics", "--releases"}
    assert flags <= set(re.findall(r"  (--[a-z-]+)", helped.stdout))


def test_every_tool_and_setting_is_in_the_readme():
    text = README.read_text(encoding="utf-8")
    for tool in sentinel_tools():
        assert f"| `{tool.name}` |" in text
        for name in tool.parameters["properties"]:
            assert f"`{name}`" in text, name
        for field in attrs.fields(tool.settings):
            assert f"`{field.name}`" in text, field.name


@pytest.mark.parametrize("tool", sentinel_tools(), ids=lambda tool: tool.name)
def test_every_tool_has_its_entry_point(tool):
    listed = (PROJECT / "plugins/tools/release/pyproject.toml").read_text(encoding="utf-8")
    assert f'\n{tool.name} = "sentinel_tools_release"\n' in listed
