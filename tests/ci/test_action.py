"""The action, the hook and the workflow as printed, run by a shell that does what the runner does with these files."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from commanding import clean_environment
from lying import CLAIM, run

from sentinel_core import __version__

pytestmark = pytest.mark.unmeasured

REPOSITORY = Path(__file__).parents[2]
ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text())


ADDRESS = f"reliability-sentinel/reliability-sentinel@v{__version__}"


def blocks(document):
    return re.findall(r"^```yaml\n(.*?)^```$", document.read_text(), re.DOTALL | re.MULTILINE)


def filled(text, inputs):
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: inputs[match[1]], str(text))


def run_action(folder, given):
    """The steps of the composite action whose ``if`` holds, in bash as the runner starts it; the first that fails ends it."""
    assert set(given) <= set(ACTION["inputs"])
    inputs = {name: given.get(name, one.get("default", "")) for name, one in ACTION["inputs"].items()}
    bin_folder = Path(sys.executable).parent
    outcome = None
    for step in ACTION["runs"]["steps"]:
        condition = step.get("if")
        if condition is not None:
            name, value = re.fullmatch(r"inputs\.([\w-]+) != '(.*)'", condition).groups()
            if inputs[name] == value:
                continue
        environment = {name: filled(value, inputs) for name, value in step.get("env", {}).items()}
        outcome = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", filled(step["run"], inputs)],
            cwd=folder,
            env=clean_environment(**environment, PATH=f"{bin_folder}{os.pathsep}{os.environ['PATH']}"),
            capture_output=True,
            text=True,
            check=False,
        )
        if outcome.returncode:
            break
    return outcome


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "a.json").write_text(json.dumps(run("a", CLAIM)))
    return tmp_path


@pytest.mark.parametrize(("given", "code"), [({}, 2), ({"fail-on": "never"}, 0), ({"fail-on": ""}, 0)])
def test_without_fail_on_the_settings_decide(workspace, given, code):
    (workspace / "sentinel.toml").write_text('fail_on = "never"\n')
    done = run_action(workspace, {"traces": "traces/", "package": "", **given})
    assert done.returncode == code


def test_the_workflow_as_printed(workspace):
    pages = [yaml.safe_load(one) for one in blocks(REPOSITORY / "docs" / "ci.md") if ADDRESS in one]
    (workflow,) = [one for one in pages if "jobs" in one]
    (step,) = [one for one in workflow["jobs"]["judge"]["steps"] if one.get("uses") == ADDRESS]
    done = run_action(workspace, {**step["with"], "package": ""})
    assert done.returncode == 2, done.stderr
    assert done.stdout.startswith("::error file=traces/a.json,line=1,title=Sentinel hallucination.claim_without_call::")
    later = [one.get("with", {}) for one in workflow["jobs"]["judge"]["steps"]]
    for made in [one["sarif_file"] for one in later if "sarif_file" in one] + [
        one["path"] for one in later if "path" in one
    ]:
        assert (workspace / made).is_file()


def test_the_action_installs_its_own_version():
    assert ACTION["inputs"]["package"]["default"] == f"reliability-sentinel[standard]=={__version__}"


def test_a_baseline_lets_what_is_known_through(workspace):
    given = {"traces": "traces/", "package": "", "baseline": "known.json"}
    assert run_action(workspace, {**given, "options": "--update-baseline"}).returncode == 0
    assert run_action(workspace, given).returncode == 0


def test_inputs_are_no_commands(workspace):
    run_action(workspace, {"traces": "$(touch pwned) `touch pwned` ; touch pwned", "package": ""})
    assert not (workspace / "pwned").exists()


def test_the_hook_judges_the_files_that_it_is_given(workspace):
    hook = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())[0]
    assert hook["id"] == "sentinel-evaluate"
    command = [Path(sys.executable).parent / "sentinel", *hook["entry"].split()[1:], "traces/a.json"]
    done = subprocess.run(command, cwd=workspace, env=clean_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert re.search(hook["files"], "runs/a.trace.json")
    assert not re.search(hook["files"], "package.json")


def test_expectations_have_spaces_and_stand_one_a_line(workspace):
    (workspace / "traces" / "a.json").write_text(json.dumps(run("a", "Hello.")))
    given = {"traces": "traces/", "package": ""}
    kept = "called:get_order\n\n  not called:delete_*  \nanswer matches Hel+o\n"
    done = run_action(workspace, {**given, "expect": kept})
    assert done.returncode == 0, done.stderr + done.stdout
    broken = run_action(workspace, {**given, "expect": "not called:get_*"})
    assert (broken.returncode, "expect.not_called" in broken.stdout) == (2, True), broken.stdout + broken.stderr
    (workspace / "tasks.toml").write_text('[tasks]\na = ["called:send_email"]\n')
    by_task = run_action(workspace, {**given, "expect-file": "tasks.toml"})
    assert (by_task.returncode, "expect.called" in by_task.stdout) == (2, True), by_task.stdout + by_task.stderr


def test_expectations_are_no_commands_and_no_options(workspace):
    for hostile in ("$(touch pwned)", "`touch pwned`", '"; touch pwned; "', "--fail-on=never", "-o"):
        done = run_action(workspace, {"traces": "traces/", "package": "", "expect": hostile})
        assert done.returncode == 3, done.stdout + done.stderr
    assert not (workspace / "pwned").exists()


def test_the_step_as_printed(workspace):
    ((step,),) = (yaml.safe_load(one) for one in blocks(REPOSITORY / "docs" / "ci.md") if one.startswith("- uses: "))
    (workspace / step["with"]["expect-file"]).write_text("")
    (workspace / step["with"]["baseline"]).write_text('{"version": 1, "findings": []}')
    done = run_action(workspace, {**step["with"], "package": ""})
    assert done.returncode == 2, done.stderr
    assert {"expect.called", "expect.answer"} <= set(re.findall(r"expect\.\w+", done.stdout))
