"""A command copied from the docs, installed as its reader would install it."""

import re

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
