"""The adapters' own tests with the newest version of each framework, in an environment of its own. It asks the package index."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRAMEWORKS = {
    "openai_agents": "openai-agents",
    "langchain": "langchain langgraph",
    "pydantic_ai": "pydantic-ai-slim",
    "pytest": "pytest",
}
SLOW = ("langsmith_plugin", "anyio")

pytestmark = pytest.mark.skipif(
    not os.environ.get("SENTINEL_E2E_NEWEST"), reason='SENTINEL_E2E_NEWEST is not set ("make e2e" sets it)'
)


def uv(*arguments):
    done = subprocess.run([sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("adapter", FRAMEWORKS)
def test_the_adapter_with_the_newest_version(adapter, tmp_path):
    python = tmp_path / "venv" / "bin" / "python"
    uv("venv", "--quiet", "--python", sys.executable, str(python.parents[1]))
    plugins = (path for path in ROOT.glob("plugins/*/*/") if path.parent.name != "adapters")
    folders = [f"{path}/" for path in (ROOT / "agent", *plugins)]
    tools = ("pytest", "pytest-xdist", *FRAMEWORKS[adapter].split())
    install = ("pip", "install", "--quiet", "--upgrade", "--python", str(python), *tools)
    uv(*install, f"{ROOT}[otel]", str(ROOT / "plugins/adapters" / adapter), *folders)
    folder = ROOT / "plugins/adapters" / adapter
    options = ("-c", os.devnull, "--rootdir", str(folder), "--confcutdir", str(folder), "--import-mode=importlib")
    done = subprocess.run(
        [python, "-m", "pytest", "-q", *options, *(f"-pno:{name}" for name in SLOW), str(folder / "tests")],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "tests")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
