"""The conda recipe and the MCP registry's ``server.json`` before their validators, and pipx with the built wheels.

Each needs the network, and is skipped where it is not reached; ``SENTINEL_E2E_NEWEST`` asks for them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from distributions import build
from recipes import rendered

REPOSITORY = Path(__file__).parents[2]
UV = Path(sys.executable).parent / "uv"
PARSE = "import sys, rattler_build as r; print(len(r.Stage0Recipe.from_yaml(open(sys.argv[1]).read()).render()))"

pytestmark = [
    pytest.mark.unmeasured,
    pytest.mark.skipif(not os.environ.get("SENTINEL_E2E_NEWEST"), reason="SENTINEL_E2E_NEWEST is not set"),
]


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    build(folder)
    return folder


def uv(*arguments, **environ):
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        [UV, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False, env={**kept, **environ}
    )
    offline = (
        "dns error",
        "Failed to fetch",
        "No solution found",
        "Connection",
        "FailedDownload",
        "HTTPSConnectionPool",
    )
    if done.returncode != 0 and any(one in done.stderr + done.stdout for one in offline):
        pytest.skip(f"not reached: {done.stderr.strip().splitlines()[-1][:200]}")
    return done


def test_rattler_build_takes_the_conda_recipe(dist, tmp_path):
    (tmp_path / "recipe.yaml").write_text(rendered(dist)["recipe.yaml"])
    done = uv("run", "--no-project", "--with", "py-rattler-build", "python", "-c", PARSE, tmp_path / "recipe.yaml")
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr


def test_the_registry_s_schema_takes_the_server(tmp_path):
    """A linter brings the published schemas, and holds the npm package to the server's name."""
    for name in ("mcp/server.json", "npm/package.json"):
        shutil.copy(REPOSITORY / "publishing" / name, tmp_path)
    done = uv("tool", "run", "skillsaw", "lint", tmp_path)
    assert (done.returncode, "mcp-registry" in done.stdout) == (0, True), done.stdout + done.stderr
    server = (tmp_path / "server.json").read_text(encoding="utf-8")
    (tmp_path / "server.json").write_text(server.replace('"stdio"', '"pipe"'))
    assert uv("tool", "run", "skillsaw", "lint", tmp_path).returncode != 0


def test_pipx_runs_the_built_wheels(dist, tmp_path):
    environ = {"PIP_FIND_LINKS": str(dist), "PIPX_HOME": str(tmp_path), "PIPX_DEFAULT_BACKEND": "pip"}
    spec = ("--spec", "reliability-sentinel[standard]", "sentinel", "--version")
    done = uv("tool", "run", "pipx", "run", *spec, **environ)
    assert done.stdout.startswith("sentinel "), done.stderr
