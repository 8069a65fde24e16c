"""``sentinel run`` from end to end, on the examples."""

import json
import subprocess
from pathlib import Path

import pytest
from forked_commands import run_forked

pytestmark = pytest.mark.unmeasured

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"


def run(release: str, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_forked("run", release, "--releases", EXAMPLES / "releases", *arguments, cwd=cwd, timeout=120)


@pytest.mark.parametrize(
    ("release", "severity"),
    [("v2.1.0", "high"), ("v2.1.1", "medium"), ("v2.1.2", "low"), ("v2.2.1", "medium"), ("v2.2.2", "medium")],
)
def test_examples(release, severity, tmp_path):
    done = run(release, tmp_path, "--json", "--provider", "offline")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["severity"], told["outcome"]) == (severity, "completed")
    assert (told["agent"]["verdict"], told["agent"]["findings"]) == ("PASS", [])
    filed = json.loads((tmp_path / told["report_path"]).read_text(encoding="utf-8"))
    assert (filed["report_id"], filed["severity"]) == (told["report_id"], severity)
    assert filed["findings"] == told["findings"]
    again = run_forked("evaluate", told["trace_path"], "--json", cwd=tmp_path)
    assert json.loads(again.stdout) == told["agent"]


def test_two_runs_file_two_reports(tmp_path):
    first = json.loads(run("v2.1.0", tmp_path, "--json").stdout)
    second = json.loads(run("v2.1.0", tmp_path, "--json").stdout)
    assert (first["report_id"], second["report_id"]) == ("v2.1.0-1", "v2.1.0-2")
    assert first["trace_path"] != second["trace_path"]


@pytest.mark.parametrize("release", ["v2.2.3", "v2.2.0-not-json", "v9.9.9", "../v2.1.0"])
def test_what_cannot_be_fetched_is_3_and_files_nothing(release, tmp_path):
    done = run(release, tmp_path, "--provider", "offline")
    assert done.returncode == 3
    assert "no report filed" in done.stdout
    assert f'sentinel: error: no risk report was filed for "{release}" (outcome: completed): tool ' in done.stderr
    assert done.stderr.endswith("; the agent never called file_risk_report\n")
    assert "InputError" not in done.stderr
    assert "finalize: deterministic_provider. " in done.stdout
    assert "attempt 2" not in done.stdout
    assert "Traceback" not in done.stderr
    assert not (tmp_path / ".sentinel" / "reports").exists()


@pytest.mark.parametrize(
    ("release", "fail_on_risk", "code"),
    [("v2.1.0", "high", 2), ("v2.1.1", "high", 0), ("v2.1.1", "medium", 2), ("v2.1.2", "medium", 0)],
)
def test_fail_on_risk(release, fail_on_risk, code, tmp_path):
    done = run(release, tmp_path, "--provider", "offline", "--fail-on-risk", fail_on_risk)
    risk = {"v2.1.0": "high", "v2.1.1": "medium"}.get(release)
    told = f"sentinel: error: the risk is {risk}; --fail-on-risk is {fail_on_risk}\n"
    assert (done.returncode, done.stderr) == (code, told if code else "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--provider", "ofline"), 'no provider "ofline" is installed; did you mean "offline"?'),
        (("--plugins", "no:file_risk_report"), 'the detective needs "file_risk_report"'),
        (("--releases", ""), 'releases" is empty'),
        (("--fail-on-risk", "low"), "'low' is not one of"),
        (("--releases", "nofolder"), '--releases "nofolder": there is no such file or folder'),
        (("--junit", "nope.xml"), '--junit "nope.xml": there is no such file or folder'),
        (("--set", "offline.p95=1"), 'unknown setting "providers.offline.p95"'),
    ],
)
def test_usage_errors_are_3(arguments, words, tmp_path):
    done = run("v2.1.0", tmp_path, *arguments)
    assert done.returncode == 3
    assert words in done.stderr
    assert done.stderr.count("\n") <= 2
    assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / ".sentinel").write_text("a file in the way", encoding="utf-8")
    done = run("v2.1.0", tmp_path, "--provider", "offline", "--reports", "reports")
    assert done.returncode == 3
    assert ".sentinel" in done.stderr
    assert "Traceback" not in done.stderr


def test_saved_runs_are_for_their_owner_only(tmp_path):
    told = json.loads(run("v2.1.0", tmp_path, "--json").stdout)
    path = tmp_path / told["trace_path"]
    assert [oct(one.stat().st_mode & 0o777) for one in (path, path.parent)] == ["0o600", "0o700"]


def test_a_provider_that_dies_is_named(tmp_path):
    plugin = tmp_path / "dying.py"
    plugin.write_text(
        "import os\nfrom sentinel_core import Capabilities, Provider, hookimpl\n"
        "class Dying:\n"
        "    def complete(self, request, on_text=None): os._exit(0)\n"
        "    def estimate_tokens(self, messages): return 1\n"
        "    def get_capabilities(self): return Capabilities()\n"
        "    def close(self): pass\n"
        "@hookimpl\ndef sentinel_providers():\n"
        "    return [Provider(name='dying', summary='ends the process', connect=Dying)]\n",
        encoding="utf-8",
    )
    done = run("v2.1.0", tmp_path, "--provider", "dying", "--plugins", "./dying.py")
    assert done.returncode == 3
    assert "ended the process with exit code 0" in done.stderr
    assert "dying" in done.stderr


def test_a_provider_that_raises_leaves_a_trace(tmp_path):
    plugin = tmp_path / "raising.py"
    plugin.write_text(
        "from sentinel_core import Capabilities, Provider, hookimpl\n"
        "class Raising:\n"
        "    def complete(self, request, on_text=None): raise RuntimeError('no luck')\n"
        "    def estimate_tokens(self, messages): return 1\n"
        "    def get_capabilities(self): return Capabilities()\n"
        "    def close(self): pass\n"
        "@hookimpl\ndef sentinel_providers():\n"
        "    return [Provider(name='raising', summary='raises', connect=Raising)]\n",
        encoding="utf-8",
    )
    done = run("v2.1.0", tmp_path, "--provider", "raising", "--plugins", "./raising.py")
    assert done.returncode == 3
    assert "RuntimeError: no luck" in done.stderr
    assert len(list((tmp_path / ".sentinel" / "runs").iterdir())) == 1
