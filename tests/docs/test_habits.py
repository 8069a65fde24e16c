"""Continuous integration, hooks before a commit, and the fragments of the changelog."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml
from tables import each_row

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
FRAGMENTS = sorted((ROOT / "changelog.d").glob("*.md"))


def commands() -> list[str]:
    steps = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]
    entries = [hook["entry"] for repository in HOOKS["repos"] for hook in repository["hooks"]]
    return [step["run"] for step in steps if "run" in step] + entries


def test_the_workflow_and_the_hooks_only_call_make():
    (phony,) = re.findall(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    made = [command for command in commands() if command != "python3 tests/commit_messages.py"]
    called = [re.fullmatch(r"make (\w+)( PYTHON=python)?", command)[1] for command in made]
    assert {"test", "style", "quick", "images"} == set(called) <= set(phony.split())


def test_the_workflow_runs_on_every_python_that_the_metadata_names():
    named = re.findall(r"Python :: (3\.\d+)'", str(PROJECT["project"]["classifiers"]))
    matrix = WORKFLOW["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == sorted(named, key=lambda one: int(one.partition(".")[2]))
    assert {one.partition("-")[0] for one in matrix["os"]} == {"ubuntu", "macos"}


@each_row("fragment", FRAGMENTS)
def test_a_fragment_is_named_for_its_kind_and_says_something(fragment):
    kinds = {one["directory"] for one in PROJECT["tool"]["towncrier"]["type"]}
    name, kind, _ = fragment.name.rsplit(".", 2)
    assert name.startswith("+")
    assert kind in kinds
    assert fragment.read_text(encoding="utf-8").strip()


def test_fragments_are_collected_into_one_section(tmp_path):
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (tmp_path / "CHANGELOG.md").write_bytes((ROOT / "CHANGELOG.md").read_bytes())
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d/+mill.fixed.md").write_text("The mill no longer stops.\n")
    (tmp_path / "changelog.d/+corn.added.md").write_text("Corn can be ground.\n")
    done = subprocess.run(
        [Path(sys.executable).parent / "towncrier", "build", "--keep", "--version", "9.9.9", "--date", "2030-01-01"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    section = (
        "## 9.9.9 (2030-01-01)\n\n### Added\n\n- Corn can be ground.\n\n### Fixed\n\n- The mill no longer stops.\n"
    )
    assert section in text
    assert text.index(section) < text.index("\n## Unreleased\n")
