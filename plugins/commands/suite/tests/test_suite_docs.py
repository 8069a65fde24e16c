"""What docs/suite.md and the tutorial show works as they show it, from an empty folder."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from sentinel_command_suite.evaluation import decode_suite, run_evaluation

pytestmark = pytest.mark.unmeasured

DOCS = Path(__file__).parents[4] / "docs"


def blocks(document, language):
    text = (DOCS / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def shell(line, cwd):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SENTINEL_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return subprocess.run(
        line.removeprefix("$ "),
        shell=True,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**kept, "PATH": path},
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


def test_the_tutorial(tmp_path):
    (tmp_path / "gate.toml").write_text(blocks("tutorial-ci-gate.md", "toml")[0])
    (tmp_path / "changed.py").write_text(blocks("tutorial-ci-gate.md", "python")[0])
    first, gate = ([line for line in one.splitlines() if line] for one in blocks("tutorial-ci-gate.md", "console"))
    done = [shell(line, tmp_path) for line in (*first, *gate)]
    assert [one.returncode for one in done] == [0, 0, 0, 0, 2], [one.stderr for one in done]
    assert "3 of 3 scenarios passed" in done[0].stdout
    assert (tmp_path / ".sentinel/baselines/main.json").exists()
    assert "tests-fail-in-payment pass_rate 1.000 → 0.000" in done[-1].stdout
    assert "more than noise" in done[-1].stdout
    assert re.search(r"worse: tests-fail-in-payment tool_usage", done[-1].stdout)
    assert ET.parse(tmp_path / "gate.xml").getroot()[0].attrib["failures"] == "3"
    assert (tmp_path / "gate.md").read_text().startswith("## gate")


def test_the_workflow_calls_what_there_is():
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load(blocks("tutorial-ci-gate.md", "yaml")[0])
    assert workflow[True] == ["push", "pull_request"]  # to YAML 1.1, "on" is a word for true; without it nothing starts
    runs = [step["run"] for step in workflow["jobs"]["agent"]["steps"] if "run" in step]
    assert any(one.startswith("sentinel suite run gate.toml") for one in runs)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_suites_of_the_manual(number):
    suite = decode_suite(blocks("suite.md", "toml")[number].encode(), "shown.toml")
    if suite.judge is None:
        assert {one.status for one in run_evaluation(suite).scenarios} == {"passed"}


def test_the_python_of_the_manual(tmp_path):
    (code,) = blocks("suite.md", "python")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr


def test_every_command_of_the_manual_exists():
    from sentinel_command_suite.cli.suite import command

    named = {line.split()[3] for one in blocks("suite.md", "console") for line in one.splitlines() if " suite " in line}
    assert named <= set(command.commands)
