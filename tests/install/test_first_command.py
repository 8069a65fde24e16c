"""A command copied from the docs, installed as its reader would install it."""

import re
import subprocess

import pytest

from sentinel_core.testing import honest_trace
from sentinel_core.traces.codec import encode_trace
from wheels import REPOSITORY

pytestmark = pytest.mark.unmeasured


@pytest.fixture(scope="module")
def environment(make_environment, wheelhouse, tmp_path_factory):
    _, _, text = (REPOSITORY / "docs/write-a-plugin.md").read_text(encoding="utf-8").partition("\n## A command\n")
    module = re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
    project = re.search(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
    assert len([line for line in module.partition("@hookimpl")[0].splitlines() if line.strip()]) <= 10
    folder = tmp_path_factory.mktemp("verdict")
    (folder / "pyproject.toml").write_text(project, encoding="utf-8")
    (folder / "sentinel_command_verdict.py").write_text(module, encoding="utf-8")
    made = make_environment("reliability-sentinel[standard]")
    made.install(str(folder), wheelhouse=wheelhouse)
    return made


def test_it_is_found_and_used(environment, tmp_path):
    listed = environment.sentinel("--help")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "  verdict   Print the verdict on a trace.\n" in listed.stdout
    path = tmp_path / "trace.json"
    path.write_bytes(encode_trace(honest_trace()))
    done = environment.sentinel("verdict", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "PASS\n", "")


def test_it_is_checked(environment):
    done = environment.sentinel("plugins", "--check")
    assert done.returncode == 0, done.stdout
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["commands", "verdict", "sentinel-command-verdict", "1.0", "loads"] in rows


def test_a_bare_host_says_what_to_install_and_then_it_works(make_environment, wheelhouse, tmp_path):
    bare = make_environment("reliability-sentinel")
    told = "pip install reliability-sentinel-command-suite"
    for arguments in (("suite", "list"), ("suite", "--help")):
        done = bare.sentinel(*arguments, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr == f'sentinel: error: the command "suite" is not installed: {told}\n'
    assert "suite" not in bare.sentinel("--help").stdout
    bare.install(told.rsplit(maxsplit=1)[-1], wheelhouse=wheelhouse)
    done = bare.sentinel("suite", "list", cwd=tmp_path)
    assert (done.returncode, done.stdout.startswith("release-risk  ")) == (0, True), done.stderr


def test_every_built_in_command_is_there_and_no_development_tool(environment, tmp_path):
    for name in ("audit", "demo", "doctor", "init", "loops", "mutate", "receive", "serve", "suite"):
        done = environment.sentinel(name, "--help", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), name
    found = subprocess.run(
        [environment.python, "-c", "import sentinel_faults"], capture_output=True, text=True, check=False
    )
    assert "No module named 'sentinel_faults'" in found.stderr
