"""The page about telemetry says what is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sentinel_agent.telemetry.metrics import _ROWS
from sentinel_command_receive.cli.receive import command

pytestmark = pytest.mark.unmeasured

PAGE = (Path(__file__).parents[2] / "docs" / "telemetry.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python_blocks_run(number, tmp_path):
    subprocess.run([sys.executable, "-c", BLOCKS[number]], cwd=tmp_path, check=True, timeout=60)


def test_metrics_are_named():
    assert [row.name for row in _ROWS if f"`{row.name}`" not in PAGE] == []


def test_options_and_their_defaults_are_told():
    told = {option.name: option.default for option in command.params}
    assert f"`--quiet` seconds ({told['quiet']:g})" in PAGE
    assert f"({told['patience']:g})" in PAGE
    assert f"({told['max_body_mb']} by default, after decompression)" in PAGE
    assert f"`{told['output']}`" in PAGE


def test_spans_are_named(busy, tmp_path, spans_in):
    from sentinel_agent.telemetry import rebuild

    (path,) = rebuild(busy, tmp_path)
    for span in spans_in(path):
        name = span["name"].replace("chat m-1", "chat {model}").replace("execute_tool weigh", "execute_tool {name}")
        assert f"`{name}`" in PAGE
